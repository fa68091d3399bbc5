//! The way of a call by its protocol. Edges and most programs speak gRPC, and need nothing of what browsers and Connect's clients do.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use futures_util::future::Either;
use http::{
    Request, Response, Version,
    header::{CONTENT_TYPE, ORIGIN},
};
use tonic::body::Body;
use tower::Service;

/// The content types of gRPC itself.
const OF_GRPC: [&[u8]; 2] = [b"application/grpc", b"application/grpc+proto"];

/// A service, and the same one behind what translates other protocols.
#[derive(Debug, Clone)]
pub(super) struct ByProtocol<S, T> {
    pub(super) direct: S,
    pub(super) translated: T,
}

impl<S, T> Service<Request<Body>> for ByProtocol<S, T>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    T: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, T::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        match self.direct.poll_ready(context) {
            Poll::Ready(Ok(())) => self.translated.poll_ready(context),
            pending => pending,
        }
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if is_grpc(&request) {
            Either::Left(self.direct.call(request))
        } else {
            Either::Right(self.translated.call(request))
        }
    }
}

/// Whether it is a call of gRPC, and not by a web page, which would have to be told who may read the answer.
fn is_grpc(request: &Request<Body>) -> bool {
    let headers = request.headers();
    let content_type = headers.get(CONTENT_TYPE);
    request.version() == Version::HTTP_2
        && content_type.is_some_and(|value| OF_GRPC.contains(&value.as_bytes()))
        && !headers.contains_key(ORIGIN)
}
