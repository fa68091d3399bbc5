//! What happened on an account: keys, apps, members and webhooks.

use domain::{
    ids::WebhookId,
    person::{Role, for_events},
};

use super::{Words, named, quoted};

/// What happened on an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountIncident {
    /// A key was made.
    KeyMade(Named),
    /// A key was replaced.
    KeyReplaced(Named),
    /// A key of a removed member was replaced by one of another person.
    KeyTakenOver(Named),
    /// An app was connected.
    AppConnected(Named),
    /// A member became an owner by an invitation.
    OwnerAdded(Concerned),
    /// A member has another role.
    RoleChanged {
        /// The member.
        who: Concerned,
        /// The old role, and the number of events that it was for, if not for all.
        before: (Role, Option<usize>),
        /// The new ones.
        after: (Role, Option<usize>),
    },
    /// A member was removed.
    MemberRemoved(Concerned),
    /// Someone set up a webhook, or changed where it posts or what it says: its host, which is empty if its messages are only pulled.
    WebhookMade(String),
    /// Nothing got through to a webhook for a day.
    WebhookFailing(TroubledWebhook),
    /// A webhook was disabled.
    WebhookDisabled(TroubledWebhook),
}

/// A webhook to which nothing gets through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TroubledWebhook {
    /// Its identifier, if it is still there.
    pub id: Option<WebhookId>,
    /// The host that it posts to; empty if that is unknown.
    pub host: String,
}

/// A key or an app, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub of: Concerned,
}

/// A member whom it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concerned {
    /// Their name.
    pub name: String,
    /// Whether it is the recipient.
    pub is_recipient: bool,
}

/// Writes what happened on an account, which is named by `place`.
pub(super) fn on_account(what: &AccountIncident, place: &str) -> Words {
    let key = |subject, key: &Named, verb: &str| Words {
        subject,
        lead: format!(
            "{} {verb} {place}. It acts for {}.",
            quoted("The API key", &key.name),
            key.of.object()
        ),
        link: "See the API keys",
    };
    let member = |subject, lead| Words {
        subject,
        lead,
        link: "See the members",
    };
    match what {
        AccountIncident::KeyMade(new) => key("An API key was made", new, "was made for"),
        AccountIncident::KeyReplaced(new) => key(
            "An API key was replaced",
            new,
            "was replaced by a new one for",
        ),
        AccountIncident::KeyTakenOver(new) => key(
            "An API key was handed over",
            new,
            "of a removed member was replaced by a new one for",
        ),
        AccountIncident::AppConnected(app) => Words {
            subject: "An app was connected",
            lead: format!(
                "{} was connected to {place}. It acts for {}.",
                quoted("The app", &app.name),
                app.of.object()
            ),
            link: "See your connected apps",
        },
        AccountIncident::OwnerAdded(who) => member(
            "An account has a new owner",
            format!(
                "{} accepted an invitation and {} an owner of {place} now.",
                who.subject(),
                who.is()
            ),
        ),
        AccountIncident::RoleChanged { who, before, after } => member(
            "A role was changed",
            format!(
                "{} {} {} of {place}{} now, and {} {}{} before.",
                who.subject(),
                who.is(),
                role(after.0),
                for_events(after.1, before.1),
                who.was(),
                role(before.0),
                for_events(before.1, after.1),
            ),
        ),
        AccountIncident::WebhookMade(target) if target.is_empty() => Words {
            subject: "Programs can read changes of your events",
            lead: format!(
                "A webhook without a URL was created for {place}. With it, programs can read changes of your events. A member, an API key or an app set that up."
            ),
            link: "See the webhooks",
        },
        AccountIncident::WebhookMade(target) => Words {
            subject: "A webhook sends changes of your events",
            lead: format!(
                "A webhook of {place} posts changes of your events to {} now. A member, an API key or an app set that up.",
                host(target, "another server")
            ),
            link: "See the webhooks",
        },
        AccountIncident::WebhookFailing(target) => Words {
            subject: "A webhook fails",
            lead: format!(
                "For a day, nothing got through to {}, a webhook of {place}. We try again for four more days. Nothing is lost: what waits is sent once the receiver works, and what failed is sent again by “Replay” on the webhook's page.",
                host(&target.host, "the receiver")
            ),
            link: "See the webhook",
        },
        AccountIncident::WebhookDisabled(target) => Words {
            subject: "A webhook was disabled",
            lead: format!(
                "The webhook of {place} that posts to {} was disabled: nothing got through for days, the receiver answered that it is gone, the key or app that set it up was revoked or expired, or the member who set it up left or lost the role. Nothing is lost: what waits is sent once you press “Enable” on the webhook's page, and what failed by “Replay”.",
                host(&target.host, "a server")
            ),
            link: "See the webhook",
        },
        AccountIncident::MemberRemoved(who) => Words {
            link: "See your accounts",
            ..member(
                "A member was removed",
                format!("{} {} removed from {place}.", who.subject(), who.was()),
            )
        },
    }
}

impl Concerned {
    fn subject(&self) -> &str {
        if self.is_recipient {
            "You"
        } else {
            named(&self.name, "A member")
        }
    }

    fn object(&self) -> &str {
        if self.is_recipient {
            "you"
        } else {
            named(&self.name, "a member")
        }
    }

    const fn is(&self) -> &'static str {
        if self.is_recipient { "are" } else { "is" }
    }

    const fn was(&self) -> &'static str {
        if self.is_recipient { "were" } else { "was" }
    }
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::Owner => "an owner",
        Role::Organizer => "an organizer",
        Role::Door => "at the door",
    }
}

/// The host of a webhook, whose dots are written so that no mail program makes a link of it: someone else may have chosen it.
fn host(host: &str, otherwise: &str) -> String {
    if host.is_empty() {
        otherwise.to_owned()
    } else {
        host.replace('.', "[.]")
    }
}
