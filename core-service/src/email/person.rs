//! Mails to people who sign in: codes, notices, invitations and news of apps, with one template for text and one for HTML.

use domain::{
    instant::Instant,
    invitation::{MAX_NAMED_EVENTS, SentInvitation},
    job::JobKey,
    person::{NamedEvent, Person, Role, greeted},
    sign_in_code::{Code, Purpose},
};

use super::{
    Mail,
    security::{Incident, security_mail},
    template::{Link, Shown, Site, mail},
};

/// A mail to someone who signs in.
#[derive(Debug, Clone, Copy)]
pub enum Letter<'a> {
    /// A code.
    Code {
        /// The code.
        code: &'a Code,
        /// Who has its address, if someone does.
        person: Option<&'a Person>,
        /// The page on which the address can be taken back, if it can.
        take_back: Option<&'a str>,
    },
    /// An app was disconnected, since someone may have stolen what it had.
    AppEnded {
        /// For whom it acted.
        person: &'a Person,
        /// Its name.
        app: &'a str,
        /// The page of connected apps.
        url: &'a str,
    },
    /// Something was done in someone's name or on their account.
    Security {
        /// The recipient.
        person: &'a Person,
        /// When.
        at: Instant,
        /// What.
        incident: &'a Incident,
        /// The page where the person sees what became of it.
        url: &'a str,
    },
    /// An invitation.
    Invitation {
        /// The invitation.
        invitation: &'a SentInvitation,
        /// The page on which it can be accepted.
        url: &'a str,
    },
}

/// Writes the mail of a job.
///
/// # Errors
/// When a template cannot be rendered.
pub fn letter(job: &JobKey, letter: &Letter<'_>, site: Site<'_>) -> Result<Mail, askama::Error> {
    match letter {
        Letter::Security {
            person,
            at,
            incident,
            url,
        } => security_mail(job, person, *at, incident, (url, site)),
        Letter::Code {
            code,
            person,
            take_back,
        } => code_mail(job, code, *person, *take_back, site),
        Letter::AppEnded { person, app, url } => app_mail(job, person, app, url, site),
        Letter::Invitation { invitation, url } => invitation_mail(job, invitation, url, site),
    }
}

fn code_mail(
    job: &JobKey,
    code: &Code,
    person: Option<&Person>,
    take_back: Option<&str>,
    site: Site<'_>,
) -> Result<Mail, askama::Error> {
    let digits = code.digits.as_str();
    let (first, second) = digits.split_at(digits.len() / 2);
    let spaced = format!("{first} {second}");
    let name = person.and_then(|person| greeted(&person.name));
    // Another person has the address: there is nothing to change, and only they may know.
    let is_taken = code.purpose == Purpose::EmailChange && person.is_some();
    let (subject, lead, reason) = text_of(code.purpose, is_taken);
    let has_code = code.purpose != Purpose::EmailChanged && !is_taken;
    let subject = if has_code {
        format!("{spaced} is your {} code", site.brand.name)
    } else {
        subject.to_owned()
    };
    let shown = Shown {
        name,
        headline: headline(code.purpose, is_taken),
        lead,
        code: has_code.then_some(&spaced),
        link: take_back.map(|url| Link {
            text: "It was not me: take the address back",
            url,
        }),
        reason,
    };
    mail(job, site, &code.email, subject, shown)
}

const fn headline(purpose: Purpose, is_taken: bool) -> &'static str {
    match purpose {
        Purpose::SignIn => "Your code to sign in",
        Purpose::StepUp => "Your code to continue",
        Purpose::EmailChange if is_taken => "You already use this address",
        Purpose::EmailChange => "Your code for your new address",
        Purpose::EmailChanged => "You sign in with another address now",
        Purpose::Contact => "Your code for the address of an event",
        Purpose::TakeBack => "Your code to take your address back",
    }
}

/// Subject without a code, lead and reason.
const fn text_of(purpose: Purpose, is_taken: bool) -> (&'static str, &'static str, &'static str) {
    match purpose {
        Purpose::SignIn => (
            "",
            "Here is the code to sign in with this address.",
            "You are getting this email because someone typed this address to sign in. If that was not you, you do not need to do anything: without the code nobody can sign in.",
        ),
        Purpose::StepUp => (
            "",
            "You are about to do something important, so please show us once more that it is you.",
            "You are getting this email because someone who is signed in with this address asked for a code. If that was not you, please sign in and choose \u{201c}Sign out everywhere\u{201d} under \u{201c}Where you are signed in\u{201d}.",
        ),
        Purpose::EmailChange if is_taken => (
            "You already use this address",
            "Someone, probably you, wanted to change another account's address to this one. You already sign in with it, so nothing has changed.",
            "You are getting this email because someone typed this address as a new one. If that was not you, you do not need to do anything.",
        ),
        Purpose::EmailChange => (
            "",
            "With this code you show that this address is yours. Then you can sign in with it, in place of your old one.",
            "You are getting this email because someone typed this address as a new one. If that was not you, you do not need to do anything.",
        ),
        Purpose::EmailChanged => (
            "You sign in with another address now",
            "From now on you sign in with your new address, and no longer with this one. If you did not change it yourself, you can take it back for 7 days.",
            "You are getting this email because you signed in with this address before.",
        ),
        Purpose::Contact => (
            "",
            "Someone wants to name this address in emails about their events, so that people can write to it. If that is you, type the code into the page that asked for it.",
            "You are getting this email because someone typed this address as the contact of an event. If that was not you, you do not need to do anything: without the code the address is in no email.",
        ),
        Purpose::TakeBack => (
            "",
            "With this code you sign in with this address again. Whoever changed it is signed out, and the apps and API keys that were made since stop working.",
            "You are getting this email because someone typed this address to take it back. If that was not you, you do not need to do anything: without the code nobody can.",
        ),
    }
}

fn app_mail(
    job: &JobKey,
    person: &Person,
    app: &str,
    url: &str,
    site: Site<'_>,
) -> Result<Mail, askama::Error> {
    let (name, host) = (greeted(app), site.host);
    let app = name.unwrap_or("an app");
    let lead = format!(
        "{app} was connected to your account on {host}. Its access was used from two places, so someone may have copied it. To be safe we have \
         disconnected the app, and nobody can use that access any more. If you still use {app}, just connect it again."
    );
    let shown = Shown {
        name: greeted(&person.name),
        headline: "We have disconnected an app",
        lead: &lead,
        code: None,
        link: Some(Link {
            text: "See your connected apps",
            url,
        }),
        reason: "You are getting this email because you connected this app.",
    };
    // A stranger named the app: no subject begins with that (rule 42 of docs/rules.md).
    let subject = match name {
        Some(app) => format!("We disconnected the app \"{app}\" from {host}"),
        None => format!("We disconnected an app from {host}"),
    };
    mail(job, site, &person.email, subject, shown)
}

/// The first of some events by their titles, which must not be links, and how many more there are.
fn some_of(events: &[NamedEvent]) -> String {
    let named = events.iter().take(MAX_NAMED_EVENTS);
    let named = named.map(|event| {
        greeted(&event.title).map_or_else(|| "an event".to_owned(), |title| format!("\"{title}\""))
    });
    let mut named: Vec<String> = named.collect();
    let others = events.len().saturating_sub(MAX_NAMED_EVENTS);
    if others > 0 {
        named.push(format!("{others} more"));
    }
    match named.pop() {
        None => "some of its events".to_owned(),
        Some(last) if named.is_empty() => last,
        Some(last) => format!("{} and {last}", named.join(", ")),
    }
}

fn invitation_mail(
    job: &JobKey,
    sent: &SentInvitation,
    url: &str,
    site: Site<'_>,
) -> Result<Mail, askama::Error> {
    let host = site.host;
    let account = greeted(&sent.account_name).unwrap_or("an account");
    let by = greeted(&sent.invited_by).unwrap_or("Someone");
    let only = sent.invitation.rights.only_some_events;
    let what = match (sent.invitation.rights.role, only) {
        (Role::Owner, _) => "as one of its owners".to_owned(),
        (Role::Organizer, false) => "to organize its events".to_owned(),
        (Role::Door, false) => "to check people in at the door".to_owned(),
        (Role::Organizer, true) => format!("to organize {}", some_of(&sent.events)),
        (Role::Door, true) => {
            format!(
                "to check people in at the door of {}",
                some_of(&sent.events)
            )
        }
    };
    let lead = format!(
        "{by} would like you to join {account} on {host}, {what}. To accept or decline, open the page below and sign in with this address. You have 7 days."
    );
    let shown = Shown {
        name: None,
        headline: "You are invited",
        lead: &lead,
        code: None,
        link: Some(Link {
            text: "See the invitation",
            url,
        }),
        reason: "You are getting this email because someone typed this address to invite you. If you do not know them, you do not need to do anything.",
    };
    let subject = format!("Invitation from {by} to {account}");
    mail(job, site, &sent.invitation.email, subject, shown)
}
