//! Security mails: what was done in someone's name or on their account, so that they notice. None has a link that acts.

use domain::{
    ids::EventId,
    instant::Instant,
    job::JobKey,
    person::{Person, Role, greeted},
    schedule::Schedule,
};

use super::{
    Mail,
    template::{Link, Shown, Site, mail},
};

/// What a security mail is about. Names are empty where they are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incident {
    /// A new browser.
    SignedIn {
        /// What it is.
        device: String,
    },
    /// Something on an account.
    OnAccount {
        /// The account's name.
        account: String,
        /// What.
        what: AccountIncident,
    },
    /// The recipient's address is another one.
    EmailChanged,
    /// Clocks at an event of theirs show other times than was known.
    ClocksChanged(ChangedClocks),
    /// A message of theirs waits.
    MessageDelayed {
        /// The event.
        event: EventId,
        /// Its title; empty if it is gone.
        title: String,
        /// The message's number.
        number: i32,
    },
    /// An account is gone.
    AccountRemoved {
        /// Its name.
        account: String,
    },
}

/// New rules for the clocks at an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedClocks {
    /// The event.
    pub event: EventId,
    /// Its title; empty if it is gone.
    pub title: String,
    /// When it takes place.
    pub schedule: Option<Schedule>,
    /// Whether clocks skip its time.
    pub is_skipped: bool,
}

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
    /// A key or an app created a webhook or gave one another URL: its host.
    WebhookMade(String),
    /// Nothing got through to a webhook for a day.
    WebhookFailing(String),
    /// A webhook was disabled.
    WebhookDisabled(String),
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

/// Why people get a mail about what was done in their name.
const OF_PEOPLE_CONCERNED: &str = "You are getting this email so that you notice when something happens in your name or on your account. If you know of it, you do not need to do anything. If not, please sign in, choose \u{201c}Sign out everywhere\u{201d} under Sessions, and tell the other owners or the people who run this site.";

/// Why they get one about a webhook.
const OF_OWNERS: &str = "You are getting this email because you are an owner of the account.";

/// Why they get one about their event.
const OF_ORGANIZERS: &str =
    "You are getting this email because you organize the event. Your guests get none.";

/// Why they get one about their message.
const OF_AUTHORS: &str = "You are getting this email because you wrote the message.";

/// The words of a mail.
struct Words {
    subject: &'static str,
    lead: String,
    link: &'static str,
}

/// Writes a security mail.
///
/// # Errors
/// When a template cannot be rendered.
pub(super) fn security_mail(
    job: &JobKey,
    person: &Person,
    at: Instant,
    incident: &Incident,
    (url, site): (&str, Site<'_>),
) -> Result<Mail, askama::Error> {
    let host = site.host;
    let words = words(incident, host);
    let time = at.to_utc().strftime("%-d %B %Y, %H:%M");
    let (lead, reason) = match incident {
        Incident::ClocksChanged(_) => (words.lead, OF_ORGANIZERS),
        Incident::MessageDelayed { .. } => (words.lead, OF_AUTHORS),
        Incident::OnAccount {
            what: AccountIncident::WebhookFailing(_) | AccountIncident::WebhookDisabled(_),
            ..
        } => (words.lead, OF_OWNERS),
        _ => (
            format!("{} It was on {time} (UTC).", words.lead),
            OF_PEOPLE_CONCERNED,
        ),
    };
    let shown = Shown {
        name: greeted(&person.name),
        headline: words.subject,
        lead: &lead,
        code: None,
        link: Some(Link {
            text: words.link,
            url,
        }),
        reason,
    };
    let subject = format!("{} ({host})", words.subject);
    mail(job, site, &person.email, subject, shown)
}

fn words(incident: &Incident, host: &str) -> Words {
    match incident {
        Incident::SignedIn { device } => {
            let device = greeted(device).unwrap_or("a browser");
            Words {
                subject: "You signed in with a new browser",
                lead: format!(
                    "Someone, probably you, signed in on {host} with this address and a browser that you had not used here before: {device}."
                ),
                link: "See where you are signed in",
            }
        }
        Incident::EmailChanged => Words {
            subject: "You sign in with this address now",
            lead: format!(
                "Your address on {host} was changed to this one. You no longer sign in with the one before."
            ),
            link: "See where you are signed in",
        },
        Incident::ClocksChanged(changed) => clocks_changed(changed),
        Incident::MessageDelayed { title, number, .. } => Words {
            subject: "Your message waits until tomorrow",
            lead: format!(
                "Your plan's emails of today are used up, so message {number} to the guests of {} waits for those of the next day, which begins at 00:00 UTC. You do not need to do anything.",
                quoted("your event", title)
            ),
            link: "See the event",
        },
        Incident::AccountRemoved { account } => {
            let account = named(account, "an account of yours");
            Words {
                subject: "An account was removed",
                lead: format!(
                    "{account} on {host} was removed, with its events, registrations, members and keys."
                ),
                link: "See your accounts",
            }
        }
        Incident::OnAccount { account, what } => {
            let account = named(account, "an account");
            on_account(what, &format!("{account} on {host}"))
        }
    }
}

fn clocks_changed(changed: &ChangedClocks) -> Words {
    let event = quoted("Your event", &changed.title);
    let zone = changed
        .schedule
        .as_ref()
        .map_or("its zone", |at| &at.timezone);
    let start = changed.schedule.as_ref().map(|at| at.start);
    let when = start.map_or_else(String::new, |start| {
        let local = start.local.strftime("%A, %-d %B %Y, %H:%M");
        format!(" {local} ({zone})")
    });
    if changed.is_skipped {
        return Words {
            subject: "Your event needs another time",
            lead: format!(
                "{event} is to take place at a time that clocks in {zone} skip, by new rules:{when}. Please choose another time. Until then we changed nothing."
            ),
            link: "See the event",
        };
    }
    let in_utc = start.map_or_else(String::new, |start| {
        format!(", which is {} UTC", start.at.to_utc().strftime("%H:%M"))
    });
    Words {
        subject: "New rules for the clocks at your event",
        lead: format!(
            "The rules for clocks in {zone} have changed. {event} stays at the time that people were told:{when}{in_utc} now. Calendars that follow the event get it by themselves. If you have told people in other time zones when it begins there, please tell them the new time."
        ),
        link: "See the event",
    }
}

fn on_account(what: &AccountIncident, place: &str) -> Words {
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
        AccountIncident::WebhookMade(target) => Words {
            subject: "Changes are posted to a new address",
            lead: format!(
                "A webhook of {place} posts changes to your events to {} now. A member who is no owner, an API key or an app set that up.",
                host(target, "another server")
            ),
            link: "See the webhooks",
        },
        AccountIncident::WebhookFailing(target) => Words {
            subject: "A webhook fails",
            lead: format!(
                "For a day, nothing got through to {}, a webhook of {place}. We try again for four more days. Nothing is lost: what waits is sent once the receiver works, and what failed can be replayed.",
                host(target, "the receiver")
            ),
            link: "See the webhooks",
        },
        AccountIncident::WebhookDisabled(target) => Words {
            subject: "A webhook was disabled",
            lead: format!(
                "The webhook of {place} that posts to {} was disabled: nothing got through for days, the receiver answered that it is gone, or the key or app that set it up was revoked. Nothing is lost: what waits is sent once you enable it, and what failed can be replayed.",
                host(target, "a server")
            ),
            link: "See the webhooks",
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

/// For how many events a role is, unless it is for all, as the other one is.
fn for_events(events: Option<usize>, other: Option<usize>) -> String {
    match (events, other) {
        (Some(1), _) => " for one event".to_owned(),
        (Some(events), _) => format!(" for {events} events"),
        (None, Some(_)) => " for all events".to_owned(),
        (None, None) => String::new(),
    }
}

/// A name that strangers may have chosen, unless it may contain a link.
fn named<'a>(name: &'a str, otherwise: &'a str) -> &'a str {
    greeted(name).unwrap_or(otherwise)
}

/// The host of a webhook, whose dots are written so that no mail program makes a link of it: someone else may have chosen it.
fn host(host: &str, otherwise: &str) -> String {
    if host.is_empty() {
        otherwise.to_owned()
    } else {
        host.replace('.', "[.]")
    }
}

fn quoted(what: &str, name: &str) -> String {
    greeted(name).map_or_else(
        || what.to_owned(),
        |name| format!("{what} \u{201c}{name}\u{201d}"),
    )
}
