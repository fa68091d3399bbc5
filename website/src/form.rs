//! Forms that browsers send, from pages of this site only.

use axum::body::Body;
use edge::Problem;
use http::{HeaderValue, header::CONTENT_TYPE, request::Parts};
use muster_api::Reason;
use process::observe::RequestId;
use tokio::time::Instant;

use crate::{Options, own_site};

/// The most fields of a form. The largest one asks 20 questions with 50 options each.
const MOST_FIELDS: usize = 1_100;

/// Names and values, in the order of sending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Parses `application/x-www-form-urlencoded`, which every sequence of bytes is.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let fields = form_urlencoded::parse(bytes).into_owned();
        Self(fields.take(MOST_FIELDS).collect())
    }

    /// A form with these fields.
    pub(crate) fn of(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }

    /// The first value of a field, without the space around it; `None` if that is empty.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let value = self.fields().find(|(key, _)| *key == name)?.1.trim();
        (!value.is_empty()).then_some(value)
    }

    /// All values of a field, as they were sent.
    pub(crate) fn values<'f>(&'f self, name: &str) -> impl Iterator<Item = &'f str> {
        let of_name = self.fields().filter(move |(key, _)| *key == name);
        of_name.map(|(_, value)| value)
    }

    /// The first value of a field that may have several lines. Browsers end lines with two characters.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let text = self.value(name)?;
        Some(text.replace("\r\n", "\n"))
    }

    /// Whether a box is ticked.
    pub(crate) fn is_ticked(&self, name: &str) -> bool {
        self.values(name).any(|value| value == "true")
    }

    /// All fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }
}

/// A key for a form, so that what it does is done once, however often it is sent.
pub(crate) fn fresh_key() -> String {
    RequestId::fresh().to_string()
}

/// Reads the form of a request.
///
/// # Errors
/// A problem: 403 if another site sent it, 415 if it is not a form, or one of its body.
pub(crate) async fn read(
    options: &Options,
    parts: &Parts,
    body: Body,
    deadline: Instant,
) -> Result<Form, Problem> {
    own_site::require(&parts.headers, &options.public_url)?;
    let bytes = options.calls.read_body(parts, body, deadline).await?;
    let media_type = parts.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    if !bytes.is_empty() && !media_type.is_some_and(is_form) {
        let message = "the Content-Type must be application/x-www-form-urlencoded";
        return Err(Problem::new(Reason::UnsupportedMediaType, message));
    }
    Ok(Form::parse(&bytes))
}

/// Whether a media type is the one of forms.
pub(crate) fn is_form(media_type: &[u8]) -> bool {
    let name = media_type.split(|byte| *byte == b';').next();
    let name = name.unwrap_or_default().trim_ascii();
    name.eq_ignore_ascii_case(b"application/x-www-form-urlencoded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_keeps_the_order_and_every_value() {
        let form = Form::parse(b"name=+Ada%20L+&a=1&a=%F0%9F%A6%80&empty=&=x");
        let fields: Vec<_> = form.fields().collect();
        assert_eq!(
            fields,
            [
                ("name", " Ada L "),
                ("a", "1"),
                ("a", "🦀"),
                ("empty", ""),
                ("", "x")
            ]
        );
        assert_eq!(form.value("name"), Some("Ada L"));
        assert_eq!(form.value("empty"), None);
        assert_eq!(form.value("other"), None);
    }

    #[test]
    fn a_form_has_a_bounded_number_of_fields() {
        let many = "a=1&".repeat(MOST_FIELDS + 1);
        assert_eq!(Form::parse(many.as_bytes()).fields().count(), MOST_FIELDS);
    }
}
