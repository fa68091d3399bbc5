//! The gate of `/mcp`: a valid credential, a time limit on reading the body, and then a limit on concurrent requests, of which one holder
//! of credentials has only a part.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::Request,
    response::Response,
};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT, CONTENT_LENGTH},
    request::Parts,
};
use http_body_util::{BodyExt as _, Collected, Full, combinators::BoxBody};
use http_kit::{
    Problem, check_credential,
    oauth::{OAuth, local_origin},
    require_bearer,
};
use muster_api::{Reason, Scope};
use rmcp::transport::streamable_http_server::{
    StreamableHttpService, session::never::NeverSessionManager,
};
use rpc_client::Core;
use server::{
    budget::{Budget, Exhausted, Held},
    observe::RequestId,
};
use tokio::time::{Instant, timeout};

use super::{PATH, refusal, revision};
use crate::{
    Options,
    caller::{Credentials, Holder, WholeRefusal, fingerprint},
    handler::Bridge,
    table::Table,
};

/// Additional time of a request besides its call to core: reading it and checking its credential.
const SLACK: Duration = Duration::from_secs(5);

/// What rmcp insists on. Clients in wide use name only one of them, any type or none, and every answer is JSON.
const ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// The header that names the tool of a call, in the revisions that have it.
const TOOL_NAME: &str = "mcp-name";

pub(super) struct Gate {
    pub(super) table: Arc<Table>,
    pub(super) oauth: OAuth,
    pub(super) core: Core,
    pub(super) options: Options,
    pub(super) credentials: Credentials,
    pub(super) permits: Arc<Budget<Holder>>,
    pub(super) service: StreamableHttpService<Bridge, NeverSessionManager>,
}

impl Gate {
    pub(super) async fn answer(self: Arc<Self>, request: Request) -> Response {
        let id = RequestId::in_extensions(request.extensions());
        let origin = local_origin(request.headers());
        let needed = self.needed(request.headers());
        let within = self.options.calls.request_time + SLACK;
        let outcome = timeout(within, self.pass(request, &id)).await;
        let outcome = outcome.unwrap_or_else(|_elapsed| {
            let message = "the request took too long; it may still have taken effect";
            Err(Problem::new(Reason::Unavailable, message))
        });
        match outcome {
            Ok(response) => response,
            Err(problem) => {
                let origin = origin.as_deref();
                let guided = self.oauth.guided(problem, PATH, needed, origin).await;
                guided.into_response(&id)
            }
        }
    }

    async fn pass(&self, request: Request, id: &RequestId) -> Result<Response, Problem> {
        // The credential is checked before the method and the body.
        require_bearer(request.headers())?;
        let (mut parts, body) = request.into_parts();
        // A request without an id gets one here.
        parts.extensions.insert(id.clone());
        let holder = self.holder(&parts).await?;
        let bytes = match parts.method {
            Method::POST => {
                let calls = &self.options.calls;
                let deadline = Instant::now() + calls.request_time;
                calls.read_body(&parts, body, deadline).await?
            }
            _ => Bytes::new(),
        };
        // A slow body takes no permit.
        let _permit = permit(&self.permits, holder)?;
        if parts.method == Method::POST {
            let refused = revision::refuse(&parts.headers, &bytes);
            if let Some(response) = refused.or_else(|| refusal::batch(&bytes)) {
                return Ok(response);
            }
        }
        let (method, credential) = (parts.method.clone(), fingerprint(&parts.headers));
        let refused = WholeRefusal::default();
        parts.extensions.insert(refused.clone());
        parts.extensions.insert(holder);
        parts.headers.insert(ACCEPT, ACCEPTED);
        let request = Request::from_parts(parts, Full::new(bytes.clone()));
        let response = ended(self.service.handle(request).await).await;
        if let Some(problem) = refused.take() {
            if problem.http_status == 401 {
                self.credentials.evict(&credential);
            }
            return Err(problem);
        }
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE
            && let Some(response) = refusal::unreadable(&bytes)
        {
            return Ok(response);
        }
        Ok(refusal::in_our_words(response, &method, id).await)
    }

    /// The scope of the tool that a request calls, as far as its headers say which: the body of a request without a valid credential is not
    /// read.
    fn needed(&self, headers: &HeaderMap) -> Option<Scope> {
        let name = headers.get(TOOL_NAME)?.to_str().ok()?;
        self.table.by_name.get(name)?.rpc.scope
    }

    /// Who holds the request's credential, if that is valid.
    async fn holder(&self, parts: &Parts) -> Result<Holder, Problem> {
        let credential = fingerprint(&parts.headers);
        if let Some(holder) = self.credentials.holder(&credential) {
            return Ok(holder);
        }
        let asked = Instant::now();
        let context = self.options.calls.context(parts);
        // Each tool needs its own scope, which core checks at the call.
        let checked = check_credential(&self.core, &context, None).await?;
        let holder = Holder::of(&checked, credential);
        self.credentials.trust(credential, holder, asked);
        Ok(holder)
    }
}

/// An answer of rmcp. JSON ends with a newline, as on every surface, so that a terminal's prompt stands on a line of its own.
async fn ended(response: http::Response<BoxBody<Bytes, Infallible>>) -> Response {
    let is_json = refusal::is_json(response.headers());
    let (mut parts, body) = response.into_parts();
    if !is_json {
        return Response::from_parts(parts, Body::new(body));
    }
    let whole = body.collect().await.map(Collected::to_bytes);
    let mut bytes = Vec::from(whole.unwrap_or_else(|never| match never {}));
    bytes.push(b'\n');
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(bytes))
}

/// The divisor of all permits that gives the permits of one holder.
const PART: usize = 8;

/// The permits of a bridge.
pub(super) fn permits(total: usize) -> Arc<Budget<Holder>> {
    Arc::new(Budget::new(total, (total / PART).max(1)))
}

/// A permit for a request of this holder, until it is dropped.
fn permit(permits: &Arc<Budget<Holder>>, holder: Holder) -> Result<Held<Holder>, Problem> {
    let mut permit = permits.hold(Some(holder));
    match permit.at_least(1) {
        Ok(()) => Ok(permit),
        Err(Exhausted::Total) => {
            let message = "too many concurrent requests";
            Err(Problem::new(Reason::Unavailable, message))
        }
        Err(Exhausted::Part(each)) => {
            let message = format!("a key or a connected app may have {each} concurrent requests");
            Err(Problem::new(Reason::RateLimited, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use muster_api::internal::v1::CheckCredentialResponse;

    use super::*;

    #[test]
    fn holders_share_the_permits_and_each_has_only_a_part_of_them() {
        let permits = permits(2 * PART);
        let unnamed = CheckCredentialResponse::default();
        let take = |holder: u8| permit(&permits, Holder::of(&unnamed, [holder; 32]));
        let reason = |refused: Result<Held<Holder>, Problem>| refused.unwrap_err().code;
        let first = [take(0).unwrap(), take(0).unwrap()];
        assert_eq!(reason(take(0)), Reason::RateLimited.code());
        let others: Vec<_> = (2..16).map(|number| take(number / 2).unwrap()).collect();
        assert_eq!(reason(take(100)), Reason::Unavailable.code());
        drop(first);
        assert!(take(0).is_ok());
        drop(others);
    }
}
