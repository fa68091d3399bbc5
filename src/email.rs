//! Email addresses: which ones mail can be sent to, and domains with letters beyond ASCII.

use std::borrow::Cow;

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

/// Whether a text is an email address that mail can be sent to: what browsers accept in an email field (HTML's definition), within
/// the lengths of RFC 5321. HTML allows dots anywhere before the `@`; mail (RFC 5322) allows them only between other characters. A
/// domain has at least one dot, and may have letters beyond ASCII. Core also uses it for addresses that do not come from requests.
pub fn is_email(text: &str) -> bool {
    const MAX_LENGTH: usize = 254;
    const MAX_LOCAL_LENGTH: usize = 64;
    let text = in_ascii(text);
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    let is_kept = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c);
    let is_atom = |part: &str| !part.is_empty() && part.chars().all(is_kept);
    text.len() <= MAX_LENGTH
        && (1..=MAX_LOCAL_LENGTH).contains(&local.len())
        && local.split('.').all(is_atom)
        && domain.contains('.')
        && domain.split('.').all(is_domain_label)
}

fn is_domain_label(label: &str) -> bool {
    const MAX_LENGTH: usize = 63;
    (1..=MAX_LENGTH).contains(&label.len())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// The address as browsers send it, and as it is stored: a domain with letters beyond ASCII in their encoding (`xn--…`, IDNA). What cannot
/// be encoded stays as it is.
pub fn in_ascii(address: &str) -> Cow<'_, str> {
    let Some((local, domain)) = address.split_once('@') else {
        return address.into();
    };
    if domain.is_ascii() {
        return address.into();
    }
    let encoded = Uts46::new().to_ascii(
        domain.as_bytes(),
        AsciiDenyList::URL,
        Hyphens::CheckFirstLast,
        DnsLength::Verify,
    );
    match encoded {
        Ok(domain) => format!("{local}@{domain}").into(),
        Err(_) => address.into(),
    }
}

/// Makes an address one as it is stored.
pub fn encode(address: &mut String) {
    if let Cow::Owned(encoded) = in_ascii(address) {
        *address = encoded;
    }
}

/// The address as people read it. A label that mixes scripts, so that it could look like another one, stays encoded.
pub fn readable(address: &str) -> Cow<'_, str> {
    let Some((local, domain)) = address.split_once('@') else {
        return address.into();
    };
    if !domain.contains("xn--") {
        return address.into();
    }
    let (shown, read) = Uts46::new().to_user_interface(
        domain.as_bytes(),
        AsciiDenyList::URL,
        Hyphens::CheckFirstLast,
        |label, _tld, _is_bidi| is_of_one_script(label),
    );
    match read {
        Ok(()) => format!("{local}@{shown}").into(),
        Err(_) => address.into(),
    }
}

/// Whether a label has Latin letters alone, or none.
fn is_of_one_script(label: &[char]) -> bool {
    const LAST_LATIN: char = '\u{24f}';
    let mut letters = label.iter().filter(|sign| sign.is_alphabetic());
    let is_latin = |sign: &char| *sign <= LAST_LATIN;
    match letters.next() {
        Some(first) => {
            let first = is_latin(first);
            letters.all(|sign| is_latin(sign) == first)
        }
        None => true,
    }
}
