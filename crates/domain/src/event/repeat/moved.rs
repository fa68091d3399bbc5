//! What an event is on another day.

use jiff::{SignedDuration, civil::Date};

use crate::{
    change::Change,
    date_time::{EventTime, InvalidTime},
    event::{CustomField, Event, EventIdentity, EventPatch, FieldId, Window, WindowChange},
    ids::SeriesId,
    instant::Instant,
    schedule::{Schedule, ScheduleChange, read_time},
    violation::{FieldViolation, Violations},
    zone::Zone,
};

/// The schedule with its start on another day, at the same times of day; `None` if clocks skip one of them.
pub(super) fn on_date(schedule: &Schedule, date: Date, zone: &Zone) -> Option<Schedule> {
    let start = schedule.start.local.time().to_datetime(date);
    let start = EventTime::of_wall_time(start, zone).ok()?;
    schedule.starting(start, zone).ok()
}

/// The time that clocks show so much later.
fn later(time: EventTime, by: SignedDuration, zone: &Zone) -> Result<EventTime, InvalidTime> {
    let local = time.local.checked_add(by).map_err(|_| InvalidTime::Year)?;
    EventTime::of_wall_time(local, zone)
}

impl Schedule {
    /// The same by another start: it takes as long by the clocks there.
    fn starting(&self, start: EventTime, zone: &Zone) -> Result<Self, InvalidTime> {
        let by = start.local.duration_since(self.start.local);
        let end = self.end.map(|end| later(end, by, zone)).transpose()?;
        Ok(Self {
            start,
            // What clocks show twice may put the end before the start.
            end: end.map(|end| if end.at < start.at { start } else { end }),
            timezone: self.timezone.clone(),
        })
    }
}

impl Window {
    /// The window of the same event at another time: its times move as the start does by the clocks there. Where clocks skip one, it is as
    /// far from the start as it was. One that would close after the event is over closes then.
    ///
    /// # Errors
    /// A time would lie outside the years that are allowed.
    fn moved(self, before: &Schedule, after: &Schedule, zone: &Zone) -> Result<Self, InvalidTime> {
        let by = after.start.local.duration_since(before.start.local);
        let moved = |time: EventTime| match later(time, by, zone) {
            Err(InvalidTime::Skipped { .. }) => {
                let micros = time.at.micros() - before.start.at.micros() + after.start.at.micros();
                Ok(after.time_of(Instant::from_micros(micros)))
            }
            moved => moved,
        };
        let (opens, closes) = (
            self.opens.map(moved).transpose()?,
            self.closes.map(moved).transpose()?,
        );
        let over = after.over_at();
        let closes = closes.map(|closes| {
            if closes.at > over {
                after.time_of(over)
            } else {
                closes
            }
        });
        let is_after_opening = |closes: &EventTime| opens.is_none_or(|opens| opens.at < closes.at);
        Ok(Self {
            opens,
            closes: closes.filter(is_after_opening),
            is_open: true,
        })
    }
}

impl EventPatch {
    /// The same change for another date of the series, of a change that made `after` of `before`: what it sets to a time is as many days
    /// away, at the same time of day, and a question is the one that the other date has of it. The version is that of the first event
    /// alone.
    ///
    /// # Errors
    /// A time would lie outside the years that are allowed.
    pub fn for_date(
        &self,
        (before, after): (&Event, &Event),
        other: &Event,
    ) -> Result<Self, Vec<FieldViolation>> {
        let mut violations = Violations::default();
        let first = before.schedule.start.local.date();
        let by = other.schedule.start.local.date().duration_since(first);
        let mut moved = |field, change: &Change<String>, time: Option<EventTime>| {
            let (Change::Set(_), Some(time)) = (change, time) else {
                return change.clone();
            };
            let local = time.local.checked_add(by);
            let local = violations.check(field, local.map_err(|_| InvalidTime::Year));
            local.map_or(Change::Keep, |local| Change::Set(local.to_string()))
        };
        let (schedule, window) = (&after.schedule, after.window);
        let custom_fields = match &self.custom_fields {
            Change::Set(_) => Change::Set(questions_of(other, before, after)),
            unchanged => unchanged.clone(),
        };
        let patch = Self {
            version: None,
            schedule: ScheduleChange {
                start_date: moved(
                    "start_date",
                    &self.schedule.start_date,
                    Some(schedule.start),
                ),
                end_date: moved("end_date", &self.schedule.end_date, schedule.end),
                timezone: self.schedule.timezone.clone(),
            },
            window: WindowChange {
                opens: moved("registration_opens", &self.window.opens, window.opens),
                closes: moved("registration_closes", &self.window.closes, window.closes),
                is_open: self.window.is_open.clone(),
            },
            custom_fields,
            shares_questions: true,
            ..self.clone()
        };
        violations.unless_any(Some(patch))
    }
}

/// The questions of `after` as those of another date: what `before` had is what the other one has by the same identity, else by the same
/// words and type. What is new to the other one has the identity that it has here, so that dates agree on it.
fn questions_of(other: &Event, before: &Event, after: &Event) -> Vec<CustomField> {
    let has = |id: &Option<FieldId>| other.custom_fields.iter().any(|one| one.id == *id);
    let mut taken: Vec<Option<FieldId>> = Vec::new();
    taken.extend(after.custom_fields.iter().map(|field| field.id.clone()));
    let questions = after.custom_fields.iter().map(|field| {
        let known = before.custom_fields.iter().find(|one| one.id == field.id);
        let known = known.filter(|_| !has(&field.id));
        let same = known.and_then(|known| {
            let is_same = |one: &&CustomField| {
                one.label.trim() == known.label.trim() && one.field_type == known.field_type
            };
            let mut others = other.custom_fields.iter().filter(is_same);
            others.find(|one| !taken.contains(&one.id))
        });
        taken.extend(same.map(|same| same.id.clone()));
        CustomField {
            id: same.map_or_else(|| field.id.clone(), |same| same.id.clone()),
            ..field.clone()
        }
    });
    questions.collect()
}

impl Event {
    /// The same event, of any state, with another start, ISO 8601: by the clocks there it takes as long, and its times of registration move
    /// as the start does.
    pub fn moved_to(&self, start: &str) -> Result<Self, Vec<FieldViolation>> {
        let mut violations = Violations::default();
        let zone = violations.check("timezone", Zone::find(&self.schedule.timezone));
        let start = read_time("start_date", start, zone.as_ref(), &mut violations);
        let moved = zone.zip(start).and_then(|(zone, start)| {
            let moved = self.starting(start, &zone).map_err(|reason| match reason {
                InvalidTime::Skipped { zone, local } => format!(
                    "must put the end at a time that clocks in {zone} show: {local} is skipped when they are put forward"
                ),
                _ => "must leave the end and the times of registration in the years 1 to 9999".to_owned(),
            });
            violations.check("start_date", moved)
        });
        let closed_before = moved.as_ref().and_then(|moved| {
            let opens = moved.window.opens?;
            let is_never_open =
                moved.window.closes.is_none() && opens.at >= moved.schedule.start.at;
            is_never_open.then_some(opens)
        });
        if let Some(opens) = closed_before {
            let message = format!(
                "must leave registration_opens ({}) before registration closes",
                opens.rfc3339()
            );
            violations.add("start_date", message);
        }
        violations.unless_any(moved)
    }

    fn starting(&self, start: EventTime, zone: &Zone) -> Result<Self, InvalidTime> {
        let schedule = self.schedule.starting(start, zone)?;
        Ok(Self {
            window: self.window.moved(&self.schedule, &schedule, zone)?,
            schedule,
            ..self.clone()
        })
    }

    /// The same event at another time of its series, a draft or published. It has its own seats, waitlist and link.
    #[must_use]
    pub fn repeated(
        &self,
        identity: EventIdentity,
        series: SeriesId,
        schedule: Schedule,
        is_published: bool,
        now: Instant,
    ) -> Self {
        Self {
            series: Some(series),
            window: self.window_at(&schedule),
            is_published,
            published_start: is_published.then_some(schedule.start.at),
            zone_release: Zone::release().to_owned(),
            schedule,
            ..self.copied(identity, now)
        }
    }

    /// The window of the same event at another time. A date of a rule has all of its times within the years that are allowed.
    fn window_at(&self, schedule: &Schedule) -> Window {
        let zone = Zone::find(&schedule.timezone).ok();
        let moved = zone.and_then(|zone| self.window.moved(&self.schedule, schedule, &zone).ok());
        moved.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::event::{FieldType, NewRepetition, Repetition, tests::event_from};

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000); // 2027-01-15T08:00:00Z

    #[test]
    fn a_window_moves_with_its_event() {
        let mut event = event_from(NOW);
        let days_before = |days: i64| {
            let at = event.schedule.start.at.plus_seconds(-days * 86_400);
            event.schedule.time_of(at)
        };
        event.window.opens = Some(days_before(14));
        event.window.closes = Some(days_before(1));
        let weekly = NewRepetition {
            every: "week".to_owned(),
            interval: 1,
            count: Some(1),
            ..NewRepetition::default()
        };
        let repetition = Repetition::read(&weekly, event.schedule.start.local.date()).unwrap();
        let found = repetition
            .dates(&event.schedule, &BTreeSet::new(), NOW)
            .unwrap();
        let identity = EventIdentity {
            id: crate::ids::EventId::new(uuid::Uuid::from_u128(7)),
            account_id: event.account_id,
            slug: "again".to_owned(),
        };
        let series = SeriesId::new(uuid::Uuid::from_u128(9));
        let again = event.repeated(identity, series, found.schedules[0].clone(), true, NOW);
        let texts = [again.window.opens, again.window.closes].map(|time| time.unwrap().rfc3339());
        assert_eq!(
            texts,
            ["2027-04-24T18:00:00+02:00", "2027-05-07T18:00:00+02:00"]
        );
        assert_eq!(again.series, Some(series));
        assert!(again.is_published && again.published_start == Some(again.schedule.start.at));
    }

    fn at(local: &str) -> EventTime {
        let zone = Zone::find("Europe/Berlin").unwrap();
        EventTime::of_wall_time(local.parse().unwrap(), &zone).unwrap()
    }

    #[test]
    fn by_another_start_all_times_move_by_the_same_wall_time() {
        let mut event = event_from(NOW);
        event.schedule.start = at("2027-03-27T18:00");
        event.schedule.end = Some(at("2027-03-28T10:00"));
        event.window.opens = Some(at("2027-03-27T08:00"));
        event.window.closes = Some(at("2027-03-27T17:30"));
        let moved = event.moved_to("2027-05-01T10:15").unwrap();
        let texts = [
            Some(moved.schedule.start),
            moved.schedule.end,
            moved.window.opens,
            moved.window.closes,
        ];
        let expected = [
            "2027-05-01T10:15",
            "2027-05-02T02:15",
            "2027-05-01T00:15",
            "2027-05-01T09:45",
        ];
        assert_eq!(texts, expected.map(|text| Some(at(text))));
    }

    #[test]
    fn a_window_closes_when_its_event_is_over_at_the_latest() {
        let mut event = event_from(NOW);
        event.schedule.start = at("2027-05-01T10:00");
        event.schedule.end = None;
        event.window.closes = Some(at("2027-05-01T23:00"));
        // It is over three hours after its start then.
        let moved = event.moved_to("2027-05-02T23:30").unwrap();
        assert_eq!(moved.window.closes.unwrap().at, moved.schedule.over_at());
        event.window = Window {
            opens: Some(at("2027-05-01T22:00")),
            ..Window::default()
        };
        let found = event.moved_to("2027-05-02T23:30").unwrap_err();
        assert_eq!(found[0].field, "start_date");
    }

    #[test]
    fn a_start_that_leaves_a_time_beyond_the_calendar_or_skipped_is_refused() {
        let mut event = event_from(NOW);
        event.schedule.end = Some(
            event
                .schedule
                .time_of(event.schedule.start.at.plus_seconds(86_400)),
        );
        let found = event.moved_to("9999-12-31T12:00").unwrap_err();
        assert_eq!(found[0].field, "start_date");
        event.schedule.start = at("2027-05-01T18:00");
        event.schedule.end = Some(at("2027-05-02T02:30"));
        let found = event.moved_to("2027-03-27T18:00").unwrap_err();
        assert!(
            found[0].message.contains("2027-03-28T02:30:00 is skipped"),
            "{found:?}"
        );
    }

    fn asking(questions: &[(&str, &str)]) -> Event {
        let questions = questions.iter().map(|(id, label)| CustomField {
            id: Some(FieldId::given((*id).to_owned())),
            label: (*label).to_owned(),
            field_type: FieldType::Text,
            required: false,
            options: Vec::new(),
        });
        Event {
            custom_fields: questions.collect(),
            ..event_from(NOW)
        }
    }

    /// The questions of another date after a change of those of the first.
    fn followed(before: &Event, change: &[(&str, &str)], other: &Event) -> Vec<(String, String)> {
        let patch = EventPatch {
            custom_fields: Change::Set(asking(change).custom_fields),
            ..EventPatch::default()
        };
        let after = before.patched(patch.clone(), 0, NOW).unwrap();
        let patch = patch.for_date((before, &after), other).unwrap();
        let changed = other.patched(patch, 0, NOW).unwrap();
        let made = &after.custom_fields;
        let id = |id: FieldId| match made.iter().position(|one| one.id.as_ref() == Some(&id)) {
            Some(at) if id.as_str().len() == 12 => format!("new {at}"),
            _ => id.to_string(),
        };
        let fields = changed.custom_fields.into_iter();
        fields.map(|one| (id(one.id.unwrap()), one.label)).collect()
    }

    fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs = pairs
            .iter()
            .map(|(id, label)| ((*id).to_owned(), (*label).to_owned()));
        pairs.collect()
    }

    #[test]
    fn a_question_follows_to_that_of_another_date_and_a_new_one_is_the_same_everywhere() {
        let before = asking(&[("a", "Diet"), ("b", "Size")]);
        let other = asking(&[("x", "Size"), ("y", "Diet "), ("z", "Own")]);
        let change = [("a", "Food"), ("b", "Size"), ("new", "Phone")];
        assert_eq!(
            followed(&before, &change, &other),
            named(&[("y", "Food"), ("x", "Size"), ("new 2", "Phone")])
        );
        // The same identity counts before the words.
        let other = asking(&[("b", "Diet"), ("a", "Size")]);
        assert_eq!(
            followed(&before, &change, &other),
            named(&[("a", "Food"), ("b", "Size"), ("new 2", "Phone")])
        );
        // What the other date lacks is as new there.
        assert_eq!(
            followed(&before, &change, &asking(&[])),
            named(&[("a", "Food"), ("b", "Size"), ("new 2", "Phone")])
        );
    }

    #[test]
    fn a_time_that_is_beyond_the_calendar_on_another_date_is_refused() {
        let before = event_from(NOW);
        let mut other = before.clone();
        other.schedule.start = at("9999-12-30T18:00");
        let patch = EventPatch {
            schedule: ScheduleChange {
                start_date: Change::Set("2027-05-04T18:00".to_owned()),
                ..ScheduleChange::default()
            },
            ..EventPatch::default()
        };
        let after = before.patched(patch.clone(), 0, NOW).unwrap();
        let found = patch.for_date((&before, &after), &other).unwrap_err();
        assert_eq!(found[0].field, "start_date");
    }
}
