//! Conversion between messages and domain values.

mod account;
mod activity;
mod covers;
mod event_requests;
mod events;
mod guest_lists;
mod lists;
mod mails;
mod mask;
mod messages;
pub(super) mod oauth;
mod registrations;
mod series;
mod sitemaps;
mod webhooks;

use domain::violation::FieldViolation;

pub(super) use account::account;
pub(super) use activity::{activity, activity_asked, activity_exported};
pub(super) use covers::{cover_request, cover_words};
pub(super) use event_requests::{event_patch, given_id, new_event};
pub(super) use events::{
    created_event, event_page, my_event, my_event_detail, organizer, public_event, updated_event,
};
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
fn violation(field: &str, message: &str) -> Vec<FieldViolation> {
    vec![FieldViolation {
        field: field.to_owned(),
        message: message.to_owned(),
    }]
}

/// Bytes in hexadecimal, for an entity tag.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
