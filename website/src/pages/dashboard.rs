//! The pages of signed-in people: their events and registrations, the door, keys, members, their account.

mod account;
mod activity;
mod apps;
mod cancel;
mod decline;
mod door;
mod download;
mod edit_event;
mod event;
mod event_form;
mod event_head;
mod home;
mod invitations;
mod keys;
mod list_filter;
mod mail_preview;
mod members;
mod new_event;
mod plan;
mod publish;
mod registration;
mod registrations;
mod sessions;
mod start;
mod switch;
mod welcome;

use http_kit::Resource;

use crate::{
    caller::{Needs, START},
    request_context::Site,
    return_path::NEW_EVENT,
};

pub(crate) use door::ticket_for_staff;

/// Every path below `/dashboard`, and the pages of invitations.
pub(crate) fn resources(site: &Site) -> Vec<Resource> {
    let person = site.signed_in(Needs::Person);
    let account = site.signed_in(Needs::Account);
    vec![
        Resource::new(account::PATH)
            .with(person.get(account::show))
            .with(person.post(account::take)),
        Resource::new(account::EXPORT).with(account.get(account::export)),
        Resource::new(account::email::PATH)
            .with(person.get(account::email::show))
            .with(person.post(account::email::take)),
        Resource::new(account::email::CODE)
            .with(person.get(account::email::show_code))
            .with(person.post(account::email::take_code)),
        Resource::new("/dashboard/account/leave")
            .with(account.get(account::leave::show))
            .with(account.post(account::leave::take)),
        Resource::new(account::mails::PATH)
            .with(account.get(account::mails::show))
            .with(account.post(account::mails::take)),
        Resource::new(account::remove::PATH)
            .with(account.get(account::remove::show))
            .with(account.post(account::remove::take)),
        Resource::new(activity::PATH).with(account.get(activity::show)),
        Resource::new(activity::CSV).with(account.get(activity::export)),
        Resource::new("/dashboard/events/{id}/activity").with(account.get(activity::show_of_event)),
        Resource::new(apps::PATH)
            .with(person.get(apps::show))
            .with(person.post(apps::take)),
        Resource::new("/dashboard/events/{id}/cancel")
            .with(account.get(cancel::show))
            .with(account.post(cancel::take)),
        Resource::new("/dashboard/events/{id}/registrations/decline")
            .with(account.get(decline::show))
            .with(account.post(decline::take)),
        Resource::new("/dashboard/events/{id}/check-in")
            .with(account.get(door::show))
            .with(account.post(door::take)),
        Resource::new("/check-in/{code}/check-in").with(account.post(door::ticket::take)),
        Resource::new("/dashboard/events/{id}/edit")
            .with(account.get(edit_event::show))
            .with(account.post(edit_event::take)),
        Resource::new("/dashboard/events/{id}").with(account.get(event::show)),
        Resource::new("/dashboard/events/{id}/clone")
            .with(account.get(event::ask_to_clone))
            .with(account.post(event::clone)),
        Resource::new("/dashboard/events/{id}/delete")
            .with(account.get(event::ask_to_delete))
            .with(account.post(event::delete)),
        Resource::new("/dashboard").with(account.get(home::show)),
        Resource::new("/invitations/{id}")
            .with(person.get(invitations::show))
            .with(person.post(invitations::take)),
        Resource::new(keys::PATH).with(account.get(keys::show)),
        Resource::new("/dashboard/keys/{id}")
            .with(account.get(keys::key::show))
            .with(account.post(keys::key::take)),
        Resource::new(keys::new::PATH)
            .with(account.get(keys::new::show))
            .with(account.post(keys::new::take)),
        Resource::new(members::PATH)
            .with(account.get(members::show))
            .with(account.post(members::invite)),
        Resource::new("/dashboard/members/withdraw").with(account.post(members::withdraw)),
        Resource::new("/dashboard/members/{person_id}")
            .with(account.get(members::member::show))
            .with(account.post(members::member::take)),
        Resource::new(NEW_EVENT)
            .with(account.get(new_event::show))
            .with(account.post(new_event::take)),
        Resource::new("/dashboard/events/{id}/publish")
            .with(account.get(publish::ask_to_publish))
            .with(account.post(publish::publish)),
        Resource::new("/dashboard/events/{id}/unpublish")
            .with(account.get(publish::ask_to_unpublish))
            .with(account.post(publish::unpublish)),
        Resource::new("/dashboard/events/{id}/registrations/{registration_id}")
            .with(account.get(registration::show))
            .with(account.post(registration::take)),
        Resource::new("/dashboard/events/{id}/registrations")
            .with(account.get(registrations::show))
            .with(account.post(registrations::take)),
        Resource::new("/dashboard/events/{id}/registrations.csv")
            .with(account.get(registrations::export)),
        Resource::new("/dashboard/events/{id}/registrations/new")
            .with(account.get(registrations::add::show))
            .with(account.post(registrations::add::take)),
        Resource::new(sessions::PATH)
            .with(person.get(sessions::show))
            .with(person.post(sessions::take)),
        Resource::new(START)
            .with(person.get(start::show))
            .with(person.post(start::take)),
        Resource::new("/dashboard/switch").with(person.post(switch::take)),
        Resource::new("/dashboard/welcome")
            .with(account.get(welcome::show))
            .with(account.post(welcome::take)),
    ]
}
