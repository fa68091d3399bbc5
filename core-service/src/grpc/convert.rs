//! Conversion between messages and domain values.

mod account;
mod activity;
mod guest_lists;
mod lists;
mod mails;
mod messages;
pub(super) mod oauth;
mod registrations;
mod series;
mod sitemaps;
mod webhooks;

use covers::CoverRequest;
use domain::{
    account::Organizer,
    change::Change,
    event::{
        CustomField, Event, EventPatch, FieldId, FieldType, ListedEvent, NewEvent, Reminders,
        WindowChange, WindowState,
    },
    instant::Instant,
    registration::Counters,
    schedule::ScheduleChange,
    violation::{Checked, FieldViolation},
};
use jiff::civil::DateTime;
use muster_api::v1;
use prost_types::FieldMask;

use crate::service::{CoverWords, EventFilter, Links, PageView, PublicEvent, Updated};

pub(super) use account::account;
pub(super) use activity::{activity, activity_asked, activity_exported};
pub(super) use guest_lists::{added_by_list, imported, new_list};
pub(super) use lists::{
    event_mails as event_mails_asked, my_events, registrations as registrations_asked,
};
pub(super) use mails::event_mails;
pub(super) use messages::{
    message, message_cursor, message_page, message_patch, message_preview, new_message,
};
pub(super) use registrations::{
    approval, arrived, checked_in, declined, former_registration, given_answers, given_party,
    hashed_codes, listed, mail_refusal, named_registrations, new_registration, own_registration,
    public_registration, received, recipients, registration, registration_by_code,
    registration_page, registration_patch, ticket,
};
pub(super) use series::{planned_dates, repeat, repeated};
pub(super) use sitemaps::{sitemap_cursor, sitemap_page, sitemaps};
pub(crate) use webhooks::webhook_json;
pub(super) use webhooks::{
    delivery_cursor, delivery_detail, delivery_page, dependent_webhooks, made_webhook, new_webhook,
    pull_cursor, pulled, replay, replay_preview, webhook, webhook_attempt, webhook_list,
    webhook_patch, which_messages,
};

/// The filter of the caller's events. An unknown value is refused: it must not widen the list.
fn event_filter(status: &str) -> Result<EventFilter, Vec<FieldViolation>> {
    match status {
        "active" => Ok(EventFilter::Active),
        "past" => Ok(EventFilter::Past),
        "all" => Ok(EventFilter::All),
        _ => Err(violation("status", "must be active, past or all")),
    }
}

fn violation(field: &str, message: &str) -> Vec<FieldViolation> {
    vec![FieldViolation {
        field: field.to_owned(),
        message: message.to_owned(),
    }]
}

/// A request to create an event. Validation has applied the defaults.
pub(super) fn new_event(
    Checked {
        message: request,
        mistakes,
    }: Checked<v1::CreateEventRequest>,
) -> Checked<NewEvent> {
    let message = NewEvent {
        max_capacity: request.max_capacity(),
        is_public: request.is_public(),
        is_location_private: request.is_location_private(),
        is_listed: request.is_listed(),
        requires_approval: request.requires_approval(),
        confirm_by_email: request.confirm_by_email,
        allows_answer_changes: request.allows_answer_changes(),
        max_party: request.max_party(),
        image_variant: request.image_variant(),
        window: WindowChange {
            is_open: Change::Set(request.is_registration_open()),
            opens: request.registration_opens.map_or(Change::Keep, Change::Set),
            closes: request
                .registration_closes
                .map_or(Change::Keep, Change::Set),
        },
        title: request.title.unwrap_or_default(),
        description: request.description.unwrap_or_default(),
        location: request.location.unwrap_or_default(),
        attendee_info: request.attendee_info,
        city: request.city.filter(|city| !city.is_empty()),
        start_date: request.start_date.unwrap_or_default(),
        end_date: request.end_date,
        timezone: request.timezone,
        image_query: request.image_query,
        custom_fields: custom_fields(request.custom_fields),
        organizer_name: request.organizer_name,
        contact_email: request.contact_email,
        reminders: Reminders::new(request.reminders),
    };
    Checked { message, mistakes }
}

/// Questions. Validation refuses types that there are not; options are then right with such a type, or left out.
fn custom_fields(fields: Vec<v1::CustomField>) -> Vec<CustomField> {
    let question = |field: v1::CustomField| CustomField {
        field_type: field.field_type().parse().unwrap_or({
            if field.options.is_empty() {
                FieldType::Text
            } else {
                FieldType::MultiSelect
            }
        }),
        required: field.required(),
        id: given_id(field.id),
        label: field.label.unwrap_or_default(),
        options: field.options,
    };
    fields.into_iter().map(question).collect()
}

/// The identity of a question in a request; an empty one is none.
pub(super) fn given_id(id: Option<String>) -> Option<FieldId> {
    id.filter(|id| !id.is_empty()).map(FieldId::given)
}

/// The fields that a partial update changes: those in its mask, or without a mask those that are set.
struct Mask {
    /// The fields in the mask that were not read yet.
    named: Option<Vec<String>>,
}

impl Mask {
    fn read(mask: Option<FieldMask>) -> Self {
        // Clients in some languages send an empty mask instead of none.
        Self {
            named: mask
                .map(|mask| mask.paths)
                .filter(|paths| !paths.is_empty()),
        }
    }

    fn change<T>(&mut self, field: &str, value: Option<T>) -> Change<T> {
        let is_named = self.named.as_mut().map(|named| {
            let before = named.len();
            named.retain(|name| name != field);
            named.len() < before
        });
        match (is_named, value) {
            (Some(false), _) | (None, None) => Change::Keep,
            (_, Some(value)) => Change::Set(value),
            (Some(true), None) => Change::Clear,
        }
    }

    /// Passes over a name that is no field of what changes.
    fn pass_over(&mut self, name: &str) {
        self.change(name, Some(()));
    }

    /// What is wrong with the request, and with a field in the mask that an update cannot change.
    fn with_unknown(self, mut mistakes: Vec<FieldViolation>) -> Vec<FieldViolation> {
        if let Some(name) = self.named.into_iter().flatten().next() {
            mistakes.push(FieldViolation {
                field: "update_mask".to_owned(),
                message: format!(
                    "must not name \"{name}\", which is not a field that can be changed"
                ),
            });
        }
        mistakes
    }
}

/// A request to change an event.
pub(super) fn event_patch(
    Checked {
        message: request,
        mistakes,
    }: Checked<v1::UpdateEventRequest>,
) -> Checked<EventPatch> {
    let mut mask = Mask::read(request.update_mask);
    let custom_fields =
        Some(custom_fields(request.custom_fields)).filter(|fields| !fields.is_empty());
    let reminders = Some(request.reminders).filter(|hours| !hours.is_empty());
    let version = match mask.change("version", request.version) {
        Change::Set(version) => Some(version),
        Change::Keep | Change::Clear => None,
    };
    // It says which events change, and is a field of none.
    mask.pass_over("scope");
    let message = EventPatch {
        version,
        title: mask.change("title", request.title),
        description: mask.change("description", request.description),
        location: mask.change("location", request.location),
        is_location_private: mask.change("is_location_private", request.is_location_private),
        attendee_info: mask.change("attendee_info", request.attendee_info),
        city: mask.change("city", request.city.filter(|city| !city.is_empty())),
        schedule: ScheduleChange {
            start_date: mask.change("start_date", request.start_date),
            end_date: mask.change("end_date", request.end_date),
            timezone: mask.change("timezone", request.timezone),
        },
        window: WindowChange {
            opens: mask.change("registration_opens", request.registration_opens),
            closes: mask.change("registration_closes", request.registration_closes),
            is_open: mask.change("is_registration_open", request.is_registration_open),
        },
        max_capacity: mask.change("max_capacity", request.max_capacity),
        is_listed: mask.change("is_listed", request.is_listed),
        requires_approval: mask.change("requires_approval", request.requires_approval),
        confirm_by_email: mask.change("confirm_by_email", request.confirm_by_email),
        allows_answer_changes: mask.change("allows_answer_changes", request.allows_answer_changes),
        max_party: mask.change("max_party", request.max_party),
        image_query: mask.change("image_query", request.image_query),
        image_variant: mask.change("image_variant", request.image_variant),
        custom_fields: mask.change("custom_fields", custom_fields),
        shares_questions: false,
        organizer_name: mask.change("organizer_name", request.organizer_name),
        contact_email: mask.change("contact_email", request.contact_email),
        reminders: mask.change("reminders", reminders.map(Reminders::new)),
    };
    let mistakes = mask.with_unknown(mistakes);
    Checked { message, mistakes }
}

/// An event for the public.
pub(super) fn public_event(shown: PublicEvent, links: &Links) -> v1::Event {
    let PublicEvent {
        event,
        seats_left,
        organizer,
    } = shown;
    // Whoever reads it, guests as well: their own registration adds what only they are told.
    let event = event.for_public();
    v1::Event {
        registration_opens: event.registration_opens(),
        registration_closes: event.registration_closes(),
        is_registration_open: event.window.is_open,
        is_location_private: event.is_location_private,
        organizer: organizer.name,
        organizer_url: organizer
            .handle
            .as_deref()
            .map(|handle| links.organizer(handle)),
        organizer_handle: organizer.handle,
        is_full: seats_left == 0,
        seats_left,
        max_party: event.max_party,
        series_id: event.series.map(|series| series.to_string()),
        requires_approval: event.requires_approval,
        updated_at: event.updated_at.to_string(),
        url: links.event(&event.slug),
        registration_url: links.registration(&event.slug),
        image_url: image_url(&event, links),
        image_credit: event.image_credit.as_ref().map(ToString::to_string),
        start_date: event.schedule.start.rfc3339(),
        end_date: Some(event.schedule.end().rfc3339()),
        timezone: event.schedule.timezone,
        organizer_name: event.organizer_name,
        contact_email: event.contact_email,
        slug: event.slug,
        title: event.title,
        description: event.description,
        location: event.location,
        city: event.city,
        capacity: event.max_capacity,
        custom_fields: custom_field_messages(event.custom_fields),
    }
}

/// An organizer for the public.
pub(super) fn organizer(organizer: Organizer, links: &Links) -> v1::Organizer {
    v1::Organizer {
        url: links.organizer(&organizer.handle),
        handle: organizer.handle,
        name: organizer.name,
        about: organizer.about,
        website: organizer.website,
    }
}

/// An event with what its page shows.
pub(super) fn event_page(page: PageView, links: &Links) -> v1::EventPage {
    let PageView {
        event,
        organizer,
        counters,
        is_ended,
        is_running,
        window,
    } = page;
    let previous_start = event.previous_start();
    let seats_left = counters.seats_left(event.max_capacity);
    v1::EventPage {
        is_listed: event.is_listed,
        is_cancelled: event.is_cancelled,
        is_ended,
        is_running,
        is_registration_ahead: matches!(window, WindowState::Ahead(_)),
        is_registration_closed: matches!(window, WindowState::Closed(_)),
        requires_approval: event.requires_approval,
        confirm_by_email: event.confirm_by_email,
        custom_fields: custom_field_messages(event.custom_fields.clone()),
        seats_left,
        waitlisted: counters.waiting(),
        previous_start_date: previous_start.map(|start| start.rfc3339()),
        event: Some(public_event(
            PublicEvent {
                event,
                seats_left,
                organizer,
            },
            links,
        )),
    }
}

/// A new event.
pub(super) fn created_event(event: Event, links: &Links) -> v1::CreatedEvent {
    v1::CreatedEvent {
        id: event.id.to_string(),
        event_url: links.event(&event.slug),
        admin_url: links.admin(event.id),
        slug: event.slug,
    }
}

/// An event in its owner's list.
pub(super) fn my_event(event: ListedEvent, links: &Links, now: Instant) -> v1::MyEvent {
    v1::MyEvent {
        is_ended: event.schedule.is_over(now),
        id: event.id.to_string(),
        event_url: links.event(&event.slug),
        start_date: event.schedule.start.rfc3339(),
        slug: event.slug,
        title: event.title,
        registration_count: event.registrations,
        registrations_confirmed: event.confirmed,
        seats_taken: event.seats_taken,
        registrations_waitlisted: event.waitlisted,
        max_capacity: event.max_capacity,
        is_published: event.is_published,
        is_cancelled: event.is_cancelled,
    }
}

/// An event with all details, for its owner.
pub(super) fn my_event_detail(
    (event, counters): (Event, Counters),
    links: &Links,
    now: Instant,
) -> v1::MyEventDetail {
    let window = event.window.state(now, event.schedule.start);
    v1::MyEventDetail {
        series_id: event.series.map(|series| series.to_string()),
        registration_opens: event.registration_opens(),
        registration_closes: event.registration_closes(),
        is_registration_open: event.window.is_open,
        is_registration_ahead: matches!(window, WindowState::Ahead(_)),
        is_registration_closed: matches!(window, WindowState::Closed(_)),
        is_ended: event.has_ended(now),
        id: event.id.to_string(),
        event_url: links.event(&event.slug),
        image_url: image_url(&event, links),
        image_query: event.image_query,
        image_variant: event.image_variant,
        has_own_cover: event.has_own_cover,
        start_date: event.schedule.start.rfc3339(),
        end_date: Some(event.schedule.end().rfc3339()),
        timezone: event.schedule.timezone,
        slug: event.slug,
        title: event.title,
        description: event.description,
        location: event.location,
        is_location_private: event.is_location_private,
        attendee_info: event.attendee_info,
        city: event.city,
        max_capacity: event.max_capacity,
        is_published: event.is_published,
        is_listed: event.is_listed,
        requires_approval: event.requires_approval,
        allows_answer_changes: event.allows_answer_changes,
        max_party: event.max_party,
        seats_taken: counters.seated(),
        people_checked_in: counters.arrived(),
        seats_left: counters.seats_left(event.max_capacity),
        confirm_by_email: event.confirm_by_email,
        is_cancelled: event.is_cancelled,
        registrations_total: counters.total(),
        registrations_confirmed: counters.confirmed,
        registrations_active: counters.active(),
        registrations_pending: counters.awaiting_approval(),
        registrations_unconfirmed: counters.unconfirmed,
        registrations_waitlisted: counters.waitlisted,
        registrations_checked_in: counters.checked_in,
        version: event.version,
        is_hidden: event.is_hidden,
        organizer_name: event.organizer_name,
        contact_email: event.contact_email,
        reminders: event.reminders.hours().to_vec(),
        reminders_missed: event.reminders_missed.hours().to_vec(),
        custom_fields: custom_field_messages(event.custom_fields),
        registrants_notified: None,
        events_updated: None,
    }
}

/// The same after a change that may mail people.
pub(super) fn updated_event(updated: Updated, links: &Links, now: Instant) -> v1::MyEventDetail {
    v1::MyEventDetail {
        registrants_notified: Some(updated.notified),
        events_updated: Some(updated.events),
        ..my_event_detail((updated.event, updated.counters), links, now)
    }
}

fn custom_field_messages(fields: Vec<CustomField>) -> Vec<v1::CustomField> {
    fields.into_iter().map(custom_field_message).collect()
}

fn custom_field_message(field: CustomField) -> v1::CustomField {
    v1::CustomField {
        id: field.id.map(|id| id.to_string()),
        label: Some(field.label),
        field_type: Some(field.field_type.name().to_owned()),
        required: Some(field.required),
        options: field.options,
    }
}

fn image_url(event: &Event, links: &Links) -> Option<String> {
    let has_cover = event.has_own_cover || event.image_query.is_some();
    has_cover.then(|| links.cover(&event.slug))
}

/// The content of a drawn cover.
pub(super) fn cover_request(words: CoverWords, has_text: bool) -> CoverRequest {
    let starts = |at: DateTime| at.strftime("%a %-d %B %Y · %H:%M").to_string();
    let starts = words.starts.map(starts);
    // The API counts from 1.
    let variant = u8::try_from(words.image_variant.saturating_sub(1)).unwrap_or_default();
    CoverRequest {
        title: words.title,
        subtitle: starts.into_iter().chain(words.city).collect(),
        words: words.image_query,
        variant: variant.min(covers::VARIANTS - 1),
        has_text,
    }
}

/// The content of a cover that is considered.
pub(super) fn cover_words(request: v1::PreviewCoverRequest) -> CoverWords {
    let starts = request.start_date.as_deref();
    CoverWords {
        image_variant: request.image_variant(),
        starts: starts.and_then(|text| text.parse().ok()),
        title: request.title.unwrap_or_default(),
        image_query: request.image_query.unwrap_or_default(),
        city: request.city,
    }
}

/// Bytes in hexadecimal, for an entity tag.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use domain::registration::Status;

    use super::*;

    fn update(mask: Option<&[&str]>) -> v1::UpdateEventRequest {
        v1::UpdateEventRequest {
            title: Some("Another title".to_owned()),
            update_mask: mask.map(|names| FieldMask {
                paths: names.iter().map(|&name| name.to_owned()).collect(),
            }),
            ..v1::UpdateEventRequest::default()
        }
    }

    #[test]
    fn without_a_mask_the_fields_that_are_set_change() {
        for mask in [None, Some(&[][..])] {
            let patch = event_patch(update(mask).into()).message;
            assert_eq!(patch.title, Change::Set("Another title".to_owned()));
            assert_eq!(patch.city, Change::Keep);
        }
    }

    #[test]
    fn a_mask_names_what_changes_and_clears_what_has_no_value() {
        let patch = event_patch(update(Some(&["city", "custom_fields"])).into()).message;
        assert_eq!(patch.title, Change::Keep);
        assert_eq!(patch.city, Change::Clear);
        assert_eq!(patch.custom_fields, Change::Clear);
    }

    #[test]
    fn an_unknown_value_never_widens_a_filter() {
        assert_eq!(event_filter("past"), Ok(EventFilter::Past));
        for status in ["", "Active", "upcoming"] {
            let refused = event_filter(status).unwrap_err();
            assert_eq!(refused[0].field, "status", "{status:?}");
        }
        let confirmed = registrations::status(Some("Confirmed")).unwrap();
        assert_eq!(confirmed, Some(Status::Confirmed));
        for status in ["", "confirmed", "Attended"] {
            let refused = registrations::status(Some(status)).unwrap_err();
            assert_eq!(refused[0].field, "status", "{status:?}");
        }
    }

    #[test]
    fn a_question_of_an_unknown_type_keeps_its_place_and_its_options() {
        let field = |field_type: &str, options: &[&str]| v1::CustomField {
            label: Some("When".to_owned()),
            field_type: Some(field_type.to_owned()),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            ..v1::CustomField::default()
        };
        let request = v1::CreateEventRequest {
            custom_fields: vec![field("date", &[]), field("date", &["1", "2"])],
            ..v1::CreateEventRequest::default()
        };
        let types: Vec<_> = new_event(request.into())
            .message
            .custom_fields
            .iter()
            .map(|field| field.field_type)
            .collect();
        assert_eq!(types, [FieldType::Text, FieldType::MultiSelect]);
    }

    #[test]
    fn a_mask_that_names_no_field_of_an_event_is_refused() {
        for name in ["id", "slug", "titel", "update_mask"] {
            let refused = event_patch(update(Some(&["title", name])).into()).mistakes;
            assert!(refused[0].message.contains(name), "{refused:?}");
        }
    }
}
