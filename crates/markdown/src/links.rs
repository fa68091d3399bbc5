//! Links in texts of strangers: which may be followed, and web addresses that stand as such in a text.

use url::Url;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Words(&'t str),
    Address(&'t str),
}

/// Whether a link leads to the web or to a mail program. Browsers must find the same address in it as readers do, so it begins with
/// its scheme, and its host is one; nothing stands before the host that could be taken for it.
pub(super) fn may_be_followed(target: &str) -> bool {
    let begins = |scheme: &str| {
        let beginning = target.get(..scheme.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme))
    };
    let is_plain = |url: Url| url.username().is_empty() && url.password().is_none();
    let is_known = ["https://", "http://", "mailto:"].into_iter().any(begins);
    is_known && Url::parse(target).is_ok_and(is_plain)
}

/// The parts of a text: web addresses, and what is between them.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let begin = next_address(rest);
        let length = match begin {
            Some(0) => address_length(rest),
            Some(begin) => begin,
            None => rest.len(),
        };
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(if begin == Some(0) && may_be_followed(piece) {
            Piece::Address(piece)
        } else {
            Piece::Words(piece)
        })
    })
}

/// Where the next web address with a host begins, at the beginning of a word.
fn next_address(text: &str) -> Option<usize> {
    let begins = text.match_indices("http").map(|(at, _)| at);
    begins.into_iter().find(|at| {
        let (before, from) = text.split_at(*at);
        let is_word = before.ends_with(char::is_alphanumeric);
        let rest = from
            .strip_prefix("https://")
            .or_else(|| from.strip_prefix("http://"));
        !is_word && rest.is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
    })
}

/// How long the address at the beginning is. A sign at its end belongs to the sentence around it.
fn address_length(text: &str) -> usize {
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, '<' | '>' | '"' | '`');
    let end = text.find(ends).unwrap_or(text.len());
    let address = text.get(..end).unwrap_or_default();
    let closes = [
        '.', ',', ';', ':', '!', '?', '\'', ')', ']', '”', '’', '»', '。', '，', '、',
    ];
    address.trim_end_matches(closes).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_web_or_to_a_mail_program() {
        for (target, may) in [
            ("https://a.example", true),
            ("HTTP://a.example", true),
            ("mailto:a@b.example", true),
            ("javascript:alert(1)", false),
            ("java\nscript:alert(1)", false),
            (" https://a.example", false),
            ("data:text/html,x", false),
            ("//a.example", false),
            ("https://a.example\u{202e}/", false),
            ("https://a.example[b", false),
            ("https://\u{e9}t\u{e9}.example", true),
            ("/dashboard", false),
            ("https://bank.example@evil.example/", false),
            ("https://bank.example:443@evil.example/", false),
            ("https://:secret@evil.example/", false),
            ("https://evil.example/@bank.example", true),
            ("ftp://a", false),
            ("日", false),
            ("", false),
        ] {
            assert_eq!(may_be_followed(target), may, "{target}");
        }
    }

    #[test]
    fn web_addresses_are_found_in_a_text() {
        use Piece::{Address, Words};
        let found: Vec<_> =
            pieces("See https://a.example/x_y?z=1 (or http://b.example).").collect();
        assert_eq!(
            found,
            [
                Words("See "),
                Address("https://a.example/x_y?z=1"),
                Words(" (or "),
                Address("http://b.example"),
                Words(").")
            ]
        );
        for text in [
            "https://",
            "http",
            "xhttps://a.example",
            "https://.",
            "https://a.example\u{202e}x",
            "",
            "🦀http:/a",
        ] {
            assert!(pieces(text).all(|piece| piece == Words(text)), "{text}");
        }
    }
}
