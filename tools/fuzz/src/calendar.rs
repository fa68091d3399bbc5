//! Calendar entries. No text begins a line of its own, no line is too long, and a reader gets back what was written.

use percent_encoding::percent_decode_str;

use crate::{
    Target,
    letter::{SENDER, seeds, words, written},
};

pub(crate) const TARGET: Target = Target {
    name: "calendar",
    seeds,
    words,
    run,
};

/// RFC 5545, without the line's break.
const LINE_OCTETS: usize = 75;

/// Every property, in order.
const PROPERTIES: [&str; 27] = [
    "BEGIN",
    "VERSION",
    "PRODID",
    "METHOD",
    "BEGIN",
    "TZID",
    "BEGIN",
    "DTSTART",
    "TZOFFSETFROM",
    "TZOFFSETTO",
    "TZNAME",
    "END",
    "END",
    "BEGIN",
    "UID",
    "DTSTAMP",
    "SEQUENCE",
    "STATUS",
    "DTSTART",
    "DTEND",
    "SUMMARY",
    "DESCRIPTION",
    "LOCATION",
    "URL",
    "ORGANIZER",
    "ATTENDEE",
    "END",
];

fn run(input: &[u8]) {
    let Some(written) = written(input) else {
        return;
    };
    let (registrant, letter) = (written.registrant, written.letter);
    let Some(calendar) = letter.calendar else {
        return;
    };
    let text = calendar
        .text
        .strip_suffix("\r\n")
        .expect("the last line ends, too");
    for line in text.split("\r\n") {
        assert!(line.len() <= LINE_OCTETS, "{} octets: {line:?}", line.len());
        assert!(
            !line.contains(char::is_control),
            "a control character: {line:?}"
        );
    }
    let unfolded = text.replace("\r\n ", "");
    let lines: Vec<&str> = unfolded.split("\r\n").collect();
    let names = lines
        .iter()
        .map(|line| line.split([':', ';']).next().unwrap_or_default());
    let expected = PROPERTIES.iter().copied().chain(["END"]);
    assert!(names.eq(expected), "{lines:#?}");

    let value = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name));
    let read = |name: &str| unescaped(value(name).expect("the property is there"));
    assert_eq!(read("SUMMARY:"), readable(&registrant.event.title));
    assert_eq!(read("LOCATION:"), readable(&registrant.place()));
    let organizer = value("ORGANIZER;CN=\"").expect("there is an organizer");
    assert_eq!(after_quoted(organizer), format!(":mailto:{SENDER}"));
    let attendee = value("ATTENDEE;CN=\"").expect("there is an attendee");
    let (parameters, address) = after_quoted(attendee)
        .split_once(":mailto:")
        .expect("an address");
    assert_eq!(
        parameters,
        ";ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE"
    );
    assert_eq!(
        percent_decode_str(address).decode_utf8_lossy(),
        registrant.email
    );
}

/// What follows a quoted parameter.
fn after_quoted(text: &str) -> &str {
    text.split_once('"').map_or("", |(_, rest)| rest)
}

/// A property's text as a calendar reads it.
fn unescaped(text: &str) -> String {
    let (mut out, mut characters) = (String::new(), text.chars());
    while let Some(character) = characters.next() {
        assert!(!matches!(character, ';' | ','), "parts the value: {text:?}");
        out.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some(escaped @ ('\\' | ';' | ',')) => escaped,
                other => panic!("escapes {other:?}: {text:?}"),
            },
            other => other,
        });
    }
    out
}

/// What of a text a calendar can show.
fn readable(text: &str) -> String {
    text.chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .collect()
}
