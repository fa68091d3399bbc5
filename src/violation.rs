//! What is wrong with a request, field by field, and how much of it an answer says.

/// How many violations are collected and answered. Someone who mends so many learns of the rest by the next answer.
pub const MAX_VIOLATIONS: usize = 50;

/// How much all of them may take in an answer, in bytes. Over gRPC they are trailers, which clients and proxies take up to
/// 8 KiB of, and base64 adds a third.
pub(crate) const MAX_BYTES: usize = 4 << 10;

/// What an entry takes besides its texts, in bytes, in either encoding.
const ENTRY_BYTES: usize = 32;

/// The longest path and message, in bytes. Both may quote the request.
const MAX_FIELD_LENGTH: usize = 200;
pub(crate) const MAX_MESSAGE_LENGTH: usize = 600;

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Its path, for example `custom_fields[2].label`.
    pub field: String,
    /// What would be right, to be read after the path: `must be 3 to 200 characters long, is 2`.
    pub message: String,
}

/// Collects violations while input is read to its end, at most [`MAX_VIOLATIONS`].
#[derive(Debug, Default)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Notes that `field` breaks a rule; `message` says what would be right.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        if !self.is_full() {
            self.0.push(Violation {
                field: shortened(field.into(), MAX_FIELD_LENGTH),
                message: shortened(message.into(), MAX_MESSAGE_LENGTH),
            });
        }
    }

    /// Whether more would be left out, so that input need not be read on.
    pub const fn is_full(&self) -> bool {
        self.0.len() >= MAX_VIOLATIONS
    }

    /// Notes what else is wrong, of fields of which nothing was said before: the first mistake of a field says what to do.
    pub fn add_others(&mut self, others: impl IntoIterator<Item = Violation>) {
        let before = self.0.len();
        for Violation { field, message } in others {
            let mut said = self.0.iter().take(before);
            if !said.any(|one| is_within(&field, &one.field)) {
                self.add(field, message);
            }
        }
    }

    /// The value, or nothing and a violation of `field`.
    pub fn check<T, E: ToString>(&mut self, field: &str, result: Result<T, E>) -> Option<T> {
        result
            .map_err(|error| self.add(field, error.to_string()))
            .ok()
    }

    /// `value`, unless something was noted.
    ///
    /// # Errors
    /// What was noted.
    pub fn unless_any<T>(self, value: Option<T>) -> Result<T, Vec<Violation>> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self.0),
        }
    }

    /// Whether something was noted of a field.
    pub fn has(&self, field: &str) -> bool {
        self.0.iter().any(|one| one.field == field)
    }

    /// What was noted.
    pub fn as_slice(&self) -> &[Violation] {
        &self.0
    }
}

impl From<Vec<Violation>> for Violations {
    fn from(violations: Vec<Violation>) -> Self {
        Self(violations)
    }
}

impl Extend<Violation> for Violations {
    fn extend<I: IntoIterator<Item = Violation>>(&mut self, violations: I) {
        for Violation { field, message } in violations {
            self.add(field, message);
        }
    }
}

/// Whether a path is another one, or of something within that item of a list.
fn is_within(path: &str, other: &str) -> bool {
    let rest = path.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || other.ends_with(']'))
}

/// Those of the violations that an answer has room for, at least one.
pub(crate) fn answered(violations: &[Violation]) -> impl Iterator<Item = &Violation> {
    let mut bytes = 0;
    violations.iter().take_while(move |one| {
        let is_first = bytes == 0;
        bytes += one.field.len() + one.message.len() + ENTRY_BYTES;
        is_first || bytes <= MAX_BYTES
    })
}

/// The text, or its beginning and an ellipsis.
pub(crate) fn shortened(mut text: String, max_length: usize) -> String {
    const ELLIPSIS: char = '…';
    if text.len() > max_length {
        text.truncate(text.floor_char_boundary(max_length - ELLIPSIS.len_utf8()));
        text.push(ELLIPSIS);
    }
    text
}
