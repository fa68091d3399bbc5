//! The context of a call: credential, deadline, trace, and the identity of the edge that makes it.

use std::{net::IpAddr, time::Duration};

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{AUTHORIZATION, IF_NONE_MATCH},
};
use muster_api::{
    binding::Access,
    deadline, idempotency_key,
    metadata::{self, Surface},
};
use secrecy::{ExposeSecret, SecretString};
use server::{
    Failure,
    observe::{REQUEST_ID, RequestId},
};
use tokio::time::Instant;
use tonic::{Request, metadata::MetadataMap};

const EDGE_TOKEN: HeaderName = HeaderName::from_static(metadata::EDGE_TOKEN);
const SURFACE: HeaderName = HeaderName::from_static(metadata::SURFACE);
const GRPC_TIMEOUT: HeaderName = HeaderName::from_static(deadline::HEADER);
const CLIENT_ADDRESS: HeaderName = HeaderName::from_static(metadata::CLIENT_ADDRESS);
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static(idempotency_key::IDEMPOTENCY_KEY);
const MISTAKEN: HeaderName = HeaderName::from_static(metadata::MISTAKEN);
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Maximum length of the entity tags that are sent to core: some versions of one file.
const MAX_TAGS: usize = 1024;

/// The capacity for all headers of a call, so that the map does not grow.
const MAX_HEADERS: usize = 12;

/// The context of a call: its credential, its deadline and its trace.
#[derive(Debug, Clone)]
pub struct Context {
    /// The metadata for core. Credentials are marked sensitive, so that `Debug` hides them.
    headers: HeaderMap,
    deadline: Instant,
}

impl Context {
    /// The context of a call by the edge itself.
    pub fn anonymous(request_id: &RequestId, time: Duration) -> Self {
        let mut headers = HeaderMap::with_capacity(MAX_HEADERS);
        insert(&mut headers, REQUEST_ID, request_id.header());
        Self {
            headers,
            deadline: Instant::now() + time,
        }
    }

    /// The context of a call for an HTTP request: its credential, its trace, if any, and its time limit: `max_time`, or a
    /// shorter `grpc-timeout`. Invalid headers count as absent.
    pub fn from_headers(headers: &HeaderMap, request_id: &RequestId, max_time: Duration) -> Self {
        let asked = headers
            .get(GRPC_TIMEOUT)
            .and_then(|value| deadline::parse(value.to_str().ok()?));
        let time = asked.map_or(max_time, |time| time.min(max_time));
        let mut context = Self::anonymous(request_id, time);
        let mut credential = headers.get(AUTHORIZATION).cloned();
        if let Some(credential) = &mut credential {
            credential.set_sensitive(true);
        }
        insert(&mut context.headers, AUTHORIZATION, credential);
        context.with_trace(headers)
    }

    /// The same context, as part of the trace that these headers name, if they name one.
    #[must_use]
    pub fn with_trace(mut self, headers: &HeaderMap) -> Self {
        let trace = headers.get(TRACEPARENT);
        if let Some(trace) = trace.filter(|value| is_trace(value.as_bytes())) {
            insert(&mut self.headers, TRACEPARENT, Some(trace.clone()));
            self.headers.remove(TRACESTATE);
            let state = headers.get(TRACESTATE).cloned();
            insert(&mut self.headers, TRACESTATE, state);
        }
        self
    }

    /// The same context, for a client at this address.
    #[must_use]
    pub fn for_client(mut self, address: IpAddr) -> Self {
        let value = address.to_string().try_into().ok();
        insert(&mut self.headers, CLIENT_ADDRESS, value);
        self
    }

    /// The same context, with this token as its credential in place of the request's own, or with none.
    #[must_use]
    pub fn with_token(mut self, token: Option<&str>) -> Self {
        self.headers.remove(AUTHORIZATION);
        let credential = token.and_then(|token| format!("Bearer {token}").try_into().ok());
        let credential = credential.map(|mut credential: HeaderValue| {
            credential.set_sensitive(true);
            credential
        });
        insert(&mut self.headers, AUTHORIZATION, credential);
        self
    }

    /// The same context, with an idempotency key. It is sent to rpcs that take one, and their calls may then be retried.
    #[must_use]
    pub fn with_idempotency_key(mut self, key: &str) -> Self {
        insert(&mut self.headers, IDEMPOTENCY_KEY, key.try_into().ok());
        self
    }

    /// The same context, for a request in which the edge found mistakes: core says what else is wrong, and refuses it.
    #[must_use]
    pub fn with_mistakes(mut self) -> Self {
        let value = HeaderValue::from_static("true");
        insert(&mut self.headers, MISTAKEN, Some(value));
        self
    }

    /// The same context, with the versions that the client of an HTTP request has, so that core need not make the answer again.
    /// Too many are left out; then it is made, and not sent.
    #[must_use]
    pub fn with_known_versions(mut self, headers: &HeaderMap) -> Self {
        let tags = headers.get(IF_NONE_MATCH);
        let tags = tags.filter(|tags| tags.len() <= MAX_TAGS);
        insert(&mut self.headers, IF_NONE_MATCH, tags.cloned());
        self
    }

    /// Whether the call has an idempotency key.
    pub(crate) fn has_idempotency_key(&self) -> bool {
        self.headers.contains_key(IDEMPOTENCY_KEY)
    }

    /// The deadline.
    pub const fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The call as tonic sends it, to be answered by `deadline`, with what the edge says of itself. Public rpcs ignore
    /// credentials, so they get none.
    pub(crate) fn request<Q>(
        &self,
        message: Q,
        access: Access,
        deadline: Instant,
        edge: &Identity,
    ) -> Request<Q> {
        let mut request = Request::new(message);
        let mut headers = self.headers.clone();
        edge.add_to(&mut headers);
        if access == Access::Public {
            headers.remove(AUTHORIZATION);
        }
        *request.metadata_mut() = MetadataMap::from_headers(headers);
        request.set_timeout(deadline.saturating_duration_since(Instant::now()));
        // It is another one each time, as the request id is.
        if let Some(left) = request.metadata_mut().as_mut().get_mut(GRPC_TIMEOUT) {
            left.set_sensitive(true);
        }
        request
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: Option<HeaderValue>) {
    if let Some(value) = value {
        headers.insert(name, value);
    }
}

/// Whether the text is a W3C `traceparent`: `00-<32 hex>-<16 hex>-<2 hex>`, lower case, neither id all zeros.
fn is_trace(text: &[u8]) -> bool {
    let hex = |part: &[u8], length| {
        part.len() == length
            && part
                .iter()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let id = |part: &[u8], length| hex(part, length) && part.iter().any(|byte| *byte != b'0');
    let parts: Vec<&[u8]> = text.split(|byte| *byte == b'-').collect();
    matches!(parts[..], [b"00", trace, span, flags] if id(trace, 32) && id(span, 16) && hex(flags, 2))
}

/// The identity of a client of core. Without a token it is an ordinary client, unless the connection proves an edge.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identity {
    /// Marked sensitive, so that `Debug` hides it.
    token: Option<HeaderValue>,
    surface: Option<Surface>,
}

impl Identity {
    /// The same identity, with the secret of edges.
    pub(crate) fn with_token(self, token: &SecretString) -> Result<Self, Failure> {
        let value = HeaderValue::try_from(token.expose_secret());
        let mut value = value.map_err(|_| {
            Failure::setting(
                "--edge-token (MUSTER_EDGE_TOKEN): must have visible ASCII characters only",
            )
        })?;
        value.set_sensitive(true);
        let token = Some(value);
        Ok(Self { token, ..self })
    }

    /// The same identity, with this surface.
    pub(crate) fn on_surface(self, surface: Surface) -> Self {
        let surface = Some(surface);
        Self { surface, ..self }
    }

    pub(crate) fn add_to(&self, headers: &mut HeaderMap) {
        if let Some(token) = &self.token {
            let mut token = token.clone();
            // The same in all calls, so HTTP/2 may index it. It does not index sensitive headers.
            token.set_sensitive(false);
            headers.insert(EDGE_TOKEN, token);
        }
        if let Some(surface) = self.surface {
            headers.insert(SURFACE, HeaderValue::from_static(surface.name()));
        }
    }
}
