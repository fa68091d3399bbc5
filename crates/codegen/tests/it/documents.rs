//! The OpenAPI document says nothing that its own schemas contradict.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::sources::{json as output, muster, package, text, toy};

#[test]
fn every_example_and_default_is_valid_against_its_schema() {
    for outputs in [muster(), toy(&[]).unwrap()] {
        let document = output(&outputs, "openapi.json");
        let mut checked = 0;
        walk(&document, &document, "#", &mut checked);
        assert!(checked > 20, "only {checked} examples were found");
    }
}

/// Programs that import a document send the example of a body as it stands.
#[test]
fn the_example_of_a_body_has_only_what_must_be_given_and_publishes_nothing() {
    let outputs = muster();
    for form in ["openapi.json", "openapi-3.0.json"] {
        let document = output(&outputs, form);
        let mut bodies = 0;
        for operation in operations(&document) {
            let id = operation["operationId"].as_str().unwrap();
            let Some(content) = operation["requestBody"].pointer("/content/application~1json")
            else {
                continue;
            };
            let given = content["example"].as_object().unwrap().keys();
            let given: Vec<&str> = given.map(String::as_str).collect();
            let schema = content["schema"]["$ref"].as_str().unwrap();
            let required = &document.pointer(&schema[1..]).unwrap()["required"];
            match required.as_array() {
                Some(required) => assert_eq!(given, *required, "{form}: {id}"),
                None => assert_eq!(given.len(), 1, "{form}: {id}"),
            }
            bodies += 1;
        }
        assert!(bodies > 5, "{form}: only {bodies} bodies");
        let draft = &document["components"]["schemas"]["CreateEventRequest"];
        assert!(!draft.to_string().contains("\"is_public\":true"), "{form}");
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

/// Programs that import a document send the example of each parameter, so that every change would have the same key.
#[test]
fn an_idempotency_key_is_described_and_no_parameter() {
    let outputs = muster();
    for form in ["openapi.json", "openapi-3.0.json"] {
        let document = output(&outputs, form);
        let about = document["info"]["description"].as_str().unwrap();
        assert!(about.contains("the header `Idempotency-Key`"), "{about}");
        let shared = document["components"]["parameters"].as_object().unwrap();
        let mut parameters: Vec<_> = shared.values().cloned().collect();
        let mut described = 0;
        for operation in operations(&document) {
            let own = operation["parameters"].as_array().into_iter().flatten();
            parameters.extend(own.cloned());
            let description = operation["description"].as_str().unwrap();
            described += usize::from(description.contains("`Idempotency-Key`"));
        }
        assert!(described > 10, "{form}: only {described} operations");
        for parameter in parameters {
            assert_ne!(parameter["name"], "Idempotency-Key", "{form}");
        }
    }
}

#[test]
fn every_operation_names_a_scope_that_the_consent_of_a_person_can_grant() {
    let outputs = muster();
    for form in ["openapi.json", "openapi-3.0.json"] {
        let document = output(&outputs, form);
        let oauth2 = &document["components"]["securitySchemes"]["oauth2"];
        let granted = oauth2["flows"]["authorizationCode"]["scopes"]
            .as_object()
            .unwrap();
        assert!(granted.contains_key("events:write"));
        assert!(!granted.contains_key("keys:write"), "only sessions have it");
        for operation in operations(&document) {
            let id = &operation["operationId"];
            let [bearer, oauth2] = operation["security"].as_array().unwrap().as_slice() else {
                assert_eq!(operation["security"], json!([]), "{form}: {id}");
                continue;
            };
            assert_eq!(*bearer, json!({ "bearer": [] }));
            let scope = &operation["x-muster-scope"];
            assert_eq!(*oauth2, json!({ "oauth2": [scope] }), "{form}: {id}");
            assert!(granted.contains_key(scope.as_str().unwrap()), "{scope}");
        }
    }
}

/// As `crates/markdown` shows it.
#[test]
fn a_description_that_is_shown_as_markdown_says_so() {
    let outputs = muster();
    let document = output(&outputs, "openapi.json");
    let tools = output(&outputs, "tools.json");
    let schemas = &document["components"]["schemas"];
    let tool = |name: &str| {
        let mut rows = tools.as_array().unwrap().iter();
        let row = rows.find(|row| row["tool"]["name"] == name).unwrap();
        row["tool"]["inputSchema"].clone()
    };
    for schema in [
        schemas["CreateEventRequest"].clone(),
        schemas["UpdateEventRequest"].clone(),
        schemas["Event"].clone(),
        schemas["MyEventDetail"].clone(),
        tool("create_event"),
    ] {
        let description = schema["properties"]["description"]["description"].as_str();
        let description = description.unwrap();
        assert!(description.contains("CommonMark"), "{description}");
    }
}

#[test]
fn what_a_stranger_reads_does_not_tell_of_another_contract() {
    let outputs = muster();
    for name in ["openapi.json", "openapi-3.0.json", "mcp.json", "tools.json"] {
        let text = text(&outputs, name).to_lowercase();
        assert!(!text.contains("original contract"), "{name}");
    }
    // Whoever generates clients reads the protos themselves.
    let proto = package().join("../../proto/muster");
    let mut files = Vec::new();
    for folder in ["v1", "options/v1"] {
        files.extend(std::fs::read_dir(proto.join(folder)).unwrap());
    }
    assert!(files.len() >= 10);
    for file in files {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap().to_lowercase();
        assert!(!text.contains("original contract"), "{}", path.display());
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

#[test]
fn nothing_that_generators_of_clients_stumble_over_is_said() {
    let document = output(&muster(), "openapi.json");
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        for (property, schema) in schema["properties"].as_object().unwrap() {
            assert!(schema.get("default").is_none(), "{name}.{property}");
        }
    }
    let error = &schemas["Error"]["properties"]["error"]["properties"];
    assert!(
        error["code"].get("enum").is_none(),
        "the codes may get more"
    );
    for (name, response) in document["components"]["responses"].as_object().unwrap() {
        let schema = &response["content"]["application/json"]["schema"];
        assert_eq!(
            *schema,
            json!({ "$ref": "#/components/schemas/Error" }),
            "{name}"
        );
    }
    for operation in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        let content = &operation["responses"]["200"]["content"];
        for (media_type, body) in content.as_object().unwrap() {
            let is_binary = body["schema"]["format"] == "binary";
            let is_file = !matches!(&**media_type, "application/json" | "text/csv");
            assert_eq!(is_binary, is_file, "{id}: {media_type}");
        }
        assert!(operation["summary"].as_str().unwrap().len() <= 40, "{id}");
    }
}

#[test]
fn a_date_time_in_a_request_may_be_wall_time_and_in_an_answer_has_an_offset() {
    let document = output(&muster(), "openapi.json");
    let schemas = &document["components"]["schemas"];
    for (property, takes_null) in [("start_date", false), ("end_date", true)] {
        let schema = &schemas["CreateEventRequest"]["properties"][property];
        assert_eq!(schema["anyOf"][0]["format"], "date-time");
        let given = validator(&document, schema);
        for text in ["2030-05-14T19:00", "2030-05-14T19:00:00+02:00"] {
            assert!(given.is_valid(&json!(text)), "{text}");
        }
        assert!(!given.is_valid(&json!("2030-05-14 ".repeat(9))));
        assert_eq!(given.is_valid(&Value::Null), takes_null);
    }
    let answered = validator(&document, &schemas["Event"]["properties"]["start_date"]);
    assert!(!answered.is_valid(&json!("2030-05-14T19:00")));
}

#[test]
fn every_link_leads_to_an_operation_with_all_that_is_in_its_path() {
    let document = output(&muster(), "openapi.json");
    let paths = document["paths"].as_object().unwrap();
    let path_of = |id: &Value| {
        let mut found = paths.iter().filter(|(_, operations)| {
            let mut operations = operations.as_object().unwrap().values();
            operations.any(|operation| operation["operationId"] == *id)
        });
        found.next().unwrap().0
    };
    let mut count = 0;
    for operation in operations(&document) {
        let links = operation["responses"]["200"]["links"].as_object();
        for (name, link) in links.into_iter().flatten() {
            let given = link["parameters"].as_object().unwrap();
            let path = path_of(&link["operationId"]);
            assert_eq!(path.matches('{').count(), given.len(), "{name}");
            for variable in given.keys() {
                assert!(path.contains(&format!("{{{variable}}}")), "{name}");
            }
            count += 1;
        }
    }
    assert!(count > 15, "there are only {count} links");
}

#[test]
fn the_older_form_says_the_same_without_what_came_later() {
    let outputs = muster();
    let (newer, older) = (
        output(&outputs, "openapi.json"),
        output(&outputs, "openapi-3.0.json"),
    );
    assert_eq!(older["openapi"], "3.0.3");
    assert_eq!(
        operations(&newer).len(),
        operations(&older).len(),
        "operations"
    );
    let fields = &older["components"]["schemas"]["CreateEventRequest"]["properties"];
    assert_eq!(
        (&fields["end_date"]["type"], &fields["end_date"]["nullable"]),
        (&json!("string"), &json!(true))
    );
    for (name, schema) in older["components"]["schemas"].as_object().unwrap() {
        without_later_keywords(schema, name);
    }
    let toy = output(&toy(&[]).unwrap(), "openapi-3.0.json");
    let update = &toy["components"]["schemas"]["UpdateBookRequest"]["properties"];
    // A reference would refuse null.
    let author = &update["author"];
    assert_eq!(
        (&author["nullable"], &author["type"]),
        (&json!(true), &json!("object"))
    );
    assert!(author["properties"]["name"].is_object() && author["allOf"].is_null());
}

fn without_later_keywords(schema: &Value, place: &str) {
    assert!(!schema["type"].is_array(), "{place}: a list of types");
    for keyword in ["anyOf", "examples"] {
        assert!(schema.get(keyword).is_none(), "{place}: {keyword}");
    }
    let is_reference = schema.get("$ref").is_some();
    assert!(!is_reference || schema.as_object().unwrap().len() == 1);
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (name, schema) in properties.chain([(&"items".to_owned(), &schema["items"])]) {
        if schema.is_object() {
            without_later_keywords(schema, &format!("{place}.{name}"));
        }
    }
}

/// `.ci/openapi.py` compares the whole with the JSON, by a parser.
#[test]
fn text_in_yaml_cannot_be_taken_for_anything_else() {
    let outputs = toy(&[]).unwrap();
    let yaml = text(&outputs, "openapi.yaml");
    for line in [
        "openapi: \"3.1.0\"",
        "      operationId: listBooks",
        "        \"200\":",
        "      description: |-",
        "    - name: limit",
        "          default: 10",
    ] {
        assert!(
            yaml.lines().any(|one| one.trim() == line.trim()),
            "{line}\n{yaml}"
        );
    }
}

fn operations(document: &Value) -> Vec<Value> {
    let paths = document["paths"].as_object().unwrap().values();
    paths
        .flat_map(|path| path.as_object().unwrap().values().cloned())
        .collect()
}

/// `.ci/openapi_clients/patterns.mjs` compiles them by the engines.
#[test]
fn patterns_are_the_same_in_every_dialect_of_regular_expressions() {
    let outputs = muster();
    for form in ["openapi.json", "openapi-3.0.json"] {
        let mut patterns = Vec::new();
        collect(&output(&outputs, form), "pattern", &mut patterns);
        assert!(patterns.len() > 10, "{form}: {}", patterns.len());
        for pattern in patterns {
            assert_eq!(pattern, r"\S", "{form}");
        }
    }
}

/// The values of a keyword below `node`.
fn collect(node: &Value, keyword: &str, values: &mut Vec<Value>) {
    match node {
        Value::Array(items) => {
            for item in items {
                collect(item, keyword, values);
            }
        }
        Value::Object(members) => {
            values.extend(members.get(keyword).cloned());
            for member in members.values() {
                collect(member, keyword, values);
            }
        }
        _ => {}
    }
}

#[test]
fn a_text_that_must_be_given_must_not_be_blank_and_says_which_characters_are_refused() {
    let document = output(&muster(), "openapi.json");
    let fields = &document["components"]["schemas"]["CreateEventRequest"]["properties"];
    let title = validator(&document, &fields["title"]);
    for text in ["Rust", " Rust ", "🦀🦀🦀", "مرحبا", "a\u{a0}b"] {
        assert!(title.is_valid(&json!(text)), "{text:?}");
    }
    for text in ["   ", "\u{2003}\u{2003}\u{2003}"] {
        assert!(!title.is_valid(&json!(text)), "{text:?}");
    }
    assert!(fields["city"].get("pattern").is_none());
    for (field, refused) in [
        ("title", "No line breaks, control characters or marks"),
        ("city", "No line breaks, control characters or marks"),
        (
            "description",
            "No control characters but tabs and line breaks",
        ),
    ] {
        let description = fields[field]["description"].as_str().unwrap();
        assert!(description.contains(refused), "{field}: {description}");
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
