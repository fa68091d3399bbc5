//! Validation of requests: the checks that the generated `impl Validate` call.

use std::fmt::Write as _;

use tonic::{Request, Status};

use crate::{
    email::is_email,
    http_body::HttpBody,
    metadata::MISTAKEN,
    status,
    violation::{Violation, Violations},
};

/// A message that can be checked. Implementations are generated from the rules in the proto.
pub trait Validate {
    /// Sets absent fields to their defaults, and encodes the domains of email addresses.
    fn fill_defaults(&mut self) {}

    /// Reports every violation.
    fn validate(&self, _check: &mut Check) {}
}

/// Whether a mask names a field.
pub fn names(mask: &Option<prost_types::FieldMask>, field: &str) -> bool {
    let mut paths = mask.iter().flat_map(|mask| &mask.paths);
    paths.any(|path| path == field)
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

/// A request, and everything that validation found wrong with it. A use case that gets mistakes finds the others, and refuses it.
#[derive(Debug, Clone)]
pub struct Checked<T> {
    /// The request. Its defaults are filled in.
    pub message: T,
    /// What is wrong with it.
    pub mistakes: Vec<Violation>,
}

impl<T> Checked<T> {
    /// The same mistakes, of what the request says in other types.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Checked<U> {
        Checked {
            message: convert(self.message),
            mistakes: self.mistakes,
        }
    }
}

impl<T> From<T> for Checked<T> {
    /// Without mistakes.
    fn from(message: T) -> Self {
        Self {
            message,
            mistakes: Vec::new(),
        }
    }
}

/// The request with its defaults filled in, and what is wrong with it if its rpc collects mistakes. One in which an edge found mistakes is
/// never right.
///
/// # Errors
/// `INVALID_REQUEST` with every violation, if its rpc does not.
pub fn checked<T: Validate>(
    request: Request<T>,
    collects_mistakes: bool,
) -> Result<Request<Checked<T>>, Status> {
    let (metadata, extensions, mut message) = request.into_parts();
    message.fill_defaults();
    let mut mistakes = check(&message).err().unwrap_or_default();
    if metadata.contains_key(MISTAKEN) {
        let marked = Violation {
            field: MISTAKEN.to_owned(),
            message: "is set".to_owned(),
        };
        mistakes.insert(0, marked);
    }
    if !mistakes.is_empty() && !collects_mistakes {
        return Err(status::invalid(&mistakes));
    }
    let checked = Checked { message, mistakes };
    Ok(Request::from_parts(metadata, extensions, checked))
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
    /// It must be a file of one of these media types, not empty and not larger.
    pub fn file(self, file: &HttpBody, media_types: &[&str], max_bytes: usize) -> Self {
        if file.data.is_empty() {
            self.check.report("must not be empty");
        } else if file.data.len() > max_bytes {
            let message = format!("must have at most {max_bytes} bytes");
            self.check.report(message);
        } else if !media_types.contains(&&*file.content_type) {
            let message = format!("must be of the type {}", media_types.join(" or "));
            self.check.report(message);
        }
        self
    }

    /// It must be present.
    pub fn required(self, is_present: bool) -> Self {
        if !is_present {
            self.check.report("is required");
        }
        self
    }

    /// The number of items.
    pub fn items(self, count: usize, min: usize, max: usize) -> Self {
        if count < min {
            let items = if min == 1 { "item" } else { "items" };
            let message = format!("must have at least {min} {items}, has {count}");
            self.check.report(message);
        } else if count > max {
            let message = format!("must have at most {max} items, has {count}");
            self.check.report(message);
        }
        self
    }

    /// A field mask that names none but these fields.
    pub fn paths(self, mask: &Option<prost_types::FieldMask>, fields: &[&str]) -> Self {
        let mut paths = mask.iter().flat_map(|mask| &mask.paths);
        if !paths.all(|path| fields.contains(&path.as_str())) {
            let message = format!("must name none but {}", fields.join(", "));
            self.check.report(message);
        }
        self
    }

    /// Each item must be another one.
    pub fn unique<T: PartialEq>(self, items: &[T]) -> Self {
        let list = self.check.path.len();
        for (index, item) in items.iter().enumerate() {
            if items.iter().take(index).any(|one| one == item) {
                let _ = write!(self.check.path, "[{index}]");
                self.check.report("must not come twice");
                self.check.path.truncate(list);
            }
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
    pub fn length(self, text: &str, min: usize, max: usize) -> Self {
        let length = text.chars().count();
        if !(min..=max).contains(&length) {
            self.check.report(match (min, max) {
                _ if length == 0 => "must not be empty".to_owned(),
                (0 | 1, max) => format!("must be at most {max} characters long, is {length}"),
                (min, usize::MAX) => {
                    format!("must be at least {min} characters long, is {length}")
                }
                (min, max) => {
                    format!("must be {min} to {max} characters long, is {length}")
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
    pub fn range(self, value: i32, min: i32, max: i32) -> Self {
        if !(min..=max).contains(&value) {
            self.check.report(match (min, max) {
                (min, i32::MAX) => format!("must be at least {min}, is {value}"),
                (i32::MIN, max) => format!("must be at most {max}, is {value}"),
                (min, max) => format!("must be from {min} to {max}, is {value}"),
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
