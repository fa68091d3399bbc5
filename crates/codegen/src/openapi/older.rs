//! The document as OpenAPI 3.0.3, for tools that do not read 3.1.

use serde_json::{Value, json};

use crate::schema::{Object, set};

const OPENAPI: &str = "3.0.3";
/// What the older form has instead of an SPDX expression.
const LICENSES: &str = "https://spdx.org/licenses/";

/// Tables are files there: openapi-generator's client for Rust, which is why this form is there, reads no text but `text/plain`.
const CSV: &str = "text/csv";

/// The same document in the older form.
pub(crate) fn emit(document: &Value) -> Value {
    let mut older = rewritten(document);
    older["openapi"] = OPENAPI.into();
    if let Some(license) = older["info"]["license"].as_object_mut() {
        license.shift_remove("identifier");
        set(license, "url", LICENSES);
    }
    older
}

/// A part of the document outside of schemas.
fn rewritten(node: &Value) -> Value {
    match node {
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| (key.clone(), member_of(key, member)))
            .collect(),
        Value::Array(items) => items.iter().map(rewritten).collect(),
        other => other.clone(),
    }
}

fn member_of(key: &str, member: &Value) -> Value {
    match (key, member) {
        ("example" | "examples", _) => member.clone(),
        (CSV, _) => json!({"schema": {"type": "string", "format": "binary"}}),
        ("schema", Value::Object(one)) => schema(one).into(),
        ("schemas", Value::Object(all)) => all
            .iter()
            .map(|(name, one)| (name.clone(), nested(one)))
            .collect(),
        _ => rewritten(member),
    }
}

fn nested(one: &Value) -> Value {
    one.as_object()
        .map_or_else(|| one.clone(), |one| schema(one).into())
}

fn schema(newer: &Object) -> Object {
    let mut older = Object::new();
    for (keyword, value) in newer {
        match (keyword.as_str(), value) {
            ("type", Value::Array(types)) => {
                set(&mut older, "type", types.first().cloned());
                set(&mut older, "nullable", true);
            }
            ("anyOf", Value::Array(branches)) => choose(&mut older, branches),
            // Nothing may stand beside a reference.
            ("$ref", _) if newer.len() > 1 => {
                set(&mut older, "allOf", json!([{ "$ref": value }]));
            }
            ("examples", Value::Array(examples)) => {
                older.insert("example".to_owned(), examples.first().cloned().into());
            }
            ("items", _) => set(&mut older, keyword, nested(value)),
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter();
                let properties: Object = properties
                    .map(|(name, one)| (name.clone(), nested(one)))
                    .collect();
                set(&mut older, keyword, properties);
            }
            _ => set(&mut older, keyword, value.clone()),
        }
    }
    older
}

/// The last of the branches that is not null, which takes all that the others take: older generators make unusable types of several.
fn choose(older: &mut Object, branches: &[Value]) {
    let is_null = |branch: &&Value| branch["type"] == "null";
    match branches.iter().rfind(|branch| !is_null(branch)) {
        Some(Value::Object(one)) if one.contains_key("$ref") => {
            set(older, "allOf", json!([one]));
        }
        Some(Value::Object(one)) => older.extend(schema(one)),
        _ => {}
    }
    set(
        older,
        "nullable",
        branches.iter().any(|one| is_null(&one)).then_some(true),
    );
}
