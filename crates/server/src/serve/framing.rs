//! What hyper lets pass of requests over HTTP/1.1 although a proxy in front may read it in another way (RFC 9112, sections 3.2 and 6.1).
//!
//! hyper itself refuses a request whose last transfer coding is not `chunked`, and one over HTTP/1.0 with any.

use http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode, Version,
    header::{CONNECTION, HOST, TRANSFER_ENCODING},
};
use http_body_util::{BodyExt as _, Full};

use super::AnswerBody;

/// The refusal of a request that is not framed as it must be; its connection ends.
pub(super) fn refuse<B>(request: &Request<B>) -> Option<Response<AnswerBody>> {
    if request.version() > Version::HTTP_11 {
        return None;
    }
    let (status, words) = wrong(request.version(), request.headers())?;
    let body = Full::from(words).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = status;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    Some(response)
}

fn wrong(version: Version, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
    let hosts = headers.get_all(HOST);
    let count = hosts.iter().count();
    // Some proxies join lines into one.
    let is_list = |host: &HeaderValue| {
        let mut bytes = host.as_bytes().iter();
        bytes.any(|byte| matches!(byte, b',' | b' ' | b'\t'))
    };
    if count > 1 || (count == 0 && version == Version::HTTP_11) || hosts.iter().any(is_list) {
        let words = "a request must have the header Host, once\n";
        return Some((StatusCode::BAD_REQUEST, words));
    }
    let codings = headers.get_all(TRANSFER_ENCODING).iter();
    let codings = codings.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    if codings.count() > 1 {
        let words = "the only transfer coding is chunked\n";
        return Some((StatusCode::NOT_IMPLEMENTED, words));
    }
    None
}
