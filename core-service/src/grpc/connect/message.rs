//! The message of a Connect request, from the gate to the service.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{BufMut as _, Bytes, BytesMut};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{
    Answering,
    head::{Call, Codec, Form},
    schema::read_json,
};
use crate::grpc::message::PREFIX;

/// A message behind its prefix: flags and length.
pub(super) fn framed(flags: u8, message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    let mut framed = BytesMut::with_capacity(PREFIX + message.len());
    framed.put_u8(flags);
    framed.put_u32(length);
    framed.put_slice(message);
    framed.freeze()
}

/// A body behind the prefix of a message of that length, so that the gate bounds it as one of gRPC. Where the length is unknown, what
/// has come counts.
pub(super) fn announced(length: Option<usize>, body: Body) -> Body {
    let length = u32::try_from(length.unwrap_or(0)).unwrap_or(u32::MAX);
    let mut prefix = BytesMut::with_capacity(PREFIX);
    prefix.put_u8(0);
    prefix.put_u32(length);
    let prefix = Some(prefix.freeze());
    Body::new(Announced { prefix, body })
}

struct Announced {
    prefix: Option<Bytes>,
    body: Body,
}

impl http_body::Body for Announced {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        match self.prefix.take() {
            Some(prefix) => Poll::Ready(Some(Ok(Frame::data(prefix)))),
            None => Pin::new(&mut self.body).poll_frame(context),
        }
    }
}

/// Turns the messages of Connect requests into those of gRPC, behind the gate.
#[derive(Debug, Clone, Copy)]
pub(in crate::grpc) struct MessageLayer;

impl<S> Layer<S> for MessageLayer {
    type Service = Messages<S>;

    fn layer(&self, inner: S) -> Messages<S> {
        Messages { inner }
    }
}

/// A service that gets messages of gRPC.
#[derive(Debug, Clone)]
pub(in crate::grpc) struct Messages<S> {
    inner: S,
}

impl<S> Service<Request<Body>> for Messages<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Answering {
        let call = request.extensions_mut().remove::<Call>();
        let Some(call) = call.filter(|call| !passes_unchanged(call)) else {
            return Box::pin(self.inner.call(request));
        };
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        Box::pin(async move {
            let (head, body) = request.into_parts();
            match message(&call, body).await {
                Ok(message) => {
                    let body = Body::new(Full::new(message));
                    inner.call(Request::from_parts(head, body)).await
                }
                Err(refusal) => Ok(refusal.into_http()),
            }
        })
    }
}

/// Binary messages of a stream have the same form in both protocols.
fn passes_unchanged(call: &Call) -> bool {
    call.form == Form::Stream && call.codec == Codec::Binary
}

/// The one message of a request, as gRPC has it.
async fn message(call: &Call, body: Body) -> Result<Bytes, Status> {
    let received = body.collect().await?.to_bytes();
    let (prefix, message) = received
        .split_at_checked(PREFIX)
        .ok_or_else(|| Status::invalid_argument("the message is incomplete"))?;
    if call.form == Form::Stream && *prefix != framed(0, message)[..PREFIX] {
        let refusal = "there must be one message, complete and not compressed";
        return Err(Status::invalid_argument(refusal));
    }
    Ok(match call.codec {
        Codec::Binary => framed(0, message),
        Codec::Json => framed(0, &read_json(call.rpc.input(), message)?),
    })
}
