//! Calls to core.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{
    StreamExt as _,
    future::{BoxFuture, select_ok},
    stream::BoxStream,
};
use http::{Request, Response};
use muster_api::{binding, http_body::HttpBody, metadata::Surface, status::overloaded};
use secrecy::SecretString;
use server::{CancellationToken, Failure, adaptive_limit::Kind, observe::RequestId};
use tokio::time::timeout_at;
use tonic::{Status, body::Body, metadata::MetadataMap};
use tower::{Service, ServiceExt, util::BoxCloneSyncService};

use super::{
    Changes, Context,
    attempt::{Reply, as_seen},
    channel,
    context::Identity,
    endpoint::Endpoint,
    health,
    pool::{Pool, Resolver, count_shed},
    rpc::{EncodedRequest, RpcMethod, decode},
};

/// How many replicas at most are asked at once whether one serves.
const MAX_ASKED: usize = 16;

/// A client of core. Clones share its connections.
#[derive(Clone)]
pub struct Core {
    pub(super) pool: Arc<Pool>,
    pub(super) identity: Identity,
    changes: Changes,
    /// Cancelled when this process is about to stop.
    pub(super) leaving: CancellationToken,
}

/// A file from core.
pub struct File {
    /// Core's metadata about it: caching, its name.
    pub metadata: MetadataMap,
    /// Its media type.
    pub content_type: String,
    /// Its pieces. A failure truncates it.
    pub pieces: BoxStream<'static, Result<Bytes, Status>>,
}

impl Core {
    /// Core in this process, which is called without sockets.
    pub fn in_process<S, B>(service: S) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        S::Future: Send,
        B: http_body::Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
            + Send
            + 'static,
    {
        let service = service.map_response(|response| response.map(Body::new));
        let transport =
            BoxCloneSyncService::new(service.map_err(|error| Status::from_error(error.into())));
        Self::fixed(Endpoint::in_process(transport))
    }

    pub(crate) fn unix(path: &str) -> Self {
        Self::fixed(Endpoint::remote(None, channel::unix(path.into())))
    }

    pub(crate) fn resolving(resolver: Resolver) -> Self {
        Self {
            pool: Pool::resolving(resolver).measured(),
            identity: Identity::default(),
            changes: Changes::default(),
            leaving: CancellationToken::new(),
        }
    }

    fn fixed(endpoint: Endpoint) -> Self {
        Self {
            pool: Pool::fixed(endpoint).measured(),
            identity: Identity::default(),
            changes: Changes::default(),
            leaving: CancellationToken::new(),
        }
    }

    /// The same client, which names this surface to core.
    #[must_use]
    pub fn on_surface(self, surface: Surface) -> Self {
        Self {
            identity: self.identity.on_surface(surface),
            ..self
        }
    }

    pub(crate) fn with_token(self, token: &SecretString) -> Result<Self, Failure> {
        Ok(Self {
            identity: self.identity.with_token(token)?,
            ..self
        })
    }

    /// The same client, which is not ready any more once this is cancelled.
    #[must_use]
    pub fn leaving(self, leaving: CancellationToken) -> Self {
        Self { leaving, ..self }
    }

    /// The changes that come through this client and its clones.
    pub const fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Refuses a call for which there is no permit, so that its request need not be read: refusals must cost little.
    ///
    /// # Errors
    /// `UNAVAILABLE` if every replica has too many calls.
    pub fn require_permit(&self, method: &RpcMethod) -> Result<(), Status> {
        match method.kind {
            Some(kind) if self.pool.is_full(kind) => {
                count_shed(kind);
                Err(overloaded())
            }
            _ => Ok(()),
        }
    }

    /// Calls an rpc with one message as its answer.
    ///
    /// # Errors
    /// Core's status, or `UNAVAILABLE` or `DEADLINE_EXCEEDED` without one.
    pub async fn call<B: binding::Rpc>(
        &self,
        request: B::Request,
        context: &Context,
    ) -> Result<(B::Response, MetadataMap), Status> {
        let (message, metadata) = self
            .answer(EncodedRequest::new::<B>(&request), context)
            .await?;
        Ok((decode(message)?, metadata))
    }

    /// The one message that answers a request, encoded. Boxed, or each caller would compile it once more.
    ///
    /// # Errors
    /// As [`Core::call`].
    pub fn answer<'c>(
        &'c self,
        request: EncodedRequest,
        context: &'c Context,
    ) -> BoxFuture<'c, Result<(Bytes, MetadataMap), Status>> {
        let method = request.method;
        Box::pin(async move {
            let is_change = method.kind == Some(Kind::Write);
            let change = is_change.then(|| self.changes.begin(method.changes_catalogue));
            let outcome = self.one_message(&request, context).await;
            if let Some(change) = change {
                change.end(&outcome);
            }
            outcome
        })
    }

    /// The one message of an answer, encoded.
    async fn one_message(
        &self,
        request: &EncodedRequest,
        context: &Context,
    ) -> Result<(Bytes, MetadataMap), Status> {
        let Reply {
            metadata,
            first,
            mut rest,
        } = self.exchange(request, context).await?;
        let message = first.ok_or_else(|| Status::internal("core answered without a message"))?;
        // Trailers may contain an error.
        let end = timeout_at(context.deadline(), rest.message());
        end.await
            .map_err(|_elapsed| Status::deadline_exceeded("core did not answer in time"))?
            .map_err(as_seen)?;
        Ok((message, metadata))
    }

    /// Asks for a file: one `HttpBody`, or a stream of them.
    ///
    /// # Errors
    /// As [`Core::call`].
    pub fn file<'c>(
        &'c self,
        request: EncodedRequest,
        context: &'c Context,
    ) -> BoxFuture<'c, Result<File, Status>> {
        Box::pin(async move {
            let answer = self.exchange(&request, context).await?;
            let HttpBody { content_type, data } = decode(answer.first.unwrap_or_default())?;
            let first = futures_util::stream::iter([Ok(data)]);
            let rest = answer.rest;
            let pieces = first.chain(rest.map(|piece| Ok(decode::<HttpBody>(piece?)?.data)));
            Ok(File {
                metadata: answer.metadata,
                content_type,
                pieces: pieces.boxed(),
            })
        })
    }

    /// Checks that a replica of core reports that it serves, or at least answers if it has no health service; and that this process is
    /// not about to stop.
    ///
    /// # Errors
    /// The cause.
    pub async fn is_serving(&self, request_id: &RequestId) -> Result<(), Status> {
        if self.leaving.is_cancelled() {
            return Err(Status::unavailable("this process stops"));
        }
        let context = Context::anonymous(request_id, health::CHECK_TIMEOUT);
        let request = health::request();
        let answer = self.exchange(&request, &context).await;
        let Err(status) = health::verdict(answer) else {
            return Ok(());
        };
        let endpoints = self.pool.current();
        if endpoints.len() < 2 {
            return Err(status);
        }
        // That one may stop, or be cut off from its database, while others serve.
        let others = endpoints.iter().take(MAX_ASKED).map(|endpoint| {
            Box::pin(async {
                let answer = self.call_one(endpoint, &request, &context, context.deadline());
                health::verdict(answer.await.map_err(|failure| failure.status))
            })
        });
        let first = select_ok(others).await;
        first.map(|((), _others)| ()).map_err(|_none| status)
    }
}
