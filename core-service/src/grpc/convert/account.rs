//! The caller's account.

use muster_api::v1;

use crate::service::{AccountOverview, Links};

/// An account with how much of its quotas is used.
pub(in crate::grpc) fn account(found: AccountOverview, links: &Links) -> v1::Account {
    v1::Account {
        active_events: found.active_events,
        active_events_limit: found.active_events_limit,
        active_events_left: found.active_events_left(),
        daily_mails_limit: found.daily_mails_limit,
        daily_mails_left: found.daily_mails_left(),
        id: found.account.id.to_string(),
        plan: found.account.plan.name().to_owned(),
        is_paid: found.account.plan.is_paid(),
        email: found.account.email,
        name: found.account.name,
        timezone: found.account.timezone,
        organizer_url: found
            .account
            .handle
            .as_deref()
            .map(|handle| links.organizer(handle)),
        handle: found.account.handle,
        about: found.account.about,
        website: found.account.website,
    }
}
