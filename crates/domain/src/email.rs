//! Email addresses of accounts.

use std::{fmt, str::FromStr};

pub use muster_api::email::in_ascii;
use muster_api::email::is_email;
pub use muster_api::email::readable;
use sha2::{Digest as _, Sha256};

/// A valid email address, as entered, with its domain in ASCII.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email(String);

/// The text is no email address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be an email address, for example ada@example.org")]
pub struct InvalidEmail;

impl Email {
    /// The address as entered.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The form in which addresses are compared: lower case, since no major provider distinguishes case.
pub fn normalised(address: &str) -> String {
    address.to_lowercase()
}

/// Domains of Gmail, which ignores dots in the local part and delivers both to one mailbox.
const GMAIL: [&str; 2] = ["gmail.com", "googlemail.com"];

/// The mailbox behind an address, for limits: the normalised address without a tag (`ada+tag@example.org`), since anyone can make
/// any number of tags, and without Gmail's dots.
pub fn mailbox(address: &str) -> String {
    let address = normalised(address);
    let Some((local, domain)) = address.split_once('@') else {
        return address;
    };
    let name = match local.split_once('+') {
        Some((name, _)) if !name.is_empty() => name,
        _ => local,
    };
    let [gmail, ..] = GMAIL;
    if GMAIL.contains(&domain) {
        return format!("{}@{gmail}", name.replace('.', ""));
    }
    format!("{name}@{domain}")
}

/// The SHA-256 of the mailbox behind an address, by which tables name it.
pub fn mailbox_hash(address: &str) -> [u8; 32] {
    Sha256::digest(mailbox(address)).into()
}

impl FromStr for Email {
    type Err = InvalidEmail;

    /// Accepts what the API accepts in a request, and stores it so.
    fn from_str(text: &str) -> Result<Self, InvalidEmail> {
        if is_email(text) {
            Ok(Self(in_ascii(text).into_owned()))
        } else {
            Err(InvalidEmail)
        }
    }
}

impl fmt::Display for Email {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_case_and_is_compared_without() {
        let email: Email = "Ada.Lovelace+events@Example.ORG".parse().unwrap();
        assert_eq!(email.to_string(), "Ada.Lovelace+events@Example.ORG");
        assert_eq!(
            normalised(email.as_str()),
            "ada.lovelace+events@example.org"
        );
    }

    #[test]
    fn addresses_that_differ_by_tags_share_a_mailbox() {
        for address in [
            "ada@example.org",
            "Ada+x@Example.org",
            "ada+@example.org",
            "ada+x+y@example.org",
        ] {
            assert_eq!(mailbox(address), "ada@example.org");
        }
        assert_eq!(mailbox("+x@example.org"), "+x@example.org");
    }

    #[test]
    fn gmail_delivers_to_one_mailbox_whatever_the_dots() {
        for address in [
            "v.ictims.name@gmail.com",
            "VictimsName@GoogleMail.com",
            "victims.name+x@googlemail.com",
        ] {
            assert_eq!(mailbox(address), "victimsname@gmail.com");
        }
        assert_eq!(mailbox("v.n@example.org"), "v.n@example.org");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        let too_long = format!("a@{}.org", "b".repeat(64));
        for text in [
            "",
            "ada",
            "@example.org",
            "ada@",
            "ada@@example.org",
            "ada@example..org",
            "ada lovelace@example.org",
            "ada@exa mple.org",
            "ada@-example.org",
            "ada@example.org\n",
            ".ada@example.org",
            "ada.@example.org",
            "ada..lovelace@example.org",
            "Ada <ada@example.org>",
            &too_long,
        ] {
            assert_eq!(text.parse::<Email>(), Err(InvalidEmail), "{text:?}");
        }
    }

    #[test]
    fn a_domain_with_umlauts_is_stored_as_browsers_send_it_and_shown_as_people_read_it() {
        for (typed, stored, shown) in [
            ("ada@münchen.de", "ada@xn--mnchen-3ya.de", "ada@münchen.de"),
            ("Ada@MÜNCHEN.de", "Ada@xn--mnchen-3ya.de", "Ada@münchen.de"),
            ("ada@例え.jp", "ada@xn--r8jz45g.jp", "ada@例え.jp"),
            ("ada@Example.org", "ada@Example.org", "ada@Example.org"),
            (
                "ada@xn--mnchen-3ya.de",
                "ada@xn--mnchen-3ya.de",
                "ada@münchen.de",
            ),
        ] {
            assert_eq!(in_ascii(typed), stored);
            assert_eq!(readable(stored), shown);
            assert!(
                typed.parse::<Email>().unwrap().as_str() == stored,
                "{typed}"
            );
        }
    }

    #[test]
    fn a_domain_that_looks_like_another_one_stays_encoded() {
        // The first letter is Cyrillic.
        let stored = in_ascii("ada@аpple.com").into_owned();
        assert!(stored.contains("xn--"));
        assert_eq!(readable(&stored), stored);
    }

    #[test]
    fn a_domain_that_could_not_be_entered_stays_encoded() {
        // Read, it would begin with a hyphen.
        let stored = "ada@xn---bcmrn-7kv.example";
        assert_eq!(stored.parse::<Email>().unwrap().as_str(), stored);
        assert_eq!(readable(stored), stored);
    }

    #[test]
    fn what_is_no_domain_is_no_address() {
        for text in [
            "ada@ü",
            "ada@-ü.de",
            "ada@ü..de",
            "ädá@example.org",
            "ada@a b.dé",
            "ada@xn--a.de\u{e9}\n",
        ] {
            assert_eq!(text.parse::<Email>(), Err(InvalidEmail), "{text:?}");
        }
        let long = format!("ada@{}.de", "ü".repeat(63));
        assert_eq!(long.parse::<Email>(), Err(InvalidEmail));
    }
}
