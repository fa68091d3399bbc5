//! When the public can register for an event (rule 52 of docs/rules.md). Organizers add people until it is over.

use std::cmp::Ordering;

use super::Event;
use crate::{
    change::Change,
    date_time::{EventTime, ZonelessTime},
    instant::Instant,
    schedule::{Schedule, read_roughly, read_time},
    violation::Violations,
    zone::Zone,
};

/// When the public can register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// From when on; `None`: at once.
    pub opens: Option<EventTime>,
    /// Until when; `None`: until the event starts.
    pub closes: Option<EventTime>,
    /// Whether the organizer has not closed it by hand.
    pub is_open: bool,
}

/// A change of it, as the client wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WindowChange {
    /// ISO 8601.
    pub opens: Change<String>,
    /// ISO 8601.
    pub closes: Change<String>,
    /// Never null.
    pub is_open: Change<bool>,
}

/// Whether people can register now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowState {
    /// They can.
    Open,
    /// From this time on.
    Ahead(EventTime),
    /// No more. The time is absent if it was closed by hand.
    Closed(Option<EventTime>),
}

impl Default for Window {
    fn default() -> Self {
        Self {
            opens: None,
            closes: None,
            is_open: true,
        }
    }
}

impl Window {
    /// Whether people can register now for an event with this start. What was closed by hand is closed at any time.
    pub fn state(self, now: Instant, start: EventTime) -> WindowState {
        let closes = self.closes.unwrap_or(start);
        match self.opens {
            _ if !self.is_open => WindowState::Closed(None),
            _ if closes.at <= now => WindowState::Closed(Some(closes)),
            Some(opens) if now < opens.at => WindowState::Ahead(opens),
            _ => WindowState::Open,
        }
    }

    /// Applies a change, of the event's schedule as well. Times that are not changed stay where they are, and keep their wall time in a
    /// new zone.
    #[must_use]
    pub fn changed(
        mut self,
        change: WindowChange,
        (before, after): (&Schedule, &Schedule),
        violations: &mut Violations,
    ) -> Self {
        let field = blamed(&change);
        let has_times = !change.opens.is_keep() || !change.closes.is_keep();
        change
            .is_open
            .write(&mut self.is_open, "is_registration_open", violations);
        if !has_times && before == after {
            return self;
        }
        let Some(zone) = violations.check("timezone", Zone::find(&after.timezone)) else {
            return self;
        };
        let is_moved = before.timezone != after.timezone;
        let mut read = |field: &str, change: Change<String>, stored: Option<EventTime>| match change
        {
            Change::Clear => None,
            Change::Set(text) => read_time(field, &text, Some(&zone), violations),
            Change::Keep if is_moved => {
                let moved = EventTime::of_wall_time(stored?.local, &zone);
                violations.check(field, moved)
            }
            Change::Keep => stored,
        };
        self.opens = read(OPENS, change.opens, self.opens);
        self.closes = read(CLOSES, change.closes, self.closes);
        self.check(after, field, violations);
        self
    }

    /// Judges a change while the event's times are wrong: the form of its own times, and their order.
    pub fn judge_untimed(
        mut self,
        change: WindowChange,
        zone: Option<&Zone>,
        is_moved: bool,
        violations: &mut Violations,
    ) {
        let field = blamed(&change);
        let has_times = !change.opens.is_keep() || !change.closes.is_keep();
        change
            .is_open
            .write(&mut self.is_open, "is_registration_open", violations);
        let mut read = |field: &str, change: Change<String>, stored: Option<EventTime>| match change
        {
            Change::Clear => None,
            Change::Set(text) => read_roughly(field, &text, zone, violations),
            Change::Keep if is_moved => {
                stored.map(|stored| ZonelessTime::of_wall_time(stored.local))
            }
            Change::Keep => stored.map(ZonelessTime::from),
        };
        let opens = read(OPENS, change.opens, self.opens);
        let closes = read(CLOSES, change.closes, self.closes);
        let order = opens.zip(closes);
        let order = order.and_then(|(opens, closes)| opens.compared(closes));
        if has_times && order.is_some_and(Ordering::is_ge) {
            violations.add(field, out_of_order(field));
        }
    }

    /// Refuses times that are out of order, or not before the event is over.
    fn check(self, schedule: &Schedule, blamed: &str, violations: &mut Violations) {
        let over = schedule.time_of(schedule.over_at());
        let end = over.rfc3339();
        let last = self.closes.map_or(schedule.start.at, |_| over.at);
        if self.opens.is_some_and(|opens| opens.at >= last) {
            let message = if last == over.at {
                format!("must be before the event is over ({end}), or null")
            } else {
                let start = schedule.start.rfc3339();
                format!(
                    "must be before the event starts ({start}), unless registration_closes is later, or null"
                )
            };
            violations.add(OPENS, message);
        }
        if self.closes.is_some_and(|closes| closes.at > over.at) {
            let message = format!("must not be after the event is over ({end}): earlier, or null");
            violations.add(CLOSES, message);
        }
        let times = self.opens.zip(self.closes);
        if times.is_some_and(|(opens, closes)| closes.at <= opens.at) {
            violations.add(blamed, out_of_order(blamed));
        }
    }

    /// The same wall times by the time zone database of now. A time that clocks skip by then stays.
    #[must_use]
    pub fn by_current_clocks(self, timezone: &str) -> Self {
        let Ok(zone) = Zone::find(timezone) else {
            return self;
        };
        let followed = |time: EventTime| time.by_clocks_of(&zone).unwrap_or(time);
        Self {
            opens: self.opens.map(followed),
            closes: self.closes.map(followed),
            is_open: self.is_open,
        }
    }

    /// What a copy has: it is open, and has the times that are still ahead.
    #[must_use]
    pub(super) fn copied(self, now: Instant) -> Self {
        let is_ahead = |time: &EventTime| time.at > now;
        Self {
            opens: self.opens.filter(is_ahead),
            closes: self.closes.filter(is_ahead),
            is_open: true,
        }
    }
}

const OPENS: &str = "registration_opens";
const CLOSES: &str = "registration_closes";

/// What would be right of times out of order.
fn out_of_order(blamed: &str) -> &'static str {
    if blamed == OPENS {
        "must be before registration_closes"
    } else {
        "must be after registration_opens"
    }
}

/// The field that is blamed for times out of order: one that is present.
const fn blamed(change: &WindowChange) -> &'static str {
    if change.closes.is_keep() && !change.opens.is_keep() {
        OPENS
    } else {
        CLOSES
    }
}

impl Event {
    /// When registration opens, as answers have it.
    pub fn registration_opens(&self) -> Option<String> {
        self.window.opens.map(|time| time.rfc3339())
    }

    /// When registration closes, as answers have it; `None` if that is when the event starts.
    pub fn registration_closes(&self) -> Option<String> {
        self.window.closes.map(|time| time.rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::{EventPatch, Refusal, tests::event_from},
        schedule::ScheduleChange,
    };

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000); // 2027-01-15T08:00:00Z

    fn set(text: &str) -> Change<String> {
        Change::Set(text.to_owned())
    }

    fn times(opens: Change<String>, closes: Change<String>) -> EventPatch {
        EventPatch {
            window: WindowChange {
                opens,
                closes,
                is_open: Change::Keep,
            },
            ..EventPatch::default()
        }
    }

    fn patched(event: &Event, patch: EventPatch) -> Result<Event, Vec<String>> {
        let blamed = |refusal| match refusal {
            Refusal::Invalid(found) => found.into_iter().map(|one| one.field).collect(),
            other => panic!("expected violations, not {other:?}"),
        };
        event.patched(patch, 0, NOW).map_err(blamed)
    }

    /// From 18:00 to 20:00 on the first of May in Berlin; people register in April.
    fn in_berlin() -> Event {
        let schedule = ScheduleChange {
            start_date: set("2027-05-01T18:00"),
            end_date: set("2027-05-01T20:00"),
            timezone: set("Europe/Berlin"),
        };
        let patch = EventPatch {
            schedule,
            ..times(set("2027-04-01T09:00"), set("2027-04-30T20:00"))
        };
        patched(&event_from(NOW), patch).unwrap()
    }

    #[test]
    fn it_is_open_from_the_one_moment_until_before_the_other() {
        let window = in_berlin().window;
        let (opens, closes) = (window.opens.unwrap(), window.closes.unwrap());
        let just_before = |time: EventTime| Instant::from_micros(time.at.micros() - 1);
        let start = in_berlin().schedule.start;
        let state = |now| window.state(now, start);
        assert_eq!(state(just_before(opens)), WindowState::Ahead(opens));
        assert_eq!(state(opens.at), WindowState::Open);
        assert_eq!(state(just_before(closes)), WindowState::Open);
        assert_eq!(state(closes.at), WindowState::Closed(Some(closes)));
        let without_times = |now| Window::default().state(now, start);
        assert_eq!(without_times(NOW), WindowState::Open);
        assert_eq!(without_times(just_before(start)), WindowState::Open);
        assert_eq!(without_times(start.at), WindowState::Closed(Some(start)));
        let by_hand = Window {
            is_open: false,
            ..window
        };
        for now in [just_before(opens), opens.at, closes.at] {
            assert_eq!(by_hand.state(now, start), WindowState::Closed(None));
        }
    }

    #[test]
    fn times_are_read_in_the_zone_of_the_event() {
        let event = in_berlin();
        let opens = event.registration_opens();
        assert_eq!(opens.as_deref(), Some("2027-04-01T09:00:00+02:00"));
        let by_offset = times(set("2027-04-01T07:00Z"), Change::Keep);
        assert_eq!(patched(&event, by_offset).unwrap(), event);
        let to_new_york = EventPatch {
            schedule: ScheduleChange {
                timezone: set("America/New_York"),
                ..ScheduleChange::default()
            },
            ..EventPatch::default()
        };
        let moved = patched(&event, to_new_york).unwrap();
        let closes = moved.registration_closes();
        assert_eq!(closes.as_deref(), Some("2027-04-30T20:00:00-04:00"));
    }

    #[test]
    fn times_out_of_order_are_blamed_on_what_was_given() {
        let event = in_berlin();
        let reversed = times(Change::Keep, set("2027-04-01T09:00"));
        assert_eq!(patched(&event, reversed), Err(vec![CLOSES.to_owned()]));
        let reversed = times(set("2027-04-30T20:00"), Change::Keep);
        assert_eq!(patched(&event, reversed), Err(vec![OPENS.to_owned()]));
        let when_it_has_begun = times(set("2027-05-01T18:00"), Change::Clear);
        let blamed = Err(vec![OPENS.to_owned()]);
        assert_eq!(patched(&event, when_it_has_begun), blamed);
        let while_it_runs = times(set("2027-05-01T18:00"), set("2027-05-01T19:00"));
        assert!(patched(&event, while_it_runs).is_ok());
        let after_all = times(set("2027-05-01T20:00"), set("2027-05-01T20:01"));
        let both = vec![OPENS.to_owned(), CLOSES.to_owned()];
        assert_eq!(patched(&event, after_all), Err(both));
        let null = EventPatch {
            window: WindowChange {
                is_open: Change::Clear,
                ..WindowChange::default()
            },
            ..EventPatch::default()
        };
        let blamed = vec!["is_registration_open".to_owned()];
        assert_eq!(patched(&event, null), Err(blamed));
        let until_the_end = times(Change::Clear, set("2027-05-01T20:00"));
        assert!(patched(&event, until_the_end).is_ok());
    }

    #[test]
    fn an_event_that_moves_leaves_them_where_they_are_unless_it_would_be_over_before() {
        let starting = |text: &str, end: &str| EventPatch {
            schedule: ScheduleChange {
                start_date: set(text),
                end_date: set(end),
                ..ScheduleChange::default()
            },
            ..EventPatch::default()
        };
        let event = in_berlin();
        let later = starting("2027-06-01T18:00", "2027-06-01T20:00");
        assert_eq!(patched(&event, later).unwrap().window, event.window);
        let earlier = || starting("2027-04-20T18:00", "2027-04-20T20:00");
        assert_eq!(patched(&event, earlier()), Err(vec![CLOSES.to_owned()]));
        let cleared = EventPatch {
            window: times(Change::Keep, Change::Clear).window,
            ..earlier()
        };
        assert_eq!(patched(&event, cleared).unwrap().window.closes, None);
    }

    #[test]
    fn a_copy_is_open_and_has_the_times_that_are_ahead() {
        let window = Window {
            is_open: false,
            ..in_berlin().window
        };
        let after_opening = window.copied(window.opens.unwrap().at);
        let expected = Window {
            opens: None,
            closes: window.closes,
            is_open: true,
        };
        assert_eq!(after_opening, expected);
        let after_all = window.copied(window.closes.unwrap().at);
        assert_eq!(after_all, Window::default());
    }
}
