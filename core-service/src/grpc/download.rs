//! Files as answers, in pieces.

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt as _};
use muster_api::{frame::Messages, http_body::HttpBody};
use tonic::Response;

use super::status::refuse;
use crate::service::Error;

/// The content type of tables.
pub(super) const CSV: &str = "text/csv; charset=utf-8; header=present";

/// Answers a file, to be saved under this name. A piece is read only after the one before was sent.
pub(super) fn download(
    content_type: &'static str,
    name: &str,
    pieces: impl Stream<Item = Result<Bytes, Error>> + Send + 'static,
) -> Response<Messages<HttpBody>> {
    let body = move |data| HttpBody {
        content_type: content_type.to_owned(),
        data,
    };
    let pieces: Messages<HttpBody> = Box::pin(pieces.map_ok(body).map_err(refuse));
    let mut response = Response::new(pieces);
    if let Ok(disposition) = format!("attachment; filename=\"{name}\"").parse() {
        let metadata = response.metadata_mut();
        metadata.insert("content-disposition", disposition);
    }
    response
}
