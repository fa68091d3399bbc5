//! The credit of a stock photograph.

/// Maximum length of a name or a title in characters; longer ones are truncated.
const TEXT_CHARACTERS: usize = 200;

/// Maximum length of an address in bytes; a longer one is omitted.
const URL_BYTES: usize = 500;

/// The author, source and licence of a stock photograph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Credit {
    /// Its title.
    pub title: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// The author's page.
    pub author_url: Option<String>,
    /// The collection that it is from, for example `Unsplash`.
    pub source: String,
    /// The photograph's page there.
    pub source_url: Option<String>,
    /// The licence by its usual name, for example `CC BY 2.0`.
    pub license: String,
    /// The licence's text.
    pub license_url: Option<String>,
}

impl Credit {
    /// The same credit with each part as one safe line, since all parts come from strangers.
    #[must_use]
    pub(super) fn cleaned(self) -> Self {
        Self {
            title: self.title.and_then(one_line),
            author: self.author.and_then(one_line),
            author_url: self.author_url.filter(|url| is_web_address(url)),
            source: one_line(self.source).unwrap_or_default(),
            source_url: self.source_url.filter(|url| is_web_address(url)),
            license: one_line(self.license).unwrap_or_default(),
            license_url: self.license_url.filter(|url| is_web_address(url)),
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "maps an optional text that its owner gives away"
)]
fn one_line(text: String) -> Option<String> {
    let words: Vec<&str> = text
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    let line: String = line
        .chars()
        .filter(|character| !turns_text_round(*character))
        .take(TEXT_CHARACTERS)
        .collect();
    (!line.is_empty()).then_some(line)
}

/// Marks that change the direction of what follows them, beyond the text that they stand in.
const fn turns_text_round(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_web_address(url: &str) -> bool {
    (url.starts_with("https://") || url.starts_with("http://"))
        && url.len() <= URL_BYTES
        && url
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !b"\"'()<>\\`".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credit() -> Credit {
        Credit {
            title: Some("Tree Bark".to_owned()),
            author: Some("Tim Sullivan".to_owned()),
            author_url: Some("https://example.org/tim".to_owned()),
            source: "stocksnap by Openverse".to_owned(),
            source_url: Some("https://stocksnap.io/photo/1".to_owned()),
            license: "CC BY 2.0".to_owned(),
            license_url: Some("https://creativecommons.org/licenses/by/2.0/".to_owned()),
        }
    }

    #[test]
    fn what_strangers_write_becomes_one_line_of_text() {
        let hostile = Credit {
            title: Some("a\r\nSet-Cookie: b\u{0}\u{1b}[31m \u{202e}c\u{2028}d".to_owned()),
            author: Some("\u{7}\n ".to_owned()),
            source: "x".repeat(10_000),
            ..credit()
        };
        let clean = hostile.cleaned();
        assert_eq!(clean.title.as_deref(), Some("a Set-Cookie: b [31m c d"));
        assert_eq!(clean.author, None);
        assert_eq!(clean.source.chars().count(), TEXT_CHARACTERS);
    }

    #[test]
    fn only_addresses_of_the_web_are_kept() {
        for url in [
            "javascript:alert(1)",
            "data:text/html,x",
            "https://a.example/\"onclick=x",
            "https://a.example/ b",
            "//a.example",
            &format!("https://a.example/{}", "x".repeat(URL_BYTES)),
        ] {
            let credit = Credit {
                source_url: Some(url.to_owned()),
                ..credit()
            };
            assert_eq!(credit.cleaned().source_url, None, "{url}");
        }
        assert_eq!(credit().cleaned(), credit());
    }
}
