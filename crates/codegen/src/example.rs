//! Examples, built from those of the fields.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::{
    model::{Api, Cardinality, Field, Kind, WebhookType, Webhooks},
    schema::{self, Object},
};

/// The field of a webhook message that names its type.
pub(crate) const WEBHOOK_TYPE: &str = "type";
/// Its field that says what happened.
pub(crate) const WEBHOOK_DATA: &str = "data";

/// An object with all these fields.
pub(crate) fn object<'a>(api: &Api, fields: impl IntoIterator<Item = &'a Field>) -> Result<Value> {
    fields
        .into_iter()
        .map(|field| Ok((field.name.clone(), value(api, field)?)))
        .collect::<Result<Object>>()
        .map(Value::Object)
}

/// The least object of these fields that is useful: those that must be given, or else the first text. Programs that import the document
/// send it.
pub(crate) fn least(api: &Api, fields: &[&Field]) -> Result<Value> {
    let required: Vec<_> = fields
        .iter()
        .filter(|field| field.must_be_given())
        .collect();
    if !required.is_empty() {
        return object(api, required.into_iter().copied());
    }
    let text = fields.iter().find(|field| field.kind == Kind::String);
    object(api, text.or(fields.first()).copied())
}

/// A value of the field: its own example, or else one of its message, its default, or the first of its choices.
pub(crate) fn value(api: &Api, field: &Field) -> Result<Value> {
    let text = field.meaning.example.as_str();
    if !text.is_empty() {
        return named(field, text);
    }
    let one = match &field.kind {
        Kind::Message(name) => {
            let example = object(api, &api.message(name).fields);
            Some(example.with_context(|| format!("message {name}"))?)
        }
        _ => schema::default(field)
            .or_else(|| field.string_rules().r#in.first().cloned().map(Value::from)),
    };
    let one = one.with_context(|| format!("field {} has no example", field.name))?;
    Ok(match field.cardinality {
        Cardinality::Many => json!([one]),
        Cardinality::One | Cardinality::Optional => one,
    })
}

/// Two bodies of a webhook message, with thin and with full content. They are equal if there is nothing more to say.
pub(crate) fn webhook(api: &Api, webhooks: &Webhooks, one: &WebhookType) -> Result<[Value; 2]> {
    let mut full = object(api, &api.message(&webhooks.body).fields)?;
    merge(&mut full, &one.example)?;
    full[WEBHOOK_TYPE] = one.name.as_str().into();
    let mut thin = full.clone();
    for name in &webhooks.full {
        thin[WEBHOOK_DATA][name] = Value::Null;
    }
    Ok([thin, full])
}

/// Puts the members of an object into another one, which has each of them already.
fn merge(value: &mut Value, different: &Value) -> Result<()> {
    let (Value::Object(members), Value::Object(different)) = (&mut *value, different) else {
        *value = different.clone();
        return Ok(());
    };
    for (name, different) in different {
        let member = members.get_mut(name);
        let member = member.with_context(|| format!("the body has no {name}"))?;
        merge(member, different).with_context(|| format!("in {name}"))?;
    }
    Ok(())
}

/// An example in the proto: JSON, or a string without quotes.
fn named(field: &Field, text: &str) -> Result<Value> {
    let is_string = field.kind == Kind::String && field.cardinality != Cardinality::Many;
    match serde_json::from_str(text) {
        Ok(value @ (Value::String(_) | Value::Null)) if is_string => Ok(value),
        _ if is_string => Ok(text.into()),
        json => json.with_context(|| format!("field {}: its example is no JSON", field.name)),
    }
}
