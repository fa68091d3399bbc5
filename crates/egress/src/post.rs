//! Posting to endpoints of strangers.

mod retry_after;

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response,
    header::{
        CONNECTION, CONTENT_LENGTH, EXPECT, HOST, RETRY_AFTER, TE, TRAILER, TRANSFER_ENCODING,
        UPGRADE, USER_AGENT,
    },
};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::capture_connection;
use tokio::time::{Instant, timeout};

use crate::{
    Fault,
    client::{self, AGENT, Client},
    connector::ConnectError,
    policy::Policy,
    target::Target,
};

pub use self::retry_after::{InvalidRetryAfter, RetryAfter};

/// Headers that belong to the connection, which are not the caller's to set.
const OF_THE_CONNECTION: [HeaderName; 8] = [
    CONNECTION,
    CONTENT_LENGTH,
    EXPECT,
    HOST,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// How much a request may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostLimits {
    /// For all of it: looking up the name, connecting, sending, and the answer with its body.
    pub time: Duration,
    /// How many bytes of the answer's body are read. When there are more, the connection is closed.
    pub answer_bytes: usize,
}

/// What an endpoint answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Any status; redirects are not followed.
    pub status: u16,
    /// When it wants to be asked again, if it says so.
    pub retry_after: Option<RetryAfter>,
    /// Its body, cut at the limit.
    pub body: Vec<u8>,
    /// How long all of it took.
    pub took: Duration,
    /// Whether it came from an address that is not public, or from an admitted network. People are not shown what it says.
    pub is_private: bool,
}

/// A request without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct PostError {
    /// Why.
    #[source]
    pub fault: Fault,
    /// Whether its target is private, or not known to be public. From one fault or another, people would learn what runs in that network.
    pub is_private: bool,
}

/// Posts to a target over a kept connection, or a new one.
pub(crate) async fn post(
    client: &Client,
    policy: &Policy,
    target: &Target,
    request: (HeaderMap, Bytes),
    limits: PostLimits,
) -> Result<Answer, PostError> {
    let began = Instant::now();
    let mut request = prepare(target, request);
    let connection = capture_connection(&mut request);
    let answered = timeout(limits.time, async {
        let answer = client.request(request).await;
        let answer = answer.map_err(|error| client::failure(&error))?;
        let (status, retry_after) = (answer.status().as_u16(), retry_after(&answer));
        let body = read(answer.into_body(), limits.answer_bytes).await;
        let body = body.map_err(|_| Fault::Interrupted)?;
        Ok((status, retry_after, body))
    });
    let answered = answered.await.unwrap_or_else(|_| Err(Fault::Slow.into()));
    let peer = client::peer(&connection);
    let is_private = peer.map(|peer| peer.is_private);
    match answered {
        Ok((status, retry_after, body)) => Ok(Answer {
            status,
            retry_after,
            body,
            took: began.elapsed(),
            is_private: is_private.unwrap_or(true),
        }),
        Err(ConnectError {
            fault,
            is_private: tried,
        }) => Err(PostError {
            fault,
            is_private: tried
                .or(is_private)
                .unwrap_or_else(|| policy.may_be_private(target)),
        }),
    }
}

fn prepare(target: &Target, (mut headers, body): (HeaderMap, Bytes)) -> Request<Full<Bytes>> {
    for name in OF_THE_CONNECTION {
        headers.remove(name);
    }
    // Without a body, hyper would leave it out, and some servers want it with every POST.
    headers.insert(CONTENT_LENGTH, body.len().into());
    let agent = HeaderValue::from_static(AGENT);
    headers.entry(USER_AGENT).or_insert(agent);
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = target.uri.clone();
    *request.headers_mut() = headers;
    request
}

fn retry_after<B>(answer: &Response<B>) -> Option<RetryAfter> {
    let value = answer.headers().get(RETRY_AFTER)?;
    value.to_str().ok()?.parse().ok()
}

/// At most that many bytes of a body. If there are more, the body is dropped, and its connection with it.
async fn read(mut body: Incoming, max_bytes: usize) -> Result<Vec<u8>, hyper::Error> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        let left = max_bytes - read.len();
        read.extend(data.iter().take(left));
        if data.len() > left {
            break;
        }
    }
    Ok(read)
}
