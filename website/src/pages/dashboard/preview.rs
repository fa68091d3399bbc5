//! The public page of a draft, as it will be, for the members of its account alone.

use muster_api::v1::{Event, EventPage, MyEventDetail};

use super::event_head::read;
use crate::{
    caller::Caller,
    layout::PageResult,
    pages::event::{Draft, show_draft},
};

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let event = read(&caller).await?;
    let organizer = caller.viewer.account_name();
    show_draft(&caller.context, Draft::of(event, organizer))
}

impl Draft {
    fn of(event: MyEventDetail, account: &str) -> Self {
        let cover = crate::cover::unpublished(&event);
        let left = event.max_capacity - event.registrations_confirmed;
        let answer = EventPage {
            is_cancelled: event.is_cancelled,
            is_ended: event.is_ended,
            requires_approval: event.requires_approval,
            confirm_by_email: event.confirm_by_email,
            custom_fields: event.custom_fields.clone(),
            seats_left: left.max(0),
            waitlisted: event.registrations_waitlisted,
            ..EventPage::default()
        };
        let own_name = event.organizer_name.clone();
        let shown = Event {
            slug: event.slug,
            url: event.event_url,
            title: event.title,
            description: event.description,
            location: event.location,
            city: event.city,
            start_date: event.start_date,
            end_date: event.end_date,
            timezone: event.timezone,
            capacity: event.max_capacity,
            image_url: event.image_url,
            organizer: own_name.or_else(|| Some(account.to_owned())),
            organizer_name: event.organizer_name,
            contact_email: event.contact_email,
            custom_fields: event.custom_fields,
            requires_approval: event.requires_approval,
            seats_left: left.max(0),
            is_full: left <= 0,
            ..Event::default()
        };
        Self {
            answer,
            event: shown,
            cover,
            back: super::event_head::path_of(&event.id),
        }
    }
}
