//! Tools: what they take, what they say when they refuse, and how they are shown.

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::{Value, json};
use tests::{TestApp, new_event};

/// Each tool as clients see it, so that a change to one shows in review. On one database, since no tool says anything of it.
#[tokio::test]
async fn every_tool_is_shown_as_it_was_reviewed() {
    let app = TestApp::on_sqlite().await;
    let mcp = app.mcp.with_key(&app.account(Plan::Free).await.key);
    let listed = mcp.result("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    assert!(serde_json::to_string(tools).unwrap().len() <= 19_000);
    let definitions: Vec<Value> = serde_json::from_str(muster_api::TOOLS).unwrap();
    let definitions: Vec<_> = definitions.iter().map(|row| row["tool"].clone()).collect();
    assert_eq!(*tools, definitions);
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        insta::with_settings!({snapshot_path => "tools", prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_json_snapshot!(name, tool);
        });
    }
}

async fn arguments_may_come_as_json_in_strings_and_nulls_count_as_left_out(app: Arc<TestApp>) {
    let mcp = app.mcp.with_key(&app.account(Plan::Pro).await.key);
    let mut event = new_event(json!({}));
    event["max_capacity"] = "12".into();
    event["is_public"] = "true".into();
    event["city"] = Value::Null;
    event["image_query"] = Value::Null;
    event["custom_fields"] =
        r#"[{"label":"Size","field_type":"select","options":"[\"S\",\"M\"]","required":"true"}]"#
            .into();
    let created = mcp.call("create_event", event).await.answer();
    let read = json!({"id": created["id"]});
    let read = mcp.call("get_my_event", read).await.answer();
    assert_eq!(read["max_capacity"], 12);
    assert_eq!(read["is_published"], true);
    assert_eq!(read["city"], Value::Null);
    let asked =
        json!([{"label": "Size", "field_type": "select", "options": ["S", "M"], "required": true}]);
    let mut questions = read["custom_fields"].clone();
    assert!(questions[0]["id"].is_string());
    questions[0].as_object_mut().unwrap().remove("id");
    assert_eq!(questions, asked);
    // A text stays one, whatever it looks like.
    let update = json!({"id": created["id"], "title": "12345", "city": "{\"a\": 1}"});
    let updated = mcp.call("update_event", update).await.answer();
    assert_eq!(updated["title"], "12345");
    assert_eq!(updated["city"], "{\"a\": 1}");
}

async fn an_update_clears_what_it_names_and_nothing_that_is_null(app: Arc<TestApp>) {
    let mcp = app.mcp.with_key(&app.account(Plan::Pro).await.key);
    let mut event = new_event(json!({}));
    event["city"] = "Berlin".into();
    let created = mcp.call("create_event", event).await.answer();
    let id = &created["id"];
    let kept = json!({"id": id, "city": null, "title": "Another title"});
    let kept = mcp.call("update_event", kept).await.answer();
    assert_eq!(
        (&kept["city"], &kept["title"]),
        (&"Berlin".into(), &"Another title".into())
    );
    let cleared = json!({"id": id, "clear": ["city"]});
    let cleared = mcp.call("update_event", cleared).await.answer();
    assert_eq!(cleared["city"], Value::Null);

    let both = json!({"id": id, "clear": ["city"], "city": "Bonn"});
    let text = mcp.call("update_event", both).await.error();
    assert!(text.contains("city is given and to be cleared"), "{text}");
    let text = mcp
        .call("update_event", json!({"id": id, "clear": ["title"]}))
        .await
        .error();
    assert!(
        text.contains("clear[0] must be one of end_date, city, image_query"),
        "{text}"
    );
}

async fn a_refusal_names_field_rule_and_way_out(app: Arc<TestApp>) {
    let mcp = app.mcp.with_key(&app.account(Plan::Free).await.key);
    let text = mcp
        .call("create_event", json!({"title": "x", "max_capacity": 0}))
        .await
        .error();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines.first(),
        Some(&"INVALID_REQUEST: 5 arguments are wrong"),
        "{text}"
    );
    for line in [
        "- title must be 3 to 200 characters long, is 1",
        "- max_capacity must be from 1 to 10000, is 0",
        "- location is required",
        "Correct these arguments and call again.",
    ] {
        assert!(lines.contains(&line), "no {line:?} in {text}");
    }
    let text = mcp.call("get_my_event", json!({})).await.error();
    assert!(
        text.starts_with("INVALID_REQUEST: id is required\n"),
        "{text}"
    );
    let text = mcp
        .call("get_my_event", json!({"id": "x", "slug": "y"}))
        .await
        .error();
    assert!(
        text.contains("slug is not known here; the fields are id"),
        "{text}"
    );

    let created = mcp
        .call("create_event", new_event(json!({})))
        .await
        .answer();
    let text = mcp
        .call("list_registrations", json!({"id": created["id"]}))
        .await
        .error();
    assert!(text.starts_with("PLAN_REQUIRED: "), "{text}");
    assert!(text.contains("paid plan"), "{text}");
    for _ in 0..2 {
        mcp.call("create_event", new_event(json!({})))
            .await
            .answer();
    }
    let text = mcp.call("create_event", new_event(json!({}))).await.error();
    assert!(text.starts_with("QUOTA_EXCEEDED: "), "{text}");
    assert!(text.contains("get_account shows what is used"), "{text}");
}

tests::on_both_engines!(
    arguments_may_come_as_json_in_strings_and_nulls_count_as_left_out,
    an_update_clears_what_it_names_and_nothing_that_is_null,
    a_refusal_names_field_rule_and_way_out,
);
