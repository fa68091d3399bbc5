//! Calls to core.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt as _, future::BoxFuture, stream::BoxStream};
use http::{Request, Response};
use muster_api::{binding, http_body::HttpBody, metadata::Surface, status::overloaded};
use secrecy::SecretString;
use server::{CancellationToken, Failure, adaptive_limit::Kind};
use tokio::time::timeout_at;
use tonic::{Status, body::Body, metadata::MetadataMap};
use tower::{Service, ServiceExt, util::BoxCloneSyncService};

use super::{
    Changes, Context,
    attempt::{Reply, Rpc, as_seen},
    channel,
    context::Identity,
    endpoint::Endpoint,
    pool::{Pool, Resolver, count_shed},
    rpc::{EncodedRequest, RpcMethod, decode},
};

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
        if self.pool.is_full(method.kind) {
            count_shed(method.kind);
            return Err(overloaded());
        }
        Ok(())
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

    /// The one message that answers a request, encoded. Boxed, or whoever awaits it would compile it once more.
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
            let is_change = method.kind == Kind::Write;
            let change = is_change.then(|| self.changes.begin(method.changes_catalogue));
            let rpc = Rpc::of(&method, context);
            let outcome = self.ask(rpc, request.message, context).await;
            if let Some(change) = change {
                change.end(&outcome);
            }
            outcome
        })
    }

    /// The one message of an answer, encoded.
    async fn ask(
        &self,
        rpc: Rpc,
        request: Bytes,
        context: &Context,
    ) -> Result<(Bytes, MetadataMap), Status> {
        let Reply {
            metadata,
            first,
            mut rest,
        } = self.exchange(rpc, request, context).await?;
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
        let rpc = Rpc::of(&request.method, context);
        Box::pin(async move {
            let answer = self.exchange(rpc, request.message, context).await?;
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
}
