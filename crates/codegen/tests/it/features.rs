//! What the proto can say of a route, each at one place of the toy.

use serde_json::json;

use crate::sources::{json as output, text, toy};

/// The generated code of one binding.
fn binding(name: &str) -> String {
    implementation("Binding", name)
}

/// The generated code of one type's trait.
fn implementation(of: &str, name: &str) -> String {
    let outputs = toy(&[]).unwrap();
    let start = format!("impl {of} for {name} {{");
    let (_, rest) = text(&outputs, "bindings.rs").split_once(&start).unwrap();
    rest.split_once("\n}\n").unwrap().0.to_owned()
}

#[test]
fn an_additional_binding_is_a_route_of_its_own() {
    assert!(
        binding("ListBooks2").contains(r#"PATH_FIELDS: &'static [&'static str] = &["shelf"];"#)
    );
    let document = output(&toy(&[]).unwrap(), "openapi.json");
    let operation = |path: &str| document["paths"][path]["get"].clone();
    assert_eq!(operation("/books")["operationId"], "listBooks");
    assert_eq!(
        operation("/shelves/{shelf}/books")["operationId"],
        "listBooks2"
    );
    assert_eq!(operation("/books")["parameters"][0]["in"], "query");
    assert_eq!(
        operation("/shelves/{shelf}/books")["parameters"][0]["in"],
        "path"
    );
}

#[test]
fn response_body_shows_one_field_on_its_own_route() {
    assert!(binding("ListBooks").contains("serde_json::to_vec(&response.items)"));
    assert!(!binding("ListBooks2").contains("fn to_json"));
    let outputs = toy(&[]).unwrap();
    let document = output(&outputs, "openapi.json");
    let content = |path: &str| {
        document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            .clone()
    };
    assert_eq!(content("/books")["type"], "array");
    assert_eq!(
        content("/books")["items"]["$ref"],
        "#/components/schemas/Book"
    );
    assert_eq!(
        content("/shelves/{shelf}/books")["$ref"],
        "#/components/schemas/BookList"
    );
}

#[test]
fn a_field_mask_is_made_from_the_body_and_shown_nowhere() {
    let rpc = implementation("PublicRpc", "UpdateBook");
    assert!(rpc.contains("request.update_mask = Some(prost_types::FieldMask {"));
    assert!(binding("UpdateBook").contains("const BODY: Body = Body::Required;"));
    let document = output(&toy(&[]).unwrap(), "openapi.json");
    let body = &document["components"]["schemas"]["UpdateBookRequest"]["properties"];
    let fields: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["title", "author", "condition"]);
    assert_eq!(body["condition"]["type"], json!(["string", "null"]));
    assert_eq!(body["condition"]["enum"], json!(["good", "worn", null]));
    assert_eq!(body["author"]["anyOf"][1], json!({ "type": "null" }));
}

#[test]
fn a_stream_of_http_body_is_a_file() {
    assert!(
        implementation("PublicRpc", "GetScan").contains("const CONTENT: Content = Content::File;")
    );
    let outputs = toy(&[]).unwrap();
    assert!(text(&outputs, "services.rs").contains("type GetScanStream = Messages<"));
    let document = output(&outputs, "openapi.json");
    let responses = &document["paths"]["/books/{id}/scan"]["get"]["responses"];
    assert!(responses["200"]["content"]["application/pdf"].is_object());
    assert!(responses.get("304").is_none());
}

#[test]
fn what_caches_may_keep_can_be_asked_for_by_its_tag() {
    let public = [(
        "access: ACCESS_PAID\n      scope: \"events:read\"\n      errors: \"NOT_FOUND\"\n      answers: \"The pages.\"",
        "access: ACCESS_PUBLIC\n      caching: {max_age_seconds: 60}\n      errors: \"NOT_FOUND\"\n      answers: \"The pages.\"",
    )];
    let bindings = toy(&public).unwrap();
    assert!(text(&bindings, "bindings.rs").contains("max_age_seconds: 60,"));
    let document = output(&toy(&public).unwrap(), "openapi.json");
    let operation = &document["paths"]["/books/{id}/scan"]["get"];
    assert!(operation["responses"]["304"].is_object());
    assert!(operation["responses"]["200"]["headers"]["ETag"].is_object());
}

#[test]
fn access_decides_security_and_errors() {
    let document = output(&toy(&[]).unwrap(), "openapi.json");
    let statuses = |path: &str, verb: &str| {
        let operation = &document["paths"][path][verb];
        let responses = operation["responses"].as_object().unwrap().keys();
        let secured = operation["security"] != json!([]);
        (secured, responses.cloned().collect::<Vec<_>>().join(" "))
    };
    let expected = |secured: bool, statuses: &str| (secured, statuses.to_owned());
    assert_eq!(
        statuses("/books", "get"),
        expected(false, "200 304 400 500 503")
    );
    assert_eq!(
        statuses("/books/{id}", "get"),
        expected(true, "200 304 400 401 404 500 503")
    );
    assert_eq!(
        statuses("/books/{id}/scan", "get"),
        expected(true, "200 400 401 403 404 500 503")
    );
    assert_eq!(
        statuses("/books/{id}", "patch"),
        expected(true, "200 400 401 403 404 409 413 415 422 500 503")
    );
    assert_eq!(
        statuses("/books/{id}", "delete"),
        expected(true, "200 400 401 403 404 409 500 503")
    );
}

#[test]
fn what_goes_beyond_the_contract_is_marked() {
    let document = output(&toy(&[]).unwrap(), "openapi.json");
    assert_eq!(
        document["paths"]["/books/{id}"]["delete"]["x-muster-addition"],
        true
    );
    assert!(
        document["paths"]["/books/{id}"]["get"]
            .get("x-muster-addition")
            .is_none()
    );
    let parameters = document["paths"]["/books"]["get"]["parameters"]
        .as_array()
        .unwrap();
    let marked: Vec<_> = parameters
        .iter()
        .filter(|one| one["x-muster-addition"] == true)
        .collect();
    assert_eq!(marked.len(), 1);
    assert_eq!(marked[0]["name"], "free");
}

#[test]
fn an_rpc_without_a_route_is_visited_as_an_rpc_alone() {
    let outputs = toy(&[]).unwrap();
    let generated = text(&outputs, "bindings.rs");
    assert!(generated.contains("impl Rpc for GetSummary {"));
    assert!(!generated.contains("impl Binding for GetSummary {"));
    assert_eq!(generated.matches("visitor.visit(GetSummary);").count(), 1);
    assert_eq!(generated.matches("visitor.visit(ListBooks2);").count(), 1);
}

#[test]
fn an_rpc_can_be_a_resource_and_prompts_stand_beside() {
    let document = output(&toy(&[]).unwrap(), "mcp.json");
    let resource = &document["resources"][0];
    assert_eq!(resource["grpc_path"], "/toy.v1.BookService/GetSummary");
    assert_eq!(resource["list"], "/toy.v1.BookService/ListBooks");
    assert_eq!(resource["template"]["uriTemplate"], "toy://books/{id}");
    let prompt = &document["prompts"][0];
    assert_eq!(prompt["prompt"]["arguments"][0]["required"], true);
    assert_eq!(prompt["text"], "Find a book about {mood}.");
}

#[test]
fn an_rpc_shows_the_scope_that_it_needs_wherever_it_is_offered() {
    let outputs = toy(&[]).unwrap();
    assert!(
        implementation("Rpc", "UpdateBook")
            .contains("const SCOPE: Option<Scope> = Some(Scope::EventsWrite);")
    );
    assert!(implementation("Rpc", "GetBook").contains("const SCOPE: Option<Scope> = None;"));
    let rule = r#"("/toy.v1.BookService/GetScan", AccessRule::of::<bindings::GetScan>()),"#;
    assert!(text(&outputs, "services.rs").contains(rule));

    let document = output(&outputs, "openapi.json");
    let update = &document["paths"]["/books/{id}"]["patch"];
    assert_eq!(
        update["security"],
        json!([{ "bearer": [] }, { "oauth2": ["events:write"] }])
    );
    assert_eq!(update["x-muster-scope"], "events:write");
    assert_eq!(
        update["description"],
        "Changes a book.\n\nNeeds the scope `events:write`. The header `Idempotency-Key` makes it safe to repeat."
    );
    let get = &document["paths"]["/books/{id}"]["get"];
    assert_eq!(get["security"], json!([{ "bearer": [] }, { "oauth2": [] }]));
    assert!(get.get("x-muster-scope").is_none());
    let scheme = &document["components"]["securitySchemes"]["bearer"]["description"];
    let table = "| `events:read` | See books. |\n| `events:write` | Change books. |";
    assert!(scheme.as_str().unwrap().contains(table), "{scheme}");
    let flows = &document["components"]["securitySchemes"]["oauth2"]["flows"];
    let flow = &flows["authorizationCode"];
    assert_eq!(
        flow["authorizationUrl"],
        "https://toy.example/oauth/authorize"
    );
    assert_eq!(flow["tokenUrl"], "https://toy.example/oauth/token");
    let scopes = json!({ "events:read": "See books.", "events:write": "Change books." });
    assert_eq!(flow["scopes"], scopes);
}

#[test]
fn an_rpc_that_takes_an_idempotency_key_describes_it() {
    assert!(implementation("Rpc", "UpdateBook").contains("const IDEMPOTENCY_KEY: bool = true;"));
    assert!(implementation("Rpc", "DiscardBook").contains("const IDEMPOTENCY_KEY: bool = false;"));
    let outputs = toy(&[]).unwrap();
    let takes_key = |verb: &str| {
        let document = output(&outputs, "openapi.json");
        let operation = &document["paths"]["/books/{id}"][verb];
        let description = operation["description"].as_str().unwrap();
        description.contains("The header `Idempotency-Key` makes it safe to repeat.")
    };
    assert!(takes_key("patch"));
    assert!(!takes_key("delete"));
}

#[test]
fn an_internal_package_is_plain_grpc_and_shown_nowhere() {
    let outputs = toy(&[]).unwrap();
    let names = outputs
        .iter()
        .filter_map(|output| output.name.strip_prefix("toy.internal.v1/"));
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["messages.rs", "validation.rs", "services.rs", "bindings.rs"]
    );
    for output in &outputs {
        let shown = !output.name.starts_with("toy.internal.v1/");
        let text = String::from_utf8_lossy(&output.content);
        assert!(!(shown && text.contains("CheckCard")), "{}", output.name);
    }
    let messages = text(&outputs, "toy.internal.v1/messages.rs");
    assert!(!messages.contains("serde"), "{messages}");
}

#[test]
fn an_internal_rpc_is_for_edges() {
    let outputs = toy(&[]).unwrap();
    let bindings = text(&outputs, "toy.internal.v1/bindings.rs");
    assert_eq!(bindings.matches("const INTERNAL: bool = true;").count(), 1);
    assert!(!text(&outputs, "bindings.rs").contains("const INTERNAL: bool = true;"));
}

#[test]
fn an_internal_message_may_have_enums_and_large_numbers() {
    let outputs = toy(&[]).unwrap();
    let messages = text(&outputs, "toy.internal.v1/messages.rs");
    assert!(messages.contains("pub number: i64,"));
    assert!(messages.contains("#[prost(enumeration = \"CardKind\", tag = \"2\")]"));
}
