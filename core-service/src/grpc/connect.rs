//! The Connect protocol (<https://connectrpc.com/docs/protocol>) on the gRPC port, by which `buf curl`, Connect's clients and plain curl
//! reach the services.
//!
//! A call becomes one of gRPC in front of the gate, and its answer one of Connect, so that it passes the same checks and has the same
//! bounds: [`ConnectLayer`]. Only the head is read there. The message is read, as JSON or protobuf, behind the gate: [`MessageLayer`].
//!
//! Unary rpcs, and streams of answers. Streams of requests, such as reflection, have binary messages only. Answers are not
//! compressed, which the protocol leaves to servers.

mod answer;
mod error;
mod head;
mod message;
mod schema;

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use http::{Request, Response, header::CONTENT_TYPE};
use tonic::body::Body;
use tower::{Layer, Service};

pub(super) use message::MessageLayer;
pub(super) use schema::Schema;

/// What every content type of gRPC and gRPC-web begins with.
const OF_GRPC: &[u8] = b"application/grpc";

type Answering = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// Lets clients call a gRPC service by the Connect protocol. Requests of gRPC and gRPC-web pass unchanged.
#[derive(Debug, Clone)]
pub(super) struct ConnectLayer {
    schema: Schema,
}

impl ConnectLayer {
    pub(super) const fn new(schema: Schema) -> Self {
        Self { schema }
    }
}

impl<S> Layer<S> for ConnectLayer {
    type Service = Connect<S>;

    fn layer(&self, inner: S) -> Connect<S> {
        let schema = self.schema.clone();
        Connect { inner, schema }
    }
}

/// A service that is called by the Connect protocol as well.
#[derive(Debug, Clone)]
pub(super) struct Connect<S> {
    inner: S,
    schema: Schema,
}

impl<S> Service<Request<Body>> for Connect<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Answering {
        let content_type = request.headers().get(CONTENT_TYPE);
        if content_type.is_some_and(|value| value.as_bytes().starts_with(OF_GRPC)) {
            return Box::pin(self.inner.call(request));
        }
        let schema = self.schema.clone();
        let (call, request) = match head::read(&schema, request) {
            Ok(read) => read,
            Err(refusal) => {
                let refused = refusal.answer(&schema);
                return Box::pin(async move { Ok(refused) });
            }
        };
        let answering = self.inner.call(request);
        Box::pin(async move {
            let answer = match answering.await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            Ok(match call.form {
                head::Form::Unary => answer::whole(&schema, &call, answer).await,
                head::Form::Stream => answer::stream(schema, call, answer),
            })
        })
    }
}
