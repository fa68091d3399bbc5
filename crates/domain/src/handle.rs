//! Handles: the names of organizers in addresses of their pages (`/o/{handle}`).

use std::fmt;

/// The characters of the shortest handle.
pub const MIN_CHARACTERS: usize = 3;

/// The characters of the longest handle.
pub const MAX_CHARACTERS: usize = 40;

/// How long nobody else gets a handle that an account gave up: links to it are in mails and on posters.
pub const BLOCKED_SECONDS: i64 = 365 * 24 * 60 * 60;

/// How many handles an account may give up within that time.
pub const MAX_FORMER: i64 = 3;

/// What might be a page of the service, or be taken for the service itself.
const RESERVED: [&str; 47] = [
    "about",
    "abuse",
    "account",
    "accounts",
    "admin",
    "administrator",
    "api",
    "assets",
    "billing",
    "contact",
    "dashboard",
    "docs",
    "embed",
    "erased",
    "event",
    "events",
    "feed",
    "guides",
    "help",
    "home",
    "imprint",
    "legal",
    "login",
    "mail",
    "mcp",
    "moderator",
    "muster",
    "new",
    "null",
    "oauth",
    "official",
    "operator",
    "organizer",
    "organizers",
    "postmaster",
    "privacy",
    "root",
    "search",
    "security",
    "settings",
    "sign-in",
    "sitemap",
    "staff",
    "status",
    "support",
    "system",
    "terms",
];

/// Why a text is no handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHandle {
    /// It is too short or too long.
    #[error("must be {MIN_CHARACTERS} to {MAX_CHARACTERS} characters long, is {0}")]
    Length(usize),
    /// It has other characters.
    #[error("must have only the letters a to z, digits and hyphens")]
    Characters,
    /// It is a word of the service.
    #[error("must not be a word of this site")]
    Reserved,
    /// Another account has it, or had it until lately.
    #[error("must be one that nobody else has, or had within a year")]
    Taken,
    /// The account gave up others lately.
    #[error("must not change more than {MAX_FORMER} times within a year")]
    TooOften,
}

/// A handle that an account may have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handle(String);

impl Handle {
    /// Reads a handle that someone wants to have.
    ///
    /// # Errors
    /// When no account may have it.
    pub fn parse(text: &str) -> Result<Self, InvalidHandle> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !text.bytes().all(is_allowed) {
            return Err(InvalidHandle::Characters);
        }
        if !(MIN_CHARACTERS..=MAX_CHARACTERS).contains(&text.len()) {
            return Err(InvalidHandle::Length(text.len()));
        }
        if RESERVED.contains(&text) {
            return Err(InvalidHandle::Reserved);
        }
        Ok(Self(text.to_owned()))
    }

    /// The handle as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_has_3_to_40_letters_digits_and_hyphens() {
        let longest = "a".repeat(MAX_CHARACTERS);
        for text in ["abc", "rust-berlin", "2030", longest.as_str()] {
            assert_eq!(Handle::parse(text).unwrap().as_str(), text);
        }
        let too_long = "a".repeat(MAX_CHARACTERS + 1);
        for text in ["", "ab", too_long.as_str()] {
            let length = Err(InvalidHandle::Length(text.len()));
            assert_eq!(Handle::parse(text), length, "{text}");
        }
        for text in ["Rust", "zürich", "a b", "a_b", "a/b", "abc.ics", "abc\n"] {
            assert_eq!(
                Handle::parse(text),
                Err(InvalidHandle::Characters),
                "{text}"
            );
        }
    }

    #[test]
    fn nobody_gets_a_word_of_the_service() {
        for text in RESERVED {
            assert_eq!(Handle::parse(text), Err(InvalidHandle::Reserved), "{text}");
        }
        assert!(Handle::parse("muster-fans").is_ok());
    }
}
