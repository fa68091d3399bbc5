//! One trace from the caller to the database.

use std::sync::Arc;

use core_service::domain::plan::Plan;
use opentelemetry_proto::tonic::trace::v1::{Span, span::SpanKind};
use serde_json::json;
use tests::TestApp;

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
    let statement = one(&spans, "insert_event", SpanKind::Client);
    assert_eq!(request.parent_span_id, caller);
    assert_eq!(call.parent_span_id, request.span_id);
    assert_eq!(answer.parent_span_id, call.span_id);
    assert_eq!(statement.parent_span_id, answer.span_id);
    for name in ["begin", "commit"] {
        one(&spans, name, SpanKind::Client);
    }
}

tests::on_both_engines!(a_request_is_one_trace_from_its_caller_to_the_database);
