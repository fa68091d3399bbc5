//! A core that answers every valid request with an empty message and notes what it was asked.

use std::{
    collections::HashMap,
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use http::{Request, Response};
use muster_api::{
    Scope,
    binding::{Content, PublicRpc, Rpc, RpcVisitor},
    internal::v1::{CheckCredentialRequest, CheckCredentialResponse, bindings::CheckCredential},
    validation,
};
use prost::Message as _;
use tonic::{Status, body::Body, server::Grpc};
use tonic_prost::ProstCodec;
use tower::{Service, service_fn};

/// A call that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// The rpc's name.
    pub(crate) rpc: &'static str,
    /// The request, with its defaults filled in.
    pub(crate) request: Vec<u8>,
}

/// The core; clones share what was noted.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    calls: Arc<Mutex<Vec<Call>>>,
    handlers: Arc<HashMap<&'static str, Handler>>,
}

type Handler = fn(Recorder, Request<Body>) -> Answering;
type Answering = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

struct Handlers(HashMap<&'static str, Handler>);

impl RpcVisitor for Handlers {
    fn visit<R: PublicRpc>(&mut self, _rpc: R) {
        let handler = match R::CONTENT {
            Content::Json => unary::<R>,
            Content::File => file::<R>,
        };
        self.0.insert(R::GRPC_PATH, handler);
    }
}

impl Recorder {
    /// With every rpc that there is.
    pub(crate) fn new() -> Self {
        let mut handlers = Handlers(HashMap::new());
        muster_api::visit_rpcs(&mut handlers);
        handlers.0.insert(CheckCredential::GRPC_PATH, grant);
        Self {
            handlers: Arc::new(handlers.0),
            ..Self::default()
        }
    }

    /// What was asked since the last time.
    pub(crate) fn take(&self) -> Vec<Call> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *calls)
    }

    /// Validates as core does: what an edge found mistakes in is refused, too.
    fn note<R: Rpc>(
        &self,
        request: tonic::Request<R::Request>,
    ) -> Result<tonic::Response<R::Response>, Status> {
        let request = validation::checked(request, false)?.into_inner().message;
        let call = Call {
            rpc: R::NAME,
            request: request.encode_to_vec(),
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(call);
        Ok(tonic::Response::new(R::Response::default()))
    }
}

fn unary<R: Rpc>(recorder: Recorder, request: Request<Body>) -> Answering {
    Box::pin(async move {
        let mut grpc = Grpc::new(ProstCodec::<R::Response, R::Request>::default());
        let answer = service_fn(move |request: tonic::Request<R::Request>| {
            std::future::ready(recorder.note::<R>(request))
        });
        grpc.unary(answer, request).await
    })
}

fn file<R: Rpc>(recorder: Recorder, request: Request<Body>) -> Answering {
    Box::pin(async move {
        let mut grpc = Grpc::new(ProstCodec::<R::Response, R::Request>::default());
        let answer = service_fn(move |request: tonic::Request<R::Request>| {
            let noted = recorder.note::<R>(request);
            let pieces = noted.map(|one| one.map(|piece| tokio_stream::once(Ok(piece))));
            std::future::ready(pieces)
        });
        grpc.server_streaming(answer, request).await
    })
}

/// Every credential is good for everything.
fn grant(_recorder: Recorder, request: Request<Body>) -> Answering {
    Box::pin(async move {
        let codec = ProstCodec::<CheckCredentialResponse, CheckCredentialRequest>::default();
        let answer = service_fn(|_request: tonic::Request<CheckCredentialRequest>| {
            let scopes = Scope::ALL.iter().map(ToString::to_string).collect();
            let granted = CheckCredentialResponse {
                scopes,
                ..CheckCredentialResponse::default()
            };
            std::future::ready(Ok::<_, Status>(tonic::Response::new(granted)))
        });
        Grpc::new(codec).unary(answer, request).await
    })
}

impl Service<Request<Body>> for Recorder {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let handler = self.handlers.get(request.uri().path()).copied();
        let recorder = self.clone();
        Box::pin(async move {
            Ok(match handler {
                Some(handler) => handler(recorder, request).await,
                None => Status::unimplemented("there is no such rpc").into_http(),
            })
        })
    }
}
