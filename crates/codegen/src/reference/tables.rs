//! Tables of fields: name, type with its limits in words, meaning.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{
    model::{Api, Cardinality, Field, Kind, Message},
    options::Format,
    schema,
};

const HEAD: &str = "| Field | Type | Meaning |\n|---|---|---|\n";

/// A table of the fields of a request.
pub(super) fn given(fields: &[&Field]) -> String {
    table(fields.iter().map(|field| {
        let mut kind = kind(field);
        if field.meaning.nullable {
            kind.push_str(", or null");
        }
        if let Some(default) = schema::default(field) {
            let _infallible = match default {
                Value::String(default) => write!(kind, "; default `{default}`"),
                default => write!(kind, "; default `{default}`"),
            };
        }
        if field.must_be_given() {
            kind.push_str("; required");
        }
        (*field, kind)
    }))
}

/// A table of the fields of an answer.
pub(super) fn answered(message: &Message) -> String {
    table(message.fields.iter().map(|field| {
        let mut kind = kind(field);
        if message.may_be_null(field) {
            kind.push_str(", or null");
        }
        (field, kind)
    }))
}

/// The messages within these fields, each once, in the order in which they are met.
pub(super) fn nested<'a>(api: &'a Api, fields: &[&'a Field]) -> Vec<&'a Message> {
    let mut found: Vec<&Message> = Vec::new();
    let mut waiting: Vec<&Field> = fields.iter().rev().copied().collect();
    while let Some(field) = waiting.pop() {
        let Kind::Message(name) = &field.kind else {
            continue;
        };
        if found.iter().any(|message| message.name == *name) {
            continue;
        }
        let message = api.message(name);
        found.push(message);
        waiting.extend(message.fields.iter().rev());
    }
    found
}

/// A text as the cell of a table.
pub(super) fn cell(text: &str) -> String {
    text.replace("\n\n", " ")
        .replace('\n', " ")
        .replace('|', "\\|")
}

fn table<'a>(rows: impl Iterator<Item = (&'a Field, String)>) -> String {
    let mut table = HEAD.to_owned();
    for (field, kind) in rows {
        let _infallible = writeln!(
            table,
            "| `{}` | {kind} | {} |",
            field.name,
            cell(&field.comment)
        );
    }
    table
}

/// The type of a field and its limits, in words.
fn kind(field: &Field) -> String {
    let one = one(field);
    if field.cardinality != Cardinality::Many {
        return one;
    }
    let rules = &field.rules.repeated;
    let one = if rules.unique {
        format!("{one}, each once")
    } else {
        one
    };
    match (rules.min_items, rules.max_items) {
        (Some(least), Some(most)) => format!("list of {least} to {most}: {one}"),
        (None, Some(most)) => format!("list of up to {most}: {one}"),
        (Some(least), None) => format!("list of {least} or more: {one}"),
        (None, None) => format!("list: {one}"),
    }
}

fn one(field: &Field) -> String {
    match &field.kind {
        Kind::Bool => "true or false".to_owned(),
        Kind::Int32 | Kind::Int64 => number(field),
        Kind::Message(name) | Kind::Enum(name) => format!("{name}, below"),
        Kind::String | Kind::FieldMask => text(field),
        Kind::File => file(field),
    }
}

fn file(field: &Field) -> String {
    let Some(upload) = &field.meaning.upload else {
        return "a file".to_owned();
    };
    let types = upload.media_types.join("`, `");
    format!(
        "a file of the type `{types}`, at most {} MB",
        upload.max_mebibytes
    )
}

fn number(field: &Field) -> String {
    let rules = field.int32_rules();
    match (rules.gte, rules.lte) {
        (Some(least), Some(most)) => format!("whole number, {least} to {most}"),
        (Some(least), None) => format!("whole number, {least} or more"),
        (None, Some(most)) => format!("whole number, at most {most}"),
        (None, None) => "whole number".to_owned(),
    }
}

fn text(field: &Field) -> String {
    let rules = field.string_rules();
    if !rules.r#in.is_empty() {
        let choices: Vec<_> = rules.r#in.iter().map(|one| format!("`{one}`")).collect();
        return choices.join(", ");
    }
    let name = match field.meaning.format {
        Format::DateTime => "date and time",
        Format::Uri => "URL",
        Format::Uuid => "id (UUID)",
        Format::Email => "email address",
        Format::Unspecified if rules.email => "email address",
        Format::Unspecified => "text",
    };
    if field.meaning.format != Format::Unspecified {
        return name.to_owned();
    }
    match (rules.min_len.filter(|least| *least > 0), rules.max_len) {
        (Some(least), Some(most)) => format!("{name}, {least} to {most} characters"),
        (Some(least), None) => format!("{name}, {least} characters or more"),
        (None, Some(most)) => format!("{name}, up to {most} characters"),
        (None, None) => name.to_owned(),
    }
}
