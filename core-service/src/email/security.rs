//! Security mails: what was done in someone's name or on their account, so that they notice. None has a link that acts.

mod account;

use domain::{
    ids::EventId,
    instant::Instant,
    job::JobKey,
    person::{Person, greeted},
    schedule::Schedule,
};

use self::account::on_account;
pub use self::account::{AccountIncident, Concerned, Named, TroubledWebhook};
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

/// Why people get a mail about what was done in their name.
const OF_PEOPLE_CONCERNED: &str = "You are getting this email so that you notice when something happens in your name or on your account. If you know of it, you do not need to do anything. If not, please sign in, choose \u{201c}Sign out everywhere\u{201d} under \u{201c}Where you are signed in\u{201d}, and tell the other owners or the people who run this site.";

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
            let device = greeted(device).map_or_else(String::new, |device| format!(": {device}"));
            Words {
                subject: "You signed in with a new browser",
                lead: format!(
                    "Someone, probably you, signed in on {host} with this address, in a browser that is new to us{device}."
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
                "You have used up today's emails of your plan, so message {number} to the guests of {} goes out tomorrow, after 00:00 UTC. You do not need to do anything.",
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

/// A name that strangers may have chosen, unless it may contain a link.
fn named<'a>(name: &'a str, otherwise: &'a str) -> &'a str {
    greeted(name).unwrap_or(otherwise)
}

fn quoted(what: &str, name: &str) -> String {
    greeted(name).map_or_else(
        || what.to_owned(),
        |name| format!("{what} \u{201c}{name}\u{201d}"),
    )
}
