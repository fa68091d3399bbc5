//! Events in calendars, as iCalendar (RFC 5545, 5546): entries in mails to registrants, and files to take into a calendar. It uses no
//! crate: those for iCalendar bring a second library for times and would replace only the functions at the end.

mod zones;

use std::borrow::Cow;

use markdown::plain_text;

use domain::{
    event::Event,
    instant::Instant,
    person::greeted,
    registration::{Registrant, Registration, Status},
};
use jiff::{Timestamp, tz::TimeZone};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The states of an entry.
const CONFIRMED: &str = "CONFIRMED";
const TENTATIVE: &str = "TENTATIVE";
const CANCELLED: &str = "CANCELLED";

/// Maximum length of a line in octets, without its break.
const LINE_OCTETS: usize = 75;

/// Characters of a description in a file of many events, which would be megabytes otherwise.
const CATALOGUE_DESCRIPTION: usize = 500;

/// The same in a mail, which has a link to the event's page.
const INVITATION_DESCRIPTION: usize = 1_000;

/// Characters of an address that are not escaped in a `mailto:` URI (RFC 6068).
const NOT_ESCAPED_IN_MAILTO: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'@')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~')
    .remove(b'+')
    .remove(b'\'')
    .remove(b'!')
    .remove(b'$')
    .remove(b'*');

/// The method of a calendar entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Add or update the event.
    Request,
    /// Remove the event.
    Cancel,
}

impl Method {
    /// Its name in iCalendar.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "REQUEST",
            Self::Cancel => "CANCEL",
        }
    }
}

/// An iCalendar object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calendar {
    /// Its method, which a mail's headers repeat.
    pub method: Method,
    /// The object.
    pub text: String,
}

/// The addresses in an entry.
#[derive(Debug, Clone, Copy)]
pub struct Addresses<'a> {
    /// The host, within which the UID is unique.
    pub host: &'a str,
    /// The event's public page.
    pub event_url: &'a str,
}

/// One entry.
struct Entry<'a> {
    event: &'a Event,
    addresses: Addresses<'a>,
    /// Unique on the host.
    uid: &'a str,
    /// When this version of the entry was made.
    made_at: Instant,
    status: &'static str,
    /// Before the title, for someone who has no seat.
    standing: Option<&'static str>,
    /// The description in plain text: calendars show Markdown as it is.
    description: Cow<'a, str>,
}

/// One registrant's entry for their event, in a mail from the site and its address. Its UID is the registration's, so that a person who cancels and
/// registers again gets a new entry instead of an update of a removed one. `description` is plain text.
pub fn invitation(
    method: Method,
    registrant: &Registrant,
    description: &str,
    addresses: Addresses<'_>,
    (site_name, sender): (&str, &str),
    now: Instant,
) -> Calendar {
    let entry = Entry {
        event: &registrant.event,
        addresses,
        uid: &registrant.id.to_string(),
        made_at: now,
        status: match method {
            Method::Request => CONFIRMED,
            Method::Cancel => CANCELLED,
        },
        standing: None,
        description: shortened(description, INVITATION_DESCRIPTION),
    };
    // A name that may contain a link is none: some programs show it beside what the mail says.
    let organizer = registrant.organizer.as_deref().and_then(greeted);
    let organizer = organizer.unwrap_or(site_name);
    let attendee = greeted(&registrant.name).unwrap_or(&registrant.email);
    let people = [
        format!(
            "ORGANIZER;CN={}:mailto:{}",
            quoted(organizer),
            mailto(sender)
        ),
        format!(
            "ATTENDEE;CN={};ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE:mailto:{}",
            quoted(attendee),
            mailto(&registrant.email)
        ),
    ];
    let method_line = format!("METHOD:{}", method.name());
    Calendar {
        method,
        text: entry.file(&[method_line], &people),
    }
}

/// The event of a registration as a file, whose entry is that of the registrant's mails. For someone without a seat it says so, and blocks
/// no time.
pub fn of_registration(
    event: &Event,
    registration: &Registration,
    addresses: Addresses<'_>,
) -> String {
    let is_cancelled = event.is_cancelled || registration.status == Status::Cancelled;
    let event = &event.seen_by(registration.status == Status::Confirmed);
    let entry = Entry {
        event,
        addresses,
        uid: &registration.id.to_string(),
        made_at: event.updated_at.max(registration.updated_at),
        status: match registration.status {
            _ if is_cancelled => CANCELLED,
            Status::Confirmed => CONFIRMED,
            Status::Pending | Status::Waitlisted | Status::Cancelled => TENTATIVE,
        },
        standing: match registration.status {
            _ if is_cancelled => None,
            Status::Pending if registration.confirmation.is_some() => Some("Not confirmed"),
            Status::Pending => Some("Awaiting approval"),
            Status::Waitlisted => Some("Waitlist"),
            Status::Confirmed | Status::Cancelled => None,
        },
        description: described(event, plain_text(&event.description)).into(),
    };
    entry.file(&[], &[])
}

/// Events of the catalogue as a file that says whose they are, by the host of their UIDs and the URLs of their pages. It is a calendar to subscribe to, so it has
/// a name, and says how often to look for changes.
pub fn of_catalogue(
    events: &[Event],
    whose: &str,
    host: &str,
    event_url: impl Fn(&str) -> String,
) -> String {
    let name = escaped(&format!("Events · {whose}"));
    let properties = [
        format!("NAME:{name}"),
        format!("X-WR-CALNAME:{name}"),
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H".to_owned(),
        "X-PUBLISHED-TTL:PT1H".to_owned(),
    ];
    let shown: Vec<Event> = events.iter().map(Event::for_public).collect();
    let zones = zones::components(shown.iter()).into_iter();
    let entries = shown.iter().flat_map(|event| {
        let event_url = &event_url(&event.slug);
        let addresses = Addresses { host, event_url };
        of_public(event, addresses, CATALOGUE_DESCRIPTION).lines(&[])
    });
    let entries: Vec<String> = zones.chain(entries).collect();
    file(&properties, &entries)
}

/// An event as a file.
pub fn of_event(event: &Event, addresses: Addresses<'_>) -> String {
    of_public(&event.for_public(), addresses, usize::MAX).file(&[], &[])
}

/// A description in plain text, after information for guests only.
fn described(event: &Event, description: String) -> String {
    match &event.attendee_info {
        Some(info) => format!("{}\n\n{description}", plain_text(info)),
        None => description,
    }
}

fn of_public<'a>(
    event: &'a Event,
    addresses: Addresses<'a>,
    description_characters: usize,
) -> Entry<'a> {
    Entry {
        event,
        addresses,
        uid: &event.slug,
        made_at: event.updated_at,
        status: if event.is_cancelled {
            CANCELLED
        } else {
            CONFIRMED
        },
        standing: None,
        description: shortened(&plain_text(&event.description), description_characters)
            .into_owned()
            .into(),
    }
}

impl Entry<'_> {
    /// The entry as a file of its own, with the rules of its zone.
    fn file(&self, properties: &[String], people: &[String]) -> String {
        let mut lines = zones::components(std::iter::once(self.event));
        lines.extend(self.lines(people));
        file(properties, &lines)
    }

    fn lines(&self, people: &[String]) -> Vec<String> {
        let Self {
            event, addresses, ..
        } = self;
        // A cancellation has a higher sequence number than every earlier version.
        let sequence = event
            .sequence
            .saturating_add(i32::from(self.status == CANCELLED));
        let zone = &event.schedule.timezone;
        let mut lines = vec![
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}@{}", self.uid, addresses.host),
            format!("DTSTAMP:{}", utc(self.made_at)),
            format!("SEQUENCE:{sequence}"),
            format!("STATUS:{}", self.status),
            zones::property("DTSTART", event.schedule.start, zone),
        ];
        let end = event.schedule.calendar_end();
        lines.push(zones::property("DTEND", end, zone));
        let title = escaped(&event.title);
        match self.standing {
            Some(standing) => {
                lines.push(format!("SUMMARY:{standing}: {title}"));
                lines.push("TRANSP:TRANSPARENT".to_owned());
            }
            None => lines.push(format!("SUMMARY:{title}")),
        }
        lines.push(format!("DESCRIPTION:{}", escaped(&self.description)));
        lines.push(format!("LOCATION:{}", escaped(&event.place())));
        lines.push(format!("URL:{}", addresses.event_url));
        lines.extend_from_slice(people);
        lines.push("END:VEVENT".to_owned());
        lines
    }
}

/// The first characters of a text, and an ellipsis if there are more.
fn shortened(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

fn file(properties: &[String], entries: &[String]) -> String {
    let begin = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Muster//Muster//EN",
    ];
    let begin = begin.iter().copied();
    let properties = properties.iter().map(String::as_str);
    let entries = entries.iter().map(String::as_str);
    let lines = begin
        .chain(properties)
        .chain(entries)
        .chain(["END:VCALENDAR"]);
    lines.fold(String::new(), |mut file, line| {
        fold(&mut file, line);
        file
    })
}

fn utc(at: Instant) -> String {
    // Jiff's timestamps end a day before the year 9999 does.
    let timestamp = Timestamp::from_microsecond(at.micros()).unwrap_or(Timestamp::MAX);
    let time = TimeZone::UTC.to_datetime(timestamp);
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn mailto(address: &str) -> String {
    utf8_percent_encode(address, NOT_ESCAPED_IN_MAILTO).to_string()
}

/// A property's text.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\\' | ';' | ',' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}

/// A name as a parameter's value. Within quotes the standard (RFC 5545, section 3.2) allows everything but control characters
/// and quotes, but some programs look for the ends of parameters there all the same.
fn quoted(name: &str) -> String {
    let kept = name.chars().filter(|character| !character.is_control());
    let kept = kept.map(|character| match character {
        '"' => '\'',
        ';' | ':' | ',' | '=' | '|' | '^' => ' ',
        other => other,
    });
    format!("\"{}\"", kept.collect::<String>())
}

/// Adds a line and its break. A long line continues in lines that begin with a space.
fn fold(out: &mut String, line: &str) {
    let (mut rest, mut octets) = (line, LINE_OCTETS);
    while rest.len() > octets {
        let (part, others) = rest.split_at(rest.floor_char_boundary(octets));
        out.push_str(part);
        out.push_str("\r\n ");
        (rest, octets) = (others, LINE_OCTETS - 1);
    }
    out.push_str(rest);
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_folded_between_characters() {
        let line = format!("SUMMARY:{}", "ü".repeat(100));
        let mut text = String::new();
        fold(&mut text, &line);
        assert!(text.split("\r\n").all(|part| part.len() <= LINE_OCTETS));
        assert_eq!(text.replace("\r\n ", ""), line + "\r\n");
    }

    #[test]
    fn text_cannot_begin_a_property() {
        assert_eq!(escaped("a,b;c\\d\r\nUID:x\0"), "a\\,b\\;c\\\\d\\nUID:x");
        assert_eq!(quoted("a\":mailto:x\r\nUID:y"), "\"a' mailto xUID y\"");
        assert_eq!(quoted("A;=cmd|calc"), "\"A  cmd calc\"");
        assert_eq!(mailto("a?b%c&d@example.org"), "a%3Fb%25c%26d@example.org");
    }
}
