//! Files from core, passed on piece by piece.

use axum::{body::Body, response::Response};
use edge::Problem;
use futures_util::TryStreamExt as _;
use http::{
    HeaderValue,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};
use muster_api::binding::Rpc;

use crate::{desk::Desk, layout::keep_private};

/// A file, under this name.
pub(super) async fn answer<R: Rpc>(
    desk: &Desk,
    request: R::Request,
    name: &'static str,
) -> Result<Response, Problem> {
    let file = desk.visit.file::<R>(request).await?;
    // The status is already sent, so the file can only be truncated. The cause is logged.
    let pieces = file.pieces.inspect_err(|status| {
        tracing::error!(code = ?status.code(), error = status.message(), "a file was truncated");
    });
    let mut response = Response::new(Body::from_stream(pieces));
    keep_private(&mut response);
    let headers = response.headers_mut();
    if let Ok(media_type) = HeaderValue::try_from(file.content_type) {
        headers.insert(CONTENT_TYPE, media_type);
    }
    if let Ok(disposition) = HeaderValue::try_from(format!("attachment; filename=\"{name}\"")) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}
