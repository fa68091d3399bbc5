//! Files from core, passed on piece by piece under the names that core gives them.

use http::header::CONTENT_DISPOSITION;
use muster_api::binding::Rpc;

use crate::{
    caller::Caller,
    layout::{PageResult, make_private},
};

/// A file.
pub(super) async fn answer<R: Rpc>(caller: &Caller, request: R::Request) -> PageResult {
    let file = caller.context.file::<R>(request).await?;
    let (mut response, mut metadata) = http_kit::file(file);
    make_private(&mut response);
    if let Some(name) = metadata.remove(CONTENT_DISPOSITION) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}
