//! What another release of the time zone database makes of an event: its wall time, which people have read, stays.

use super::{Event, Reminders, Window};
use crate::{
    instant::Instant,
    schedule::{ClockChange, Schedule},
    zone::Zone,
};

/// An event after a look at what clocks show by the database of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clocks {
    /// They show what was said.
    Unchanged,
    /// The moment is another one, so that they do.
    Moved(Box<Event>),
    /// They skip what was said, so nothing is changed: the organizers have to choose.
    Skipped,
}

impl Event {
    /// The event by the time zone database of this program.
    pub fn by_current_clocks(&self, now: Instant) -> Clocks {
        let window = self.window.by_current_clocks(&self.schedule.timezone);
        let schedule = match self.schedule.clock_change() {
            ClockChange::None if window == self.window => return Clocks::Unchanged,
            ClockChange::None => self.schedule.clone(),
            ClockChange::Skipped => return Clocks::Skipped,
            ClockChange::Moved(schedule) => schedule,
        };
        Clocks::Moved(Box::new(self.moved(schedule, window, now)))
    }

    fn moved(&self, schedule: Schedule, window: Window, now: Instant) -> Self {
        // The same wall time is no new time: its page must not say so.
        let was_published_so = self.published_start == Some(self.schedule.start.at);
        Self {
            published_start: if was_published_so {
                Some(schedule.start.at)
            } else {
                self.published_start
            },
            sequence: self
                .sequence
                .saturating_add(i32::from(schedule != self.schedule)),
            schedule,
            window,
            reminders_missed: Reminders::default(),
            zone_release: Zone::release().to_owned(),
            version: self.version.saturating_add(1),
            updated_at: now,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::event_from;
    use super::*;
    use crate::date_time::EventTime;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    #[test]
    fn the_wall_time_stays_when_the_offset_moves() {
        let right = event_from(NOW).published(NOW).unwrap();
        assert_eq!(right.by_current_clocks(NOW), Clocks::Unchanged);
        // What a release without summer time had made of it.
        let hour_later = |time: EventTime| EventTime {
            at: time.at.plus_seconds(3_600),
            ..time
        };
        let mut old = right.clone();
        old.schedule.start = hour_later(right.schedule.start);
        old.published_start = Some(old.schedule.start.at);
        let Clocks::Moved(moved) = old.by_current_clocks(NOW) else {
            panic!("it did not move")
        };
        assert_eq!(moved.schedule, right.schedule);
        assert_eq!((moved.sequence, moved.version), (1, 2));
        assert_eq!(moved.previous_start(), None);
    }

    #[test]
    fn times_of_registration_keep_their_wall_time_and_no_calendar_changes() {
        let mut right = event_from(NOW);
        right.window.opens = Some(right.schedule.start);
        let mut old = right.clone();
        old.window.opens = old.window.opens.map(|time| EventTime {
            at: time.at.plus_seconds(3_600),
            ..time
        });
        let Clocks::Moved(moved) = old.by_current_clocks(NOW) else {
            panic!("it did not move")
        };
        assert_eq!(moved.window, right.window);
        assert_eq!((moved.sequence, moved.version), (0, 2));
    }

    #[test]
    fn what_clocks_skip_now_stays() {
        let mut event = event_from(NOW);
        event.schedule.start.local = "2027-03-28T02:30".parse().unwrap();
        assert_eq!(event.by_current_clocks(NOW), Clocks::Skipped);
    }

    #[test]
    fn the_second_of_two_equal_wall_times_is_right() {
        let mut event = event_from(NOW);
        event.schedule.start = EventTime {
            local: "2027-10-31T02:30".parse().unwrap(),
            at: Instant::from_utc("2027-10-31T01:30".parse().unwrap()),
        };
        assert_eq!(event.by_current_clocks(NOW), Clocks::Unchanged);
    }
}
