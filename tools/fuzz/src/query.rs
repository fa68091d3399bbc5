//! Targets of requests: paths and queries. What is refused is refused with the parameter's name; what is accepted is the same however it
//! is escaped.

use std::fmt::Write as _;

use axum::body::Body;
use http::{Request, Uri};

use crate::{
    Target, openapi,
    surface::{Reply, Surface},
};

pub(crate) const TARGET: Target = Target {
    name: "query",
    seeds,
    words,
    run,
};

thread_local! {
    static GATEWAY: Surface = Surface::gateway();
}

fn get(surface: &Surface, uri: Uri) -> Reply {
    let request = Request::get(uri)
        .header("host", "localhost")
        .header("authorization", "Bearer good");
    surface.send(request.body(Body::empty()).expect("the request is sound"))
}

fn run(input: &[u8]) {
    let Ok(uri) = Uri::try_from(input) else {
        return;
    };
    if !uri.path().starts_with('/') {
        return;
    }
    let (path, query) = (
        uri.path().to_owned(),
        uri.query().unwrap_or_default().to_owned(),
    );
    GATEWAY.with(|surface| {
        let reply = get(surface, uri);
        if reply.status.is_client_error() {
            assert!(reply.calls.is_empty(), "refused and done: {reply:?}");
            reply.check_problem();
        } else if !reply.calls.is_empty() {
            let target = format!("{path}?{}", escaped(&query));
            let again = get(surface, target.parse().expect("all is escaped"));
            assert_eq!(
                again.calls, reply.calls,
                "{path}?{query} escaped as {target}"
            );
        }
    });
}

/// The same query with every byte of it escaped.
fn escaped(query: &str) -> String {
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let pairs = pairs.map(|(name, value)| format!("{}={}", escape(&name), escape(&value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn escape(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _infallible = write!(out, "%{byte:02X}");
        out
    })
}

fn seeds() -> Vec<Vec<u8>> {
    let odd = [
        "/api/v1/events?limit=0&offset=-1&limit=2",
        "/api/v1/events/a%2Fb?x=%zz",
        "/api/v1/me/events/%FF/registrations?q=%F0%9F%8E%89+x&status=",
        "/healthz",
        "/docs",
        "/",
    ];
    let targets = openapi::example_targets().into_iter();
    targets
        .chain(odd.map(str::to_owned))
        .map(String::into_bytes)
        .collect()
}

fn words() -> Vec<String> {
    let names = openapi::names().into_iter().map(|name| format!("{name}="));
    names
        .chain(["%00", "%2F", "%25", "+", "&", "%C3%A4", "2147483648"].map(str::to_owned))
        .collect()
}
