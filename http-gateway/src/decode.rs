//! Decodes an HTTP request into the binding's message. It accepts exactly what the OpenAPI document describes.

mod body;
mod parameters;

use axum::body::Body;
use edge::{Problem, http::CallOptions, read_json};
use http::request::Parts;
use muster_api::binding::{Binding, Body as HasBody};
use tokio::time::Instant;

/// Reads path, query and body. The path and the query are checked before the body is read, and all their violations are
/// reported at once.
pub(crate) async fn decode<B: Binding>(
    calls: &CallOptions,
    parts: &Parts,
    body: Body,
    deadline: Instant,
) -> Result<B::Request, Problem> {
    let parameters = parameters::read::<B>(&parts.uri)?;
    if B::METHOD.is_safe() {
        return Ok(parameters.message);
    }
    let bytes = calls.read_body(parts, body, deadline).await?;
    match B::BODY {
        HasBody::None => body::refuse(&bytes)?,
        HasBody::Optional if bytes.is_empty() => {}
        HasBody::Optional | HasBody::Required => {
            body::require_json(&parts.headers, &bytes)?;
            let message = read_json::<B>(&bytes, B::PATH_FIELDS)?;
            return parameters.within(message);
        }
    }
    Ok(parameters.message)
}
