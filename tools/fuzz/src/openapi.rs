//! Examples and names from the OpenAPI document: where fuzzers start from.

use std::{collections::BTreeSet, sync::LazyLock};

use serde_json::{Map, Value};

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(muster_api::OPENAPI).expect("the document is JSON"));

/// A schema, by reference or in place.
fn resolved(schema: &'static Value) -> &'static Value {
    let name = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit_once('/'));
    name.map_or(schema, |(_, name)| &DOCUMENT["components"]["schemas"][name])
}

/// The body that an operation is shown with, if it takes one.
pub(crate) fn example_body(method: &str, path: &str) -> Option<String> {
    let operation = &DOCUMENT["paths"][path.trim_start_matches("/api/v1")][method];
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let schema = resolved(schema);
    schema.is_object().then(|| example(schema).to_string())
}

/// What the schema is shown with, else what its properties are shown with.
fn example(schema: &'static Value) -> Value {
    let schema = resolved(schema);
    if let Some(shown) = schema["examples"].get(0) {
        return shown.clone();
    }
    if let Some(items) = schema.get("items") {
        return Value::Array(vec![example(items)]);
    }
    let properties = schema["properties"].as_object();
    let fields = properties.into_iter().flatten();
    let fields: Map<String, Value> = fields
        .map(|(name, schema)| (name.clone(), example(schema)))
        .collect();
    if fields.is_empty() {
        Value::Null
    } else {
        Value::Object(fields)
    }
}

/// The path of every operation that is read, with its parameters as they are shown.
pub(crate) fn example_targets() -> Vec<String> {
    let paths = DOCUMENT["paths"].as_object().expect("there are paths");
    let read = paths
        .iter()
        .filter(|(_, operations)| operations.get("get").is_some());
    read.map(|(path, operations)| {
        let mut target = format!("/api/v1{path}");
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let parameters = operations["get"]["parameters"].as_array();
        for parameter in parameters.into_iter().flatten() {
            let Some(name) = parameter["name"].as_str() else {
                continue;
            };
            let shown = parameter
                .get("example")
                .unwrap_or(&parameter["schema"]["default"]);
            let shown = shown
                .as_str()
                .map_or_else(|| shown.to_string(), str::to_owned);
            if parameter["in"] == "path" {
                target = target.replace(&format!("{{{name}}}"), &shown);
            } else {
                query.append_pair(name, &shown);
            }
        }
        let query = query.finish();
        if query.is_empty() {
            target
        } else {
            format!("{target}?{query}")
        }
    })
    .collect()
}

/// The names of fields and parameters.
pub(crate) fn names() -> Vec<String> {
    let mut names = BTreeSet::new();
    collect(&DOCUMENT, &mut names);
    names.into_iter().collect()
}

fn collect(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object);
            names.extend(
                properties
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.clone()),
            );
            if fields.contains_key("in") {
                names.extend(
                    fields
                        .get("name")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                );
            }
            for field in fields.values() {
                collect(field, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}
