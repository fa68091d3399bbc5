//! The tools keep to what strict MCP clients take.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    documents::validator,
    sources::{json, muster, toy},
};

/// Clients choke on lists above 24,000 bytes (docs/pitfalls.md, rmcp).
const MAX_BYTES: usize = 24_000;

fn definitions(outputs: &[codegen::Output]) -> Vec<Value> {
    let rows = json(outputs, "tools.json");
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| row["tool"].clone())
        .collect()
}

#[test]
fn the_whole_list_is_short_enough_for_clients() {
    let bytes = Value::from(definitions(&muster())).to_string().len();
    assert!(bytes <= MAX_BYTES, "the list has {bytes} bytes");
}

#[test]
fn the_instructions_name_every_tool_that_mails_people_or_cannot_be_undone() {
    let outputs = muster();
    let instructions = json(&outputs, "mcp.json")["instructions"].to_string();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: BTreeSet<&str> = instructions.split(|letter| !is_word(letter)).collect();
    for tool in definitions(&outputs) {
        let hints = &tool["annotations"];
        let is_grave = [&hints["openWorldHint"], &hints["destructiveHint"]].contains(&&true.into());
        let name = tool["name"].as_str().unwrap();
        assert_eq!(
            words.contains(name),
            is_grave || name == "create_event" || name == "list_my_events",
            "{name}"
        );
    }
}

/// What no client chokes on: Gemini refuses a whole list for one `format`, or for a `description` beside `anyOf`, and strict modes refuse
/// `minLength` and `default`.
#[test]
fn arguments_have_only_keywords_that_every_client_takes() {
    let mut keywords = BTreeSet::new();
    for tool in definitions(&muster()) {
        each(&tool["inputSchema"], &mut |node| {
            keywords.extend(node.as_object().unwrap().keys().cloned());
        });
    }
    let expected = [
        "description",
        "enum",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "properties",
        "required",
        "type",
    ];
    assert_eq!(keywords.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn schemas_are_portable() {
    let lists = [definitions(&muster()), definitions(&toy(&[]).unwrap())];
    let mut described = BTreeSet::new();
    for tool in lists.concat() {
        let name = &tool["name"];
        for schema in [tool.get("inputSchema"), tool.get("outputSchema")] {
            let Some(schema) = schema else { continue };
            assert_eq!(schema["type"], "object", "{name}");
            jsonschema::meta::validate(schema).unwrap();
            each(schema, &mut |node| {
                // What may be null has a type, too: it is left out.
                assert!(node["type"].is_string(), "{name}: {node}");
                let required = node["required"].as_array();
                let is_answer = Some(schema) == tool.get("outputSchema");
                assert!(!is_answer || required.is_none(), "{name}: {node}");
            });
        }
        // Parts of arguments, and arguments that mean the same, are described once in the list.
        for (argument, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let has_text = schema["description"]
                .as_str()
                .is_some_and(|text| !text.is_empty());
            if has_text {
                described.insert(argument.clone());
            }
            assert!(
                described.contains(argument),
                "{name}: {argument} is not described"
            );
        }
        each(&tool["inputSchema"], &mut |node| {
            let description = node["description"].to_string().to_lowercase();
            assert!(
                node["description"].is_null() || !description.contains("null"),
                "{name}: {description}"
            );
        });
    }
}

#[test]
fn the_parts_of_an_argument_are_described_by_the_first_tool_that_takes_them() {
    let tools = definitions(&muster());
    let label = |tool: &str| {
        let tool = tools.iter().find(|one| one["name"] == tool).unwrap();
        let fields = &tool["inputSchema"]["properties"]["custom_fields"];
        fields["items"]["properties"]["label"]["description"].clone()
    };
    assert!(label("create_event").is_string());
    assert!(label("update_event").is_null());
}

/// Calls `check` with each schema in a schema.
fn each(schema: &Value, check: &mut impl FnMut(&Value)) {
    check(schema);
    let properties = schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::values);
    for inner in properties.chain(schema.get("items")) {
        each(inner, check);
    }
}

#[test]
fn what_a_route_takes_and_answers_suits_its_tool() {
    let outputs = muster();
    let document = json(&outputs, "openapi.json");
    for row in json(&outputs, "tools.json").as_array().unwrap() {
        let operation = operation(&document, row["grpc_path"].as_str().unwrap());
        let example = |content: &Value| {
            let schema = &content["content"]["application/json"]["schema"];
            let whole = schema["$ref"]
                .as_str()
                .map(|reference| &document.pointer(&reference[1..]).unwrap()["examples"][0]);
            whole.cloned()
        };
        // A bare array is shown to tools as the whole message.
        let answer = example(&operation["responses"]["200"]).map(without_nulls);
        if let (Some(answer), Some(schema)) = (answer, row["tool"].get("outputSchema")) {
            assert!(validator(&document, schema).is_valid(&answer), "{answer}");
        }
        let mut arguments = example(&operation["requestBody"]).unwrap_or_else(|| Map::new().into());
        // Headers are referred to; they are no arguments.
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for parameter in parameters.filter(|parameter| parameter.get("$ref").is_none()) {
            arguments[parameter["name"].as_str().unwrap()] = parameter["example"].clone();
        }
        let validator = validator(&document, &row["tool"]["inputSchema"]);
        assert!(
            validator.is_valid(&arguments),
            "{}: {arguments}",
            row["tool"]["name"]
        );
    }
}

/// As the bridge answers.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            fields
                .map(|(name, value)| (name, without_nulls(value)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// The operation of an rpc. Fails when there is none, so that no tool lacks its route.
fn operation<'a>(document: &'a Value, grpc_path: &str) -> &'a Value {
    let rpc = grpc_path.rsplit('/').next().unwrap();
    let mut operations = document["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|path| path.as_object().unwrap().values());
    let found = operations.find(|operation| {
        operation["operationId"]
            .as_str()
            .unwrap()
            .eq_ignore_ascii_case(rpc)
    });
    found.unwrap_or_else(|| panic!("{rpc} has no path"))
}

#[test]
fn a_tool_shows_the_schema_of_its_answer_if_it_is_the_first_that_makes_such_a_thing() {
    let tools = definitions(&muster());
    let shown = tools
        .iter()
        .filter(|tool| tool.get("outputSchema").is_some());
    let shown: Vec<_> = shown.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(shown, ["create_event", "register_attendee"]);
}

#[test]
fn a_tool_for_a_partial_update_can_clear_what_may_be_null() {
    let tools = definitions(&toy(&[]).unwrap());
    let update = tools
        .iter()
        .find(|tool| tool["name"] == "update_book")
        .unwrap();
    let properties = &update["inputSchema"]["properties"];
    assert_eq!(
        properties["clear"]["items"]["enum"],
        serde_json::json!(["author", "condition"])
    );
    assert!(properties.get("update_mask").is_none());
}

#[test]
fn a_tool_that_needs_confirmation_names_its_preview() {
    let rows = json(&toy(&[]).unwrap(), "tools.json");
    let row = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["tool"]["name"] == "discard_book")
        .unwrap();
    assert_eq!(
        row["confirmation"]["grpc_path"],
        "/toy.v1.BookService/GetBook"
    );
    assert_eq!(
        row["tool"]["inputSchema"]["properties"]["confirm"]["type"],
        "boolean"
    );
    assert_eq!(
        row["tool"]["inputSchema"]["required"],
        serde_json::json!(["id"])
    );
}
