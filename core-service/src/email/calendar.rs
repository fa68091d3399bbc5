//! An event in a registrant's calendar, as iCalendar (RFC 5545, 5546). It uses no crate: those for iCalendar bring a second
//! library for times and would replace only the two functions at the end.

use jiff::{Timestamp, tz::TimeZone};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::registration::Addressing;
use crate::domain::{instant::Instant, registration::Registrant};

/// Maximum length of a line in octets, without its break.
const LINE_OCTETS: usize = 75;

/// Characters of an address that are not escaped in a `mailto:` URI (RFC 6068).
const KEPT_IN_MAILTO: &AsciiSet = &NON_ALPHANUMERIC
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

/// One registrant's entry for their event. Its UID is the registration's, so that a person who cancels and registers again gets
/// a new entry instead of an update of a removed one. A cancellation has a higher sequence number than every earlier request.
pub(super) fn calendar(
    method: Method,
    registrant: &Registrant,
    addressing: &Addressing<'_>,
    now: Instant,
) -> Calendar {
    let event = &registrant.event;
    let (status, sequence) = match method {
        Method::Request => ("CONFIRMED", event.sequence),
        Method::Cancel => ("CANCELLED", event.sequence.saturating_add(1)),
    };
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Muster//Muster//EN".to_owned(),
        format!("METHOD:{}", method.name()),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}@{}", registrant.id, addressing.host),
        format!("DTSTAMP:{}", utc(now)),
        format!("SEQUENCE:{sequence}"),
        format!("STATUS:{status}"),
        format!("DTSTART:{}", utc(event.schedule.start.at)),
    ];
    lines.extend(
        event
            .schedule
            .end
            .map(|end| format!("DTEND:{}", utc(end.at))),
    );
    let organizer = registrant.organizer.as_deref().unwrap_or("Muster");
    lines.extend([
        format!("SUMMARY:{}", escaped(&event.title)),
        format!("LOCATION:{}", escaped(&registrant.place())),
        format!("URL:{}", addressing.event_url),
        format!(
            "ORGANIZER;CN={}:mailto:{}",
            quoted(organizer),
            mailto(addressing.sender)
        ),
        format!(
            "ATTENDEE;CN={};ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE:mailto:{}",
            quoted(&registrant.name),
            mailto(&registrant.email)
        ),
        "END:VEVENT".to_owned(),
        "END:VCALENDAR".to_owned(),
    ]);
    Calendar {
        method,
        text: lines.iter().map(|line| folded(line)).collect(),
    }
}

fn utc(at: Instant) -> String {
    // Jiff's timestamps end a day before the year 9999 does.
    let timestamp = Timestamp::from_microsecond(at.micros()).unwrap_or(Timestamp::MAX);
    let time = TimeZone::UTC.to_datetime(timestamp);
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn mailto(address: &str) -> String {
    utf8_percent_encode(address, KEPT_IN_MAILTO).to_string()
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

/// The line and its break. A long line continues in lines that begin with a space.
fn folded(line: &str) -> String {
    let (mut out, mut octets) = (String::new(), 0);
    for character in line.chars() {
        if octets + character.len_utf8() > LINE_OCTETS {
            out.push_str("\r\n ");
            octets = 1;
        }
        out.push(character);
        octets += character.len_utf8();
    }
    out + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_folded_between_characters() {
        let line = format!("SUMMARY:{}", "ü".repeat(100));
        let text = folded(&line);
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
