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

/// The arguments that the tools before have, and the sentences that describe them.
#[derive(Default)]
pub(crate) struct Descriptions {
    arguments: BTreeSet<String>,
    /// By argument.
    sentences: BTreeSet<(String, String)>,
}

impl Descriptions {
    /// Leaves out of a tool what names say and what the tools before have said.
    pub(crate) fn leave_out(&mut self, tool: &mut Value) {
        let name = words(tool["name"].as_str().unwrap_or_default());
        let arguments = tool.pointer_mut("/inputSchema/properties");
        let arguments = arguments.and_then(Value::as_object_mut);
        for (argument, schema) in arguments.into_iter().flatten() {
            let Some(schema) = schema.as_object_mut() else {
                continue;
            };
            describe(schema, argument, &name);
            self.describe_once(schema, argument);
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

/// Leaves out sentences, but not the first one if another stays that may make no sense alone. A default does.
fn retain_sentences(schema: &mut Object, mut keep: impl FnMut(&str) -> bool) {
    let text = schema.get("description").and_then(Value::as_str);
    let mut all = sentences(text.unwrap_or_default());
    let first = all.next().unwrap_or_default();
    let is_first_kept = keep(first);
    let later: Vec<&str> = all.filter(|sentence| keep(sentence)).collect();
    let is_needed = later.iter().any(|one| !one.starts_with("Default: "));
    let first = if is_first_kept || is_needed {
        first
    } else {
        ""
    };
    let kept = format!("{first}{}", later.concat());
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The description of an argument of this name in two tools, one after the other.
    fn described(argument: &str, texts: [&str; 2]) -> [Value; 2] {
        let mut descriptions = Descriptions::default();
        texts.map(|text| {
            let mut tool = json!({"name": "do", "inputSchema": {"properties": {argument: {"description": text}}}});
            descriptions.leave_out(&mut tool);
            tool["inputSchema"]["properties"][argument]["description"].take()
        })
    }

    #[test]
    fn a_sentence_is_said_once_and_none_stays_without_the_first() {
        let once = described("zone", ["An IANA name.", "An IANA name."]);
        assert_eq!(once, [json!("An IANA name."), json!(null)]);
        let other_end = ["An IANA name. One.", "An IANA name. Two."];
        assert_eq!(
            described("zone", other_end),
            other_end.map(|text| json!(text))
        );
        let later = described("zone", ["An IANA name. One.", "Other. One."]);
        assert_eq!(later[1], json!("Other."));
        // What a name says needs no words, unless more follows.
        assert_eq!(
            described("zone", ["The zone.", "The zone. It moves."])[1],
            json!("The zone. It moves.")
        );
        assert_eq!(described("zone", ["The zone.", "x"])[0], json!(null));
        assert_eq!(
            described("zone", ["The zone. Default: UTC.", "x"])[0],
            json!("Default: UTC.")
        );
        // What was left out was not said.
        let second = described("zone", ["At most 5.", "Zone. At most 5. Odd."]);
        assert_eq!(second[1], json!("Zone. Odd."));
    }
}
