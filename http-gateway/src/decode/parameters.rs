//! Path and query parameters.

use http::Uri;
use http_kit::Problem;
use muster_api::violation::Violations;
use percent_encoding::percent_decode_str;

use crate::route::{Draft, Route};

/// The parameters of a request, as decoded text by field.
#[derive(Default)]
pub(super) struct Parameters(Vec<(&'static str, String)>);

impl Parameters {
    /// Parses all parameters of the path and the query, and sets them.
    pub(super) fn read(route: &Route, uri: &Uri, draft: &mut dyn Draft) -> Result<Self, Problem> {
        let mut parameters = Self::default();
        let mut violations = Violations::default();
        for (field, text) in path_fields(route.path, uri.path()) {
            parameters.add(draft, field, decode(text), &mut violations);
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
            if seen.contains(field) {
                violations.add(*field, "is given more than once");
                continue;
            }
            seen.push(field);
            parameters.add(draft, field, decode_query(text), &mut violations);
        }
        violations
            .unless_any(Some(parameters))
            .map_err(|violations| Problem::invalid(&violations))
    }

    /// Sets them in a message from a body.
    pub(super) fn set(self, draft: &mut dyn Draft) -> Result<(), Problem> {
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
    decode(&text.replace('+', " "))
}

fn decode(text: &str) -> Result<String, &'static str> {
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
