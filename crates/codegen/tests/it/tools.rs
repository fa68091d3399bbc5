//! The tools keep to what strict MCP clients take.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    documents::validator,
    sources::{json, muster, package, toy},
};

/// Clients choke on lists above 24,000 bytes (docs/pitfalls.md, rmcp). The rest is for the tools to come.
const MAX_BYTES: usize = 19_000;

/// Arguments whose names say all.
const NAMES: [&str; 19] = [
    "city",
    "email",
    "event_id",
    "every",
    "id",
    "message_ids",
    "name",
    "organizer_name",
    "registration_closes",
    "registration_id",
    "registration_ids",
    "registration_opens",
    "shelf",
    "slug",
    "state",
    "status",
    "subject",
    "title",
    "webhook_id",
];

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
fn the_guide_names_every_tool_that_a_person_confirms() {
    let guide = package()
        .join("../..")
        .join("content/guides/connect-an-mcp-client.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let section = guide.split("## Who confirms").nth(1).unwrap();
    let named = section.split("What protects").next().unwrap();
    let rows = json(&muster(), "tools.json");
    for row in rows.as_array().unwrap() {
        let name = row["tool"]["name"].as_str().unwrap();
        let is_confirmed = row.get("confirmation").is_some();
        assert_eq!(named.contains(&format!("`{name}`")), is_confirmed, "{name}");
    }
}

/// Tools that the instructions name for other reasons.
const BESIDES: [&str; 3] = ["create_event", "get_account", "list_my_events"];

#[test]
fn the_instructions_name_every_tool_that_mails_people_or_cannot_be_undone() {
    let outputs = muster();
    let instructions = json(&outputs, "mcp.json")["instructions"].to_string();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: BTreeSet<&str> = instructions.split(|letter| !is_word(letter)).collect();
    for tool in definitions(&outputs) {
        let hints = &tool["annotations"];
        // What is not said is MCP's default.
        let reaches_people = hints["openWorldHint"].as_bool().unwrap_or(true);
        let is_grave =
            hints["readOnlyHint"] != true && (reaches_people || hints["destructiveHint"] == true);
        let name = tool["name"].as_str().unwrap();
        assert_eq!(
            words.contains(name),
            is_grave || BESIDES.contains(&name),
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
        "maximum",
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
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{name}");
        jsonschema::meta::validate(schema).unwrap();
        each(schema, &mut |node| {
            assert!(node["type"].is_string(), "{name}: {node}");
        });
        // Arguments that mean the same are described once in the list, and those never whose names say all.
        for (argument, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let has_text = schema["description"]
                .as_str()
                .is_some_and(|text| !text.is_empty());
            if has_text {
                described.insert(argument.clone());
            }
            assert!(
                described.contains(argument) || NAMES.contains(&argument.as_str()),
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
fn what_a_route_takes_suits_its_tool() {
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
fn a_tool_says_nothing_that_its_name_or_an_earlier_tool_says() {
    let tools = definitions(&muster());
    let find = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    let argument = |tool: &str, name: &str| find(tool)["inputSchema"]["properties"][name].clone();
    assert!(find("create_event").get("title").is_none());
    assert_eq!(find("delete_event")["title"], "Delete a draft");
    assert!(argument("create_event", "title")["description"].is_null());
    // The first one says what it is, and how large it may be; others say what is different, which needs the first sentence.
    let said = |tool: &str, name: &str| argument(tool, name)["description"].clone();
    assert!(said("create_event", "custom_fields").is_string());
    let replaced = "Questions to registrants. They replace all.";
    assert_eq!(said("update_event", "custom_fields"), replaced);
    assert_eq!(said("list_activity", "limit"), "Page size. Default: 50.");
    assert_eq!(said("list_my_events", "limit"), "Default: 20.");
    assert_eq!(argument("create_event", "max_capacity")["maximum"], 10_000);
    assert!(argument("update_event", "max_capacity")["maximum"].is_null());
    for tool in &tools {
        assert!(tool.get("outputSchema").is_none(), "{}", tool["name"]);
        let hints = tool["annotations"].as_object().unwrap();
        assert!(hints.get("idempotentHint").is_none(), "{}", tool["name"]);
        assert_ne!(
            hints.get("openWorldHint"),
            Some(&true.into()),
            "{}",
            tool["name"]
        );
        assert!(
            !tool.to_string().contains("Default: false"),
            "{}",
            tool["name"]
        );
    }
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
