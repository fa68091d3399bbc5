//! What another release of the time zone database makes of an event: people were told its wall time, and it stays.

use super::Event;
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
        match self.schedule.clock_change() {
            ClockChange::None => Clocks::Unchanged,
            ClockChange::Skipped => Clocks::Skipped,
            ClockChange::Moved(schedule) => Clocks::Moved(Box::new(self.moved(schedule, now))),
        }
    }

    fn moved(&self, schedule: Schedule, now: Instant) -> Self {
        // The same wall time is no new time: its page must not say so.
        let was_published_so = self.published_start == Some(self.schedule.start.at);
        Self {
            published_start: if was_published_so {
                Some(schedule.start.at)
            } else {
                self.published_start
            },
            schedule,
            zone_release: Zone::release().to_owned(),
            sequence: self.sequence.saturating_add(1),
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
