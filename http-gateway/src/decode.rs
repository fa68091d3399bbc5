//! Decodes an HTTP request into the binding's message. It accepts exactly what the OpenAPI document describes.

mod body;
mod parameters;

use axum::body::Body;
use http::request::Parts;
use http_kit::{CallOptions, Problem};
use muster_api::binding::Body as HasBody;
use rpc_client::EncodedRequest;
use tokio::time::Instant;

use self::parameters::Parameters;
use crate::route::Route;

/// Reads path, query and body. The path and the query are checked before the body is read, and all their violations are
/// reported at once.
pub(crate) async fn decode(
    route: &Route,
    calls: &CallOptions,
    parts: &Parts,
    body: Body,
    deadline: Instant,
) -> Result<EncodedRequest, Problem> {
    let mut draft = (route.draft)();
    let parameters = Parameters::read(route, &parts.uri, &mut *draft)?;
    if parts.method.is_safe() {
        return Ok(draft.encode());
    }
    let bytes = calls.read_body(parts, body, deadline).await?;
    match route.body {
        HasBody::None => body::refuse(&bytes)?,
        HasBody::Optional if bytes.is_empty() => {}
        HasBody::Optional | HasBody::Required => {
            body::require_json(&parts.headers, &bytes)?;
            draft.read(&bytes)?;
            parameters.set(&mut *draft)?;
        }
    }
    Ok(draft.encode())
}
