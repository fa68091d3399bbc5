//! Decodes an HTTP request into the binding's message. It accepts exactly what the OpenAPI document describes.

use axum::body::Body;
use http::{
    HeaderMap, HeaderValue, Uri,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
    request::Parts,
};
use http_kit::{CallOptions, Mistakes, Problem, body::invalid};
use muster_api::{
    Reason,
    binding::Body as HasBody,
    http_body::HttpBody,
    violation::{Violation, Violations},
};
use percent_encoding::percent_decode_str;
use rpc_client::EncodedRequest;
use tokio::time::Instant;

use crate::route::{Draft, Route};

/// Reads path, query and body into a request for core, or what is wrong with it. The path and the query are checked before the body is
/// read, and all their violations are reported at once.
pub(crate) async fn decode(
    route: &Route,
    calls: &CallOptions,
    parts: &Parts,
    body: Body,
    deadline: Instant,
) -> Result<Result<EncodedRequest, Mistakes>, Problem> {
    let mut draft = (route.draft)();
    let parameters = match Parameters::read(route, &parts.uri, &mut *draft) {
        Ok(parameters) => parameters,
        Err(mistakes) if parts.method.is_safe() => {
            draft.note(mistakes);
            return Ok(draft.encode());
        }
        Err(mistakes) => return Err(Problem::invalid(&mistakes)),
    };
    if parts.method.is_safe() {
        return Ok(draft.encode());
    }
    if let HasBody::File {
        media_types,
        max_bytes,
    } = route.body
    {
        let content_type = require_one_of(&parts.headers, media_types)?;
        let data = calls.read_file(parts, body, max_bytes, deadline).await?;
        draft.set_file(HttpBody {
            content_type: content_type.to_owned(),
            data,
        });
        parameters.set(&mut *draft)?;
        return Ok(draft.encode());
    }
    let bytes = calls.read_body(parts, body, deadline).await?;
    match route.body {
        // A file was read before.
        HasBody::None | HasBody::File { .. } => refuse_body(&bytes)?,
        HasBody::Optional if bytes.is_empty() => {}
        HasBody::Optional | HasBody::Required => {
            require_json(&parts.headers, &bytes)?;
            draft.read(&bytes)?;
            parameters.set(&mut *draft)?;
        }
    }
    Ok(draft.encode())
}

/// Refuses a body where none is allowed, except the empty object that some clients always send.
fn refuse_body(bytes: &[u8]) -> Result<(), Problem> {
    match bytes.trim_ascii() {
        b"" | b"{}" => Ok(()),
        _ => Err(invalid("must be empty here")),
    }
}

/// Checks that there is a body and that its content type is JSON.
fn require_json(headers: &HeaderMap, bytes: &[u8]) -> Result<(), Problem> {
    if bytes.is_empty() {
        return Err(invalid("is required, as JSON"));
    }
    let unsupported = |message: &str| Err(Problem::new(Reason::UnsupportedMediaType, message));
    refuse_coding(headers)?;
    match headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes) {
        Some(media_type) if is_json(media_type) => Ok(()),
        Some(_) => unsupported("the Content-Type must be application/json, in UTF-8"),
        None => unsupported("the body needs the header Content-Type: application/json"),
    }
}

/// Checks that the content type is one of these; returns it without parameters.
fn require_one_of(
    headers: &HeaderMap,
    media_types: &[&'static str],
) -> Result<&'static str, Problem> {
    refuse_coding(headers)?;
    let given = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let name = given.and_then(|given| given.split(|byte| *byte == b';').next());
    let name = name.unwrap_or_default().trim_ascii();
    let is_it = |one: &&&str| name.eq_ignore_ascii_case(one.as_bytes());
    media_types.iter().find(is_it).copied().ok_or_else(|| {
        let message = format!("the Content-Type must be one of {}", media_types.join(", "));
        Problem::new(Reason::UnsupportedMediaType, message)
    })
}

/// Refuses a body that is compressed.
fn refuse_coding(headers: &HeaderMap) -> Result<(), Problem> {
    let encoding = headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes);
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
        let message = "send the body without Content-Encoding";
        return Err(Problem::new(Reason::UnsupportedMediaType, message));
    }
    Ok(())
}

/// `application/json`, whose `charset`, if any, is UTF-8.
fn is_json(media_type: &[u8]) -> bool {
    let lower = media_type.to_ascii_lowercase();
    let mut parts = lower.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let is_utf8 = |parameter: &[u8]| match parameter.strip_prefix(b"charset=") {
        Some(charset) => matches!(charset, b"utf-8" | b"\"utf-8\"" | b"utf8"),
        None => true,
    };
    parts.next() == Some(b"application/json") && parts.all(is_utf8)
}

/// The parameters of a request, as decoded text by field.
#[derive(Default)]
struct Parameters(Vec<(&'static str, String)>);

impl Parameters {
    /// Parses all parameters of the path and the query, and sets them.
    fn read(route: &Route, uri: &Uri, draft: &mut dyn Draft) -> Result<Self, Vec<Violation>> {
        let mut parameters = Self::default();
        let mut violations = Violations::default();
        for (field, text) in path_fields(route.path, uri.path()) {
            parameters.add(draft, field, percent_decode(text), &mut violations);
        }
        let mut seen = Vec::new();
        for pair in uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
        {
            if violations.is_full() {
                break;
            }
            let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
            let Ok(name) = decode_query(name) else {
                violations.add(
                    name,
                    "is a parameter whose name is not valid percent-encoding of UTF-8",
                );
                continue;
            };
            let Some(field) = route.query_fields.iter().find(|field| **field == name) else {
                // A name may be empty, and a detail without one would name nothing.
                let name = if name.is_empty() { "\"\"" } else { &*name };
                violations.add(name, unknown(route.query_fields));
                continue;
            };
            if seen.contains(field) && !route.list_fields.contains(field) {
                violations.add(*field, "is given more than once");
                continue;
            }
            seen.push(field);
            parameters.add(draft, field, decode_query(text), &mut violations);
        }
        violations.unless_any(Some(parameters))
    }

    /// Sets them in a message from a body.
    fn set(self, draft: &mut dyn Draft) -> Result<(), Problem> {
        let mut violations = Violations::default();
        for (field, text) in self.0 {
            if let Err(invalid) = draft.set(field, &text) {
                violations.add(field, invalid.message);
            }
        }
        violations
            .unless_any(Some(()))
            .map_err(|violations| Problem::invalid(&violations))
    }

    fn add(
        &mut self,
        draft: &mut dyn Draft,
        field: &'static str,
        text: Result<String, &'static str>,
        violations: &mut Violations,
    ) {
        let set = text.and_then(|text| {
            let set = draft.set(field, &text);
            set.map_err(|invalid| invalid.message).map(|()| text)
        });
        match set {
            Ok(text) => self.0.push((field, text)),
            Err(message) => violations.add(field, message),
        }
    }
}

fn unknown(accepted: &[&str]) -> String {
    if accepted.is_empty() {
        return "is not known here; there are no query parameters".to_owned();
    }
    format!(
        "is not known here; the query parameters are {}",
        accepted.join(", ")
    )
}

/// The path's segments that are fields. The router has matched the path, so the segments correspond.
fn path_fields<'p>(
    template: &'static str,
    path: &'p str,
) -> impl Iterator<Item = (&'static str, &'p str)> {
    template
        .split('/')
        .zip(path.split('/'))
        .filter_map(|(segment, text)| {
            let field = segment.strip_prefix('{')?.strip_suffix('}')?;
            Some((field, text))
        })
}

/// In a query a plus is a space.
fn decode_query(text: &str) -> Result<String, &'static str> {
    percent_decode(&text.replace('+', " "))
}

fn percent_decode(text: &str) -> Result<String, &'static str> {
    let is_hex = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let escapes = text
        .as_bytes()
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'%');
    for (at, _) in escapes {
        if !is_hex(text.as_bytes().get(at + 1)) || !is_hex(text.as_bytes().get(at + 2)) {
            return Err("is not valid percent-encoding: % stands before two hex digits");
        }
    }
    let decoded = percent_decode_str(text).decode_utf8();
    decoded
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| "is not UTF-8")
}
