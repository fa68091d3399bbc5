//! Texts of strangers in mails, of which no mail program makes links: it makes them of everything that looks like an address.

use domain::{event::Event, person::DOTS, registration::Registrant};

/// What stands for a dot in the name of a host, so that readers see why it is no link.
const BROKEN_DOT: &str = "‹dot›";

/// The same for the colon of a scheme.
const BROKEN_COLON: &str = "‹:›";

/// Fewer letters after a dot are no domain: `e.g.`, `U.S.A.`
const MIN_DOMAIN_LETTERS: usize = 2;

/// Schemes of links that need no `//`.
const SCHEMES: [&str; 6] = ["mailto", "tel", "sms", "javascript", "data", "callto"];

/// Returns the text with its web and mail addresses visibly broken: `evil.example/x` becomes `evil‹dot›example/x`.
pub(super) fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + letter.len_utf8()..).unwrap_or_default();
        if DOTS.contains(&letter) && is_in_host(before, letter, after) {
            out.push_str(BROKEN_DOT);
        } else if letter == ':' && ends_scheme(before, after) {
            out.push_str(BROKEN_COLON);
        } else if letter == '\\' && before.ends_with('\\') {
            // Some programs make links of shared folders.
            out.push_str(" \\");
        } else {
            out.push(letter);
        }
    }
    out
}

/// Whether some programs leave it out when they look for addresses.
const fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

fn is_in_host(before: &str, dot: char, after: &str) -> bool {
    let mut before = before.chars().rev().filter(|one| !is_unseen(*one));
    let mut after = after.chars().filter(|one| !is_unseen(*one)).peekable();
    let Some(last) = before.next().filter(|one| is_in_label(*one)) else {
        return false;
    };
    // In Japanese and Chinese these dots end sentences, without a space after them.
    let is_ascii = last.is_ascii() && after.peek().is_some_and(char::is_ascii);
    if dot != '.' && !is_ascii {
        return false;
    }
    let is_w = |one: char| one.eq_ignore_ascii_case(&'w');
    let is_www = is_w(last) && before.take(2).all(is_w);
    let label: String = after.take_while(|one| is_in_label(*one)).collect();
    let letters = label.chars().filter(|one| one.is_alphabetic()).count();
    letters >= MIN_DOMAIN_LETTERS || (is_www && !label.is_empty())
}

/// Names of hosts may have any sign that is not ASCII: `i❤.ws`.
fn is_in_label(letter: char) -> bool {
    let is_sign = !letter.is_ascii() && !letter.is_whitespace() && !DOTS.contains(&letter);
    letter.is_alphanumeric() || is_sign || matches!(letter, '-' | '_')
}

fn ends_scheme(before: &str, after: &str) -> bool {
    if !before.ends_with(|one: char| one.is_ascii_alphanumeric()) {
        return false;
    }
    let names = |scheme: &str| {
        let start = before.len().checked_sub(scheme.len());
        let end = start.and_then(|start| before.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(scheme))
    };
    let is_spaced = after.chars().next().is_none_or(char::is_whitespace);
    after.starts_with(['/', '\\']) || (!is_spaced && SCHEMES.into_iter().any(names))
}

/// The registrant, with texts of the organizer that no mail program makes links of.
pub(super) fn without_links_of_strangers(registrant: &Registrant) -> Registrant {
    let event = &registrant.event;
    let optional = |text: &Option<String>| text.as_deref().map(without_links);
    Registrant {
        organizer: optional(&registrant.organizer),
        decline_reason: optional(&registrant.decline_reason),
        event: Event {
            title: without_links(&event.title),
            location: without_links(&event.location),
            attendee_info: optional(&event.attendee_info),
            city: optional(&event.city),
            organizer_name: optional(&event.organizer_name),
            cancel_reason: optional(&event.cancel_reason),
            ..event.clone()
        },
        ..registrant.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mail_programs_make_links_of_is_broken() {
        for (text, shown) in [
            ("evil.example/x", "evil‹dot›example/x"),
            ("https://evil.example/x.y", "https‹:›//evil‹dot›example/x.y"),
            ("HTTP://localhost", "HTTP‹:›//localhost"),
            ("(www.evil.example)", "(www‹dot›evil‹dot›example)"),
            ("www.1.de", "www‹dot›1‹dot›de"),
            ("me@evil.example", "me@evil‹dot›example"),
            ("mailto:me@host", "mailto‹:›me@host"),
            ("tel:+49123", "tel‹:›+49123"),
            ("évil.éxample", "évil‹dot›éxample"),
            ("evil\u{ff0e}example", "evil‹dot›example"),
            ("evil.\u{200d}example", "evil‹dot›\u{200d}example"),
            (r"\\host\share", r"\ \host\share"),
        ] {
            assert_eq!(without_links(text), shown);
        }
    }

    #[test]
    fn ordinary_text_is_left_as_it_is() {
        for text in [
            "Doors open at 19.30, or e.g. 8 p.m.: bring 3.5 euros.",
            "Dr. No and the U.S.A.",
            "14.05.2030",
            "Talks: Rust, Go. And more...",
            "です。次は",
            "Room A/B: second floor",
            "",
        ] {
            assert_eq!(without_links(text), text);
        }
    }
}
