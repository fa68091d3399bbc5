//! What the bridge answers besides MCP when it runs by itself: `/healthz`, `/readyz`, and 404 to all else.

use axum::{Router, extract::Request, response::Response, routing::get};
use edge::{Core, Problem};
use http::StatusCode;
use muster_api::Reason;
use process::observe::RequestId;

use super::refusal;

pub(crate) fn with_health(router: Router, core: Core) -> Router {
    let live = || async { refusal::json(StatusCode::OK, r#"{"status":"ok"}"#.into()) };
    let ready = move |request: Request| ready(core.clone(), request);
    router
        .route("/healthz", get(live))
        .route("/readyz", get(ready))
        .fallback(unknown)
}

async fn ready(core: Core, request: Request) -> Response {
    let id = id(&request);
    match core.is_serving(&id).await {
        Ok(()) => refusal::json(StatusCode::OK, r#"{"status":"ready"}"#.into()),
        Err(status) => refusal::response(Problem::from(&status), &id),
    }
}

async fn unknown(request: Request) -> Response {
    let message = "there is nothing at this path; MCP is served at /mcp";
    refusal::response(Problem::new(Reason::NotFound, message), &id(&request))
}

fn id(request: &Request) -> RequestId {
    let id = request.extensions().get().cloned();
    id.unwrap_or_else(RequestId::fresh)
}
