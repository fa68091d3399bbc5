//! The pages of signed-in people: their events and registrations, the door, keys, webhooks, members, their account.

mod account;
mod activity;
mod apps;
mod cancel;
mod contact;
mod cover;
mod decline;
mod door;
mod download;
mod edit_event;
mod event;
mod event_form;
mod event_head;
mod event_mails;
mod event_statistics;
mod home;
mod invitations;
mod keys;
mod list_filter;
mod mail_preview;
mod members;
mod messages;
mod new_event;
mod own_cover;
pub(crate) mod party;
mod plan;
mod preview;
mod publish;
mod registration;
mod registrations;
mod reminder;
mod repeat;
mod series;
mod sessions;
mod standing;
mod start;
mod switch;
mod upcoming;
mod webhooks;
mod welcome;

use http_kit::Resource;

use crate::{
    caller::{Needs, START},
    cover::PREVIEW,
    request_context::Site,
    return_path::NEW_EVENT,
};

use account::{email, leave, mails, remove, remove_person};
pub(crate) use door::ticket_for_staff;
use keys::key;
use members::member;
use webhooks::{change, delivery, webhook};

/// Every path below `/dashboard`, and the pages of invitations.
pub(crate) fn resources(site: &Site) -> Vec<Resource> {
    let mut all = of_accounts(site);
    all.extend(of_events(site));
    all.extend(of_webhooks(site));
    all
}

/// The pages of people and their accounts.
fn of_accounts(site: &Site) -> Vec<Resource> {
    let person = site.signed_in(Needs::Person);
    let account = site.signed_in(Needs::Account);
    vec![
        person.form(account::PATH, account::show, account::take),
        Resource::new(account::EXPORT).with(account.get(account::export)),
        person.form(email::PATH, email::show, email::take),
        person.form(email::CODE, email::show_code, email::take_code),
        account.form("/dashboard/account/leave", leave::show, leave::take),
        account.form(mails::PATH, mails::show, mails::take),
        account.form(remove::PATH, remove::show, remove::take),
        person.form(
            remove_person::PATH,
            remove_person::show,
            remove_person::take,
        ),
        Resource::new(activity::PATH).with(account.get(activity::show)),
        Resource::new(activity::CSV).with(account.get(activity::export)),
        Resource::new(apps::PATH)
            .with(person.get(apps::show))
            .with(person.post(apps::take)),
        Resource::new("/dashboard").with(account.get(home::show)),
        Resource::new("/invitations/{id}")
            .with(person.get(invitations::show))
            .with(person.post(invitations::take)),
        Resource::new(keys::PATH).with(account.get(keys::show)),
        account.form("/dashboard/keys/{id}", key::show, key::take),
        account.form(keys::new::PATH, keys::new::show, keys::new::take),
        account.form(members::PATH, members::show, members::invite),
        Resource::new("/dashboard/members/withdraw").with(account.post(members::withdraw)),
        account.form("/dashboard/members/{person_id}", member::show, member::take),
        Resource::new(sessions::PATH)
            .with(person.get(sessions::show))
            .with(person.post(sessions::take)),
        person.form(START, start::show, start::take),
        Resource::new("/dashboard/switch").with(person.post(switch::take)),
        account.form("/dashboard/welcome", welcome::show, welcome::take),
    ]
}

/// The pages of events, their registrations, and the door.
fn of_events(site: &Site) -> Vec<Resource> {
    let account = site.signed_in(Needs::Account);
    vec![
        Resource::new(PREVIEW).with(account.get(cover::show)),
        Resource::new("/dashboard/events/{id}/activity").with(account.get(activity::show_of_event)),
        account.form("/dashboard/events/{id}/cancel", cancel::show, cancel::take),
        account.form(
            "/dashboard/events/{id}/contact",
            contact::show,
            contact::take,
        ),
        Resource::new("/dashboard/events/{id}/registrations/decline")
            .with(account.get(decline::show))
            .with(account.post(decline::take)),
        Resource::new("/dashboard/events/{id}/check-in")
            .with(account.get(door::show))
            .with(account.post(door::take)),
        Resource::new("/dashboard/events/{id}/check-in/codes").with(account.get(door::scan::codes)),
        Resource::new("/dashboard/events/{id}/check-in/count").with(account.get(door::scan::count)),
        Resource::new("/dashboard/events/{id}/check-in/scans").with(account.post(door::scan::take)),
        Resource::new("/check-in/{code}/check-in").with(account.post(door::ticket::take)),
        Resource::new("/dashboard/events/{id}/edit")
            .with(account.get(edit_event::show))
            .with(account.post(edit_event::take)),
        account.upload(
            "/dashboard/events/{id}/cover",
            own_cover::FILE,
            own_cover::show,
            own_cover::take,
        ),
        Resource::new("/dashboard/events/{id}/cover.jpg").with(account.get(own_cover::picture)),
        Resource::new("/dashboard/events/{id}/preview").with(account.get(preview::show)),
        Resource::new("/dashboard/events/{id}/reminder").with(account.get(reminder::show)),
        Resource::new("/dashboard/events/{id}").with(account.get(event::show)),
        account.form(
            "/dashboard/events/{id}/clone",
            event::ask_to_clone,
            event::clone,
        ),
        account.form("/dashboard/events/{id}/repeat", repeat::show, repeat::take),
        Resource::new("/dashboard/events/{id}/delete")
            .with(account.get(event::ask_to_delete))
            .with(account.post(event::delete)),
        Resource::new("/dashboard/events/{id}/messages").with(account.get(messages::show)),
        account.form(
            "/dashboard/events/{id}/messages/new",
            messages::write::show,
            messages::write::take,
        ),
        account.form(
            "/dashboard/events/{id}/messages/{message_id}",
            messages::message::show,
            messages::message::take,
        ),
        account.form(
            "/dashboard/events/{id}/messages/{message_id}/edit",
            messages::write::show_change,
            messages::write::take_change,
        ),
        Resource::new(NEW_EVENT)
            .with(account.get(new_event::show))
            .with(account.post(new_event::take)),
        Resource::new("/dashboard/events/{id}/publish")
            .with(account.get(publish::ask_to_publish))
            .with(account.post(publish::publish)),
        Resource::new("/dashboard/events/{id}/unpublish")
            .with(account.get(publish::ask_to_unpublish))
            .with(account.post(publish::unpublish)),
        account.form(
            "/dashboard/events/{id}/registrations/{registration_id}",
            registration::show,
            registration::take,
        ),
        Resource::new("/dashboard/events/{id}/registrations")
            .with(account.get(registrations::show))
            .with(account.post(registrations::take)),
        Resource::new("/dashboard/events/{id}/registrations.csv")
            .with(account.get(registrations::export)),
        account.upload(
            "/dashboard/events/{id}/registrations/import",
            registrations::import::FILE,
            registrations::import::show,
            registrations::import::take,
        ),
        account.form(
            "/dashboard/events/{id}/registrations/new",
            registrations::add::show,
            registrations::add::take,
        ),
    ]
}

/// The pages of webhooks and what became of their messages.
fn of_webhooks(site: &Site) -> Vec<Resource> {
    let account = site.signed_in(Needs::Account);
    vec![
        Resource::new(webhooks::PATH).with(account.get(webhooks::show)),
        account.form(
            webhooks::new::PATH,
            webhooks::new::show,
            webhooks::new::take,
        ),
        account.form("/dashboard/webhooks/{id}", webhook::show, webhook::take),
        account.form("/dashboard/webhooks/{id}/edit", change::show, change::take),
        account.form(
            "/dashboard/webhooks/{id}/delete",
            change::ask_to_delete,
            change::delete,
        ),
        account.form(
            "/dashboard/webhooks/{id}/deliveries/{message_id}",
            delivery::show,
            delivery::take,
        ),
    ]
}
