//! The OpenAPI document says nothing that its own schemas contradict.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::sources::{json as output, muster, toy};

#[test]
fn every_example_and_default_is_valid_against_its_schema() {
    for outputs in [muster(), toy(&[]).unwrap()] {
        let document = output(&outputs, "openapi.json");
        let mut checked = 0;
        walk(&document, &document, "#", &mut checked);
        assert!(checked > 20, "only {checked} examples were found");
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_component_is_used() {
    let document = output(&muster(), "openapi.json");
    let text = document.to_string();
    let references = text.split(r##""$ref":"#"##).skip(1);
    let references: Vec<&str> = references
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    for reference in &references {
        assert!(
            document.pointer(reference).is_some(),
            "{reference} leads nowhere"
        );
    }
    for (kind, components) in document["components"].as_object().unwrap() {
        for name in components.as_object().unwrap().keys() {
            let used = references.contains(&format!("/components/{kind}/{name}").as_str());
            assert!(
                used || kind == "securitySchemes",
                "{kind}/{name} is not used"
            );
        }
    }
}

#[test]
fn operation_ids_are_unique() {
    for outputs in [muster(), toy(&[]).unwrap()] {
        let document = output(&outputs, "openapi.json");
        let paths = document["paths"].as_object().unwrap().values();
        let operations = paths.flat_map(|path| path.as_object().unwrap().values());
        let mut ids: Vec<_> = operations
            .map(|operation| operation["operationId"].as_str().unwrap())
            .collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}

/// Texts at the edge of what is refused, as `Check::line` and `Check::paragraphs` decide.
#[test]
fn patterns_refuse_the_texts_that_validation_refuses() {
    let document = output(&muster(), "openapi.json");
    let fields = &document["components"]["schemas"]["CreateEventRequest"]["properties"];
    let line = validator(&document, &fields["title"]);
    let may_be_empty = validator(&document, &fields["city"]);
    let paragraphs = validator(&document, &fields["description"]);
    for text in ["Rust", " Rust ", "🦀🦀🦀", "مرحبا", "a\u{a0}b"] {
        assert!(line.is_valid(&json!(text)), "{text:?}");
    }
    for text in [
        "a\nb",
        "a\tbc",
        "abc\u{7}",
        "abc\u{7f}",
        "abc\u{85}",
        "   ",
        "\u{2003}\u{2003}\u{2003}",
    ] {
        assert!(!line.is_valid(&json!(text)), "{text:?}");
    }
    assert!(may_be_empty.is_valid(&json!("")) && may_be_empty.is_valid(&json!(null)));
    assert!(!may_be_empty.is_valid(&json!(" ")));
    for text in ["one\r\n\r\ntwo", "\tindented", "x"] {
        assert!(paragraphs.is_valid(&json!(text)), "{text:?}");
    }
    for text in ["\n\n", "a\u{0}", "a\u{c}b", ""] {
        assert!(!paragraphs.is_valid(&json!(text)), "{text:?}");
    }
}

/// A schema with the components that it may refer to.
pub(crate) fn validator(document: &Value, schema: &Value) -> Validator {
    let mut schema = schema.clone();
    schema["components"] = document["components"].clone();
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

/// Checks what stands beside or in each schema below `node`.
fn walk(document: &Value, node: &Value, place: &str, checked: &mut usize) {
    if let Value::Array(items) = node {
        for (index, item) in items.iter().enumerate() {
            walk(document, item, &format!("{place}/{index}"), checked);
        }
    }
    let Value::Object(members) = node else { return };
    let schema = members.get("schema").unwrap_or(node);
    for value in values(node) {
        let validator = validator(document, schema);
        let errors: Vec<_> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{place}: {value} is invalid: {errors:?}");
        *checked += 1;
    }
    for (key, member) in members
        .iter()
        .filter(|(key, _)| !key.starts_with("example"))
    {
        walk(document, member, &format!("{place}/{key}"), checked);
    }
}

/// The examples and defaults of a schema, a parameter, a header or a body.
fn values(node: &Value) -> Vec<Value> {
    let named = |examples: &serde_json::Map<String, Value>| {
        examples
            .values()
            .map(|example| example["value"].clone())
            .collect()
    };
    let mut values = match &node["examples"] {
        Value::Array(examples) => examples.clone(),
        Value::Object(examples) => named(examples),
        _ => Vec::new(),
    };
    values.extend(node.get("example").cloned());
    // A property may be called `default`.
    values.extend(
        node.get("default")
            .filter(|_| node["type"].is_string() || node["type"].is_array())
            .cloned(),
    );
    values
}
