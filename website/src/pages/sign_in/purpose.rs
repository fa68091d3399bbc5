//! What someone signs in for, as the address that they return to says.

use muster_api::internal::v1::{
    GetInvitationRequest,
    bindings::{CheckAuthorization, GetInvitation},
};

use crate::{
    form::Form,
    pages::oauth::request_of,
    policies::AUTHORIZE,
    request_context::RequestContext,
    return_path::{DASHBOARD, NEW_EVENT},
};

/// What someone signs in for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// An invitation: who sent it, and to which account.
    Invitation { invited_by: String, account: String },
    /// An app that wants to be connected. Nobody has checked the name unless its host is known.
    App {
        name: String,
        verified_host: Option<String>,
    },
    /// A page, in words.
    Page(&'static str),
    /// Nothing but signing in.
    SignIn,
}

/// The address of an invitation, before its id.
const INVITATIONS: &str = "/invitations/";

/// What the pages are for, by how their addresses begin. The first that fits counts.
const PAGES: [(&str, &str); 12] = [
    (NEW_EVENT, "Sign in to create an event."),
    ("/dashboard/events/", "Sign in to manage this event."),
    ("/dashboard/keys", "Sign in to manage your API keys."),
    (
        "/dashboard/members",
        "Sign in to see who is in your account.",
    ),
    ("/dashboard/account", "Sign in to manage your account."),
    ("/dashboard/apps", "Sign in to manage your connected apps."),
    ("/dashboard/webhooks", "Sign in to manage your webhooks."),
    (
        "/dashboard/sessions",
        "Sign in to see where you are signed in.",
    ),
    (INVITATIONS, "Sign in to see your invitation."),
    (AUTHORIZE, "Sign in to connect the app."),
    ("/check-in/", "Sign in to check this guest in."),
    ("/dashboard/", "Sign in to see the page you asked for."),
];

impl Purpose {
    /// Reads what an address is about. What cannot be read is told in general words: signing in works without it.
    pub(super) async fn of(context: &RequestContext, return_path: &str) -> Self {
        if let Some(id) = return_path.strip_prefix(INVITATIONS) {
            let id = id.split(['/', '?']).next().map(str::to_owned);
            let asked = context.ask::<GetInvitation>(GetInvitationRequest { id });
            if let Ok(found) = asked.await {
                return Self::Invitation {
                    invited_by: found.invited_by,
                    account: found.account_name,
                };
            }
        }
        let authorization = return_path.strip_prefix(AUTHORIZE);
        if let Some(query) = authorization.and_then(|rest| rest.strip_prefix('?')) {
            let request = request_of(&Form::parse(query.as_bytes()), &context.parts.headers);
            let asked = context.ask::<CheckAuthorization>(request).await;
            if let Some(client) = asked.ok().and_then(|checked| checked.client) {
                return Self::App {
                    name: client.name,
                    verified_host: client.verified_host,
                };
            }
        }
        Self::of_page(return_path)
    }

    fn of_page(return_path: &str) -> Self {
        let mut pages = PAGES.iter();
        let found = pages.find(|(beginning, _)| return_path.starts_with(beginning));
        match found {
            Some((_, words)) if return_path != DASHBOARD => Self::Page(words),
            _ => Self::SignIn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_was_asked_for_is_named() {
        for (path, words) in [
            ("/dashboard/events/new", "create an event"),
            (
                "/dashboard/events/0190/registrations?q=a",
                "manage this event",
            ),
            ("/dashboard/keys/new", "API keys"),
            ("/dashboard/webhooks/0190/edit", "manage your webhooks"),
            ("/dashboard/sessions", "where you are signed in"),
            ("/check-in/abc", "check this guest in"),
            ("/dashboard/activity", "page you asked for"),
        ] {
            let Purpose::Page(said) = Purpose::of_page(path) else {
                panic!("{path} is for something");
            };
            assert!(said.contains(words), "{path}: {said}");
        }
        assert_eq!(Purpose::of_page("/dashboard"), Purpose::SignIn);
    }
}
