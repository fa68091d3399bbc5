//! The code on an attendee's ticket, which the person at the door reads. It grants nothing: it shows the event and the status of the
//! registration, without the name. So it is stored as it is, unlike the token of a private link.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::{entropy::Entropy, ids::EventId};

/// The digits of Crockford's base32: people take none for another one. 12 of them are 60 random bits, which nobody guesses.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 12;

/// Digits between two hyphens.
const GROUP: usize = 4;

/// The length of the codes of earlier versions, of letters in both cases and digits. They have 74 random bits at least.
const EARLIER_LENGTH: usize = 20;

/// The bytes of a hashed code: no two codes of an event have the same.
const HASH_BYTES: usize = 16;

/// The check-in code of a registration, as `7KQ2-M9XD-04TB`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CheckInCode(String);

impl CheckInCode {
    /// A new code.
    pub fn generate(entropy: &Entropy) -> Self {
        let digits = entropy
            .bytes::<LENGTH>()
            .map(|byte| char::from(DIGITS[usize::from(byte) % DIGITS.len()]));
        Self(grouped(&digits))
    }

    /// Stands for a code that must not be shown.
    pub fn sample() -> Self {
        Self(grouped(&[char::from(DIGITS[0]); LENGTH]))
    }

    /// Parses a code as people type it: in any case, with or without its hyphens, with the letters that look like its digits. `None` if
    /// its form is wrong, so that no look-up is needed. Codes of earlier versions are taken as they are.
    pub fn parse(text: &str) -> Option<Self> {
        let is_earlier =
            text.len() == EARLIER_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_earlier {
            return Some(Self(text.to_owned()));
        }
        let typed = text
            .chars()
            .filter(|&character| character != '-' && !character.is_whitespace());
        // One more than a code has, so that a longer text is none.
        let digits: Option<Vec<char>> = typed.take(LENGTH + 1).map(digit).collect();
        let digits = digits.filter(|digits| digits.len() == LENGTH)?;
        Some(Self(grouped(&digits)))
    }

    /// The code hashed, for devices at the door of an event. The event's id is the salt, so that one list of hashes serves one event.
    pub fn hashed(&self, event: EventId) -> [u8; HASH_BYTES] {
        let digest: [u8; 32] = Sha256::digest(format!("{event}:{}", self.0)).into();
        let (first, _) = digest.split_first_chunk().expect("a digest is longer");
        *first
    }

    /// The code itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The digit that a character stands for.
fn digit(typed: char) -> Option<char> {
    let digit = match typed.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    DIGITS
        .iter()
        .any(|&one| char::from(one) == digit)
        .then_some(digit)
}

fn grouped(digits: &[char]) -> String {
    let groups = digits.chunks(GROUP);
    let groups: Vec<String> = groups.map(|group| group.iter().collect()).collect();
    groups.join("-")
}

impl fmt::Debug for CheckInCode {
    /// Without the code, which must not get into a log.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("CheckInCode(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_code_is_recognised_and_no_other_text_is() {
        let code = CheckInCode::generate(&Entropy::seeded(1));
        assert_eq!(CheckInCode::parse(code.as_str()), Some(code.clone()));
        assert!(!format!("{code:?}").contains(code.as_str()));
        for text in [
            "",
            "abc",
            &"é".repeat(10),
            &"a".repeat(21),
            &"-".repeat(20),
            &"7".repeat(13),
            "UUUU-UUUU-UUUU",
        ] {
            assert_eq!(CheckInCode::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_code_is_typed_in_any_case_with_or_without_hyphens() {
        let code = CheckInCode("7KQ2-M9XD-01TB".to_owned());
        for typed in [
            "7KQ2-M9XD-01TB",
            "7kq2m9xd01tb",
            "7KQ2 M9XD 01TB",
            "7kq2-m9xd-oltb",
        ] {
            assert_eq!(CheckInCode::parse(typed), Some(code.clone()), "{typed}");
        }
    }

    #[test]
    fn a_hash_is_of_one_code_at_one_event() {
        let event = |last| EventId::new(uuid::Uuid::from_u128(last));
        let (one, other) = (
            CheckInCode("7KQ2-M9XD-01TB".to_owned()),
            CheckInCode("7KQ2-M9XD-01TC".to_owned()),
        );
        assert_eq!(one.hashed(event(1)), one.hashed(event(1)));
        assert_ne!(one.hashed(event(1)), one.hashed(event(2)));
        assert_ne!(one.hashed(event(1)), other.hashed(event(1)));
    }

    #[test]
    fn a_code_of_an_earlier_version_goes_on() {
        let earlier = "Zk3vT9QmW2bYxR7cLp0D";
        assert_eq!(CheckInCode::parse(earlier).unwrap().as_str(), earlier);
    }
}
