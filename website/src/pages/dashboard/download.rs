//! Files from core, passed on piece by piece under the names that core gives them.

use axum::{body::Body, response::Response};
use futures_util::TryStreamExt as _;
use http::{
    HeaderValue,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};
use muster_api::binding::Rpc;

use crate::{
    caller::Caller,
    layout::{PageResult, make_private},
};

/// A file.
pub(super) async fn answer<R: Rpc>(caller: &Caller, request: R::Request) -> PageResult {
    let file = caller.context.file::<R>(request).await?;
    let named = file.metadata.get(CONTENT_DISPOSITION.as_str());
    let named = named.and_then(|name| HeaderValue::from_bytes(name.as_bytes()).ok());
    // The status is already sent, so the file can only be truncated. The cause is logged.
    let pieces = file.pieces.inspect_err(|status| {
        tracing::error!(code = ?status.code(), error = status.message(), "a file was truncated");
    });
    let mut response = Response::new(Body::from_stream(pieces));
    make_private(&mut response);
    let headers = response.headers_mut();
    if let Ok(media_type) = HeaderValue::try_from(file.content_type) {
        headers.insert(CONTENT_TYPE, media_type);
    }
    if let Some(name) = named {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}
