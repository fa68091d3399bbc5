//! From an HTTP request to the binding's message. Strict: what is accepted is what the OpenAPI document says.

mod body;
mod parameters;

use axum::body::Body;
use edge::{Problem, read_json};
use http::request::Parts;
use muster_api::binding::{Binding, Body as HasBody};
use tokio::time::Instant;

/// Reads path, query and body. The path and the query are looked at first; all that is wrong with them is told at once.
pub(crate) async fn decode<B: Binding>(
    parts: &Parts,
    body: Body,
    deadline: Instant,
) -> Result<B::Request, Problem> {
    // Here to tell of faults before the body is waited for, and again below into the message that the body makes.
    let mut checked = B::Request::default();
    parameters::read::<B>(&mut checked, &parts.uri)?;
    if B::METHOD.is_safe() {
        return Ok(checked);
    }
    let bytes = body::read(&parts.headers, body, deadline).await?;
    let mut message = match B::BODY {
        HasBody::None => {
            body::refuse(&bytes)?;
            return Ok(checked);
        }
        HasBody::Optional if bytes.is_empty() => return Ok(checked),
        HasBody::Optional | HasBody::Required => {
            body::require_json(&parts.headers, &bytes)?;
            read_json::<B>(&bytes, B::PATH_FIELDS)?
        }
    };
    parameters::read::<B>(&mut message, &parts.uri)?;
    Ok(message)
}
