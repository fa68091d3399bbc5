//! Calls to core.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt as _, future::BoxFuture, stream::BoxStream};
use http::{Request, Response};
use muster_api::{binding, http_body::HttpBody, metadata::Surface, status::overloaded};
use process::{CancellationToken, Failure};
use secrecy::SecretString;
use tokio::time::timeout_at;
use tonic::{Status, body::Body, metadata::MetadataMap};
use tower::{Service, ServiceExt, util::BoxCloneSyncService};

use super::{
    Context, Messages,
    attempt::{Reply, Rpc, as_seen},
    channel,
    codec::decode,
    endpoint::Endpoint,
    identity::Identity,
    method::{EncodedRequest, RpcMethod},
    pool::{Pool, Resolver, count_shed},
};
use crate::memory::{Answer, Asked, Memory, Recalled, is_away};

/// A client of core. Clones share its connections.
#[derive(Clone)]
pub struct Core {
    pub(super) pool: Arc<Pool>,
    pub(super) identity: Identity,
    /// Answers that are kept, if any.
    memory: Option<Memory>,
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
            memory: None,
            leaving: CancellationToken::new(),
        }
    }

    fn fixed(endpoint: Endpoint) -> Self {
        Self {
            pool: Pool::fixed(endpoint).measured(),
            identity: Identity::default(),
            memory: None,
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

    /// The same client, which keeps answers about the catalogue in this memory, if any.
    #[must_use]
    pub fn with_memory(self, memory: Option<Memory>) -> Self {
        Self { memory, ..self }
    }

    /// The same client, which is not ready any more once this is cancelled.
    #[must_use]
    pub fn leaving(self, leaving: CancellationToken) -> Self {
        Self { leaving, ..self }
    }

    /// The same client, which keeps nothing.
    pub(crate) fn forgetful(&self) -> Self {
        self.clone().with_memory(None)
    }

    /// The memory in which answers are kept, if any.
    pub(crate) const fn memory(&self) -> Option<&Memory> {
        self.memory.as_ref()
    }

    /// Refuses a call for which there is no permit, so that its request need not be read: refusals must cost little. What may be in memory
    /// is not refused yet.
    ///
    /// # Errors
    /// `UNAVAILABLE` if every replica has too many calls.
    pub fn require_permit(&self, method: &RpcMethod) -> Result<(), Status> {
        let may_be_kept = method.shows_catalogue && self.memory.is_some();
        if !may_be_kept && self.pool.is_full(method.kind) {
            count_shed(method.kind);
            return Err(overloaded());
        }
        Ok(())
    }

    /// Calls an rpc with one message as its answer, or recalls the answer.
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

    /// The one message that answers a request, encoded, or the one that is kept. Boxed, or whoever awaits it would compile it once more.
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
            if method.shows_catalogue
                && let Some(memory) = &self.memory
            {
                let recalled = Box::pin(self.recall(memory, request, context)).await?;
                let Answer {
                    message, metadata, ..
                } = &*recalled.answer;
                return Ok((message.clone(), metadata.clone()));
            }
            context.note_private();
            let forgets = method
                .changes_catalogue
                .then(|| Forgets(self.memory.as_ref()));
            let answer = self
                .ask(Rpc::of(&method, context), request.message, context)
                .await;
            if let Some(forgets) = forgets {
                forgets.after(&answer);
            }
            let (message, metadata) = answer?;
            if let Some(memory) = &self.memory {
                memory.note_seats(&metadata);
            }
            Ok((message, metadata))
        })
    }

    /// The answer to a request, which is kept until the catalogue changes.
    async fn recall(
        &self,
        memory: &Memory,
        request: EncodedRequest,
        context: &Context,
    ) -> Result<Recalled, Status> {
        let EncodedRequest {
            method,
            message,
            is_filtered,
        } = request;
        let asked = Asked {
            rpc: method.path,
            request: message.clone(),
        };
        let ask = async |basis| {
            // Others wait for it as well, so it is nobody's own call.
            let context = context.for_all();
            let answer = self
                .ask(Rpc::of(&method, &context), message, &context)
                .await;
            let (message, metadata) = answer?;
            memory.answer(method, message, metadata, basis)
        };
        let recalled = memory
            .recall(self, asked, is_filtered, context.deadline(), ask)
            .await?;
        context.note(&recalled, is_filtered);
        Ok(recalled)
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
        context.note_private();
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

    /// Opens a stream of messages, at the replica that any other call would get. The context's deadline is for the first message;
    /// the stream goes on after it.
    ///
    /// A stream ends sooner or later: core stops, or the connection breaks. Who needs it for longer opens it again, after a pause
    /// that grows with each failure, and reads what was missed: messages that were sent in between are lost.
    ///
    /// # Errors
    /// As [`Core::call`].
    pub async fn stream<B: binding::StreamRpc>(
        &self,
        request: B::Request,
        context: &Context,
    ) -> Result<Messages<B::Response>, Status> {
        let request = EncodedRequest::new::<B>(&request);
        let rpc = Rpc {
            goes_on: true,
            kind: None,
            ..Rpc::of(&request.method, context)
        };
        let begun = self.exchange(rpc, request.message, context).await?;
        Ok(Messages::new(begun))
    }
}

/// Forgets what was kept when a change has come to its end, however that was: core may have made it all the same.
struct Forgets<'m>(Option<&'m Memory>);

impl Forgets<'_> {
    /// The change has ended so. If core is away, what was kept is all that there is: it is only doubted.
    fn after<A>(mut self, answer: &Result<A, Status>) {
        if let Err(status) = answer
            && is_away(status)
            && let Some(memory) = self.0.take()
        {
            memory.doubt();
        }
    }
}

impl Drop for Forgets<'_> {
    fn drop(&mut self) {
        if let Some(memory) = self.0 {
            memory.forget();
        }
    }
}
