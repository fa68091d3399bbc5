//! Reminders: mails to those who hold a seat, some hours before an event starts (rule 46 of docs/rules.md).

use serde::{Deserialize, Serialize};

use super::Event;
use crate::{ids::EventId, instant::Instant};

const HOUR_SECONDS: i64 = 3_600;

/// Someone who registered later than so long before a reminder has just read the same in the mail about registering.
const RECENT_SECONDS: i64 = 2 * HOUR_SECONDS;

/// When an event's reminders are sent: hours before its start, each once, the first one first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reminders(Vec<i32>);

impl Reminders {
    /// Reminders so many hours before the start. The proto's limits are already applied.
    pub fn new(mut hours: Vec<i32>) -> Self {
        hours.sort_unstable_by_key(|hours| std::cmp::Reverse(*hours));
        hours.dedup();
        Self(hours)
    }

    /// Hours before the start, the first reminder first.
    pub fn hours(&self) -> &[i32] {
        &self.0
    }

    /// The same and another one.
    #[must_use]
    pub fn with(&self, hours: i32) -> Self {
        Self::new([&self.0[..], &[hours]].concat())
    }

    /// Those of them that `others` has, too.
    #[must_use]
    pub fn shared_with(&self, others: &Self) -> Self {
        let mut hours = self.0.clone();
        hours.retain(|hours| others.0.contains(hours));
        Self(hours)
    }
}

/// A reminder of an event with a certain start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reminder {
    /// How many hours before the start.
    pub hours: i32,
    /// When it is due.
    pub due_at: Instant,
}

impl Reminder {
    fn of(start: Instant, hours: i32) -> Self {
        Self {
            hours,
            due_at: start.plus_seconds(-i64::from(hours) * HOUR_SECONDS),
        }
    }

    /// Until when someone must have registered to get it.
    pub fn registered_until(self) -> Instant {
        self.due_at.plus_seconds(-RECENT_SECONDS)
    }

    /// Until when its mails are scheduled if nobody could do it before: an hour before the start, or half an hour if it is due then.
    pub fn latest(self) -> Instant {
        self.start().plus_seconds(-self.margin_seconds())
    }

    /// Until when one of its mails is sent: they were scheduled in time, but may have waited.
    pub fn is_too_late(self, now: Instant) -> bool {
        self.start().plus_seconds(-self.margin_seconds() / 2) < now
    }

    const fn margin_seconds(self) -> i64 {
        if self.hours > 1 {
            HOUR_SECONDS
        } else {
            HOUR_SECONDS / 2
        }
    }

    fn start(self) -> Instant {
        self.due_at
            .plus_seconds(i64::from(self.hours) * HOUR_SECONDS)
    }
}

impl Event {
    /// The reminders that it will have as it is now: none unless the public sees it and it takes place.
    pub fn planned_reminders(&self) -> Vec<Reminder> {
        if !self.is_shown() || self.is_cancelled {
            return Vec::new();
        }
        let start = self.schedule.start.at;
        let hours = self.reminders.hours().iter();
        hours.map(|hours| Reminder::of(start, *hours)).collect()
    }

    /// Whether it will have reminders that an event which was `before` would not have sent any more.
    pub fn has_new_reminders(&self, before: &Self, now: Instant) -> bool {
        let planned = before.planned_reminders();
        let was_ahead =
            |hours| (planned.iter()).any(|one: &Reminder| one.hours == hours && one.due_at > now);
        let mut reminders = self.planned_reminders().into_iter();
        reminders.any(|one| one.due_at > now && !was_ahead(one.hours))
    }

    /// The reminder so many hours before its start.
    pub fn reminder(&self, hours: i32) -> Reminder {
        Reminder::of(self.schedule.start.at, hours)
    }

    /// The missed reminders of an event that was `before`: those of another start are not missed any more.
    pub(crate) fn still_missed(&self, before: &Self) -> Reminders {
        if self.schedule.start.at == before.schedule.start.at {
            before.reminders_missed.shared_with(&self.reminders)
        } else {
            Reminders::default()
        }
    }
}

/// The reminders that an event is to have from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderPlan {
    /// The event.
    pub event: EventId,
    /// Its reminders; none if it is to have none.
    pub reminders: Vec<Reminder>,
}

impl ReminderPlan {
    /// The plan for an event as it is now.
    pub(crate) fn of(event: &Event) -> Self {
        Self {
            event: event.id,
            reminders: event.planned_reminders(),
        }
    }

    /// Those that wait and are not to wait any more.
    pub fn obsolete<'a>(&'a self, waiting: &'a [Reminder]) -> impl Iterator<Item = Reminder> + 'a {
        let waiting = waiting.iter().copied();
        waiting.filter(|one| !self.reminders.contains(one))
    }

    /// Those that are to wait and do not yet. What would be due already is too late to be planned.
    pub fn missing<'a>(
        &'a self,
        waiting: &'a [Reminder],
        now: Instant,
    ) -> impl Iterator<Item = Reminder> + 'a {
        let planned = self.reminders.iter().copied();
        planned.filter(move |one| one.due_at > now && !waiting.contains(one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::tests::event_from;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    fn event(hours: &[i32]) -> Event {
        Event {
            reminders: Reminders::new(hours.to_vec()),
            ..event_from(NOW).published(NOW).unwrap()
        }
    }

    #[test]
    fn the_first_reminder_is_the_first_one() {
        assert_eq!(Reminders::new(vec![2, 24]).hours(), [24, 2]);
        assert_eq!(Reminders::new(vec![24]).with(48).hours(), [48, 24]);
    }

    #[test]
    fn only_an_event_that_people_see_and_that_takes_place_has_reminders() {
        let shown = event(&[24]);
        let start = shown.schedule.start.at;
        let expected = [Reminder {
            hours: 24,
            due_at: start.plus_seconds(-86_400),
        }];
        assert_eq!(shown.planned_reminders(), expected);
        for other in [
            shown.unpublished(NOW).unwrap(),
            shown.cancelled(None, NOW).unwrap(),
            Event {
                is_hidden: true,
                ..shown.clone()
            },
            Event {
                is_account_suspended: true,
                ..shown.clone()
            },
        ] {
            assert_eq!(other.planned_reminders(), []);
        }
    }

    #[test]
    fn a_reminder_is_new_if_none_of_its_hour_was_ahead() {
        let (day, both) = (event(&[24]), event(&[24, 2]));
        assert!(both.has_new_reminders(&day, NOW));
        assert!(!day.has_new_reminders(&both, NOW) && !both.has_new_reminders(&both, NOW));
        // What is due already is not sent.
        let two = both.reminder(2).due_at;
        assert!(!both.has_new_reminders(&day, two));
        assert!(!both.unpublished(NOW).unwrap().has_new_reminders(&day, NOW));
    }

    #[test]
    fn late_reminders_are_sent_up_to_an_hour_before_the_start_and_those_of_an_hour_up_to_half_of_it()
     {
        let event = event(&[24, 1]);
        let before = |seconds: i64| event.schedule.start.at.plus_seconds(-seconds);
        let (day, hour) = (event.reminder(24), event.reminder(1));
        assert_eq!(
            (day.latest(), hour.latest()),
            (before(3_600), before(1_800))
        );
        assert!(!day.is_too_late(before(1_800)) && day.is_too_late(before(1_799)));
        assert!(!hour.is_too_late(before(900)) && hour.is_too_late(before(899)));
        assert_eq!(day.registered_until(), before(26 * 3_600));
    }

    #[test]
    fn what_waits_as_planned_stays_and_what_is_already_due_is_not_planned() {
        let event = event(&[24, 2]);
        let plan = ReminderPlan::of(&event);
        let (day, two) = (event.reminder(24), event.reminder(2));
        let missing = |waiting: &[Reminder], now| plan.missing(waiting, now).collect::<Vec<_>>();
        assert_eq!(missing(&[], NOW), [day, two]);
        assert_eq!(missing(&[day], NOW), [two]);
        assert_eq!(missing(&[], day.due_at), [two]);
        let other = Reminder { due_at: NOW, ..day };
        let obsolete: Vec<_> = plan.obsolete(&[other, two]).collect();
        assert_eq!(obsolete, [other]);
    }

    #[test]
    fn a_reminder_of_another_start_was_not_missed() {
        let before = Event {
            reminders_missed: Reminders::new(vec![24, 2]),
            ..event(&[24, 2])
        };
        assert_eq!(event(&[24]).still_missed(&before).hours(), [24]);
        let mut moved = event(&[24, 2]);
        moved.schedule.start.at = NOW;
        assert_eq!(moved.still_missed(&before).hours(), [0; 0]);
    }
}
