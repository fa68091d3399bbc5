//! The words of servers, for organizers: one line, and no address but the recipient's own.

use crate::email::normalised;

/// The most that is kept.
const MAX_CHARACTERS: usize = 300;

/// What stands for the address of someone else.
const SOMEONE: &str = "[address]";

/// What a server says, as the organizer sees it. A forwarded mail comes back with the address that it was forwarded to, which is nobody's
/// business. `None` if nothing is left.
pub fn server_words(text: &str, recipient: &str) -> Option<String> {
    let recipient = normalised(recipient);
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&without_others(word, &recipient));
    }
    let line: String = line
        .chars()
        .filter(|c| !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .take(MAX_CHARACTERS)
        .collect();
    (!line.is_empty()).then_some(line)
}

/// A word, in which everything around an at sign is an address.
fn without_others(word: &str, recipient: &str) -> String {
    let is_part =
        |c: char| c.is_alphanumeric() || "@.!#$%&'*+-/=?^_`{|}~".contains(c) || !c.is_ascii();
    let mut shown = String::with_capacity(word.len());
    let mut rest = word;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(length);
        if part.contains('@') {
            shown.push_str(address(part, recipient).as_str());
        } else {
            shown.push_str(part);
        }
        let other = after.chars().next();
        shown.extend(other);
        rest = other.map_or("", |c| &after[c.len_utf8()..]);
    }
    shown
}

/// The recipient's own address stays; what stands around it, as in `to=ada@example.org.`, hides nobody either.
fn address(part: &str, recipient: &str) -> String {
    let lower = normalised(part);
    let bare = lower.trim_end_matches(['.', '!', '?', '\'', '`']);
    let own = !recipient.is_empty()
        && bare.strip_suffix(recipient).is_some_and(|before| {
            before.is_empty() || before.ends_with(['=', '\'', '`']) && !before.contains('@')
        });
    if own {
        part.to_owned()
    } else {
        SOMEONE.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        server_words(text, "Ada@example.org").unwrap_or_default()
    }

    #[test]
    fn addresses_of_others_are_left_out() {
        for (text, expected) in [
            (
                "550 5.1.1 <ada@EXAMPLE.org>: Recipient address rejected",
                "550 5.1.1 <ada@EXAMPLE.org>: Recipient address rejected",
            ),
            (
                "<secret@home.example> (expanded from <ada@example.org>): user unknown",
                "<[address]> (expanded from <ada@example.org>): user unknown",
            ),
            ("to=ada@example.org.", "to=ada@example.org."),
            ("rfc822;grace@example.org", "rfc822;[address]"),
            ("notada@example.org", "[address]"),
            ("grace@x.org,ada@example.org", "[address],ada@example.org"),
            ("ada@example.org.evil.example", "[address]"),
            ("grace@münchen.example", "[address]"),
            ("\"grace hopper\"@x.org", "\"grace hopper\"[address]"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn words_are_one_line_of_bounded_length() {
        assert_eq!(shown(" 550\r\n 5.1.1\tno\u{202e} "), "550 5.1.1 no");
        assert_eq!(shown(&"ä".repeat(5_000)).chars().count(), MAX_CHARACTERS);
        assert_eq!(server_words(" \r\n", ""), None);
    }
}
