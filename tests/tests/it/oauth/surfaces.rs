//! Access tokens on the surfaces: like keys, but for some of them only, and with the way to more scopes.

use std::sync::Arc;

use http::StatusCode;
use muster_api::{
    metadata::{EDGE_TOKEN, SURFACE},
    v1::{GetAccountRequest, account_service_client::AccountServiceClient},
};
use serde_json::{Value, json};
use tests::{CallOutcome, TestApp, challenge, new_event};

use super::{joined, stage};

const MCP: &str = "https://muster.example/mcp";
const API: &str = "https://muster.example/api/v1";

/// Whether REST, MCP and gRPC take a token.
async fn taken(app: &Arc<TestApp>, token: &str) -> [bool; 3] {
    let rest = app.http.get("/me").bearer(token).send().await;
    let tool = json!({"name": "get_account", "arguments": {}});
    let mcp = app.mcp.with_key(token).request("tools/call", tool);
    let mcp = mcp.send().await;
    for (reply, path) in [(&rest, "/api/v1"), (&mcp, "/mcp")] {
        if reply.status == StatusCode::UNAUTHORIZED {
            let challenge = challenge(reply);
            assert_eq!(challenge["error"], "invalid_token", "{reply:?}");
            let metadata = challenge["resource_metadata"].as_str().unwrap();
            assert!(metadata.ends_with(path), "{metadata}");
        }
    }
    let mut account = app.grpc.account(token);
    let grpc = account.get_account(GetAccountRequest {}).await;
    [rest.status == 200, mcp.status == 200, grpc.is_ok()]
}

async fn a_token_is_for_the_surface_that_was_asked_for(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    for (resource, expected) in [
        (MCP, [false, true, false]),
        ("https://muster.example/mcp/", [false, true, false]),
        (API, [true, false, true]),
        (TestApp::PUBLIC_URL, [true, true, true]),
        ("", [true, true, true]),
    ] {
        let tokens = client.connected(&browser, &[("resource", resource)]).await;
        assert_eq!(taken(&app, &tokens.access).await, expected, "{resource}");
        let again = tests::Tokens::of(&client.refresh(&tokens, &[]).await);
        assert_eq!(taken(&app, &again.access).await, expected, "{resource}");
    }
}

/// Whoever calls core directly is on the HTTP API's side, whatever it says of itself.
async fn only_a_proven_edge_says_for_which_surface_it_calls(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let of = async |resource| {
        let tokens = client.connected(&browser, &[("resource", resource)]).await;
        tokens.access
    };
    let (mcp, api) = (of(MCP).await, of(API).await);
    for (token, surface, is_proven, expected) in [
        (&mcp, "mcp", true, true),
        (&mcp, "mcp", false, false),
        (&mcp, "api", true, false),
        (&mcp, "site", true, false),
        (&api, "api", true, true),
        (&api, "mcp", true, false),
        (&api, "mcp", false, true),
        (&api, "site", true, false),
    ] {
        let mut request = tonic::Request::new(GetAccountRequest {});
        let metadata = request.metadata_mut();
        let bearer = format!("Bearer {token}").parse().unwrap();
        metadata.insert("authorization", bearer);
        metadata.insert(SURFACE, surface.parse().unwrap());
        if is_proven {
            metadata.insert(EDGE_TOKEN, TestApp::EDGE_TOKEN.parse().unwrap());
        }
        let mut account = AccountServiceClient::new(app.grpc.channel());
        let answer = account.get_account(request).await;
        assert_eq!(
            answer.is_ok(),
            expected,
            "{surface} {is_proven}: {answer:?}"
        );
    }
}

async fn other_tokens_open_nothing(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let tokens = client.connected(&browser, &[]).await;
    let code = client.agreed(&browser, &[]).await.value("code").unwrap();
    for token in [&tokens.refresh, &code] {
        assert_eq!(taken(&app, token).await, [false; 3]);
    }
    let query = format!("/me?access_token={}", tokens.access);
    assert_eq!(app.http.get(&query).send().await.status, 401);
    // No page takes one.
    let page = app.site.page("/dashboard").bearer(&tokens.access);
    assert_eq!(page.send().await.status, 303);
    browser.set_cookie("__Host-muster", &tokens.access);
    assert_eq!(browser.page("/dashboard").await.status, 303);
}

/// Not for everything that there is: a person would grant it.
async fn a_challenge_asks_for_what_the_call_needs(app: Arc<TestApp>) {
    let scopes_of = |reply: &tests::Reply| {
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{reply:?}");
        challenge(reply)["scope"].clone()
    };
    let event = new_event(json!({}));
    let refused = app.http.post("/events").json(&event).send().await;
    assert_eq!(scopes_of(&refused), "events:write");
    let refused = app.http.get("/me").bearer("mus_at_x").send().await;
    assert_eq!(scopes_of(&refused), "account:read");
    let tool = json!({"name": "create_event", "arguments": event});
    let refused = app.mcp.request("tools/call", tool.clone()).send().await;
    assert_eq!(scopes_of(&refused), "events:write");
    // A request whose headers do not name its tool.
    let reading = "events:read registrations:read account:read";
    let old = app.mcp.speaking(tests::Revision::V2025);
    for refused in [
        app.mcp.request("tools/list", json!({})).send().await,
        old.request("tools/call", tool).send().await,
    ] {
        assert_eq!(scopes_of(&refused), reading);
    }
}

async fn who_lacks_a_scope_is_told_which_and_how_to_get_it(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let asked = [("scope", "events:read account:read")];
    let tokens = client.connected(&browser, &asked).await;
    let rest = app
        .http
        .post("/events")
        .bearer(&tokens.access)
        .json(&new_event(json!({})));
    let mcp = app.mcp.with_key(&tokens.access);
    let tool = json!({"name": "create_event", "arguments": new_event(json!({}))});
    let mcp = mcp.request("tools/call", tool);
    for reply in [rest.send().await, mcp.send().await] {
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{reply:?}");
        let challenge = challenge(&reply);
        assert_eq!(challenge["error"], "insufficient_scope", "{challenge}");
        // What it has, too: else a client that asks for these scopes alone would lose the others.
        let scopes = challenge["scope"].as_str().unwrap();
        let mut scopes: Vec<_> = scopes.split(' ').collect();
        scopes.sort_unstable();
        assert_eq!(scopes, ["account:read", "events:read", "events:write"]);
        assert!(challenge["resource_metadata"].is_string(), "{challenge}");
        let header = reply.header("www-authenticate").unwrap();
        let place = |name: &str| header.find(name).unwrap();
        assert!(
            place("resource_metadata") < place("error_description"),
            "{header}"
        );
        let body = reply.json();
        assert_eq!(body["error"]["code"], "INSUFFICIENT_SCOPE", "{body}");
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.contains("events:write"), "{message}");
    }
    let wider = [("scope", "events:read account:read events:write")];
    let more = client.connected(&browser, &wider).await;
    let mcp = app.mcp.with_key(&more.access);
    mcp.call("create_event", new_event(json!({})))
        .await
        .answer();
}

/// Before the preview of a tool that needs a person's confirmation, and before what else is wrong with a request.
async fn a_missing_scope_is_found_first(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let wide = client.connected(&browser, &[]).await;
    let mcp = app.mcp.with_key(&wide.access);
    let event = mcp
        .call("create_event", new_event(json!({})))
        .await
        .answer();
    let tokens = client
        .connected(&browser, &[("scope", "events:read")])
        .await;
    let mcp = app.mcp.with_key(&tokens.access);
    let old = mcp.speaking(tests::Revision::V2025);
    for mcp in [&mcp, &mcp.showing_forms(), &old, &old.showing_forms()] {
        for arguments in [
            json!({"id": event["id"]}),
            json!({"id": event["id"], "confirm": true}),
            json!({"id": event["id"], "reason": "x".repeat(100_000)}),
            json!({"id": "nothing"}),
        ] {
            let tool = json!({"name": "cancel_event", "arguments": arguments});
            let reply = mcp.request("tools/call", tool).send().await;
            assert_eq!(reply.status, StatusCode::FORBIDDEN, "{reply:?}");
            let challenge = challenge(&reply);
            assert_eq!(challenge["error"], "insufficient_scope", "{challenge}");
            assert_eq!(challenge["scope"], "events:read events:cancel");
        }
    }
    let path = format!("/me/events/{}/cancel", event["id"].as_str().unwrap());
    for body in ["{", "{\"reason\": 7}", "[]"] {
        let request = app.http.post(&path).bearer(&tokens.access);
        let reply = request.json_bytes(body).send().await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{reply:?}");
        let challenge = challenge(&reply);
        assert_eq!(challenge["scope"], "events:read events:cancel");
    }
}

/// A new consent would not help those whose role lacks it, so that no client is sent to ask for one.
async fn who_may_not_grant_a_scope_is_told_so_and_not_sent_to_ask(app: Arc<TestApp>) {
    let (_, owner, client) = stage(&app).await;
    let door = joined(&app, &owner, "dora@example.org", "door").await;
    let tokens = client.connected(&door, &[]).await;
    for body in [new_event(json!({})).to_string(), "{".to_owned()] {
        let request = app.http.post("/events").bearer(&tokens.access);
        let reply = request.json_bytes(body).send().await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{reply:?}");
        let message = reply.json()["error"]["message"].clone();
        let message = message.as_str().unwrap();
        assert!(
            message.starts_with("your role in this account"),
            "{message}"
        );
    }
    let mcp = app.mcp.with_key(&tokens.access);
    let arguments = json!({"id": "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d"});
    for (tool, arguments) in [
        ("create_event", new_event(json!({}))),
        ("cancel_event", arguments),
    ] {
        let text = mcp.call(tool, arguments).await.error();
        assert!(text.contains("your role in this account"), "{text}");
    }
}

async fn a_key_without_a_scope_reads_why_in_the_result_of_the_tool(app: Arc<TestApp>) {
    let account = app.account(domain::plan::Plan::Free).await;
    let scopes = [domain::scope::Scope::EventsRead];
    let key = app.key_for(&account, &scopes).await;
    let outcome = app.mcp.with_key(&key).call("get_account", json!({})).await;
    let text = outcome.error();
    assert!(text.contains("account:read"), "{text}");
}

/// A question that a client with this token is asked, with the arguments of the call.
async fn asked(app: &Arc<TestApp>, token: &str) -> (Value, Value) {
    let mcp = app.mcp.with_key(token).showing_forms();
    let event = mcp
        .call("create_event", new_event(json!({})))
        .await
        .answer();
    let arguments = json!({"id": event["id"]});
    let question = mcp.call("cancel_event", arguments.clone()).await.question();
    (arguments, question)
}

fn agreeing(arguments: &Value, question: &Value) -> Value {
    json!({
        "arguments": arguments,
        "requestState": question["requestState"],
        "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
    })
}

async fn a_confirmation_outlives_its_token_but_is_of_one_grant(app: Arc<TestApp>) {
    let (account, browser, client) = stage(&app).await;
    let tokens = client.connected(&browser, &[]).await;
    let (arguments, question) = asked(&app, &tokens.access).await;
    let answer = agreeing(&arguments, &question);
    // The same person by another grant, and by a key.
    let other = client.connected(&browser, &[]).await;
    for foreign in [&other.access, &account.key] {
        let mut params = answer.clone();
        params["name"] = "cancel_event".into();
        let mcp = app.mcp.with_key(foreign).showing_forms();
        let error = mcp.error("tools/call", params).await;
        assert_eq!(error["code"], -32602, "{error}");
    }
    let again = tests::Tokens::of(&client.refresh(&tokens, &[]).await);
    let mcp = app.mcp.with_key(&again.access).showing_forms();
    let done = mcp.call_again("cancel_event", answer).await;
    assert!(matches!(done, CallOutcome::Answer(_)), "{done:?}");
}

tests::on_both_engines!(
    a_token_is_for_the_surface_that_was_asked_for,
    only_a_proven_edge_says_for_which_surface_it_calls,
    other_tokens_open_nothing,
    a_challenge_asks_for_what_the_call_needs,
    who_lacks_a_scope_is_told_which_and_how_to_get_it,
    a_missing_scope_is_found_first,
    who_may_not_grant_a_scope_is_told_so_and_not_sent_to_ask,
    a_key_without_a_scope_reads_why_in_the_result_of_the_tool,
    a_confirmation_outlives_its_token_but_is_of_one_grant,
);
