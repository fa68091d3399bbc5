//! The code on an attendee's ticket, which the person at the door reads. It grants nothing: it shows the event and the status of the
//! registration, without the name. So it is stored as it is, unlike the token of a private link.

use std::fmt;

use super::entropy::Entropy;

/// 119 random bits, which nobody guesses.
const CHARACTERS: usize = 20;

/// The check-in code of a registration. Those of registrations that were made before there were codes have 74 random bits at least.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CheckInCode(String);

impl CheckInCode {
    /// A new code.
    pub fn generate(entropy: &Entropy) -> Self {
        Self(entropy.base62(CHARACTERS))
    }

    /// Parses a code. `None` if its form is wrong, so that no look-up is needed.
    pub fn parse(text: &str) -> Option<Self> {
        let is_code =
            text.len() == CHARACTERS && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_code.then(|| Self(text.to_owned()))
    }

    /// The code itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
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
        for text in ["", "abc", &"é".repeat(10), &"a".repeat(21), &"-".repeat(20)] {
            assert_eq!(CheckInCode::parse(text), None, "{text}");
        }
    }
}
