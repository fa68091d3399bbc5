//! The daily quota of mails to people who did not ask for them: about changes of events, and to people whom an organizer adds
//! (rule 29 of docs/rules.md).

use crate::instant::{DAY_SECONDS, Instant};

const MICROS_PER_DAY: i64 = DAY_SECONDS * 1_000_000;

/// How many such mails an account has caused on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailCount {
    /// The day in UTC, counted from 1970-01-01.
    pub day: i32,
    /// The number of mails.
    pub mails: i32,
    /// Those of the mails, and the invitations of members, that go to people who did not register themselves.
    pub strangers: i32,
}

/// The quota does not allow as many mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded {
    /// How many mails a day are allowed.
    pub limit: u32,
    /// How many of them are used.
    pub used: i32,
    /// How many more were asked for.
    pub needed: i32,
    /// When a new day begins.
    pub resets_at: Instant,
}

impl Exceeded {
    /// How many mails are left.
    pub fn left(&self) -> i64 {
        (i64::from(self.limit) - i64::from(self.used)).max(0)
    }
}

impl MailCount {
    /// No mails on the day of this time.
    pub fn of_day(now: Instant) -> Self {
        let day = now.micros().div_euclid(MICROS_PER_DAY);
        Self {
            day: i32::try_from(day).unwrap_or(i32::MAX),
            mails: 0,
            strangers: 0,
        }
    }

    /// The count of the day of this time: a new day begins with none.
    #[must_use]
    pub fn today(self, now: Instant) -> Self {
        let new = Self::of_day(now);
        if self.day == new.day { self } else { new }
    }

    /// With so many more mails, if the quota allows them; `None` is no quota.
    ///
    /// # Errors
    /// When they are too many.
    pub fn with(self, needed: i32, limit: Option<u32>) -> Result<Self, Exceeded> {
        let mails = self.more(self.mails, needed, limit)?;
        Ok(Self { mails, ..self })
    }

    /// The same for mails to people who did not register themselves.
    ///
    /// # Errors
    /// When they are too many.
    pub fn with_strangers(self, needed: i32, limit: Option<u32>) -> Result<Self, Exceeded> {
        let strangers = self.more(self.strangers, needed, limit)?;
        Ok(Self { strangers, ..self })
    }

    /// How many more mails to people who did not register themselves the quota allows.
    pub fn strangers_left(self, limit: u32) -> i32 {
        i32::try_from(limit)
            .unwrap_or(i32::MAX)
            .saturating_sub(self.strangers)
            .max(0)
    }

    fn more(self, used: i32, needed: i32, limit: Option<u32>) -> Result<i32, Exceeded> {
        let mails = used.saturating_add(needed);
        match limit {
            Some(limit) if needed > 0 && i64::from(mails) > i64::from(limit) => Err(Exceeded {
                limit,
                used,
                needed,
                resets_at: self.resets_at(),
            }),
            _ => Ok(mails),
        }
    }

    /// With fewer mails, if the day is still the same one: mails that were counted need not be sent.
    #[must_use]
    pub fn without(self, unneeded: Self) -> Self {
        if self.day != unneeded.day {
            return self;
        }
        Self {
            mails: (self.mails - unneeded.mails).max(0),
            strangers: (self.strangers - unneeded.strangers).max(0),
            ..self
        }
    }

    /// When the next day begins.
    pub const fn resets_at(self) -> Instant {
        Instant::from_micros(0).plus_seconds((self.day as i64 + 1) * DAY_SECONDS)
    }
}

/// How many mails a change needs that so many people are told of. Nobody can use more than the quota of a whole day: otherwise a
/// large event could never be moved.
pub fn needed_for_change(people: i32, limit: Option<u32>) -> i32 {
    let max = limit.map_or(i32::MAX, |limit| i32::try_from(limit).unwrap_or(i32::MAX));
    people.min(max.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2027-01-15T08:00:00Z.
    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    #[test]
    fn a_day_has_its_quota_and_the_next_one_begins_at_midnight_in_utc() {
        let count = MailCount::of_day(NOW).with(3, Some(5)).unwrap();
        let exceeded = count.with(3, Some(5)).unwrap_err();
        assert_eq!((exceeded.used, exceeded.needed), (3, 3));
        assert_eq!(exceeded.resets_at.to_string(), "2027-01-16T00:00:00Z");
        let count = count.with(2, Some(5)).unwrap();
        assert!(count.with(1, Some(5)).is_err());
        assert!(count.with(1_000_000, None).is_ok());

        let last = exceeded.resets_at.plus_seconds(-1);
        assert_eq!(count.today(last), count);
        assert_eq!(count.today(exceeded.resets_at).mails, 0);
        assert_eq!(count.without(MailCount { mails: 4, ..count }).mails, 1);
        let tomorrow = MailCount::of_day(exceeded.resets_at);
        assert_eq!(tomorrow.without(count), tomorrow);
    }

    #[test]
    fn strangers_are_counted_beside_the_mails() {
        let count = MailCount::of_day(NOW).with(3, Some(5)).unwrap();
        let count = count.with_strangers(2, Some(2)).unwrap();
        let exceeded = count.with_strangers(1, Some(2)).unwrap_err();
        assert_eq!((exceeded.limit, exceeded.used, exceeded.needed), (2, 2, 1));
        assert_eq!((count.mails, count.strangers_left(5)), (3, 3));
        assert_eq!(count.strangers_left(1), 0);
    }

    #[test]
    fn an_unused_day_is_enough_for_one_change_of_any_event() {
        let needed = |people, limit| needed_for_change(people, limit);
        assert_eq!(needed(40, Some(500)), 40);
        assert_eq!(needed(10_000, Some(500)), 500);
        assert_eq!(needed(10_000, None), 10_000);
        // Without any quota there is no change to tell of.
        assert!(
            MailCount::of_day(NOW)
                .with(needed(7, Some(0)), Some(0))
                .is_err()
        );
    }
}
