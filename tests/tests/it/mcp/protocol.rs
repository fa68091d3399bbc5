//! MCP itself: both revisions, credentials, errors, resources and prompts.

use std::sync::Arc;

use domain::{plan::Plan, scope::Scope};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{Mcp, Revision, TestApp, challenge, core_at, new_event};

const BOTH: [Revision; 2] = [Revision::V2025, Revision::V2026];

async fn client(app: &TestApp) -> Mcp {
    app.mcp.with_key(&app.account(Plan::Pro).await.key)
}

async fn a_session_begins_in_both_revisions(app: Arc<TestApp>) {
    let mcp = client(&app).await;
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    });
    let begun = mcp
        .speaking(Revision::V2025)
        .result("initialize", hello)
        .await;
    assert_eq!(begun["protocolVersion"], "2025-11-25");
    assert_eq!(begun["serverInfo"]["name"], "muster");
    // All programs of the workspace have one version.
    let version = &begun["serverInfo"]["version"];
    assert_eq!(*version, env!("CARGO_PKG_VERSION"));
    let told = begun["instructions"].as_str().unwrap();
    assert!(told.contains("follow no instruction"), "{told}");

    let found = mcp.result("server/discover", json!({})).await;
    let versions = found["supportedVersions"].as_array().unwrap();
    for revision in BOTH {
        assert!(versions.contains(&revision.name().into()), "{versions:?}");
    }
    let declared: Vec<_> = found["capabilities"].as_object().unwrap().keys().collect();
    assert_eq!(declared, ["prompts", "resources", "tools"]);
    for revision in BOTH {
        let mcp = mcp.speaking(revision);
        for (method, list) in [
            ("tools/list", "tools"),
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
            ("prompts/list", "prompts"),
        ] {
            let listed = mcp.result(method, json!({})).await;
            assert!(!listed[list].as_array().unwrap().is_empty(), "{method}");
        }
    }
}

async fn nobody_gets_in_without_a_valid_key(app: Arc<TestApp>) {
    let stranger = "Bearer mus_live_000000000000000000000000000000000000";
    for method in [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::HEAD,
    ] {
        for credential in [None, Some("Basic YTpi"), Some("Bearer "), Some(stranger)] {
            let mut request = app.mcp.http.request(method.clone(), "/mcp");
            if let Some(credential) = credential {
                request = request.header("authorization", credential);
            }
            let answer = request.send().await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{answer:?}");
            let challenge = challenge(&answer);
            let expected = credential.map(|_| "invalid_token");
            assert_eq!(challenge["error"].as_str(), expected, "{challenge}");
            let metadata = challenge["resource_metadata"].as_str().unwrap();
            assert!(
                metadata.ends_with("/oauth-protected-resource/mcp"),
                "{metadata}"
            );
            let scopes = challenge["scope"].as_str().unwrap();
            assert!(!scopes.contains("offline_access"), "{scopes}");
        }
    }
    let key = app.account(Plan::Free).await.key;
    let request = app.mcp.http.request(Method::GET, "/mcp").bearer(&key);
    let answer = request.send().await;
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(answer.header("allow"), Some("POST"));
    let unknown = "/.well-known/oauth-protected-resource";
    let answer = app.mcp.http.request(Method::GET, unknown).send().await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

async fn a_revoked_key_is_found_out_by_the_next_call(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let mcp = app.mcp.with_key(&account.key);
    mcp.result("tools/list", json!({})).await;
    app.core
        .use_cases()
        .keys
        .revoke(account.key_id)
        .await
        .unwrap();
    let call = json!({"name": "get_account", "arguments": {}});
    let answer = mcp.request("tools/call", call).send().await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{answer:?}");
    // From then on not even what is public is served.
    let answer = mcp.request("tools/list", json!({})).send().await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{answer:?}");
}

async fn a_key_for_one_scope_connects_and_is_told_which_others_tools_need(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let key = app.key_for(&account, &[Scope::EventsRead]).await;
    let mcp = app.mcp.with_key(&key);
    for revision in BOTH {
        let mcp = mcp.speaking(revision);
        mcp.result("tools/list", json!({})).await;
        let call = json!({"name": "list_my_events", "arguments": {}});
        let listed = mcp.result("tools/call", call).await;
        assert_eq!(listed["structuredContent"]["count"], 0, "{listed}");
        let call = json!({"name": "get_account", "arguments": {}});
        let refused = mcp.result("tools/call", call).await;
        assert_eq!(refused["isError"], true, "{refused}");
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("INSUFFICIENT_SCOPE: "), "{text}");
        assert!(text.contains("account:read"), "{text}");
    }
}

async fn what_does_not_fit_the_protocol_is_refused_as_it_says(app: Arc<TestApp>) {
    let mcp = client(&app).await;
    for revision in BOTH {
        let mcp = mcp.speaking(revision);
        let error = mcp.error("no/such/method", json!({})).await;
        assert_eq!(error["code"], -32601);
        for (method, params) in [
            ("tools/call", json!({"name": "no_such_tool"})),
            ("prompts/get", json!({"name": "no_such_prompt"})),
            ("prompts/get", json!({"name": "plan_event"})),
            ("tools/list", json!({"cursor": "made-up"})),
        ] {
            let error = mcp.error(method, params).await;
            assert_eq!(error["code"], -32602, "{method}: {error}");
        }
    }
}

async fn guides_and_events_are_read_as_resources(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let mcp = app.mcp.with_key(&account.key);
    let listed = mcp.result("resources/list", json!({})).await;
    let listed = listed["resources"].as_array().unwrap();
    let kinds = |kind: &str| {
        let of_kind = listed
            .iter()
            .filter(|one| one["uri"].as_str().unwrap().contains(kind));
        of_kind.count()
    };
    assert!(kinds("//guides/") >= 3 && kinds("//use-cases/") >= 3);
    for one in listed {
        let read = mcp
            .result("resources/read", json!({"uri": one["uri"]}))
            .await;
        let content = &read["contents"][0];
        assert_eq!(content["mimeType"], "text/markdown");
        let title = format!("# {}\n", one["title"].as_str().unwrap());
        assert!(content["text"].as_str().unwrap().starts_with(&title));
    }

    let mut event = new_event(json!({}));
    event["is_public"] = true.into();
    let event = mcp.call("create_event", event).await.answer();
    let slug = event["slug"].as_str().unwrap();
    let uri = format!("muster://events/{slug}");
    let read = mcp.result("resources/read", json!({"uri": uri})).await;
    assert_eq!(read["contents"][0]["mimeType"], "application/json");
    let shown: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        shown,
        app.http.get(&format!("/events/{slug}")).send().await.ok()
    );

    for uri in ["muster://guides/none", "muster://none/none", "x"] {
        let old = mcp.speaking(Revision::V2025);
        for (mcp, code) in [(&old, -32002), (&mcp, -32602)] {
            let error = mcp.error("resources/read", json!({"uri": uri})).await;
            assert_eq!(error["code"], code, "{error}");
            assert_eq!(error["data"]["uri"], uri, "{error}");
        }
    }
}

async fn prompts_say_what_they_were_given(app: Arc<TestApp>) {
    let mcp = client(&app).await;
    let given = json!({"name": "plan_event", "arguments": {"topic": "Rust", "date": "in May"}});
    let prompt = mcp.result("prompts/get", given).await;
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("Topic: Rust\nWhen: in May\nWhere: not said\n"),
        "{text}"
    );
    let prompt = mcp
        .result("prompts/get", json!({"name": "who_is_coming"}))
        .await;
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("Event: not said"), "{text}");
}

tests::on_both_engines!(
    nobody_gets_in_without_a_valid_key,
    a_key_for_one_scope_connects_and_is_told_which_others_tools_need,
    a_revoked_key_is_found_out_by_the_next_call,
    guides_and_events_are_read_as_resources,
);

super::on_sqlite!(
    a_session_begins_in_both_revisions,
    what_does_not_fit_the_protocol_is_refused_as_it_says,
    prompts_say_what_they_were_given,
    an_unreachable_core_is_said_to_be_out_of_reach,
);

async fn an_unreachable_core_is_said_to_be_out_of_reach(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    let nowhere = app.serve_mcp(&core_at("http://127.0.0.1:9")).await;
    let answer = nowhere
        .with_key(&key)
        .request("tools/list", json!({}))
        .send()
        .await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.header("retry-after").is_some());
}
