//! Events: domain values and messages.

use domain::{
    account::Organizer,
    event::{CustomField, Event, ListedEvent, WindowState},
    instant::Instant,
    registration::Counters,
};
use muster_api::v1;

use crate::service::{Links, PageView, PublicEvent, Updated};

/// An event for the public.
pub(in crate::grpc) fn public_event(shown: PublicEvent, links: &Links) -> v1::Event {
    let PublicEvent {
        event,
        seats_left,
        organizer,
    } = shown;
    // Whoever reads it, guests as well: their own registration adds what is for them alone.
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
pub(in crate::grpc) fn organizer(organizer: Organizer, links: &Links) -> v1::Organizer {
    v1::Organizer {
        url: links.organizer(&organizer.handle),
        handle: organizer.handle,
        name: organizer.name,
        about: organizer.about,
        website: organizer.website,
    }
}

/// An event with what its page shows.
pub(in crate::grpc) fn event_page(page: PageView, links: &Links) -> v1::EventPage {
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
pub(in crate::grpc) fn created_event(event: Event, links: &Links) -> v1::CreatedEvent {
    v1::CreatedEvent {
        id: event.id.to_string(),
        event_url: links.event(&event.slug),
        admin_url: links.admin(event.id),
        slug: event.slug,
    }
}

/// An event in its owner's list.
pub(in crate::grpc) fn my_event(event: ListedEvent, links: &Links, now: Instant) -> v1::MyEvent {
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
pub(in crate::grpc) fn my_event_detail(
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
pub(in crate::grpc) fn updated_event(
    updated: Updated,
    links: &Links,
    now: Instant,
) -> v1::MyEventDetail {
    v1::MyEventDetail {
        registrants_notified: Some(updated.notified),
        events_updated: Some(updated.events),
        ..my_event_detail((updated.event, updated.counters), links, now)
    }
}

pub(super) fn custom_field_messages(fields: Vec<CustomField>) -> Vec<v1::CustomField> {
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
