//! The address to which servers report what they cannot deliver.

use std::str::FromStr;

use domain::mail::BounceToken;
use lettre::Address;

/// The longest local part (RFC 5321, 4.5.3.1.1).
const MAX_LOCAL_PART: usize = 64;

/// An invalid mail setting. The message does not contain the value, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidMailSetting(pub(super) &'static str);

/// The sender in the envelopes of mails, to which a plus sign and a token are added: `bounces+TOKEN@example.org`. Its server must deliver
/// all of those to the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BounceAddress(Address);

impl FromStr for BounceAddress {
    type Err = InvalidMailSetting;

    fn from_str(text: &str) -> Result<Self, InvalidMailSetting> {
        const FORM: InvalidMailSetting =
            InvalidMailSetting("must be an email address alone, for example bounces@example.org");
        let address: Address = text.parse().map_err(|_| FORM)?;
        if address.user().contains('+') {
            return Err(InvalidMailSetting(
                "must be without a plus sign, which Muster adds with the token of each mail",
            ));
        }
        if address.user().len() + BounceToken::ADDED > MAX_LOCAL_PART {
            return Err(InvalidMailSetting(
                "must have at most 37 characters before the at sign, since the token of each mail is added to them",
            ));
        }
        Ok(Self(address))
    }
}

impl BounceAddress {
    /// Its domain.
    pub(super) fn domain(&self) -> &str {
        self.0.domain()
    }

    /// The address for the reports about one mail.
    pub(super) fn with(&self, token: Option<&BounceToken>) -> Address {
        let address = token.map(|token| token.address(self.0.user(), self.0.domain()));
        // The parts of an address and a plus sign are an address.
        let address = address.and_then(|address| address.parse().ok());
        address.unwrap_or_else(|| self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use domain::entropy::Entropy;

    use super::*;

    #[test]
    fn the_token_of_a_mail_is_added_to_the_address() {
        let bounces: BounceAddress = "bounces@example.org".parse().unwrap();
        let token = BounceToken::generate(&Entropy::seeded(1));
        let address = bounces.with(Some(&token)).to_string();
        assert!(address.starts_with("bounces+"), "{address}");
        assert_eq!(BounceToken::of_address(&address), Some(token));
        assert_eq!(bounces.with(None).to_string(), "bounces@example.org");
    }

    #[test]
    fn an_address_to_which_no_token_can_be_added_is_refused() {
        let longest = format!("{}@example.org", "a".repeat(37));
        assert!(longest.parse::<BounceAddress>().is_ok());
        for (text, problem) in [
            ("bounces", "an email address alone"),
            ("Muster <bounces@example.org>", "an email address alone"),
            ("bounces+x@example.org", "without a plus sign"),
            (&*format!("a{longest}"), "at most 37"),
        ] {
            let error = text.parse::<BounceAddress>().unwrap_err();
            assert!(error.to_string().contains(problem), "{text}: {error}");
        }
    }
}
