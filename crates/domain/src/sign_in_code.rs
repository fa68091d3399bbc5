//! Codes in mails, by which people prove that an address is theirs.

use std::fmt;

use subtle::ConstantTimeEq as _;

use super::{
    entropy::Entropy,
    ids::{CodeId, SessionId},
    instant::Instant,
    names::names,
};

/// For how long a code is valid.
pub const VALID_SECONDS: i64 = 10 * 60;
/// How often a code may be tried.
pub const TRIES: i32 = 5;

const DIGITS: usize = 8;
const NUMBERS: u64 = 100_000_000;

/// Eight digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Digits(String);

impl Digits {
    /// A new code.
    pub fn generate(entropy: &Entropy) -> Self {
        Self(format!("{:08}", entropy.below(NUMBERS)))
    }

    /// Reads what a person typed, with or without spaces and hyphens. `None` if it cannot be a code.
    pub fn typed(text: &str) -> Option<Self> {
        let is_separator = |character: char| character.is_whitespace() || character == '-';
        let digits: String = text.chars().filter(|one| !is_separator(*one)).collect();
        Self::stored(digits)
    }

    /// The stored form.
    pub fn stored(text: String) -> Option<Self> {
        let is_code = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        is_code.then_some(Self(text))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both are the same, in a time that does not depend on the digits.
    pub fn matches(&self, typed: &Self) -> bool {
        self.0.as_bytes().ct_eq(typed.0.as_bytes()).into()
    }
}

impl fmt::Debug for Digits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Digits")
    }
}

names! {
    /// What a mail with a code is for.
    #[derive(Hash)]
    Purpose / UnknownPurpose: "is no purpose of a code" {
        /// To sign in.
        SignIn = "sign_in",
        /// To prove again who is signed in.
        StepUp = "step_up",
        /// To change to this address.
        EmailChange = "email_change",
        /// To tell the address before that it was changed. There is no code to type in.
        EmailChanged = "email_changed",
        /// To prove that an address for questions belongs to the account.
        Contact = "contact",
        /// To take back an address that was changed.
        TakeBack = "take_back",
    }
}

/// Who asked for a code, and alone can use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder([u8; 32]);

impl Holder {
    /// A browser, by the SHA-256 of its secret.
    pub const fn browser(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// A session.
    pub fn session(session: SessionId) -> Self {
        let mut bytes = [0; 32];
        let (id, _) = bytes.split_at_mut(16);
        id.copy_from_slice(session.uuid().as_bytes());
        Self(bytes)
    }

    /// Nobody: a mail without a code.
    pub fn nobody(code: CodeId) -> Self {
        Self::session(SessionId::new(code.uuid()))
    }

    /// The stored form.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A mail with a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// Its identifier.
    pub id: CodeId,
    /// What it is for.
    pub purpose: Purpose,
    /// Who asked for it.
    pub holder: Holder,
    /// The address that it goes to, as entered.
    pub email: String,
    /// The code.
    pub digits: Digits,
    /// How often it was tried.
    pub tries: i32,
    /// Until when it is valid.
    pub expires_at: Instant,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_typed_with_or_without_separators() {
        let code = Digits::stored("01234567".to_owned()).unwrap();
        for typed in ["01234567", "0123 4567", " 0123-4567 ", "0 1 2 3 4 5 6 7"] {
            assert!(code.matches(&Digits::typed(typed).unwrap()), "{typed}");
        }
        for wrong in ["", "1234567", "012345678", "0123456a", "٠١٢٣٤٥٦٧"] {
            assert_eq!(Digits::typed(wrong), None, "{wrong}");
        }
        assert!(!code.matches(&Digits::typed("01234568").unwrap()));
        assert_eq!(format!("{code:?}"), "Digits");
    }

    #[test]
    fn new_codes_have_eight_digits() {
        let entropy = Entropy::seeded(1);
        for _ in 0..100 {
            let code = Digits::generate(&entropy);
            assert_eq!(Digits::typed(code.as_str()), Some(code));
        }
    }

    #[test]
    fn a_purpose_is_stored_by_its_name() {
        for purpose in Purpose::ALL {
            assert_eq!(purpose.name().parse(), Ok(purpose));
        }
    }
}
