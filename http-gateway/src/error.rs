//! A problem as an HTTP answer.

use axum::{body::Body, extract::Request, response::Response};
use edge::Problem;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use muster_api::{
    Reason,
    metadata::{RATE_LIMIT, RATE_LIMIT_POLICY},
};
use process::observe::{Cause, RequestId};

use crate::{guard::request_id, respond::JSON};

/// Words a problem.
pub(crate) fn response(problem: Problem, id: &RequestId) -> Response {
    let mut response = Response::new(Body::from(problem.document(id)));
    *response.status_mut() =
        StatusCode::from_u16(problem.http_status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    headers(response.headers_mut(), &problem);
    if let Some(cause) = problem.cause {
        response.extensions_mut().insert(Cause(cause));
    }
    response
}

fn headers(headers: &mut HeaderMap, problem: &Problem) {
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = problem.retry_after_seconds {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    if let Some(limit) = &problem.rate_limit {
        for (name, value) in [
            (RATE_LIMIT_POLICY, &limit.policy),
            (RATE_LIMIT, &limit.left),
        ] {
            if let Ok(value) = value.try_into() {
                headers.insert(name, value);
            }
        }
    }
    match problem.http_status {
        401 => headers.insert(
            WWW_AUTHENTICATE,
            HeaderValue::from_static("Bearer realm=\"muster\""),
        ),
        // The rest of the body is still on its way; it is not worth waiting for.
        408 | 413 => headers.insert(CONNECTION, HeaderValue::from_static("close")),
        _ => None,
    };
}

/// The answer to every path that does not exist.
pub(crate) async fn unknown_path(request: Request) -> Response {
    let message = "there is nothing at this path; /docs shows what there is";
    response(
        Problem::new(Reason::NotFound, message),
        &request_id(&request),
    )
}
