//! Several people in one registration (rule 53 of docs/rules.md).

use crate::{event::Event, ids::RegistrationId, violation::FieldViolation};

/// The most people of a registration, as the proto says.
pub const MAX_PARTY: i32 = 10;

/// The people of a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// How many they are, with the one who registered.
    pub size: i32,
    /// The names of others, as far as they were given.
    pub companions: Vec<String>,
}

impl Default for Party {
    fn default() -> Self {
        Self::of(1)
    }
}

impl Party {
    /// People without names.
    pub const fn of(size: i32) -> Self {
        Self {
            size,
            companions: Vec::new(),
        }
    }

    /// Finds what is wrong with a party for an event. One that is larger than the event would wait for ever.
    pub fn mistakes(&self, event: &Event) -> Vec<FieldViolation> {
        self.larger_than(event.max_party.min(event.max_capacity))
    }

    fn larger_than(&self, max: i32) -> Vec<FieldViolation> {
        let mut mistakes = Vec::new();
        let mut note = |field: &str, message: String| {
            let field = field.to_owned();
            mistakes.push(FieldViolation { field, message });
        };
        if self.size > max {
            let message = match max {
                1 => "must be 1: each person registers alone".to_owned(),
                max => format!("must be at most {max}: register others on their own"),
            };
            note("party_size", message);
        }
        let others = usize::try_from(self.size - 1).unwrap_or(0);
        if self.companions.len() > others {
            let message = format!("must not be more than the other people, who are {others}");
            note("companions", message);
        }
        mistakes
    }
}

/// A party that waits for seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Its registration.
    pub id: RegistrationId,
    /// Its place in the order of registering.
    pub seq: i64,
    /// How many people it has.
    pub size: i32,
}

/// Takes from the waitlist, in order, each party that fits the seats that those before it leave. Returns how many are left.
pub fn first_that_fit(
    waiting: impl IntoIterator<Item = Waiting>,
    free: i32,
    taken: &mut Vec<Waiting>,
) -> i32 {
    waiting.into_iter().fold(free, |free, party| {
        if party.size > free {
            return free;
        }
        taken.push(party);
        free - party.size
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_first_that_fits_is_taken_and_the_others_stay_in_order() {
        let waiting = [4, 2, 1, 3, 1].into_iter().zip(1..);
        let waiting = waiting.map(|(size, seq)| Waiting {
            id: RegistrationId::new(Uuid::from_u128(1)),
            seq,
            size,
        });
        let mut taken = Vec::new();
        assert_eq!(first_that_fit(waiting, 3, &mut taken), 0);
        let seqs: Vec<_> = taken.iter().map(|party| party.seq).collect();
        assert_eq!(seqs, [2, 3]);
    }

    #[test]
    fn a_party_has_the_size_that_the_event_admits_and_no_more_names() {
        let fields = |party: Party, max| {
            let mistakes = party.larger_than(max).into_iter();
            mistakes.map(|mistake| mistake.field).collect::<Vec<_>>()
        };
        let named = |size| Party {
            size,
            companions: vec!["Ada".to_owned()],
        };
        assert!(fields(named(2), 2).is_empty());
        assert_eq!(fields(Party::of(2), 1), ["party_size"]);
        assert_eq!(fields(named(1), 1), ["companions"]);
    }
}
