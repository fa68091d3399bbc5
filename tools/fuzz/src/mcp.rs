//! MCP messages. Each is answered as JSON-RPC or refused; nothing that a person has to confirm happens unconfirmed.

use axum::body::Body;
use http::{HeaderValue, Request, StatusCode};
use serde_json::{Map, Value, json};

use crate::{
    Target, bytes,
    surface::{Reply, Surface},
};

pub(crate) const TARGET: Target = Target {
    name: "mcp",
    seeds,
    words,
    run,
};

/// The revisions that are spoken, and one that is not.
const REVISIONS: [&str; 5] = [
    "2026-07-28",
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

thread_local! {
    static BRIDGE: (Surface, Vec<String>) = (Surface::bridge(), confirmed());
}

/// The rpcs that a person has to confirm.
fn confirmed() -> Vec<String> {
    let rows = tools();
    let rows = rows.iter().filter(|row| row["confirmation"].is_object());
    let name = |row: &Value| {
        row["grpc_path"]
            .as_str()?
            .rsplit('/')
            .next()
            .map(str::to_owned)
    };
    let names: Vec<String> = rows.filter_map(name).collect();
    assert!(!names.is_empty(), "there are tools to confirm");
    names
}

fn tools() -> Vec<Value> {
    serde_json::from_str(muster_api::TOOLS).expect("the table is JSON")
}

fn run(input: &[u8]) {
    let Some((revision, body)) = bytes::choose(input, &REVISIONS) else {
        return;
    };
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    BRIDGE.with(|(surface, confirmed)| {
        let reply = surface.send(request(revision, body, &message));
        for call in &reply.calls {
            if confirmed.iter().any(|name| name == call.rpc) {
                assert!(
                    is_confirmed(&message),
                    "{} unconfirmed: {message}",
                    call.rpc
                );
            }
        }
        check(&reply, &message);
    });
}

/// The message with the headers that repeat what it says.
fn request(revision: &str, body: &[u8], message: &Value) -> Request<Body> {
    let request = Request::post("/mcp")
        .header("host", "localhost")
        .header("authorization", "Bearer good")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", revision);
    let mut request = request
        .body(Body::from(body.to_vec()))
        .expect("the request is sound");
    let params = &message["params"];
    let name = params.get("name").or_else(|| params.get("uri"));
    for (header, value) in [("mcp-method", message.get("method")), ("mcp-name", name)] {
        let value = value.and_then(Value::as_str);
        if let Some(Ok(value)) = value.map(HeaderValue::from_str) {
            request.headers_mut().insert(header, value);
        }
    }
    request
}

/// Whether the message says that a person has confirmed it. A form's answer needs a seal, which nobody can make.
fn is_confirmed(message: &Value) -> bool {
    let confirm = &message["params"]["arguments"]["confirm"];
    // A text of JSON is understood, too.
    *confirm == json!(true) || *confirm == json!("true")
}

fn check(reply: &Reply, message: &Value) {
    if reply.body.is_empty() {
        // A notification, or a response to a question.
        assert_eq!(reply.status, StatusCode::ACCEPTED, "{reply:?}");
        return;
    }
    let answer: Value = serde_json::from_slice(&reply.body).expect("an answer is JSON");
    if answer.get("jsonrpc").is_none() {
        assert!(reply.status.is_client_error(), "{reply:?}");
        reply.check_problem();
        return;
    }
    assert_eq!(answer["jsonrpc"], "2.0");
    let (result, error) = (answer.get("result"), answer.get("error"));
    assert!(
        result.is_some() != error.is_some(),
        "neither a result nor an error: {answer}"
    );
    if let Some(error) = error {
        let says = error["code"].is_i64()
            && error["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty());
        assert!(says, "an error that says nothing: {answer}");
    }
    if let Some(result) = result {
        assert_eq!(
            answer.get("id"),
            message.get("id"),
            "the answer to another message"
        );
        if result["isError"] == true {
            let text = result["content"][0]["text"].as_str().unwrap_or_default();
            assert!(
                !text.is_empty() && result.get("structuredContent").is_none(),
                "{answer}"
            );
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let id = "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";
    let mut messages = vec![
        (
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}),
        ),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({"cursor": "x"})),
        (
            "resources/read",
            json!({"uri": "muster://guides/first-event"}),
        ),
        ("prompts/list", json!({})),
        (
            "prompts/get",
            json!({"name": "plan_event", "arguments": {"topic": "Rust"}}),
        ),
        ("ping", json!({})),
        (
            "tools/call",
            json!({"name": "cancel_event", "arguments": {"id": id, "confirm": true}}),
        ),
        (
            "tools/call",
            json!({"name": "cancel_event", "arguments": {"id": id}, "_meta": {"muster/idempotency-key": "k"}}),
        ),
    ];
    for row in tools() {
        let tool = &row["tool"];
        messages.push((
            "tools/call",
            json!({"name": tool["name"], "arguments": arguments(tool, id)}),
        ));
    }
    let messages = messages.into_iter().flat_map(|(method, params)| {
        (0_u8..)
            .zip(&REVISIONS[..2])
            .map(move |(choice, revision)| message(choice, revision, method, params.clone()))
    });
    let others = [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "[]",
        r#"{"id":1}"#,
    ];
    messages
        .chain(others.map(|text| [&[1], text.as_bytes()].concat()))
        .collect()
}

/// A value of each type that the tool's schema names.
fn arguments(tool: &Value, id: &str) -> Map<String, Value> {
    let properties = tool["inputSchema"]["properties"].as_object();
    let properties = properties.into_iter().flatten();
    let format = |schema: &Value| {
        let exact = schema["anyOf"].get(0).unwrap_or(schema);
        exact["format"].as_str().map(str::to_owned)
    };
    let value = |schema: &Value| match (schema["type"].as_str(), format(schema).as_deref()) {
        (_, Some("uuid")) => json!(id),
        (_, Some("date-time")) => json!("2030-05-14T19:00:00+02:00"),
        (_, Some("email")) => json!("grace@example.org"),
        (Some("integer"), _) => json!(1),
        (Some("boolean"), _) => json!(true),
        (Some("array"), _) => json!([]),
        _ => schema["enum"]
            .get(0)
            .cloned()
            .unwrap_or_else(|| json!("Rust Meetup")),
    };
    properties
        .map(|(name, schema)| (name.clone(), value(schema)))
        .collect()
}

fn message(choice: u8, revision: &str, method: &str, mut params: Value) -> Vec<u8> {
    if revision == REVISIONS[0] {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = revision.into();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] =
            json!({"name": "fuzz", "version": "1"});
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    }
    let text = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    [&[choice], text.as_bytes()].concat()
}

fn words() -> Vec<String> {
    let mut words: Vec<String> = tools()
        .iter()
        .map(|row| row["tool"]["name"].to_string())
        .collect();
    let others = [
        "\"confirm\":true",
        "\"arguments\":",
        "\"clear\":",
        "\"inputResponses\":",
        "\"requestState\":",
        "\"id\":null",
    ];
    words.extend(others.map(str::to_owned));
    words
}
