//! The enhanced status of a permanent failure (RFC 3463): `5.SUBJECT.DETAIL`.

use std::{fmt, str::FromStr};

/// Class 5 of RFC 3463: sending the mail again will not help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermanentStatus {
    subject: u16,
    detail: u16,
}

/// The text does not begin with a permanent status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a status 5.x.x")]
pub struct InvalidStatus;

impl PermanentStatus {
    /// A permanent failure of which nothing else is known.
    pub const OTHER: Self = Self {
        subject: 0,
        detail: 0,
    };

    /// Whether the recipient's address is wrong or gone: no mail to it will ever arrive. 5.1.7 and 5.1.8 are about the sender's.
    pub const fn is_of_address(self) -> bool {
        self.subject == 1 && !self.is_of_sender()
    }

    /// Whether it is about the sender's address, and so says nothing of the recipient.
    pub const fn is_of_sender(self) -> bool {
        self.subject == 1 && matches!(self.detail, 7 | 8)
    }

    /// The first status in the words of a server that refused for good.
    pub fn of_words(words: &str) -> Self {
        let mut all = words.split_whitespace().map(str::parse);
        all.find_map(Result::ok).unwrap_or(Self::OTHER)
    }
}

impl FromStr for PermanentStatus {
    type Err = InvalidStatus;

    /// Reads the status that a text begins with: some servers add words.
    fn from_str(text: &str) -> Result<Self, InvalidStatus> {
        let text = text.split_whitespace().next().unwrap_or_default();
        let text = text
            .trim_start_matches('#')
            .trim_end_matches([';', ':', ',', ')']);
        let rest = text.strip_prefix("5.").ok_or(InvalidStatus)?;
        let (subject, detail) = rest.split_once('.').ok_or(InvalidStatus)?;
        let number = |text: &str| {
            let is_number =
                (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number
                .then(|| text.parse().ok())
                .flatten()
                .ok_or(InvalidStatus)
        };
        Ok(Self {
            subject: number(subject)?,
            detail: number(detail)?,
        })
    }
}

impl fmt::Display for PermanentStatus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "5.{}.{}", self.subject, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_from_what_servers_write() {
        for (text, expected) in [
            ("5.1.1", "5.1.1"),
            (" 5.1.1 (bad destination mailbox address)", "5.1.1"),
            ("5.7.520", "5.7.520"),
        ] {
            let status: PermanentStatus = text.parse().unwrap();
            assert_eq!(status.to_string(), expected);
        }
        for text in [
            "", "4.4.1", "2.0.0", "5.1", "5.1.x", "5.1.1.1", "550", "5.1.1000",
        ] {
            assert_eq!(
                text.parse::<PermanentStatus>(),
                Err(InvalidStatus),
                "{text}"
            );
        }
    }

    #[test]
    fn words_have_a_status_or_another_one() {
        for (words, expected) in [
            ("550 5.1.1 <ada@example.org>: no such user", "5.1.1"),
            ("550 #5.1.0 Address rejected.", "5.1.0"),
            ("550 no such user here", "5.0.0"),
        ] {
            assert_eq!(PermanentStatus::of_words(words).to_string(), expected);
        }
    }

    #[test]
    fn only_the_recipients_address_is_wrong_for_good() {
        for (status, of_address, of_sender) in [
            ("5.1.0", true, false),
            ("5.1.1", true, false),
            ("5.1.10", true, false),
            ("5.1.8", false, true),
            ("5.2.2", false, false),
            ("5.7.1", false, false),
        ] {
            let status: PermanentStatus = status.parse().unwrap();
            assert_eq!(status.is_of_address(), of_address, "{status}");
            assert_eq!(status.is_of_sender(), of_sender, "{status}");
        }
    }
}
