use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use muster_api::metadata::Surface;
use rpc_client::{Context, Core};
use server::observe::RequestId;
use test_toy::{
    GOOD, Toy,
    v1::bindings::{GetMyThing, GetThing},
};

use crate::core::thing;

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&str, &str)| {
        (
            HeaderName::try_from(*name).unwrap(),
            HeaderValue::try_from(*value).unwrap(),
        )
    };
    let mut headers = HeaderMap::new();
    for (name, value) in pairs.iter().map(pair) {
        headers.append(name, value);
    }
    headers
}

fn context(pairs: &[(&str, &str)]) -> Context {
    let id = RequestId::parse("id-1").unwrap();
    Context::from_headers(&headers(pairs), &id, Duration::from_secs(30))
}

/// What core is told when a request with these headers calls a method that needs a credential.
async fn metadata_of(pairs: &[(&str, &str)]) -> Toy {
    let toy = Toy::default();
    let core = Core::in_process(toy.routes());
    // Whether core takes the credential does not matter here.
    let _answer = core.call::<GetMyThing>(thing("x"), &context(pairs)).await;
    assert_eq!(toy.count(), 1);
    toy
}

#[tokio::test]
async fn core_is_reported_the_credential_the_trace_and_the_request_id_and_nothing_else() {
    let toy = metadata_of(&[
        ("authorization", "Bearer abc"),
        ("traceparent", TRACE),
        ("tracestate", "vendor=1"),
        ("cookie", "secret=1"),
    ])
    .await;
    assert_eq!(toy.header("authorization").as_deref(), Some("Bearer abc"));
    assert_eq!(toy.header("traceparent").as_deref(), Some(TRACE));
    assert_eq!(toy.header("tracestate").as_deref(), Some("vendor=1"));
    assert_eq!(toy.header("x-request-id").as_deref(), Some("id-1"));
    assert_eq!(toy.header("cookie"), None);
}

#[tokio::test]
async fn core_is_reported_by_which_surface_a_call_comes() {
    let toy = Toy::default();
    let core = Core::in_process(toy.routes());
    // What clients say of it themselves does not count.
    let context = context(&[
        ("authorization", GOOD),
        ("x-muster-surface", "site"),
        ("x-muster-edge-token", "guessed"),
        ("x-client-address", "192.0.2.1"),
    ]);
    core.call::<GetMyThing>(thing("x"), &context).await.unwrap();
    assert_eq!(toy.header("x-muster-surface"), None);
    assert_eq!(toy.header("x-muster-edge-token"), None);
    assert_eq!(toy.header("x-client-address"), None);
    let core = core.on_surface(Surface::Mcp);
    core.call::<GetMyThing>(thing("x"), &context).await.unwrap();
    assert_eq!(toy.header("x-muster-surface").as_deref(), Some("mcp"));
}

#[tokio::test]
async fn a_public_method_is_not_told_the_credential() {
    let toy = Toy::default();
    let core = Core::in_process(toy.routes());
    core.call::<GetThing>(thing("x"), &context(&[("authorization", "Bearer abc")]))
        .await
        .unwrap();
    assert_eq!(toy.header("authorization"), None);
}

#[tokio::test]
async fn a_malformed_trace_is_not_passed_on_and_none_is_made_up() {
    for bad in [
        "",
        "x",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
    ] {
        let toy = metadata_of(&[("traceparent", bad), ("tracestate", "vendor=1")]).await;
        assert_eq!(toy.header("traceparent"), None, "{bad}");
        assert_eq!(toy.header("tracestate"), None, "{bad}");
    }
    assert_eq!(metadata_of(&[]).await.header("traceparent"), None);
}

#[test]
fn a_credential_is_not_shown_in_debug_output() {
    assert!(!format!("{:?}", context(&[("authorization", "Bearer abc")])).contains("abc"));
}

#[test]
fn a_timeout_is_taken_up_to_the_longest_allowed() {
    let seconds = |value: &str| {
        let left = context(&[("grpc-timeout", value)])
            .deadline()
            .saturating_duration_since(tokio::time::Instant::now());
        left.as_secs_f64()
    };
    for (value, expected) in [
        ("5S", 5.0),
        ("2M", 30.0),
        ("1H", 30.0),
        ("1500m", 1.5),
        ("99999999n", 0.1),
        ("0S", 0.0),
        // What cannot be read counts as absent.
        ("", 30.0),
        ("S", 30.0),
        ("5", 30.0),
        ("5s", 30.0),
        ("-1S", 30.0),
        ("123456789S", 30.0),
    ] {
        assert!(
            (seconds(value) - expected).abs() < 0.5,
            "{value}: {}",
            seconds(value)
        );
    }
}
