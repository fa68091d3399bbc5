//! The document as OpenAPI 3.0.3, for tools that do not read 3.1.

use serde_json::{Value, json};

use super::webhooks;
use crate::{options::Upload, schema::Object};

const OPENAPI: &str = "3.0.3";
/// What the older form has instead of an SPDX expression.
const LICENSES: &str = "https://spdx.org/licenses/";

/// Tables are files there: openapi-generator's client for Rust, which is why this form is there, reads no text but `text/plain`.
const CSV: &str = "text/csv";

/// The same document in the older form.
pub(crate) fn emit(document: &Value) -> Value {
    let mut older = rewritten(document);
    webhooks::remove(&mut older);
    let schemas = older["components"]["schemas"].clone();
    inline_nullable(&mut older, &schemas);
    remove_unused_schemas(&mut older);
    older["openapi"] = OPENAPI.into();
    if let Some(license) = older["info"]["license"].as_object_mut() {
        license.shift_remove("identifier");
        license.insert("url".to_owned(), LICENSES.into());
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
        // progenitor, which reads this form, takes one media type of a body.
        ("content", Value::Object(types)) if types.contains_key(Upload::BYTES) => {
            json!({ Upload::BYTES: rewritten(&types[Upload::BYTES]) })
        }
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
                older.insert("type".to_owned(), types.first().cloned().into());
                older.insert("nullable".to_owned(), true.into());
            }
            ("anyOf", Value::Array(branches)) => choose(&mut older, branches),
            // Nothing may stand beside a reference.
            ("$ref", _) if newer.len() > 1 => {
                older.insert("allOf".to_owned(), json!([{ "$ref": value }]));
            }
            ("examples", Value::Array(examples)) => {
                older.insert("example".to_owned(), examples.first().cloned().into());
            }
            ("items", _) => {
                older.insert(keyword.clone(), nested(value));
            }
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter();
                let properties = properties.map(|(name, one)| (name.clone(), nested(one)));
                older.insert(keyword.clone(), properties.collect());
            }
            _ => {
                older.insert(keyword.clone(), value.clone());
            }
        }
    }
    older
}

/// The last of the branches that is not null, which takes all that the others take: older generators make unusable types of several.
fn choose(older: &mut Object, branches: &[Value]) {
    let is_null = |branch: &&Value| branch["type"] == "null";
    match branches.iter().rfind(|branch| !is_null(branch)) {
        Some(Value::Object(one)) if one.contains_key("$ref") => {
            older.insert("allOf".to_owned(), json!([one]));
        }
        Some(Value::Object(one)) => older.extend(schema(one)),
        _ => {}
    }
    if branches.iter().any(|one| is_null(&one)) {
        older.insert("nullable".to_owned(), true.into());
    }
}

/// Replaces references to what may be null by what they refer to: beside a reference, null is not possible there. It ends, since no message
/// of the API contains itself.
fn inline_nullable(node: &mut Value, schemas: &Value) {
    match node {
        Value::Object(members) => {
            let is_nullable = members.get("nullable").is_some();
            let reference = members.get("allOf").filter(|_| is_nullable);
            let reference = reference.and_then(|all| all[0]["$ref"].as_str());
            let name = reference.and_then(|reference| reference.rsplit('/').next());
            if let Some(Value::Object(referenced)) = name.map(|name| &schemas[name]) {
                let own = std::mem::replace(members, referenced.clone());
                // What it is part of has an example of it. Linters take the ids within both for two schemas of the same id.
                members.shift_remove("example");
                members.extend(own.into_iter().filter(|(keyword, _)| keyword != "allOf"));
            }
            for member in members.values_mut() {
                inline_nullable(member, schemas);
            }
        }
        Value::Array(items) => {
            for item in items {
                inline_nullable(item, schemas);
            }
        }
        _ => {}
    }
}

/// Removes schemas to which nothing refers since they are inlined, until each is in use.
fn remove_unused_schemas(document: &mut Value) {
    loop {
        let text = document.to_string();
        let is_used = |name: &str| text.contains(&format!("\"#/components/schemas/{name}\""));
        let Some(schemas) = document["components"]["schemas"].as_object_mut() else {
            return;
        };
        let before = schemas.len();
        schemas.retain(|name, _| is_used(name));
        if schemas.len() == before {
            return;
        }
    }
}
