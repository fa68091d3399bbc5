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

use edge::http::Resource;

use crate::visit::Site;

pub(crate) use door::ticket_for_staff;

/// Every path below `/dashboard`, and the pages of invitations.
pub(crate) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = Vec::new();
    resources.extend(home::resources(site));
    resources.extend(new_event::resources(site));
    resources.extend(event::resources(site));
    resources.extend(edit_event::resources(site));
    resources.extend(publish::resources(site));
    resources.extend(cancel::resources(site));
    resources.extend(registrations::resources(site));
    resources.extend(registration::resources(site));
    resources.extend(decline::resources(site));
    resources.extend(door::resources(site));
    resources.extend(activity::resources(site));
    resources.extend(keys::resources(site));
    resources.extend(apps::resources(site));
    resources.extend(members::resources(site));
    resources.extend(invitations::resources(site));
    resources.extend(sessions::resources(site));
    resources.extend(account::resources(site));
    resources.extend(welcome::resources(site));
    resources.extend(start::resources(site));
    resources.extend(switch::resources(site));
    resources
}
