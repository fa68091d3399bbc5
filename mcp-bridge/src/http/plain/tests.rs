//! Each request is answered twice, as it is and by rmcp: the bytes are the same.

use edge::{Core, http::Router};
use http::{HeaderValue, Request};
use http_body_util::BodyExt as _;
use process::observe::RequestId as OfRequest;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::json;
use test_toy::{GOOD, Toy};
use tower::ServiceExt as _;

use super::*;
use crate::{Options, Table, http::codec};

/// A host that both ways take, but only rmcp however it is written.
const HOST_NAME: &str = "localhost:8080";
const OF_RMCP: &str = "LOCALHOST:8080";

const NOW: &str = "2026-07-28";
const BEFORE: &str = "2025-11-25";

/// A request.
#[derive(Debug, Clone)]
struct Case {
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Case {
    fn new(revision: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let headers = [
            ("host", HOST_NAME),
            ("authorization", GOOD),
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
            ("mcp-protocol-version", revision),
            ("mcp-method", METHOD),
            ("mcp-name", "get_my_thing"),
        ];
        let headers = headers.map(|(name, value)| {
            let name = http::HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        Self {
            headers: headers.into_iter().collect(),
            body: body.into(),
        }
    }

    /// A call with these parameters, in the revision without sessions.
    fn of(params: &Value) -> Self {
        let mut params = params.clone();
        if params.get("_meta").is_none() {
            params["_meta"] = meta(NOW);
        }
        Self::new(NOW, message(&json!(1), &params).to_string())
    }

    /// The same in one before it.
    fn before(params: &Value) -> Self {
        Self::new(BEFORE, message(&json!(1), params).to_string())
    }

    fn set(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    fn add(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.append(name, HeaderValue::from_static(value));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }
}

fn meta(revision: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    })
}

fn message(id: &Value, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": METHOD, "params": params})
}

fn thing(id: &str) -> Value {
    json!({"name": "get_my_thing", "arguments": {"id": id}})
}

struct Bridged {
    bridge: Bridge,
    router: Router,
}

impl Bridged {
    fn new() -> Self {
        let table = || {
            let visit = |visitor: &mut crate::table::Visit<'_>| {
                test_toy::visit_rpcs(visitor);
                test_toy::visit_internal_rpcs(visitor);
            };
            Table::of(test_toy::TOOLS, test_toy::MCP, visit).unwrap()
        };
        let (core, options) = (
            Core::in_process(Toy::default().routes()),
            Options::default(),
        );
        let router = table().into_router(core.clone(), &options);
        let bridge = Bridge::new(Arc::new(table()), core, options, codec(None), None);
        Self { bridge, router }
    }

    fn is_plain(&self, case: &Case) -> bool {
        let hosts = super::super::hosts(&Options::default());
        PlainCall::read(&hosts, &self.bridge, &case.headers, &case.body).is_some()
    }

    async fn answer(&self, case: &Case) -> (u16, HeaderMap, String) {
        let mut request = Request::post("/mcp")
            .body(Body::from(case.body.clone()))
            .unwrap();
        *request.headers_mut() = case.headers.clone();
        let id = OfRequest::parse("of-a-test").unwrap();
        request.extensions_mut().insert(id);
        let (parts, body) = self
            .router
            .clone()
            .oneshot(request)
            .await
            .unwrap()
            .into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        (
            parts.status.as_u16(),
            parts.headers,
            String::from_utf8(body).unwrap(),
        )
    }

    /// Answers it in both ways, and returns the one answer.
    async fn compared(&self, case: &Case) -> (u16, String) {
        let by_rmcp = case.clone().set("host", OF_RMCP);
        assert!(!self.is_plain(&by_rmcp));
        let answer = self.answer(case).await;
        assert_eq!(answer, self.answer(&by_rmcp).await, "{case:?}");
        (answer.0, answer.2)
    }
}

/// What is a plain call, with a part of its answer.
fn plain() -> Vec<(Case, &'static str)> {
    let with_id = |id: Value| Case::new(BEFORE, message(&id, &thing("x")).to_string());
    let strange = "\"\\ \u{1} \u{7f} é \u{2028} 💥 </script>";
    let spaced = format!("\r\n {} \n", message(&json!(1), &thing("x")));
    let doubled = r#"{"name":"get_my_thing","arguments":{"id":"a","id":"b"}}"#;
    let doubled = format!(r#"{{"params":{doubled},"method":"tools/call","id":1,"jsonrpc":"2.0"}}"#);
    let precise =
        r#"{"name":"get_my_thing","arguments":{"id":"a","n":[1e3,-0,18446744073709551616]}}"#;
    let precise = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{precise}}}"#);
    let mut cases = vec![
        (with_id(json!(-7)), "\"id\":-7"),
        (with_id(json!(1.0)), "\"id\":1,"),
        (with_id(json!("a \"quoted\" é")), "a \\\"quoted\\\" é"),
        (Case::new(BEFORE, spaced), "GetMyThing"),
        (Case::new(BEFORE, doubled), "\"id\":\"b\""),
        (Case::new(BEFORE, precise), "INVALID_REQUEST"),
        (
            Case::before(&thing("x")).set("mcp-name", "another"),
            "GetMyThing",
        ),
        (
            Case::before(&thing("x")).without("mcp-method"),
            "GetMyThing",
        ),
        (
            Case::before(&json!({"name": "get_my_thing", "_meta": null})),
            "id is required",
        ),
        (
            Case::of(&thing("x")).set("accept", "text/event-stream,Application/JSON, */*"),
            "GetMyThing",
        ),
    ];
    for params in [
        thing("x"),
        thing(strange),
        thing("large"),
        thing("missing"),
        thing("limited"),
        thing("conflict"),
        thing("busy"),
        thing("broken"),
        thing("late"),
        json!({"name": "get_my_thing"}),
        json!({"name": "get_my_thing", "arguments": null}),
        json!({"name": "get_my_thing", "arguments": {}}),
        json!({"name": "get_my_thing", "arguments": {"id": null}}),
        json!({"name": "get_my_thing", "arguments": {"id": 5}}),
        json!({"name": "get_my_thing", "arguments": {"id": ["x"], "other": {"deep": [1, 2.5, true]}}}),
        // Nobody serves these.
        json!({"name": "list_books", "arguments": {"limit": "5", "free": "true", "languages": "[\"de\"]"}}),
        json!({"name": "update_book", "arguments": {"id": "1", "title": "x", "clear": ["author"], "author": null}}),
        json!({"name": "update_book", "arguments": {"id": "1", "clear": "nothing"}}),
    ] {
        let name = params["name"].as_str().unwrap();
        let name = HeaderValue::from_str(name).unwrap();
        let mut now = Case::of(&params);
        now.headers.insert(NAME_HEADER, name);
        cases.push((now, "\"resultType\":\"complete\""));
        cases.push((Case::before(&params), "\"result\":{\"content\":"));
    }
    let mut told = thing("x");
    told["_meta"] = meta(NOW);
    told["_meta"]["progressToken"] = json!(5);
    told["_meta"]["io.modelcontextprotocol/clientInfo"] = json!("nobody");
    cases.push((Case::of(&told), "GetMyThing"));
    cases
}

/// What is left to rmcp, right or wrong.
fn unusual() -> Vec<Case> {
    let good = || Case::of(&thing("x"));
    let raw = |body: &str| Case::new(BEFORE, body);
    let with = |change: fn(&mut Value)| {
        let mut message = message(&json!(1), &thing("x"));
        message["params"]["_meta"] = meta(NOW);
        change(&mut message);
        Case::new(NOW, message.to_string())
    };
    let deep = "[".repeat(200) + &"]".repeat(200);
    let mut cases = vec![
        good().without("host"),
        good().set("host", "evil.example"),
        good().add("origin", "http://localhost:3000"),
        good().add("origin", "https://evil.example"),
        good().without("accept"),
        good().set("accept", "application/json"),
        good().set("accept", "application/json;q=0, text/event-stream"),
        good().set("accept", "application/json;q=1, text/event-stream"),
        good().without("content-type"),
        good().set("content-type", "text/plain"),
        good().set("content-type", "application/json; charset=utf-8"),
        good().without("mcp-protocol-version"),
        good().set("mcp-protocol-version", BEFORE),
        good().set("mcp-protocol-version", "2025-03-26"),
        good().set("mcp-protocol-version", "2999-01-01"),
        good().add("mcp-protocol-version", NOW),
        good().without("mcp-method"),
        good().set("mcp-method", "tools/list"),
        good().add("mcp-method", METHOD),
        good().without("mcp-name"),
        good().set("mcp-name", "list_books"),
        good().add("mcp-name", "get_my_thing"),
        good().set("mcp-name", "=?base64?Z2V0X215X3RoaW5n?="),
        Case::before(&thing("x")).without("mcp-protocol-version"),
        raw(""),
        raw("[]"),
        raw("{\"jsonrpc\":"),
        raw("null"),
        raw(&format!("[{}]", message(&json!(1), &thing("x")))),
        raw(&format!("{} x", message(&json!(1), &thing("x")))),
        raw(&format!("\u{feff}{}", message(&json!(1), &thing("x")))),
        raw(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"get_my_thing","arguments":{"id":"x"}}}"#,
        ),
        raw(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get_my_thing","arguments":{{"id":{deep}}}}}}}"#
        )),
        Case::new(BEFORE, b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}".to_vec()),
    ];
    let changes: [fn(&mut Value); 19] = [
        |message| message["jsonrpc"] = json!("1.0"),
        |message| message["id"] = Value::Null,
        |message| message["id"] = json!(1.5),
        |message| drop(message.as_object_mut().unwrap().remove("id")),
        |message| message["method"] = json!("tools/list"),
        |message| message["method"] = json!("nothing/known"),
        |message| message["extra"] = json!(1),
        |message| message["params"] = json!([]),
        |message| message["params"]["arguments"] = json!([]),
        |message| message["params"]["arguments"] = json!("{\"id\":\"x\"}"),
        |message| message["params"]["name"] = json!("no_such_tool"),
        |message| message["params"]["task"] = json!({}),
        |message| message["params"]["requestState"] = json!("x"),
        |message| message["params"]["inputResponses"] = json!({}),
        |message| message["params"]["_meta"] = Value::Null,
        |message| message["params"]["_meta"] = json!({}),
        |message| message["params"]["_meta"] = json!("x"),
        |message| message["params"]["_meta"] = meta(BEFORE),
        |message| {
            message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!("x");
        },
    ];
    cases.extend(changes.map(with));
    cases
}

#[tokio::test]
async fn a_plain_call_is_answered_with_the_bytes_of_rmcp() {
    let bridged = Bridged::new();
    for (case, part) in plain() {
        assert!(bridged.is_plain(&case), "{case:?}");
        let (status, body) = bridged.compared(&case).await;
        assert_eq!(status, 200, "{body}");
        assert!(body.contains(part), "{part}: {body}");
    }
}

#[tokio::test]
async fn what_is_unusual_is_left_to_rmcp() {
    let bridged = Bridged::new();
    for case in unusual() {
        assert!(!bridged.is_plain(&case), "{case:?}");
    }
}

#[tokio::test]
async fn a_message_that_is_damaged_is_answered_alike_in_both_ways() {
    /// How many messages, each with this many damages at most.
    const MESSAGES: usize = 1000;
    const DAMAGES: usize = 2;
    let bridged = Bridged::new();
    let cases: Vec<_> = plain().into_iter().map(|(case, _)| case).collect();
    let mut random = StdRng::seed_from_u64(14);
    let mut still_plain = 0;
    for _ in 0..MESSAGES {
        let mut case = cases[random.random_range(0..cases.len())].clone();
        for _ in 0..random.random_range(1..=DAMAGES) {
            let at = random.random_range(0..case.body.len());
            match random.random_range(0..3) {
                0 => case.body[at] = random.random_range(b' '..=b'~'),
                1 => drop(case.body.remove(at)),
                _ => case
                    .body
                    .insert(at, b"\",:{}[]\\ 0tn"[random.random_range(0..12)]),
            }
        }
        // What core is told to do may not end, or ends otherwise when it is told again.
        let text = String::from_utf8_lossy(&case.body).into_owned();
        if text.contains("hang") || text.contains("panic") {
            continue;
        }
        still_plain += usize::from(bridged.is_plain(&case));
        bridged.compared(&case).await;
    }
    assert!(still_plain > MESSAGES / 50, "{still_plain}");
}
