//! The common part of OpenAPI and the tools' JSON Schemas: types and limits of values.

use serde_json::{Map, Value, json};

use crate::{
    model::{Field, Kind},
    options::{FieldMeaning, Format},
};

/// A JSON object.
pub(crate) type Object = Map<String, Value>;

/// One scalar value of the field: its type.
pub(crate) fn bare(field: &Field) -> Object {
    let name = match field.kind {
        Kind::Bool => "boolean",
        Kind::Int32 | Kind::Int64 => "integer",
        Kind::String | Kind::Message(_) | Kind::Enum(_) | Kind::FieldMask | Kind::File => "string",
    };
    present(json!({ "type": name }))
}

/// One scalar value of the field: its type and format.
pub(crate) fn plain(field: &Field) -> Object {
    let mut schema = bare(field);
    schema.extend(present(json!({ "format": format(field) })));
    schema
}

/// One scalar value of the field: its type and limits.
pub(crate) fn scalar(field: &Field) -> Object {
    let (text, number) = (field.string_rules(), field.int32_rules());
    let choices = Some(&text.r#in).filter(|choices| !choices.is_empty());
    let mut schema = plain(field);
    schema.extend(present(json!({
        "minLength": text.min_len,
        "maxLength": text.max_len,
        "enum": choices,
        "minimum": number.gte,
        "maximum": number.lte,
    })));
    schema
}

/// A value in a request. Answers have date-times with an offset; a request may leave it out, which the format does not allow.
pub(crate) fn given(scalar: Object) -> Object {
    if scalar
        .get("format")
        .is_none_or(|format| format != "date-time")
    {
        return scalar;
    }
    let mut lenient = scalar.clone();
    lenient.shift_remove("format");
    present(json!({ "anyOf": [{ "type": "string", "format": "date-time" }, lenient] }))
}

/// A list, and how many items it may have.
pub(crate) fn list(field: &Field, items: &Object) -> Object {
    let mut schema = list_of(items);
    let limits = &field.rules.repeated;
    let (least, most) = (limits.min_items, limits.max_items);
    schema.extend(present(json!({ "minItems": least, "maxItems": most })));
    schema
}

/// A list of any length.
pub(crate) fn list_of(items: &Object) -> Object {
    present(json!({ "type": "array", "items": items }))
}

/// The schema or null, in the form that strict clients accept.
pub(crate) fn or_null(schema: &Object) -> Object {
    present(json!({ "anyOf": [schema, { "type": "null" }] }))
}

/// The default of an absent field.
pub(crate) fn default(field: &Field) -> Option<Value> {
    let FieldMeaning {
        default_int,
        default_string,
        default_bool,
        default_ints,
        ..
    } = &field.meaning;
    if field.is_defaulted_list() {
        return Some(json!(default_ints));
    }
    default_int
        .map(Value::from)
        .or(default_bool.map(Value::from))
        .or(default_string.clone().map(Value::from))
}

/// The comment and the default. As a keyword, generators of clients take the default for a promise that the field is there.
pub(crate) fn description(field: &Field) -> String {
    match default(field) {
        None => field.comment.clone(),
        Some(Value::String(default)) => format!("{} Default: {default}.", field.comment),
        Some(default) => format!("{} Default: {default}.", field.comment),
    }
}

/// The object with only those of its fields; `required` and closedness are up to the caller.
pub(crate) fn object(properties: &Object) -> Object {
    present(json!({ "type": "object", "properties": properties }))
}

/// Those members of an object that have a value.
pub(crate) fn present(object: Value) -> Object {
    let Value::Object(mut members) = object else {
        return Object::new();
    };
    members.retain(|_, member| !member.is_null());
    members
}

/// The names of the fields that satisfy `is_required`; none when there are none.
pub(crate) fn required<'a>(
    fields: impl IntoIterator<Item = &'a Field>,
    is_required: impl Fn(&Field) -> bool,
) -> Option<Value> {
    let names: Vec<&str> = fields
        .into_iter()
        .filter(|field| is_required(field))
        .map(|field| field.name.as_str())
        .collect();
    (!names.is_empty()).then(|| json!(names))
}

fn format(field: &Field) -> Option<&'static str> {
    match field.meaning.format {
        // What must be an address is one, whether or not its meaning says so too.
        Format::Unspecified => field.string_rules().email.then_some("email"),
        Format::DateTime => Some("date-time"),
        Format::Uri => Some("uri"),
        Format::Email => Some("email"),
        Format::Uuid => Some("uuid"),
    }
}
