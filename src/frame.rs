//! The frame around the handlers of a service: it validates the request, reads the caller, answers repeated calls and maps
//! errors. The generator writes tonic's services on top of it, and a trait of handlers for each.

use std::{pin::Pin, sync::Arc};

use prost::Message;
use tonic::{Request, Response, Status, codegen::tokio_stream::Stream};

use crate::{
    binding::Rpc,
    validation::{Checked, checked},
};

/// The messages of a stream.
pub type Messages<M> = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;

/// The future of a handler's answer.
pub type Answering<'c, M, E> = Pin<Box<dyn Future<Output = Result<M, E>> + Send + 'c>>;

/// Calls the handler of an rpc `R` that takes an idempotency key, among the handlers `H`.
pub type Handle<F, H, R> = for<'c> fn(
    &'c H,
    <F as Frame>::Command<<R as Rpc>::Response>,
    Checked<<R as Rpc>::Request>,
) -> Answering<'c, <R as Rpc>::Response, <F as Frame>::Error>;

/// A program's callers and errors, which are the same for all of its services.
///
/// A handler gets the caller that the access of its rpc in the proto guarantees.
pub trait Frame: Sized + Send + Sync + 'static {
    /// The error of a handler.
    type Error: Send;
    /// The caller of an rpc that is open to all.
    type Public: Send;
    /// The caller of an rpc that needs a credential.
    type Bearer: Send;
    /// The caller of an rpc that needs a session.
    type Session: Send;
    /// The caller of an rpc that needs a session and a scope, so that they act for an account.
    type Member: Send;
    /// The caller of an rpc that takes an idempotency key, with what is needed to store its answer `M`.
    type Command<M: Message>: Send;

    /// Reads the caller of an rpc that is open to all.
    ///
    /// # Errors
    /// When the call is refused.
    fn public<M>(&self, request: &Request<M>) -> Result<Self::Public, Self::Error>;

    /// Reads the caller of an rpc that needs a credential.
    ///
    /// # Errors
    /// When the call is refused.
    fn bearer<M>(&self, request: &Request<M>) -> Result<Self::Bearer, Self::Error>;

    /// Reads the caller of an rpc that needs a session.
    ///
    /// # Errors
    /// When the call is refused.
    fn session<M>(&self, request: &Request<M>) -> Result<Self::Session, Self::Error>;

    /// Reads the caller of an rpc that needs a session and a scope.
    ///
    /// # Errors
    /// When the call is refused.
    fn member<M>(&self, request: &Request<M>) -> Result<Self::Member, Self::Error>;

    /// Answers a call that may have an idempotency key: with the stored answer, or with that of `handle`.
    fn once<R: Rpc, H: Sync>(
        &self,
        handlers: &H,
        request: Request<Checked<R::Request>>,
        handle: Handle<Self, H, R>,
    ) -> impl Future<Output = Result<R::Response, Status>> + Send;

    /// Maps an error to the status that clients see.
    fn refuse(&self, error: Self::Error) -> Status;
}

/// A gRPC service made of handlers and the frame around them. The generator implements tonic's service for it.
#[derive(Debug)]
pub struct Framed<F, H> {
    frame: Arc<F>,
    handlers: H,
}

impl<F: Frame, H> Framed<F, H> {
    /// Puts a frame around handlers.
    pub fn new(frame: &Arc<F>, handlers: H) -> Self {
        Self {
            frame: Arc::clone(frame),
            handlers,
        }
    }

    /// Returns the handlers.
    pub const fn handlers(&self) -> &H {
        &self.handlers
    }

    /// Validates a request, and takes it apart into its caller and its message.
    ///
    /// # Errors
    /// When the request is invalid, or has no such caller.
    pub fn open<R: Rpc, C>(
        &self,
        _rpc: R,
        request: Request<R::Request>,
        caller: impl FnOnce(&F, &Request<Checked<R::Request>>) -> Result<C, F::Error>,
    ) -> Result<(C, Checked<R::Request>), Status> {
        let request = checked(request, R::COLLECTS_MISTAKES)?;
        let caller = caller(&self.frame, &request).map_err(|error| self.frame.refuse(error))?;
        Ok((caller, request.into_inner()))
    }

    /// Returns the answer of a handler.
    ///
    /// # Errors
    /// When the handler refuses the call or fails.
    pub async fn answer<A: Into<Response<M>>, M>(
        &self,
        answering: impl Future<Output = Result<A, F::Error>>,
    ) -> Result<Response<M>, Status> {
        match answering.await {
            Ok(answer) => Ok(answer.into()),
            Err(error) => Err(self.frame.refuse(error)),
        }
    }

    /// Validates the request of a call that may have an idempotency key, and answers it: see [`Frame::once`].
    ///
    /// # Errors
    /// When the call is refused, now or when the key was used for the first time.
    pub async fn once<R: Rpc>(
        &self,
        _rpc: R,
        request: Request<R::Request>,
        handle: Handle<F, H, R>,
    ) -> Result<Response<R::Response>, Status>
    where
        H: Sync,
    {
        let request = checked(request, R::COLLECTS_MISTAKES)?;
        let answer = self.frame.once::<R, H>(&self.handlers, request, handle);
        answer.await.map(Response::new)
    }
}

impl<F, H: Clone> Clone for Framed<F, H> {
    fn clone(&self) -> Self {
        Self {
            frame: Arc::clone(&self.frame),
            handlers: self.handlers.clone(),
        }
    }
}
