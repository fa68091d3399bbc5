//! A body as the binding's message, and serde's complaints in words that name the field and what would be right.

use std::fmt;

use core_client::Problem;
use muster_api::{binding::Binding, validation::Violation};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::error::Category;

/// What the body as a whole is called in `details`.
const BODY: &str = "body";

/// Reads the message, and tells it which fields the body has.
pub(super) fn read<B: Binding>(bytes: &[u8]) -> Result<B::Request, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|_| problem(BODY, "is not UTF-8"))?;
    let Keys(keys) = serde_json::from_str(text).map_err(|error| whole(&error))?;
    // The message has these fields too, but they are set by the path alone.
    if let Some(key) = keys
        .iter()
        .find(|key| B::PATH_FIELDS.contains(&key.as_str()))
    {
        return Err(problem(key, "is not known here: the path says it"));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let mut message: B::Request = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| field::<B>(&error.path().to_string(), error.inner()))?;
    B::set_update_mask(&mut message, keys);
    Ok(message)
}

/// The keys of an object, in their order.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_map(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            keys.push(key);
        }
        Ok(Keys(keys))
    }
}

/// What is wrong with the body as a whole.
fn whole(error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    let message = match error.classify() {
        Category::Eof => format!("ends too early: {}", place(error)),
        Category::Data => rewritten(&text),
        _ => format!("is not valid JSON: {text}"),
    };
    problem(BODY, message)
}

/// What is wrong with one field.
fn field<B: Binding>(path: &str, error: &serde_json::Error) -> Problem {
    if error.classify() != Category::Data {
        return whole(error);
    }
    let text = error.to_string();
    if let Some((name, accepted)) = text
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split_once('`'))
    {
        let parent = path
            .strip_suffix(name)
            .map_or(path, |parent| parent.trim_end_matches('.'));
        let hidden: &[&str] = if is_root(parent) { B::PATH_FIELDS } else { &[] };
        return problem(&join(parent, name), unknown(accepted, hidden));
    }
    if let Some((name, _)) = text
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split_once('`'))
    {
        return problem(&join(path, name), "is required");
    }
    if let Some((name, _)) = text
        .strip_prefix("duplicate field `")
        .and_then(|rest| rest.split_once('`'))
    {
        let parent = path
            .strip_suffix(name)
            .map_or(path, |parent| parent.trim_end_matches('.'));
        return problem(&join(parent, name), "is given more than once");
    }
    problem(if is_root(path) { BODY } else { path }, rewritten(&text))
}

fn is_root(path: &str) -> bool {
    path.is_empty() || path == "."
}

fn join(parent: &str, name: &str) -> String {
    if is_root(parent) {
        name.to_owned()
    } else {
        format!("{parent}.{name}")
    }
}

/// From `, expected one of `a`, `b` at line 1 column 2` to what may be there instead.
fn unknown(accepted: &str, hidden: &[&str]) -> String {
    let names: Vec<&str> = accepted
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| !hidden.contains(name))
        .collect();
    if names.is_empty() {
        return "is not known here; there are no fields".to_owned();
    }
    format!("is not known here; the fields are {}", names.join(", "))
}

/// From `invalid type: string "x", expected a boolean at line 1 column 2` to `must be true or false, is a string`.
fn rewritten(text: &str) -> String {
    let text = text.rsplit_once(" at line ").map_or(text, |(text, _)| text);
    let Some((found, expected)) = text.split_once(", expected ") else {
        return format!("cannot be read: {text}");
    };
    let expected = match expected {
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    match found.strip_prefix("invalid type: ").map(kind) {
        Some(kind) => format!("must be {expected}, is {kind}"),
        None => format!("must be {expected}"),
    }
}

/// From serde's `string "x"` to JSON's `a string`; the value itself is not repeated.
fn kind(found: &str) -> &str {
    match found.split(' ').next() {
        Some("string") => "a string",
        Some("integer" | "floating") => "a number",
        Some("boolean") => "a boolean",
        Some("sequence") => "an array",
        Some("map") => "an object",
        _ => found,
    }
}

fn place(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

fn problem(field: &str, message: impl Into<String>) -> Problem {
    Problem::invalid(&[Violation {
        field: field.to_owned(),
        message: message.into(),
    }])
}
