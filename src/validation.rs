//! Validation of requests: what the generated `impl Validate` call, and the decorator that runs them for every request.

use std::fmt::Write as _;

use tonic::{Request, Status};

use crate::status;

/// How many violations a request is told of; more would only make the answer long.
const MOST_VIOLATIONS: usize = 50;

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Its path, for example `custom_fields[2].label`.
    pub field: String,
    /// What would be right, to be read after the path: `must be 3 to 200 characters long, is 2`.
    pub message: String,
}

/// A message that can be checked. Generated from the rules in the proto.
pub trait Validate {
    /// Sets absent fields to what their absence means.
    fn fill_defaults(&mut self) {}

    /// Reports every violation.
    fn validate(&self, _check: &mut Check) {}
}

/// A service whose requests are validated before it sees them.
#[derive(Debug, Clone)]
pub struct Validated<S>(S);

impl<S> Validated<S> {
    /// Puts validation in front of `service`.
    pub const fn new(service: S) -> Self {
        Self(service)
    }

    pub(crate) const fn inner(&self) -> &S {
        &self.0
    }
}

/// The request with its defaults filled in, once it is valid.
#[expect(
    clippy::result_large_err,
    reason = "tonic's handlers answer Status itself"
)]
pub(crate) fn validated<T: Validate>(mut request: Request<T>) -> Result<Request<T>, Status> {
    request.get_mut().fill_defaults();
    let mut check = Check::default();
    request.get_ref().validate(&mut check);
    if check.violations.is_empty() {
        Ok(request)
    } else {
        Err(status::invalid(&check.violations))
    }
}

/// Collects violations below a field path.
#[derive(Debug, Default)]
pub struct Check {
    path: String,
    violations: Vec<Violation>,
}

impl Check {
    /// Checks a field's value.
    pub(crate) fn field(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        check(self);
        self.path.truncate(length);
    }

    /// Checks each item of a field.
    pub(crate) fn each<T>(
        &mut self,
        name: &str,
        items: &[T],
        mut check: impl FnMut(&mut Self, &T),
    ) {
        self.field(name, |this| {
            let length = this.path.len();
            for (index, item) in items.iter().enumerate() {
                if this.violations.len() >= MOST_VIOLATIONS {
                    break;
                }
                let _ = write!(this.path, "[{index}]");
                check(this, item);
                this.path.truncate(length);
            }
        });
    }

    /// A field that must be there.
    pub(crate) fn required(&mut self, name: &str, is_present: bool) {
        if !is_present {
            self.field(name, |check| check.report("is required"));
        }
    }

    /// The number of items.
    pub(crate) fn items(&mut self, name: &str, count: usize, least: usize, most: usize) {
        if count < least {
            self.field(name, |check| {
                check.report(format!("must have at least {least} items, has {count}"))
            });
        } else if count > most {
            self.field(name, |check| {
                check.report(format!("must have at most {most} items, has {count}"))
            });
        }
    }

    /// The length of a text in characters (Unicode scalar values).
    pub(crate) fn length(&mut self, text: &str, least: usize, most: usize) {
        let length = text.chars().count();
        if (least..=most).contains(&length) {
            return;
        }
        match (least, most) {
            (_, _) if length == 0 => self.report("must not be empty"),
            (0 | 1, most) => self.report(format!(
                "must be at most {most} characters long, is {length}"
            )),
            (least, most) => self.report(format!(
                "must be {least} to {most} characters long, is {length}"
            )),
        }
    }

    /// A text of one line.
    pub(crate) fn line(&mut self, text: &str) {
        self.text(
            text,
            char::is_control,
            "must not have control characters or line breaks",
        );
    }

    /// A text of several lines.
    pub(crate) fn paragraphs(&mut self, text: &str) {
        let refused = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        self.text(
            text,
            refused,
            "must not have control characters other than tabs and line breaks",
        );
    }

    fn text(&mut self, text: &str, refused: impl Fn(char) -> bool, message: &str) {
        if text.chars().any(refused) {
            self.report(message);
        } else if !text.is_empty() && text.chars().all(char::is_whitespace) {
            self.report("must not be blank");
        }
    }

    /// One of a closed set.
    pub(crate) fn one_of(&mut self, text: &str, choices: &[&str]) {
        if !choices.contains(&text) {
            self.report(format!("must be one of {}", choices.join(", ")));
        }
    }

    /// An integer within limits.
    pub(crate) fn range(&mut self, value: i32, least: i32, most: i32) {
        if (least..=most).contains(&value) {
            return;
        }
        match (least, most) {
            (least, i32::MAX) => self.report(format!("must be at least {least}, is {value}")),
            (least, most) => self.report(format!("must be from {least} to {most}, is {value}")),
        }
    }

    fn report(&mut self, message: impl Into<String>) {
        if self.violations.len() < MOST_VIOLATIONS {
            self.violations.push(Violation {
                field: self.path.clone(),
                message: message.into(),
            });
        }
    }
}
