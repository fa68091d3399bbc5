//! One trace from the caller to the database, and to the mail.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::RegisterAttendee;
use opentelemetry_proto::tonic::trace::v1::{Span, span::SpanKind};
use serde_json::{Value, json};
use server::metrics;
use tests::{Surface, TestApp};

use super::{collector, listen};

/// What callers name: a trace, and the part of it that calls.
fn named(id: &str) -> (Vec<u8>, Vec<u8>, String) {
    let trace = id.replace('-', "");
    let bytes = |hex: &str| -> Vec<u8> {
        let pairs = (0..hex.len()).step_by(2);
        pairs
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    };
    let caller = "00f067aa0ba902b7";
    let header = format!("00-{trace}-{caller}-01");
    (bytes(&trace), bytes(caller), header)
}

/// The one span with this name and kind.
fn one<'s>(spans: &'s [Span], name: &str, kind: SpanKind) -> &'s Span {
    let found: Vec<_> = spans
        .iter()
        .filter(|span| span.name == name && span.kind() == kind)
        .collect();
    assert_eq!(found.len(), 1, "{name}: {spans:#?}");
    found[0]
}

async fn a_request_is_one_trace_from_its_caller_to_the_database(app: Arc<TestApp>) {
    listen();
    let account = app.account(Plan::Pro).await;
    let (trace, caller, header) = named(&account.key_id.to_string());
    let event = json!({
        "title": "Talks", "description": "Two talks.", "location": "Hall", "start_date": "2030-05-14T19:00:00Z",
    });
    let request = app.http.post("/events").bearer(&account.key).json(&event);
    request.header("traceparent", header).send().await.ok();

    let spans = collector::spans_of(&trace, &caller).await;
    let rpc = "muster.v1.EventService/CreateEvent";
    let request = one(&spans, "POST /api/v1/events", SpanKind::Server);
    let call = one(&spans, rpc, SpanKind::Client);
    let answer = one(&spans, rpc, SpanKind::Server);
    let statement = one(&spans, "lock_account_for_slug", SpanKind::Client);
    assert_eq!(request.parent_span_id, caller);
    assert_eq!(call.parent_span_id, request.span_id);
    assert_eq!(answer.parent_span_id, call.span_id);
    assert_eq!(statement.parent_span_id, answer.span_id);
    for name in ["begin", "commit"] {
        one(&spans, name, SpanKind::Client);
    }
}

/// Whether a span has a link to another one.
fn is_linked(span: &Span, to: &Span) -> bool {
    span.links
        .iter()
        .any(|link| (&link.trace_id, &link.span_id) == (&to.trace_id, &to.span_id))
}

async fn a_mail_is_part_of_the_trace_that_made_it(app: Arc<TestApp>) {
    listen();
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let (trace, caller, header) = named(&event.id);
    let guest = json!({"name": "Ada", "email": "ada@example.org"});
    let path = format!("/events/{}/registrations", event.slug);
    let registering = app.http.post(&path).json(&guest);
    registering.header("traceparent", header).send().await.ok();
    app.drain_jobs().await;

    let spans = collector::spans_of(&trace, &caller).await;
    let rpc = "muster.v1.RegistrationService/RegisterAttendee";
    let answer = one(&spans, rpc, SpanKind::Server);
    let job = one(&spans, "registered_mail", SpanKind::Consumer);
    assert_eq!(job.parent_span_id, answer.span_id);
    assert!(is_linked(job, answer), "{job:?}");
    let sent = one(&spans, "send", SpanKind::Client);
    assert_eq!(sent.parent_span_id, job.span_id);
}

async fn one_of_many_mails_has_a_trace_of_its_own_that_leads_to_what_made_it(app: Arc<TestApp>) {
    listen();
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).with_key(&account.key);
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    owner.ok::<RegisterAttendee>(guest).await;
    app.drain_jobs().await;
    let (trace, caller, header) = named(&account.key_id.to_string());
    let path = format!("/me/events/{}/cancel", event.id);
    let cancelling = app.http.post(&path).bearer(&account.key);
    cancelling.header("traceparent", header).send().await.ok();
    app.drain_jobs().await;

    let spans = collector::spans_of(&trace, &caller).await;
    let rpc = "muster.v1.EventService/CancelEvent";
    let answer = one(&spans, rpc, SpanKind::Server);
    let linked: Vec<Span> = collector::named("cancellation_mail")
        .into_iter()
        .filter(|job| is_linked(job, answer))
        .collect();
    let [job] = &linked[..] else {
        panic!("{linked:#?}");
    };
    assert_ne!(job.trace_id, trace);
    assert!(job.parent_span_id.is_empty(), "{job:?}");
}

/// The plain way of the bridge takes tools that need no confirmation, and rmcp the others.
async fn a_tool_call_is_part_of_the_trace_in_its_meta(app: Arc<TestApp>) {
    listen();
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).with_key(&account.key);
    let event = owner.publish_new(json!({})).await;
    let calls: [(&str, &str, Value, &str); 2] = [
        (
            "get_account",
            "AccountService/GetAccount",
            json!({}),
            &account.key_id.to_string(),
        ),
        (
            "cancel_event",
            "EventService/CancelEvent",
            json!({"id": event.id, "confirm": true}),
            &event.id,
        ),
    ];
    let client = app.mcp.with_key(&account.key);
    for (tool, rpc, arguments, id) in calls {
        let (trace, caller, header) = named(id);
        let meta = json!({"traceparent": header});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let result = client.result("tools/call", params).await;
        assert_ne!(result["isError"], true, "{result}");
        let spans = collector::spans_of(&trace, &caller).await;
        let ran = one(&spans, tool, SpanKind::Server);
        assert_eq!(ran.parent_span_id, caller);
        let call = one(&spans, &format!("muster.v1.{rpc}"), SpanKind::Client);
        assert_eq!(call.parent_span_id, ran.span_id);
        let labels = format!("{{rpc=\"muster.v1.{rpc}\",outcome=\"done\"}}");
        let counted = format!("muster_mcp_tool_calls_total{labels}");
        assert!(metrics::text().contains(&counted), "{counted}");
    }
}

tests::on_both_engines!(
    a_request_is_one_trace_from_its_caller_to_the_database,
    a_mail_is_part_of_the_trace_that_made_it,
    one_of_many_mails_has_a_trace_of_its_own_that_leads_to_what_made_it,
    a_tool_call_is_part_of_the_trace_in_its_meta
);
