//! When registrants are told of an event's new time or place: not at once, so that several changes are one mail, and a change that
//! is undone is none.

use super::{instant::Instant, mail::quota::MailCount};

/// How long a change must be the last one.
const QUIET_SECONDS: i64 = 5 * 60;

/// How long after the first change mails are scheduled, however often it is changed again.
const MAX_SECONDS: i64 = 15 * 60;

/// Changes of an event of which registrants will be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Announcement {
    /// The time of the first change.
    pub since: Instant,
    /// The mails that were counted against the owner's daily quota, and the day.
    pub counted: MailCount,
}

impl Announcement {
    /// The first change; no mails are counted yet.
    pub fn beginning(now: Instant) -> Self {
        Self {
            since: now,
            counted: MailCount::of_day(now),
        }
    }

    /// When registrants are told, if the last change is made now.
    pub fn due_at(&self, now: Instant) -> Instant {
        let longest = self.since.plus_seconds(MAX_SECONDS);
        now.plus_seconds(QUIET_SECONDS).min(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_moves_the_mails_by_five_minutes_but_never_beyond_fifteen() {
        let first = Instant::from_micros(1_800_000_000_000_000);
        let announcement = Announcement::beginning(first);
        let due = |minutes: i64| {
            let due = announcement.due_at(first.plus_seconds(minutes * 60));
            (due.micros() - first.micros()) / 60_000_000
        };
        assert_eq!([0, 1, 4, 9, 10, 14].map(due), [5, 6, 9, 14, 15, 15]);
        // The runners were stopped meanwhile.
        assert_eq!(due(60), 15);
    }
}
