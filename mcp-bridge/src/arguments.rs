//! A tool call's arguments as the rpc's input.
//!
//! Models do not always use the right types: they send arrays or numbers as strings of JSON, and null for an omitted argument.
//! Both are accepted. Everything else is refused by name.

use http_kit::Mistakes;
use muster_api::violation::Violations;
use serde_json::{Map, Value};

use crate::{rpcs::Input, table::Tool};

/// The argument that confirms a call.
pub(crate) const CONFIRM: &str = "confirm";
/// The argument that names the fields which a partial update empties.
const CLEAR: &str = "clear";

/// The parsed arguments of a call.
#[derive(Debug, Clone)]
pub(crate) struct Arguments {
    pub(crate) input: Input,
    /// Whether the call says `confirm: true`.
    pub(crate) is_confirmed: bool,
}

/// Parses the arguments of a call.
pub(crate) fn read(tool: &Tool, given: Option<Map<String, Value>>) -> Result<Arguments, Mistakes> {
    let schema = &tool.definition.input_schema;
    let mut fields = object(schema, given.unwrap_or_default());
    let mut wrong = Violations::default();
    note_missing(schema, &fields, &mut wrong);
    let is_confirmed = tool.confirmation.is_some() && confirm(&mut fields, &mut wrong);
    let mask = match &tool.updates {
        Some(updates) => {
            let cleared = clear(schema, &mut fields, &mut wrong);
            let named = updates.iter().filter(|name| fields.contains_key(*name));
            named.cloned().chain(cleared).collect()
        }
        None => Vec::new(),
    };
    let input = Input { fields, mask };
    // What is only invalid is for core, which knows everything that is wrong with it.
    if wrong.as_slice().is_empty() {
        return Ok(Arguments {
            input,
            is_confirmed,
        });
    }
    let known = (tool.rpc.check)(input);
    wrong.add_others(known.found);
    Err(Mistakes {
        found: wrong.as_slice().to_vec(),
        ..known
    })
}

fn note_missing(schema: &Map<String, Value>, fields: &Map<String, Value>, wrong: &mut Violations) {
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    for name in names.filter(|name| !fields.contains_key(*name)) {
        wrong.add(name, "is required");
    }
}

fn confirm(fields: &mut Map<String, Value>, wrong: &mut Violations) -> bool {
    match fields.shift_remove(CONFIRM) {
        None => false,
        Some(Value::Bool(confirmed)) => confirmed,
        Some(_) => {
            wrong.add(CONFIRM, "must be true or false");
            false
        }
    }
}

/// The fields to empty.
fn clear(
    schema: &Map<String, Value>,
    fields: &mut Map<String, Value>,
    wrong: &mut Violations,
) -> Vec<String> {
    let choices = schema
        .get("properties")
        .and_then(|properties| properties.get(CLEAR)?.get("items")?.get("enum")?.as_array());
    let choices: Vec<&str> = choices
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let names = match fields.shift_remove(CLEAR) {
        None => return Vec::new(),
        Some(Value::Array(names)) => names,
        Some(name) => vec![name],
    };
    let mut cleared = Vec::new();
    if names.len() > choices.len() {
        let message = format!(
            "must have at most {} items, has {}",
            choices.len(),
            names.len()
        );
        wrong.add(CLEAR, message);
        return Vec::new();
    }
    for (index, name) in names.iter().enumerate() {
        let name = name.as_str().unwrap_or_default();
        if !choices.contains(&name) {
            let message = format!("must be one of {}", choices.join(", "));
            wrong.add(format!("{CLEAR}[{index}]"), message);
        } else if fields.contains_key(name) {
            wrong.add(name, "is given and to be cleared; do one of them");
        } else {
            cleared.push(name.to_owned());
        }
    }
    cleared
}

/// Converts an object's fields to the types of its schema, as far as possible.
fn object(schema: &Map<String, Value>, given: Map<String, Value>) -> Map<String, Value> {
    let properties = schema.get("properties");
    let fields = given.into_iter().filter(|(_, value)| !value.is_null());
    fields
        .map(|(name, value)| {
            let schema = properties.and_then(|properties| properties.get(&name)?.as_object());
            let value = match schema {
                Some(schema) => typed(schema, value),
                None => value,
            };
            (name, value)
        })
        .collect()
}

fn typed(schema: &Map<String, Value>, value: Value) -> Value {
    let wanted = schema
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    match value {
        Value::String(text) if wanted != "string" => match serde_json::from_str(&text) {
            Ok(parsed) if is(wanted, &parsed) => typed(schema, parsed),
            _ => Value::String(text),
        },
        Value::Object(fields) => Value::Object(object(schema, fields)),
        Value::Array(items) => match schema.get("items").and_then(Value::as_object) {
            Some(schema) => items.into_iter().map(|item| typed(schema, item)).collect(),
            None => Value::Array(items),
        },
        other => other,
    }
}

fn is(wanted: &str, value: &Value) -> bool {
    match wanted {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" | "number" => value.is_number(),
        _ => false,
    }
}
