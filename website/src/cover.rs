//! The cover of an event, or a coloured field with the title's first letter where there is none.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use unicode_segmentation::UnicodeSegmentation;

/// The number of colours in the style sheet.
const HUES: u32 = 8;

/// A cover, as templates show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) url: Option<String>,
    pub(crate) hue: u32,
    pub(crate) initial: String,
}

impl Cover {
    /// The cover of an event. Its path is used, not core's absolute URL, so that it is of the page's own origin under every name.
    pub(crate) fn of(slug: &str, title: &str, has_image: bool) -> Self {
        Self {
            url: has_image.then(|| path(slug)),
            hue: slug.bytes().map(u32::from).sum::<u32>() % HUES,
            initial: initial(title),
        }
    }
}

/// Where the gateway serves an event's cover.
pub(crate) fn path(slug: &str) -> String {
    format!("/api/v1/events/{}/cover", encoded(slug))
}

/// A slug in a path. Core's slugs need no encoding.
pub(crate) fn encoded(slug: &str) -> String {
    const UNRESERVED: &percent_encoding::AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(slug, UNRESERVED).to_string()
}

/// The first letter of a title, or its first sign.
fn initial(title: &str) -> String {
    let is_word = |text: &&str| text.chars().any(char::is_alphanumeric);
    let mut signs = title.graphemes(true);
    let first = signs.clone().find(is_word).or_else(|| signs.next());
    first.unwrap_or_default().to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_without_an_image_shows_its_first_letter() {
        for (title, letter) in [
            ("“rust” night", "R"),
            ("東京ミートアップ", "東"),
            ("👩‍👩‍👧 ", "👩‍👩‍👧"),
            ("ñandú", "Ñ"),
            ("", ""),
        ] {
            assert_eq!(Cover::of("a", title, false).initial, letter, "{title}");
        }
    }

    #[test]
    fn a_cover_is_of_the_pages_own_origin() {
        let cover = Cover::of("rust-berlin", "Rust", true);
        assert_eq!(
            cover.url.as_deref(),
            Some("/api/v1/events/rust-berlin/cover")
        );
        assert_eq!(path("a/../b?c"), "/api/v1/events/a%2F..%2Fb%3Fc/cover");
    }
}
