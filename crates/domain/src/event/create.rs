//! How an event begins.

use super::{CustomField, Event, Refusal, Reminders, Window, WindowChange, field_id::NewIds};
use crate::{
    ids::{AccountId, EventId},
    instant::Instant,
    schedule::Schedule,
    violation::Violations,
    zone::Zone,
};

/// The version of a new event.
const FIRST_VERSION: i32 = 1;

/// The message for a published event that would already have ended.
pub(super) const MUST_BE_AHEAD: &str = "must be in the future for a published event";

/// A request to create an event. The proto's limits and defaults are already applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, as the contract states them"
)]
pub struct NewEvent {
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// Location.
    pub location: String,
    /// Whether only guests see the location.
    pub is_location_private: bool,
    /// Information for guests only.
    pub attendee_info: Option<String>,
    /// City.
    pub city: Option<String>,
    /// Start, ISO 8601.
    pub start_date: String,
    /// End, ISO 8601; the same as the start if absent.
    pub end_date: Option<String>,
    /// IANA time zone; the account's or the instance's default if absent.
    pub timezone: Option<String>,
    /// When the public can register.
    pub window: WindowChange,
    /// Seats.
    pub max_capacity: i32,
    /// Whether it is published at once.
    pub is_public: bool,
    /// Whether it appears in the catalogue once it is published.
    pub is_listed: bool,
    /// Whether registrations await the owner's approval.
    pub requires_approval: bool,
    /// Whether registrations by the public await the attendee's confirmation; the instance's default if absent.
    pub confirm_by_email: Option<bool>,
    /// Whether guests may change their own answers until it begins.
    pub allows_answer_changes: bool,
    /// How many people one registration may be for.
    pub max_party: i32,
    /// Search words for a cover.
    pub image_query: Option<String>,
    /// Which of the pictures that the words have, from 1.
    pub image_variant: i32,
    /// The questions to registrants.
    pub custom_fields: Vec<CustomField>,
    /// Name of the organizer to show with it.
    pub organizer_name: Option<String>,
    /// Email address for questions, which the public sees.
    pub contact_email: Option<String>,
    /// Its reminders.
    pub reminders: Reminders,
}

/// The values that an event gets at its creation and keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventIdentity {
    /// Its identifier.
    pub id: EventId,
    /// Its owner.
    pub account_id: AccountId,
    /// Its identifier in paths.
    pub slug: String,
}

/// What applies where a request to create an event says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventDefaults {
    /// The time zone.
    pub timezone: Zone,
    /// Whether registrations by the public await the attendee's confirmation.
    pub confirm_by_email: bool,
}

impl Default for EventDefaults {
    fn default() -> Self {
        Self {
            timezone: Zone::utc(),
            confirm_by_email: false,
        }
    }
}

/// Refuses an event that would be over already. Of times that are wrong, it says so if that is sure in any zone.
fn check_ahead(
    new: &NewEvent,
    schedule: Option<&Schedule>,
    now: Instant,
    violations: &mut Violations,
) {
    let end = new.end_date.as_deref();
    let is_over = match schedule {
        Some(schedule) => schedule.effective_end() <= now,
        None => Schedule::is_over_everywhere(&new.start_date, end, now),
    };
    // The end may be before the start as well, which is said of it.
    let field = if end.is_some() && !violations.has("end_date") {
        "end_date"
    } else {
        "start_date"
    };
    if is_over && !violations.has(field) {
        violations.add(field, MUST_BE_AHEAD);
    }
}

impl Event {
    /// The event that `new` describes, with the instance's defaults. A draft may start in the past; a published event must end in the future.
    pub fn create(
        new: NewEvent,
        identity: EventIdentity,
        defaults: &EventDefaults,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let mut violations = Violations::default();
        CustomField::check_all(&new.custom_fields, &mut violations);
        let schedule = Schedule::read(
            &new.start_date,
            new.end_date.as_deref(),
            new.timezone.as_deref(),
            &defaults.timezone,
            &mut violations,
        );
        if new.is_public {
            check_ahead(&new, schedule.as_ref(), now, &mut violations);
        }
        let window = if let Some(schedule) = &schedule {
            Window::default().changed(new.window, (schedule, schedule), &mut violations)
        } else {
            let zone = match &new.timezone {
                Some(name) => Zone::find(name).ok(),
                None => Some(defaults.timezone.clone()),
            };
            Window::default().judge_untimed(new.window, zone.as_ref(), false, &mut violations);
            Window::default()
        };
        let schedule = violations.unless_any(schedule).map_err(Refusal::Invalid)?;
        let published_start = new.is_public.then_some(schedule.start.at);
        Ok(Self {
            id: identity.id,
            account_id: identity.account_id,
            series: None,
            slug: identity.slug,
            title: new.title,
            description: new.description,
            location: new.location,
            is_location_private: new.is_location_private,
            attendee_info: new.attendee_info,
            city: new.city,
            schedule,
            window,
            max_capacity: new.max_capacity,
            is_published: new.is_public,
            is_listed: new.is_listed,
            requires_approval: new.requires_approval,
            confirm_by_email: new.confirm_by_email.unwrap_or(defaults.confirm_by_email),
            allows_answer_changes: new.allows_answer_changes,
            max_party: new.max_party,
            is_cancelled: false,
            cancel_reason: None,
            cancelled_at: None,
            image_query: new.image_query.filter(|words| !words.is_empty()),
            image_variant: new.image_variant,
            image_credit: None,
            has_own_cover: false,
            custom_fields: CustomField::identified(
                new.custom_fields,
                &[],
                NewIds::Made(identity.id, FIRST_VERSION),
            ),
            organizer_name: new.organizer_name,
            contact_email: new.contact_email,
            reminders: new.reminders,
            reminders_missed: Reminders::default(),
            is_hidden: false,
            is_account_suspended: false,
            published_start,
            sequence: 0,
            version: FIRST_VERSION,
            zone_release: Zone::release().to_owned(),
            created_at: now,
            updated_at: now,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{change::Change, event::FieldType};

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000); // 2027-01-15T08:00:00Z

    fn new_event() -> NewEvent {
        NewEvent {
            title: "Rust Meetup".to_owned(),
            description: "Talks.\nPizza.".to_owned(),
            location: "c-base".to_owned(),
            is_location_private: false,
            attendee_info: None,
            city: None,
            start_date: "2027-05-01T18:00".to_owned(),
            end_date: None,
            timezone: None,
            window: WindowChange::default(),
            max_capacity: 100,
            is_public: false,
            requires_approval: false,
            confirm_by_email: None,
            allows_answer_changes: false,
            max_party: 1,
            is_listed: true,
            image_query: None,
            image_variant: 1,
            custom_fields: Vec::new(),
            organizer_name: None,
            contact_email: None,
            reminders: Reminders::default(),
        }
    }

    fn create(new: NewEvent, now: Instant) -> Result<Event, Refusal> {
        let identity = EventIdentity {
            id: EventId::new(uuid::Uuid::nil()),
            account_id: AccountId::new(uuid::Uuid::nil()),
            slug: "rust-meetup".to_owned(),
        };
        let defaults = EventDefaults {
            timezone: Zone::find("Europe/Berlin").unwrap(),
            ..EventDefaults::default()
        };
        Event::create(new, identity, &defaults, now)
    }

    /// Some draft, made at `now`.
    pub(crate) fn event_from(now: Instant) -> Event {
        create(new_event(), now).unwrap()
    }

    fn blamed(new: NewEvent) -> Vec<String> {
        match create(new, NOW) {
            Err(Refusal::Invalid(found)) => found.into_iter().map(|one| one.field).collect(),
            other => panic!("expected violations, not {other:?}"),
        }
    }

    #[test]
    fn wall_time_is_read_in_the_default_zone() {
        let event = event_from(NOW);
        assert_eq!(event.schedule.timezone, "Europe/Berlin");
        assert_eq!(event.schedule.start.rfc3339(), "2027-05-01T18:00:00+02:00");
        assert!(!event.is_published && event.is_listed && !event.is_cancelled);
    }

    #[test]
    fn the_instance_decides_on_confirmation_where_the_request_does_not() {
        for (default, asked, expected) in [
            (false, None, false),
            (true, None, true),
            (true, Some(false), false),
            (false, Some(true), true),
        ] {
            let identity = EventIdentity {
                id: EventId::new(uuid::Uuid::nil()),
                account_id: AccountId::new(uuid::Uuid::nil()),
                slug: "rust-meetup".to_owned(),
            };
            let defaults = EventDefaults {
                confirm_by_email: default,
                ..EventDefaults::default()
            };
            let new = NewEvent {
                confirm_by_email: asked,
                ..new_event()
            };
            let event = Event::create(new, identity, &defaults, NOW).unwrap();
            assert_eq!(event.confirm_by_email, expected);
        }
    }

    #[test]
    fn a_draft_may_lie_in_the_past_but_not_what_is_published() {
        let at = |end: &str, is_public| NewEvent {
            start_date: "2027-01-15T07:00Z".to_owned(),
            end_date: Some(end.to_owned()),
            is_public,
            ..new_event()
        };
        assert!(create(at("2027-01-15T08:00Z", false), NOW).is_ok());
        assert!(create(at("2027-01-15T08:00:00.000001Z", true), NOW).is_ok());
        assert_eq!(blamed(at("2027-01-15T08:00Z", true)), ["end_date"]);
        let open = NewEvent {
            end_date: None,
            ..at("", true)
        };
        assert_eq!(blamed(open), ["start_date"]);
    }

    #[test]
    fn every_field_that_is_wrong_is_named_at_once() {
        let twice = CustomField {
            id: None,
            label: "Diet".to_owned(),
            field_type: FieldType::Text,
            required: false,
            options: Vec::new(),
        };
        let new = NewEvent {
            start_date: "tomorrow".to_owned(),
            timezone: Some("CET+1".to_owned()),
            custom_fields: vec![twice.clone(), twice],
            ..new_event()
        };
        let expected = ["custom_fields[1].label", "timezone", "start_date"];
        assert_eq!(blamed(new), expected);
    }

    fn window(opens: &str, closes: &str) -> WindowChange {
        WindowChange {
            opens: Change::Set(opens.to_owned()),
            closes: Change::Set(closes.to_owned()),
            is_open: Change::Keep,
        }
    }

    #[test]
    fn times_of_registration_are_judged_while_those_of_the_event_are_wrong() {
        let reversed = NewEvent {
            end_date: Some("2027-05-01T17:00".to_owned()),
            window: window("2027-04-20T10:00", "2027-04-10T10:00"),
            ..new_event()
        };
        assert_eq!(blamed(reversed), ["end_date", "registration_closes"]);
        let malformed = NewEvent {
            start_date: "soon".to_owned(),
            window: window("later", "2027-03-28T02:30"),
            ..new_event()
        };
        let expected = ["start_date", "registration_opens", "registration_closes"];
        assert_eq!(blamed(malformed), expected);
        let nowhere = NewEvent {
            timezone: Some("CET+1".to_owned()),
            window: window("2027-04-20T10:00", "2027-04-20T10:00"),
            ..new_event()
        };
        assert_eq!(blamed(nowhere), ["timezone", "registration_closes"]);
    }

    #[test]
    fn order_and_a_past_start_are_judged_without_a_zone() {
        let at = |start: &str, end: Option<&str>, is_public| NewEvent {
            timezone: Some("CET+1".to_owned()),
            start_date: start.to_owned(),
            end_date: end.map(str::to_owned),
            is_public,
            ..new_event()
        };
        for (new, expected) in [
            (
                at("2020-05-01T18:00", None, true),
                &["timezone", "start_date"][..],
            ),
            (at("2020-05-01T18:00", None, false), &["timezone"]),
            // In some zone it is still ahead.
            (at("2027-01-15T07:00", None, true), &["timezone"]),
            (
                at("2020-05-01T18:00", Some("2027-05-01T18:00"), true),
                &["timezone"],
            ),
            (
                at("2020-05-01T18:00", Some("2020-05-02T18:00"), true),
                &["timezone", "end_date"],
            ),
            (
                at("2020-05-01T18:00", Some("2020-05-01T17:00"), true),
                &["timezone", "end_date", "start_date"],
            ),
            (
                at("2027-05-01T18:00", Some("2027-05-01T17:00"), false),
                &["timezone", "end_date"],
            ),
            // The zone decides.
            (
                at("2027-05-01T18:00", Some("2027-05-01T17:00Z"), false),
                &["timezone"],
            ),
        ] {
            assert_eq!(blamed(new), expected);
        }
    }

    #[test]
    fn a_cover_needs_words() {
        let with = |words: &str| NewEvent {
            image_query: Some(words.to_owned()),
            ..new_event()
        };
        assert_eq!(create(with(""), NOW).unwrap().image_query, None);
        let event = create(with("crab"), NOW).unwrap();
        assert_eq!(event.image_query.as_deref(), Some("crab"));
    }
}
