//! Several people in one registration (rule 53 of docs/rules.md).

use super::Registration;
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
        if self.size > max {
            let message = match max {
                1 => "must be 1: each person registers alone".to_owned(),
                max => format!("must be at most {max}: register others on their own"),
            };
            mistakes.push(mistake("party_size", message));
        }
        mistakes.extend(self.too_many_names());
        mistakes
    }

    fn too_many_names(&self) -> Option<FieldViolation> {
        let others = usize::try_from(self.size - 1).unwrap_or(0);
        let names = self.companions.len();
        let message = || {
            let size = names + 1;
            format!(
                "must not be more than the other people, who are {others}; for {names} of them, party_size must be at least {size}"
            )
        };
        (names > others).then(|| mistake("companions", message()))
    }
}

impl Registration {
    /// Finds what is wrong with a party that its attendee makes of it: nobody comes in on seats that were not asked for when registering,
    /// and who is here stays.
    pub fn party_mistakes(&self, party: &Party) -> Vec<FieldViolation> {
        let (max, arrived) = (self.party.size, self.arrived);
        let mut mistakes = Vec::new();
        if party.size > max {
            let message = format!("must be at most {max}: register others on their own");
            mistakes.push(mistake("party_size", message));
        } else if party.size < arrived {
            let message = format!("must be at least {arrived}, the number of people who are here");
            mistakes.push(mistake("party_size", message));
        }
        mistakes.extend(party.too_many_names());
        mistakes
    }
}

fn mistake(field: &str, message: String) -> FieldViolation {
    let field = field.to_owned();
    FieldViolation { field, message }
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
    use crate::registration::{Status, tests::registration};

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

    #[test]
    fn an_attendee_makes_their_party_smaller_down_to_those_who_are_here() {
        let three = Registration {
            party: Party::of(3),
            arrived: 2,
            ..registration(Status::Confirmed)
        };
        let fields = |size, companions: &[&str]| {
            let companions = companions.iter().map(|&name| name.to_owned()).collect();
            let mistakes = three.party_mistakes(&Party { size, companions });
            let mistakes = mistakes.into_iter().map(|mistake| mistake.field);
            mistakes.collect::<Vec<_>>()
        };
        assert!(fields(3, &["Bo", "Cy"]).is_empty());
        assert!(fields(2, &["Bo"]).is_empty());
        assert_eq!(fields(1, &["Bo"]), ["party_size", "companions"]);
        assert_eq!(fields(4, &[]), ["party_size"]);
    }
}
