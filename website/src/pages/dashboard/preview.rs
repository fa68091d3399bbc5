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
        let cover = crate::cover::of_owner(&event);
        let left = event.seats_left;
        let answer = EventPage {
            is_cancelled: event.is_cancelled,
            is_ended: event.is_ended,
            is_registration_ahead: event.is_registration_ahead,
            is_registration_closed: event.is_registration_closed,
            requires_approval: event.requires_approval,
            confirm_by_email: event.confirm_by_email,
            custom_fields: event.custom_fields.clone(),
            seats_left: left,
            waitlisted: event.registrations_waitlisted,
            ..EventPage::default()
        };
        let own_name = event.organizer_name.clone();
        let shown = Event {
            slug: event.slug,
            url: event.event_url,
            title: event.title,
            description: event.description,
            location: match event.city.clone() {
                _ if !event.is_location_private => event.location,
                Some(city) => city,
                None => "Place for guests only".to_owned(),
            },
            is_location_private: event.is_location_private,
            city: event.city,
            start_date: event.start_date,
            end_date: event.end_date,
            timezone: event.timezone,
            registration_opens: event.registration_opens,
            registration_closes: event.registration_closes,
            is_registration_open: event.is_registration_open,
            capacity: event.max_capacity,
            max_party: event.max_party,
            image_url: event.image_url,
            organizer: own_name.or_else(|| Some(account.to_owned())),
            organizer_name: event.organizer_name,
            contact_email: event.contact_email,
            custom_fields: event.custom_fields,
            requires_approval: event.requires_approval,
            seats_left: left,
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
