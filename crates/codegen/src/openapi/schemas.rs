//! Schemas of messages in request bodies and answers.

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{ADDITION, failures};
use crate::{
    example,
    model::{Api, Cardinality, Field, Kind, Message, Response},
    options::Text,
    parts::Parts,
    route::RouteBody,
    schema::{self, Object, present},
};

/// Anything but white space, in every dialect of regular expressions.
const NOT_BLANK: &str = r"\S";

/// The reference to a message's schema.
pub(super) fn reference(message: &str) -> Object {
    present(json!({ "$ref": format!("#/components/schemas/{message}") }))
}

/// A schema for each message in bodies, in the order of the proto, and the schemas of errors.
pub(super) fn emit(api: &Api) -> Result<Object> {
    let shown = shown(api);
    let mut schemas = Object::new();
    for message in &api.messages {
        if shown.contains(message.name.as_str()) {
            let schema = of_message(api, message, &body_fields(api, message))
                .with_context(|| format!("message {}", message.name))?;
            schemas.insert(message.name.clone(), schema.into());
        }
    }
    schemas.extend(failures::schemas(api));
    Ok(schemas)
}

/// The messages in documents: bodies of requests and of webhook messages, answers, and the messages within them.
fn shown(api: &Api) -> HashSet<&str> {
    let mut waiting: Vec<&str> = Vec::new();
    waiting.extend(api.webhooks.as_ref().map(|webhooks| &*webhooks.body));
    for method in api.methods() {
        for route in &method.routes {
            if route.body == RouteBody::Others {
                waiting.push(method.request.as_str());
            }
            match (&method.response, &route.response_body) {
                (Response::File { .. }, _) => {}
                (Response::Message(name), None) => waiting.push(name),
                (Response::Message(name), Some(field)) => {
                    let fields = api.message(name).fields.iter();
                    waiting.extend(fields.filter(|one| one.name == *field).filter_map(held));
                }
            }
        }
    }
    let mut shown = HashSet::new();
    while let Some(name) = waiting.pop() {
        if shown.insert(name) {
            waiting.extend(
                body_fields(api, api.message(name))
                    .into_iter()
                    .filter_map(held),
            );
        }
    }
    shown
}

fn held(field: &Field) -> Option<&str> {
    match &field.kind {
        Kind::Message(name) => Some(name),
        _ => None,
    }
}

/// The fields of a message in a body: all but those in the path. The checks ensure that they are the same for all its routes.
fn body_fields<'a>(api: &'a Api, message: &'a Message) -> Vec<&'a Field> {
    api.methods()
        .filter(|method| method.request == message.name)
        .flat_map(|method| method.routes.iter().map(move |route| (method, route)))
        .find_map(|(method, route)| Parts::new(api, method, route).body)
        .map_or_else(|| message.fields.iter().collect(), |body| body.fields)
}

fn of_message(api: &Api, message: &Message, fields: &[&Field]) -> Result<Object> {
    let mut properties = Object::new();
    for field in fields {
        let property = property(api, message, field)?;
        properties.insert(field.name.clone(), property.into());
    }
    let mut schema = schema::object(&properties);
    let required = schema::required(fields.iter().copied(), |field| message.must_have(field));
    schema.extend(present(json!({
        "required": required,
        // Answers may grow.
        "additionalProperties": message.is_input.then_some(false),
        "description": message.comment,
        "examples": [example::object(api, fields.iter().copied())?],
    })));
    Ok(schema)
}

fn property(api: &Api, message: &Message, field: &Field) -> Result<Object> {
    let mut property = value(field);
    if message.is_input {
        property = schema::given(property);
    }
    if message.may_be_null(field) {
        property = or_null(property);
    }
    let mut description = schema::description(field);
    if message.is_input {
        description = with_refused_characters(field, &description);
    }
    // What a message may hold is shown where its own schema stands.
    let examples = match held(field) {
        None => json!([example::value(api, field)?]),
        Some(_) => Value::Null,
    };
    property.extend(present(json!({
        "description": description,
        "examples": examples,
        ADDITION: field.meaning.addition.then_some(true),
    })));
    Ok(property)
}

/// A value of the field as a property, a parameter or a whole answer has it.
pub(super) fn value(field: &Field) -> Object {
    let one = if let Kind::Message(name) = &field.kind {
        reference(name)
    } else {
        let is_integer = field.kind == Kind::Int32;
        let mut schema = schema::scalar(field);
        schema.extend(present(json!({
            "format": is_integer.then_some("int32"),
            "pattern": pattern(field),
        })));
        schema
    };
    match field.cardinality {
        Cardinality::Many => {
            let mut list = schema::list(field, &one);
            if field.rules.repeated.unique {
                list.insert("uniqueItems".to_owned(), true.into());
            }
            list
        }
        Cardinality::One | Cardinality::Optional => one,
    }
}

fn or_null(mut schema: Object) -> Object {
    if let Some(choices) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        choices.push(Value::Null);
    }
    if let Some(branches) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        branches.push(json!({ "type": "null" }));
        return schema;
    }
    match schema.get_mut("type") {
        Some(name) => {
            *name = json!([*name, "null"]);
            schema
        }
        None => schema::or_null(&schema),
    }
}

/// A text that may not be empty must not be blank either. More would be in the way: ECMA-262 and PCRE2 name other characters
/// differently. The description says which are refused.
fn pattern(field: &Field) -> Option<&'static str> {
    let may_be_empty = field.string_rules().min_len.unwrap_or(0) == 0;
    (field.meaning.text != Text::Unspecified && !may_be_empty).then_some(NOT_BLANK)
}

/// What a description says, and which characters are refused.
pub(super) fn with_refused_characters(field: &Field, description: &str) -> String {
    let refused = match field.meaning.text {
        Text::Unspecified => return description.to_owned(),
        Text::Line => "No line breaks, control characters or marks that reorder text.",
        Text::Paragraphs => {
            "No control characters but tabs and line breaks, and no marks that reorder text."
        }
    };
    format!("{description} {refused}")
}
