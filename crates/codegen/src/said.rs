//! What the list of tools need not say, since clients take it only while it is short: what a name says, and what an earlier tool has said
//! of an argument of that name.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::schema::Object;

/// Words without which a description means the same.
const FILLERS: [&str; 16] = [
    "a", "an", "the", "s", "event", "its", "their", "my", "of", "this", "those", "only", "with",
    "or", "when", "then",
];

/// What the tools before have said.
#[derive(Default)]
pub(crate) struct Said {
    arguments: BTreeSet<String>,
    /// By argument.
    sentences: BTreeSet<(String, String)>,
}

impl Said {
    /// Leaves out of a tool what names say and what the tools before have said.
    pub(crate) fn leave_out(&mut self, tool: &mut Value) {
        let name = words(tool["name"].as_str().unwrap_or_default());
        let arguments = tool.pointer_mut("/inputSchema/properties");
        let arguments = arguments.and_then(Value::as_object_mut);
        for (argument, schema) in arguments.into_iter().flatten() {
            let Some(schema) = schema.as_object_mut() else {
                continue;
            };
            self.describe_once(schema, argument);
            describe(schema, argument, &name);
            let is_first = self.arguments.insert(argument.clone());
            unbound(schema, is_first);
        }
    }

    /// Leaves out the sentences that an earlier tool says of an argument of that name.
    fn describe_once(&mut self, schema: &mut Object, argument: &str) {
        retain_sentences(schema, |sentence| {
            let sentence = sentence.trim_end().to_owned();
            self.sentences.insert((argument.to_owned(), sentence))
        });
    }
}

/// Leaves out sentences of an argument and of its parts that say nothing: names alone, limits, and that something is not so by default.
fn describe(schema: &mut Object, name: &str, of_tool: &BTreeSet<String>) {
    let mut known = words(name);
    known.extend(of_tool.iter().cloned());
    let choices = schema.get("enum").and_then(Value::as_array);
    for choice in choices.into_iter().flatten().filter_map(Value::as_str) {
        known.extend(words(choice));
    }
    retain_sentences(schema, |sentence| {
        let sentence = sentence.trim_end();
        // Core's refusals name limits.
        let is_limit = sentence.starts_with("At most ");
        !is_limit && sentence != "Default: false." && !words(sentence).is_subset(&known)
    });
    let parts = match schema.get_mut("items") {
        Some(items) => items.get_mut("properties"),
        None => schema.get_mut("properties"),
    };
    let parts = parts.and_then(Value::as_object_mut);
    for (name, part) in parts.into_iter().flatten() {
        if let Some(part) = part.as_object_mut() {
            describe(part, name, of_tool);
        }
    }
}

/// Leaves out how large a number may be if an earlier tool says it, and that a count is not negative. Core's refusals name both.
fn unbound(schema: &mut Object, is_first: bool) {
    let minimum = schema.get("minimum").and_then(Value::as_i64);
    if !is_first || matches!(minimum, Some(0 | 1)) {
        schema.shift_remove("minimum");
    }
    if !is_first {
        schema.shift_remove("maximum");
    }
    if let Some(items) = schema.get_mut("items").and_then(Value::as_object_mut) {
        unbound(items, is_first);
    }
}

fn retain_sentences(schema: &mut Object, keep: impl FnMut(&&str) -> bool) {
    let text = schema.get("description").and_then(Value::as_str);
    let kept: String = sentences(text.unwrap_or_default()).filter(keep).collect();
    match kept.trim_end() {
        "" => schema.shift_remove("description"),
        kept => schema.insert("description".to_owned(), kept.into()),
    };
}

/// The sentences of a text, each with the space after it.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(". ")
}

/// The words of a name or a text, in lower case and the singular.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .filter(|word| !word.is_empty() && !FILLERS.contains(word))
        .map(|word| word.strip_suffix('s').unwrap_or(word).to_owned())
        .collect()
}
