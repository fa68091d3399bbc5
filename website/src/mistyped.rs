//! Domains of email addresses that are likely mistyped. Someone is asked, and nothing is corrected: the address may be right.
//!
//! The list is short on purpose. It has large providers whose names are long enough that one wrong letter is most likely a mistake, and
//! the domains beside them that are someone else's.

use crate::form::Form;

/// Large providers.
const PROVIDERS: [&str; 12] = [
    "comcast.net",
    "freenet.de",
    "gmail.com",
    "googlemail.com",
    "hotmail.com",
    "icloud.com",
    "outlook.com",
    "protonmail.com",
    "t-online.de",
    "wanadoo.fr",
    "yahoo.com",
    "yandex.ru",
];

/// Domains that are one letter away from those, and real.
const OTHERS: [&str; 4] = ["email.com", "mail.com", "ymail.com", "yandex.rs"];

/// The field by which an address is sent again as it is.
pub(crate) const CHECKED: &str = "checked_email";

/// The address that was most likely meant.
pub(crate) fn meant(address: &str) -> Option<String> {
    let (name, domain) = address.trim().rsplit_once('@')?;
    let domain = domain.to_lowercase();
    if PROVIDERS.contains(&&*domain) || OTHERS.contains(&&*domain) {
        return None;
    }
    // One letter that is missing, wrong or too many, or two that changed places.
    let is_near = |provider: &&&str| strsim::osa_distance(&domain, provider) == 1;
    let provider = PROVIDERS.iter().find(is_near)?;
    Some(format!("{name}@{provider}"))
}

/// The address that was most likely meant in a form, if its sender was not asked about this one yet.
pub(crate) fn asked(form: &Form) -> Option<String> {
    let address = form.value("email")?;
    let is_checked = form.value(CHECKED) == Some(address);
    meant(address).filter(|_| !is_checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_domain_of_a_large_provider_is_noticed() {
        for (typed, expected) in [
            ("ada@gmial.com", "ada@gmail.com"),
            ("Ada@GMAIL.con", "Ada@gmail.com"),
            ("ada@gmai.com", "ada@gmail.com"),
            ("ada@hotmial.com", "ada@hotmail.com"),
            ("ada@outlok.com", "ada@outlook.com"),
            ("ada@yahooo.com", "ada@yahoo.com"),
            ("ada@t-onlin.de", "ada@t-online.de"),
        ] {
            assert_eq!(meant(typed).as_deref(), Some(expected), "{typed}");
        }
    }

    #[test]
    fn real_domains_are_not_asked_about() {
        for typed in [
            "ada@gmail.com",
            "ada@googlemail.com",
            "ada@mail.com",
            "ada@ymail.com",
            "ada@gmx.de",
            "ada@web.de",
            "ada@example.org",
            "ada@yahoo.de",
            "ada",
            "ada@",
        ] {
            assert_eq!(meant(typed), None, "{typed}");
        }
    }

    #[test]
    fn someone_is_asked_about_an_address_once() {
        let asks = |form: &[u8]| asked(&Form::parse(form)).is_some();
        assert!(asks(b"email=ada@gmial.com"));
        assert!(!asks(b"email=ada@gmial.com&checked_email=ada@gmial.com"));
        assert!(asks(b"email=ada@gmali.com&checked_email=ada@gmial.com"));
        assert!(!asks(b"name=Ada"));
    }
}
