//! Validation of requests: the checks that the generated `impl Validate` call.

use std::fmt::Write as _;

use tonic::{Request, Status};

use crate::{
    status,
    violation::{Violation, Violations},
};

/// A message that can be checked. Implementations are generated from the rules in the proto.
pub trait Validate {
    /// Sets absent fields to their defaults.
    fn fill_defaults(&mut self) {}

    /// Reports every violation.
    fn validate(&self, _check: &mut Check) {}
}

/// Checks a message by the rules that the proto has for it.
///
/// # Errors
/// Everything that is wrong with it.
pub fn check(message: &impl Validate) -> Result<(), Vec<Violation>> {
    let mut check = Check::default();
    message.validate(&mut check);
    check.violations.unless_any(Some(()))
}

/// The request with its defaults filled in, once it is valid.
///
/// # Errors
/// `INVALID_REQUEST` with every violation.
pub fn validated<T: Validate>(mut request: Request<T>) -> Result<Request<T>, Status> {
    request.get_mut().fill_defaults();
    match check(request.get_ref()) {
        Ok(()) => Ok(request),
        Err(violations) => Err(status::invalid(&violations)),
    }
}

/// Collects violations of a request.
#[derive(Debug, Default)]
pub struct Check {
    /// Path of the message that is being checked, with the dot after it.
    path: String,
    violations: Violations,
}

impl Check {
    /// A field to check.
    pub fn field(&mut self, name: &str) -> At<'_> {
        let outer = self.path.len();
        self.path.push_str(name);
        At { check: self, outer }
    }

    /// An item of a field to check.
    pub fn item(&mut self, name: &str, index: usize) -> At<'_> {
        let at = self.field(name);
        let _ = write!(at.check.path, "[{index}]");
        at
    }

    fn report(&mut self, message: impl Into<String>) {
        if !self.violations.is_full() {
            self.violations.add(&self.path, message);
        }
    }
}

/// The field or item at the current path, until it is dropped. Each method is one rule.
pub struct At<'a> {
    check: &'a mut Check,
    /// How long the path was before.
    outer: usize,
}

impl Drop for At<'_> {
    fn drop(&mut self) {
        self.check.path.truncate(self.outer);
    }
}

#[expect(
    clippy::return_self_not_must_use,
    reason = "each rule reports by itself; what it returns is for another rule, if any"
)]
impl At<'_> {
    /// It must be present.
    pub fn required(self, is_present: bool) -> Self {
        if !is_present {
            self.check.report("is required");
        }
        self
    }

    /// The number of items.
    pub fn items(self, count: usize, least: usize, most: usize) -> Self {
        if count < least {
            let items = if least == 1 { "item" } else { "items" };
            let message = format!("must have at least {least} {items}, has {count}");
            self.check.report(message);
        } else if count > most {
            let message = format!("must have at most {most} items, has {count}");
            self.check.report(message);
        }
        self
    }

    /// A message with rules of its own.
    pub fn message(self, message: &impl Validate) -> Self {
        self.check.path.push('.');
        message.validate(self.check);
        self
    }

    /// The length of a text in characters (Unicode scalar values).
    pub fn length(self, text: &str, least: usize, most: usize) -> Self {
        let length = text.chars().count();
        if !(least..=most).contains(&length) {
            self.check.report(match (least, most) {
                _ if length == 0 => "must not be empty".to_owned(),
                (0 | 1, most) => format!("must be at most {most} characters long, is {length}"),
                (least, usize::MAX) => {
                    format!("must be at least {least} characters long, is {length}")
                }
                (least, most) => {
                    format!("must be {least} to {most} characters long, is {length}")
                }
            });
        }
        self
    }

    /// A text of one line.
    pub fn line(self, text: &str) -> Self {
        let message = "must not have control characters, line breaks or marks that reorder text";
        self.text(text, breaks_a_line, message)
    }

    /// A text of several lines.
    pub fn paragraphs(self, text: &str) -> Self {
        let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        let refused = |c: char| is_control(c) || is_disruptive(c);
        let message = "must not have control characters other than tabs and line breaks, nor marks that reorder text";
        self.text(text, refused, message)
    }

    fn text(self, text: &str, refused: impl Fn(char) -> bool, message: &str) -> Self {
        if text.chars().any(refused) {
            self.check.report(message);
        } else if !text.is_empty() && text.chars().all(char::is_whitespace) {
            self.check.report("must not be blank");
        }
        self
    }

    /// An email address, as [`is_email`] defines it.
    pub fn email(self, text: &str) -> Self {
        if !is_email(text) {
            let message = "must be an email address, for example ada@example.org";
            self.check.report(message);
        }
        self
    }

    /// One of a closed set.
    pub fn one_of(self, text: &str, choices: &[&str]) -> Self {
        if !choices.contains(&text) {
            let message = format!("must be one of {}", choices.join(", "));
            self.check.report(message);
        }
        self
    }

    /// An integer within limits.
    pub fn range(self, value: i32, least: i32, most: i32) -> Self {
        if !(least..=most).contains(&value) {
            self.check.report(match (least, most) {
                (least, i32::MAX) => format!("must be at least {least}, is {value}"),
                (i32::MIN, most) => format!("must be at most {most}, is {value}"),
                (least, most) => format!("must be from {least} to {most}, is {value}"),
            });
        }
        self
    }
}

/// Whether a character has no place in a text of one line.
pub fn breaks_a_line(c: char) -> bool {
    c.is_control() || is_disruptive(c)
}

/// Whether a character ends lines or reorders what stands around it, in this text and beyond its end: line and paragraph separators,
/// and Unicode's embeddings, overrides and isolates. Marks that scripts need, as joiners and the marks of direction, do not.
const fn is_disruptive(c: char) -> bool {
    matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether a text is an email address that mail can be sent to: what browsers accept in an email field (HTML's definition), within
/// the lengths of RFC 5321. HTML allows dots anywhere before the `@`; mail (RFC 5322) allows them only between other characters. A
/// domain has at least one dot. Core also uses it for addresses that do not come from requests.
pub fn is_email(text: &str) -> bool {
    const MAX_LENGTH: usize = 254;
    const MAX_LOCAL_LENGTH: usize = 64;
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
