//! JSON of an rpc: parsing its request, with errors that name the field and what is valid, and writing its answer.

use std::fmt::Display;

use muster_api::{
    Reason,
    binding::PublicRpc,
    violation::{Violation, Violations},
};
use prost::Message as _;
use serde_json::{Map, Value, error::Category};
use serde_path_to_error::{Path, Segment};

use crate::Problem;

/// The source of the JSON, for errors.
#[derive(Clone, Copy)]
struct Source<'a> {
    /// Its name in `details`.
    name: &'a str,
    /// Fields of the message that it must not contain.
    hidden: &'a [&'a str],
}

/// A request as far as it could be read, and what is wrong with the rest.
#[derive(Debug, Default)]
pub struct Read<M> {
    /// What could be read; `None` if that says nothing of the rest.
    pub message: Option<M>,
    /// What is wrong, field by field.
    pub mistakes: Vec<Violation>,
}

/// Parses a body as the rpc's request, and sets the update mask of a partial update. It must not contain the fields of the
/// path.
///
/// # Errors
/// A problem of the body as a whole.
pub fn read_json<R: PublicRpc>(
    bytes: &[u8],
    path_fields: &[&str],
) -> Result<Read<R::Request>, Problem> {
    let source = Source {
        name: "body",
        hidden: path_fields,
    };
    let text = std::str::from_utf8(bytes).map_err(|_| problem(source.name, "is not UTF-8"))?;
    let fields: Map<String, Value> = match serde_json::from_str(text) {
        Ok(fields) => fields,
        // A message would also be read from an array of its fields' values.
        Err(error) if error.is_data() => return Err(source.whole(&error)),
        Err(_) => Map::new(),
    };
    // The message has these fields too, but only the path sets them.
    if let Some(key) = fields
        .keys()
        .find(|key| path_fields.contains(&key.as_str()))
    {
        return Err(problem(key, "is not known here: it is part of the path"));
    }
    let names: Vec<String> = fields.keys().cloned().collect();
    // What was read cannot say where a mistake is, or that a field is given more than once.
    let mut json = serde_json::Deserializer::from_str(text);
    let error = match serde_path_to_error::deserialize(&mut json) {
        Ok(mut message) => {
            json.end().map_err(|error| source.whole(&error))?;
            R::set_update_mask(&mut message, names);
            return Ok(message.into());
        }
        Err(error) => error,
    };
    let first = source.field(&error.path().to_string(), error.inner());
    // What is no JSON at all has no fields.
    if fields.is_empty() {
        return Err(first);
    }
    let mut fields = Value::Object(fields);
    let mut mistakes = Violations::from(first.details);
    let mut message = read_rest::<R>(source, &mut fields, &mut mistakes);
    let is_left = |name: &String| fields.get(name).is_some();
    if let Some(message) = &mut message {
        R::set_update_mask(message, names.into_iter().filter(is_left).collect());
    }
    Ok(Read {
        message,
        mistakes: mistakes.as_slice().to_vec(),
    })
}

/// Parses a value as the rpc's request. The caller sets an update mask.
pub fn read_value<R: PublicRpc>(mut value: Value) -> Read<R::Request> {
    let source = Source {
        name: "arguments",
        hidden: &[],
    };
    let mut mistakes = Violations::default();
    let message = read_rest::<R>(source, &mut value, &mut mistakes);
    Read {
        message,
        mistakes: mistakes.as_slice().to_vec(),
    }
}

/// Reads a message without what cannot be read, which is noted and taken out of the value.
fn read_rest<R: PublicRpc>(
    source: Source,
    value: &mut Value,
    mistakes: &mut Violations,
) -> Option<R::Request> {
    while !mistakes.is_full() {
        let error = match serde_path_to_error::deserialize::<_, R::Request>(&*value) {
            Ok(message) => return Some(message),
            Err(error) => error,
        };
        let found = source.field(&error.path().to_string(), error.inner());
        let is_removed = remove(value, error.path(), &found.details);
        mistakes.add_others(found.details);
        if !is_removed {
            break;
        }
    }
    None
}

/// Takes what is at a path out of a value, or the field within it that a mistake names. An item of a list is emptied, so that those after
/// it keep their places.
fn remove(value: &mut Value, path: &Path, mistakes: &[Violation]) -> bool {
    let mut target = value;
    let mut segments = path.iter().peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        let next = match (segment, target) {
            (Segment::Map { key }, Value::Object(fields)) => {
                if is_last && fields.shift_remove(key).is_some() {
                    return true;
                }
                fields.get_mut(key)
            }
            (Segment::Seq { index }, Value::Array(items)) => items.get_mut(*index),
            _ => None,
        };
        let Some(next) = next else {
            return false;
        };
        target = next;
    }
    let mut names = mistakes
        .iter()
        .filter_map(|one| one.field.rsplit('.').next());
    match target {
        Value::Object(fields) => {
            let is_removed = names.any(|name| fields.shift_remove(name).is_some());
            // An item of a list is an object or a text.
            if !is_removed {
                *target = Value::String(String::new());
            }
            true
        }
        Value::String(text) if text.is_empty() => false,
        _ => {
            *target = Value::Object(Map::new());
            true
        }
    }
}

/// Decodes core's answer and converts it to JSON with `write`.
///
/// # Errors
/// An internal problem when the answer is malformed.
pub fn write_answer<R: PublicRpc, J>(
    message: &[u8],
    write: impl FnOnce(&R::Response) -> serde_json::Result<J>,
) -> Result<J, Problem> {
    let answer = R::Response::decode(message).map_err(|error| malformed(&error))?;
    write(&answer).map_err(|error| malformed(&error))
}

fn malformed(error: &dyn Display) -> Problem {
    let cause = format!("cannot read core's answer: {error}");
    Problem::new(Reason::Internal, "Muster failed").caused_by(cause)
}

impl Source<'_> {
    /// An error of the whole JSON.
    fn whole(self, error: &serde_json::Error) -> Problem {
        let text = error.to_string();
        let message = match error.classify() {
            Category::Eof => format!("ends too early: {}", position(error)),
            Category::Data => rewritten(&text),
            _ => format!("is not valid JSON: {text}"),
        };
        problem(self.name, message)
    }

    /// An error of one field.
    fn field(self, path: &str, error: &serde_json::Error) -> Problem {
        if error.classify() != Category::Data {
            return self.whole(error);
        }
        let text = error.to_string();
        if let Some((name, accepted)) = text
            .strip_prefix("unknown field `")
            .and_then(|rest| rest.split_once('`'))
        {
            let parent = path
                .strip_suffix(name)
                .map_or(path, |parent| parent.trim_end_matches('.'));
            let hidden: &[&str] = if is_root(parent) { self.hidden } else { &[] };
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
        problem(
            if is_root(path) { self.name } else { path },
            rewritten(&text),
        )
    }
}

fn is_root(path: &str) -> bool {
    path.is_empty() || path == "."
}

fn join(parent: &str, name: &str) -> String {
    // A key may be empty, and a detail without a name would name nothing.
    let name = if name.is_empty() { "\"\"" } else { name };
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

fn position(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

fn problem(field: &str, message: impl Into<String>) -> Problem {
    Problem::invalid(&[Violation {
        field: field.to_owned(),
        message: message.into(),
    }])
}
