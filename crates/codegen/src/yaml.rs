//! JSON as YAML. Text stands in quotes or in blocks, so that no value can be taken for one of another type.

use std::fmt::Write as _;

use serde_json::Value;

/// Spaces for each level.
const INDENT: usize = 2;

/// The document as YAML.
pub(crate) fn emit(document: &Value) -> String {
    let mut text = String::new();
    write_block(&mut text, document, 0);
    text
}

/// The members of an object or the items of an array, a line or more for each.
fn write_block(text: &mut String, value: &Value, level: usize) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                indent(text, level);
                text.push_str(&quoted_if_needed(key));
                text.push(':');
                write_member(text, member, level);
            }
        }
        Value::Array(items) => {
            for item in items {
                write_item(text, item, level);
            }
        }
        scalar => write_scalar(text, scalar, level),
    }
}

/// What follows a key.
fn write_member(text: &mut String, member: &Value, level: usize) {
    if is_block(member) {
        text.push('\n');
        write_block(text, member, level + 1);
    } else {
        text.push(' ');
        write_scalar(text, member, level + 1);
    }
}

/// An item after its dash, which takes the place of the indentation of the item's first line.
fn write_item(text: &mut String, item: &Value, level: usize) {
    indent(text, level);
    text.push_str("- ");
    if is_block(item) {
        let mut block = String::new();
        write_block(&mut block, item, level + 1);
        text.push_str(block.trim_start_matches(' '));
    } else {
        write_scalar(text, item, level + 1);
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

/// A value that is no block, and the end of its line.
fn write_scalar(text: &mut String, value: &Value, level: usize) {
    match value {
        Value::String(paragraphs) if is_literal(paragraphs) => {
            text.push_str("|-\n");
            for line in paragraphs.split('\n') {
                if !line.is_empty() {
                    indent(text, level);
                    text.push_str(line);
                }
                text.push('\n');
            }
        }
        // JSON is YAML.
        other => {
            let _infallible = writeln!(text, "{other}");
        }
    }
}

/// Whether a text has several lines that can stand as they are.
fn is_literal(text: &str) -> bool {
    let is_plain = |c: char| c == '\n' || !(c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    text.contains('\n')
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with('\n')
        && text.chars().all(is_plain)
}

/// A key without quotes if nothing else than text can be meant.
fn quoted_if_needed(key: &str) -> String {
    let is_word = key.len() > 3
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && !["null", "true", "false"].contains(&key.to_ascii_lowercase().as_str());
    if is_word {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}

fn indent(text: &mut String, level: usize) {
    text.extend(std::iter::repeat_n(' ', level * INDENT));
}
