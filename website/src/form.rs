//! Forms that browsers send, from pages of this site only, and parameters of its addresses.

use std::{collections::BTreeMap, convert::Infallible};

use axum::body::Body;
use futures_util::stream;
use http::{HeaderValue, header::CONTENT_TYPE, request::Parts};
use http_kit::{Problem, body};
use multer::Multipart;
use muster_api::{Reason, http_body::HttpBody, violation::Violation};
use serde::{Serialize, de::DeserializeOwned};
use server::observe::RequestId;
use tokio::time::Instant;

use crate::{Options, own_site};

/// The most fields of a form. The largest one asks 20 questions with 50 options each.
const MAX_FIELDS: usize = 1_100;

/// The most characters of a file's name that are shown.
const MAX_FILE_NAME: usize = 200;

/// The field by whose value core knows a form that was sent again.
const KEY: &str = "key";

/// What is wrong with a value of another type than its field: all that are not texts are numbers.
pub(crate) const NOT_A_NUMBER: &str = "must be a whole number";

/// Stands for what is no number: nobody types it.
pub(crate) const NO_NUMBER: i32 = i32::MIN;

/// Names and values, in the order of sending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Parses `application/x-www-form-urlencoded`, which every sequence of bytes is.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let fields = form_urlencoded::parse(bytes).into_owned();
        Self(fields.take(MAX_FIELDS).collect())
    }

    /// A form with these fields.
    pub(crate) fn of(
        fields: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        let fields = fields.into_iter();
        Self(
            fields
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }

    /// The same form without the fields of these names.
    pub(crate) fn without(mut self, names: &[&str]) -> Self {
        self.0.retain(|(name, _)| !names.contains(&&**name));
        self
    }

    /// The same form for an answer to it: with a new key, since what was refused may be corrected and sent again. Where the outcome is
    /// unknown, the key stays, so that nothing is done twice.
    pub(crate) fn answered(mut self, problem: Option<&Problem>) -> Self {
        if !problem.is_some_and(has_unknown_outcome) {
            let keys = self.0.iter_mut().filter(|(name, _)| name == KEY);
            keys.for_each(|(_, value)| *value = fresh_key());
        }
        self
    }

    /// Its key, if it has one.
    pub(crate) fn key(&self) -> Option<&str> {
        self.value(KEY)
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

    /// The number in a field; `None` if it is empty. What is no number is [`NO_NUMBER`], which core refuses with everything else that is
    /// wrong.
    pub(crate) fn number(&self, name: &str) -> Option<i32> {
        let text = self.value(name)?;
        Some(text.parse().unwrap_or(NO_NUMBER))
    }

    /// Whether there is such a field, even an empty one.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields().any(|(key, _)| key == name)
    }

    /// Whether a box is ticked.
    pub(crate) fn is_ticked(&self, name: &str) -> bool {
        self.values(name).any(|value| value == "true")
    }

    /// Reads the fields into a struct. Each counts by its first value, and an empty one is absent.
    ///
    /// # Errors
    /// A violation of the field whose value has another type.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let mut first = BTreeMap::new();
        for (name, value) in self.fields() {
            first.entry(name).or_insert(value.trim());
        }
        first.retain(|_, value| !value.is_empty());
        let text = link("", &first);
        let text = text.trim_start_matches('?').as_bytes();
        let read =
            serde_path_to_error::deserialize(serde_html_form::Deserializer::from_bytes(text));
        read.map_err(|error| {
            Problem::invalid(&[Violation {
                field: error.path().to_string(),
                message: NOT_A_NUMBER.to_owned(),
            }])
        })
    }

    /// All fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }
}

/// Returns a path with these parameters, without those that are absent.
pub(crate) fn link(path: &str, parameters: &impl Serialize) -> String {
    // It fails for nested values only, which no parameters have.
    match serde_html_form::to_string(parameters).as_deref() {
        Ok("") | Err(_) => path.to_owned(),
        Ok(query) => format!("{path}?{query}"),
    }
}

/// A key for a form, so that what it does is done once, however often it is sent.
pub(crate) fn fresh_key() -> String {
    RequestId::fresh().to_string()
}

/// Whether what a form asked for may have been done, or still be under way.
fn has_unknown_outcome(problem: &Problem) -> bool {
    problem.http_status >= 500 || problem.code == Reason::IdempotencyKeyInUse.code()
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

/// Reads a form that has one file at most, in the field of this name; an empty one is none.
///
/// # Errors
/// As [`read`].
pub(crate) async fn read_with_file(
    options: &Options,
    parts: &Parts,
    body: Body,
    (name, max_bytes): (&str, usize),
    deadline: Instant,
) -> Result<(Form, Option<HttpBody>), Problem> {
    own_site::require(&parts.headers, &options.public_url)?;
    let limit = max_bytes + body::MAX_BYTES;
    let bytes = options
        .calls
        .read_file(parts, body, limit, deadline)
        .await?;
    let media_type = parts.headers.get(CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    if media_type.is_some_and(|name| is_form(name.as_bytes())) {
        return Ok((Form::parse(&bytes), None));
    }
    let Ok(boundary) = multer::parse_boundary(media_type.unwrap_or_default()) else {
        let message = "the Content-Type must be multipart/form-data";
        return Err(Problem::new(Reason::UnsupportedMediaType, message));
    };
    let stream = stream::once(async { Ok::<_, Infallible>(bytes) });
    let mut multipart = Multipart::new(stream, boundary);
    let (mut fields, mut file) = (Vec::new(), None);
    let broken = |_| body::invalid("is no form");
    while let Some(field) = multipart.next_field().await.map_err(broken)? {
        if fields.len() == MAX_FIELDS {
            break;
        }
        let of = field.name().unwrap_or_default().to_owned();
        if of == name {
            let content_type = field.content_type().map(ToString::to_string);
            // By its name the person knows which one to choose again.
            let file_name = field.file_name().unwrap_or_default();
            let file_name: String = file_name.chars().take(MAX_FILE_NAME).collect();
            fields.push((of, file_name));
            let data = field.bytes().await.map_err(broken)?;
            file = (!data.is_empty()).then(|| HttpBody {
                content_type: content_type.unwrap_or_default(),
                data,
            });
        } else {
            fields.push((of, field.text().await.map_err(broken)?));
        }
    }
    Ok((Form(fields), file))
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

    #[derive(Debug, PartialEq, serde::Deserialize, Serialize)]
    struct Parameters {
        q: Option<String>,
        offset: Option<i32>,
    }

    #[test]
    fn parameters_are_read_by_their_first_values_and_written_into_links() {
        let read = |text: &str| Form::parse(text.as_bytes()).read::<Parameters>();
        let parameters = read("q=+a%26b&q=c&offset=20&x=1&x=2").unwrap();
        assert_eq!(parameters.q.as_deref(), Some("a&b"));
        assert_eq!(link("/events", &parameters), "/events?q=a%26b&offset=20");
        let none = read("q=+&offset=").unwrap();
        assert_eq!(link("/events", &none), "/events");
        let problem = read("offset=many").unwrap_err();
        let wrong = &problem.details[0];
        assert_eq!((&*wrong.field, &*wrong.message), ("offset", NOT_A_NUMBER));
    }

    #[test]
    fn an_answer_to_a_form_has_a_new_key_unless_the_outcome_is_unknown() {
        let sent = || Form::parse(b"key=1&title=Rust");
        for reason in [
            Reason::InvalidRequest,
            Reason::AlreadyRegistered,
            Reason::QuotaExceeded,
            Reason::IdempotencyKeyReused,
            Reason::RateLimited,
        ] {
            let problem = Problem::new(reason, "");
            let answered = sent().answered(Some(&problem));
            assert_ne!(answered.key(), Some("1"), "{reason:?}");
            assert_eq!(answered.value("title"), Some("Rust"));
        }
        assert_ne!(sent().answered(None).key(), Some("1"));
        for reason in [Reason::Unavailable, Reason::IdempotencyKeyInUse] {
            let problem = Problem::new(reason, "");
            assert_eq!(sent().answered(Some(&problem)).key(), Some("1"));
        }
    }

    #[test]
    fn a_form_has_a_bounded_number_of_fields() {
        let many = "a=1&".repeat(MAX_FIELDS + 1);
        assert_eq!(Form::parse(many.as_bytes()).fields().count(), MAX_FIELDS);
    }
}
