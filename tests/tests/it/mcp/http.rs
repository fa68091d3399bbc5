//! What is refused before anything is called: hosts, origins, bodies and headers.

use std::sync::Arc;

use domain::plan::Plan;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{Reply, TestApp};

async fn strange_hosts_and_origins_are_turned_away(app: Arc<TestApp>) {
    let mcp = app.mcp.with_key(&app.account(Plan::Free).await.key);
    for (header, value) in [
        ("host", "evil.example"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let request = mcp.request("tools/list", json!({})).header(header, value);
        let answer = request.send().await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{header}: {value}");
    }
}

async fn what_is_no_message_is_answered_as_json_rpc_says(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    for (body, code) in [
        ("{\"jsonrpc\":", -32700),
        ("", -32700),
        ("[]", -32600),
        (
            "[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]",
            -32600,
        ),
        ("{\"method\":\"ping\"}", -32600),
    ] {
        let request = app
            .mcp
            .http
            .request(Method::POST, "/mcp")
            .bearer(&key)
            .header("accept", "application/json, text/event-stream")
            .json_bytes(body);
        let answer = request.send().await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(answer.json()["error"]["code"], code, "{body}");
    }
    let long = "x".repeat(2 << 20);
    let request = app.mcp.http.request(Method::POST, "/mcp").bearer(&key);
    let answer = request.json_bytes(long).send().await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}

async fn answers_end_with_a_newline(app: Arc<TestApp>) {
    let mcp = app.mcp.with_key(&app.account(Plan::Free).await.key);
    for method in ["tools/list", "no/such/method"] {
        let answer = mcp.request(method, json!({})).send().await;
        assert!(answer.body.ends_with(b"}\n"), "{method}");
        let length = answer.header("content-length");
        let is_right = length.is_none_or(|length| length == answer.body.len().to_string());
        assert!(is_right, "{method}");
    }
    let unread = app.mcp.http.request(Method::POST, "/mcp");
    let unread = unread.bearer(&app.account(Plan::Free).await.key);
    let answer = unread.json_bytes("[]").send().await;
    assert!(answer.body.ends_with(b"}\n"), "{answer:?}");
}

async fn headers_that_contradict_the_message_are_refused(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    let send = async |version: &str, method: &str, said: &str| {
        let request = app
            .mcp
            .http
            .request(Method::POST, "/mcp")
            .bearer(&key)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", version)
            .header("mcp-method", method);
        let params = json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": said,
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
        let answer = request.json(&message).send().await;
        let code = answer.json()["error"]["code"].clone();
        (answer.status.as_u16(), code)
    };
    let (now, old) = ("2026-07-28", "2025-11-25");
    assert_eq!(send(now, "tools/list", now).await, (200, Value::Null));
    assert_eq!(send(old, "tools/list", now).await, (400, json!(-32020)));
    assert_eq!(send(now, "tools/call", now).await, (400, json!(-32020)));
    // A revision that nobody knows is told those that are.
    assert_eq!(
        send("2999-01-01", "tools/list", "2999-01-01").await,
        (400, json!(-32022))
    );
}

async fn a_revision_that_is_named_is_named_once_and_spoken(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    let send = async |revisions: &[&str], message: Value| {
        let request = app.mcp.http.request(Method::POST, "/mcp").bearer(&key);
        let request = request.header("accept", "application/json, text/event-stream");
        let named = revisions.iter().fold(request, |request, revision| {
            request.header("mcp-protocol-version", revision)
        });
        let answer = named.json(&message).send().await;
        let error = |answer: Reply| answer.json()["error"].clone();
        let status = answer.status.as_u16();
        (
            status,
            if status == 400 {
                error(answer)
            } else {
                Value::Null
            },
        )
    };
    let list = || json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
    for spoken in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(send(&[spoken], list()).await, (200, Value::Null));
    }
    for unspoken in ["2024-11-05", "banana"] {
        let (status, error) = send(&[unspoken], list()).await;
        assert_eq!((status, &error["code"]), (400, &json!(-32022)));
        assert_eq!(error["data"]["requested"], unspoken);
        assert_eq!(error["data"]["supported"].as_array().unwrap().len(), 4);
    }
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let names_itself =
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta}});
    for (revisions, message) in [
        (&[][..], names_itself),
        (&["2025-11-25", "2026-07-28"], list()),
    ] {
        let (status, error) = send(revisions, message).await;
        assert_eq!((status, &error["code"]), (400, &json!(-32020)));
    }
    // Clients from before there was this header do not send it.
    assert_eq!(send(&[], list()).await, (200, Value::Null));
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(send(&[], told).await, (202, Value::Null));
    // The handshake finds a revision, so it needs to name none.
    let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    assert_eq!(send(&[], hello).await, (200, Value::Null));
}

/// As programs on older SDKs do: without the header, which came later.
async fn a_client_of_2025_03_26_begins_and_calls_a_tool(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    let send = async |body: Value| {
        let request = app.mcp.http.request(Method::POST, "/mcp").bearer(&key);
        request.json(&body).send().await
    };
    let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    let begun = send(hello.clone()).await.ok();
    assert_eq!(begun["result"]["protocolVersion"], "2025-03-26");
    let params = json!({"name": "list_my_events", "arguments": {}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let called = send(call.clone()).await.ok();
    let text = called["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("\"items\":[]"), "{text}");

    let refused = send(json!([hello, call])).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let error = &refused.json()["error"];
    assert_eq!(error["code"], -32600, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with("batches are not supported"),
        "{message}"
    );
}

super::on_sqlite!(
    a_client_of_2025_03_26_begins_and_calls_a_tool,
    strange_hosts_and_origins_are_turned_away,
    what_is_no_message_is_answered_as_json_rpc_says,
    answers_end_with_a_newline,
    headers_that_contradict_the_message_are_refused,
    a_revision_that_is_named_is_named_once_and_spoken,
);
