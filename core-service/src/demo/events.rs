//! The demo's events, from `events.json`. Their dates are relative to the day of the first start.

use domain::{
    event::{CustomField, NewEvent, Reminders},
    instant::Instant,
};
use jiff::{ToSpan as _, civil::Date};
use serde::Deserialize;

use super::guests::Turnout;

/// A list of [`DemoEvent`].
pub(super) const JSON: &str = include_str!("events.json");

/// An event in that file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DemoEvent {
    title: String,
    /// Paragraphs.
    description: Vec<String>,
    location: String,
    city: Option<String>,
    timezone: String,
    #[serde(default)]
    visibility: Visibility,
    /// If present, the event is cancelled for this reason.
    pub(super) cancel_reason: Option<String>,
    /// Days from today, negative in the past.
    pub(super) in_days: i32,
    /// Moves the event to the first such weekday from then on.
    weekday: Option<Day>,
    /// Wall time, for example 19:30.
    start: String,
    /// Wall time; an event without it has no end.
    end: Option<String>,
    /// Number of days from its start to its end.
    #[serde(default)]
    end_days_later: i32,
    max_capacity: i32,
    image_query: Option<String>,
    #[serde(default)]
    custom_fields: Vec<CustomField>,
    organizer_name: Option<String>,
    contact_email: Option<String>,
    #[serde(default)]
    pub(super) registrations: Turnout,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Visibility {
    #[default]
    Public,
    Unlisted,
    Draft,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Day {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl DemoEvent {
    /// The request that creates this event, on the day of `now`.
    pub(super) fn request(&self, now: Instant) -> NewEvent {
        let start = self.start_day(now.to_utc().date());
        let end = start.saturating_add(self.end_days_later.days());
        NewEvent {
            title: self.title.clone(),
            description: self.description.join("\n\n"),
            location: self.location.clone(),
            city: self.city.clone(),
            start_date: format!("{start}T{}", self.start),
            end_date: self.end.as_ref().map(|time| format!("{end}T{time}")),
            timezone: Some(self.timezone.clone()),
            max_capacity: self.max_capacity,
            is_public: self.visibility != Visibility::Draft,
            is_listed: self.visibility != Visibility::Unlisted,
            requires_approval: self.registrations.pending > 0,
            confirm_by_email: Some(false),
            allows_answer_changes: false,
            max_party: 1,
            is_location_private: false,
            window: domain::event::WindowChange::default(),
            attendee_info: None,
            image_query: self.image_query.clone(),
            image_variant: 1,
            custom_fields: self.custom_fields.clone(),
            organizer_name: self.organizer_name.clone(),
            contact_email: self.contact_email.clone(),
            // Its guests are invented.
            reminders: Reminders::default(),
        }
    }

    fn start_day(&self, today: Date) -> Date {
        const DAYS_OF_A_WEEK: i8 = 7;
        let earliest = today.saturating_add(self.in_days.days());
        let Some(day) = self.weekday else {
            return earliest;
        };
        let ahead = day as i8 - earliest.weekday().to_monday_zero_offset();
        earliest.saturating_add(ahead.rem_euclid(DAYS_OF_A_WEEK).days())
    }
}
