//! A toy core with a few rpcs, hand-written as codegen would write them.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context as TaskContext, Poll},
    time::Duration,
};

use clap::Parser;
use edge::{Context, Core, CoreSettings};
use muster_api::{
    Reason,
    binding::{Access, Answer, Caching, PublicRpc, Rpc},
    http_body::HttpBody,
    validation::Validate,
};
use process::observe::RequestId;
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
};
use tonic::{
    Request, Response, Status,
    body::Body,
    server,
    service::Routes,
    transport::{Server, server::TcpIncoming},
};
use tonic_prost::ProstCodec;
use tower::{Service, service_fn};

/// The request and the answer of every toy rpc. What the core does is up to the text.
#[derive(Clone, PartialEq, prost::Message, serde::Serialize, serde::Deserialize)]
pub(crate) struct Text {
    #[prost(string, tag = "1")]
    pub(crate) text: String,
}

impl Validate for Text {}

macro_rules! binding {
    ($name:ident: $response:ty, $access:ident, $answer:ident, $idempotent:literal, $key:literal) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name;

        impl Rpc for $name {
            type Request = Text;
            type Response = $response;
            const NAME: &'static str = stringify!($name);
            const GRPC_PATH: &'static str = concat!("/toy.Toy/", stringify!($name));
            const INTERNAL: bool = false;
            const ACCESS: Access = Access::$access;
            const SCOPE: Option<muster_api::Scope> = None;
            const IDEMPOTENT: bool = $idempotent;
            const IDEMPOTENCY_KEY: bool = $key;
            const CHECKS_CREDENTIAL: bool = false;
        }

        impl PublicRpc for $name {
            const ANSWER: Answer = Answer::$answer;
            const CACHING: Option<Caching> = None;
        }
    };
}

binding!(Read: Text, Bearer, Json, true, false);
binding!(ReadPublic: Text, Public, Json, true, false);
binding!(Write: Text, Bearer, Json, false, false);
binding!(WriteOnce: Text, Bearer, Json, false, true);
binding!(Download: HttpBody, Bearer, File, true, false);

/// Answers each rpc with its request, unless the text is a command; counts calls and keeps the last one's metadata.
#[derive(Clone, Default)]
pub(crate) struct Toy {
    pub(crate) calls: Arc<AtomicUsize>,
    pub(crate) metadata: Arc<Mutex<http::HeaderMap>>,
}

impl Toy {
    pub(crate) fn count(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let metadata = self.metadata.lock().unwrap();
        metadata
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    }
}

async fn answer(request: Request<Text>) -> Result<Response<Text>, Status> {
    let text = request.into_inner().text;
    match text.as_str() {
        "hang" => std::future::pending().await,
        "late" => Err(Status::deadline_exceeded("core gave up")),
        "refuse" => Err(muster_api::status::status(Reason::Conflict, "no")),
        _ => {
            let mut response = Response::new(Text { text });
            response
                .metadata_mut()
                .insert("etag", "\"1\"".parse().unwrap());
            Ok(response)
        }
    }
}

type Pieces = tokio_stream::Iter<std::vec::IntoIter<Result<HttpBody, Status>>>;

async fn download(request: Request<Text>) -> Result<Response<Pieces>, Status> {
    let text = request.into_inner().text;
    if text == "refuse" {
        return Err(muster_api::status::status(Reason::NotFound, "no"));
    }
    let piece = |data: &str| {
        Ok(HttpBody {
            content_type: "text/csv".to_owned(),
            data: data.to_owned().into(),
        })
    };
    let mut pieces: Vec<_> = text.split_inclusive('\n').map(piece).collect();
    if text.ends_with('!') {
        pieces.push(Err(Status::internal("broke off")));
    }
    Ok(Response::new(tokio_stream::iter(pieces)))
}

impl Service<http::Request<Body>> for Toy {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        self.calls.fetch_add(1, Ordering::SeqCst);
        *self.metadata.lock().unwrap() = request.headers().clone();
        Box::pin(async move {
            let is_file = request.uri().path().ends_with("Download");
            if is_file {
                let mut grpc = server::Grpc::new(ProstCodec::<HttpBody, Text>::default());
                return Ok(grpc.server_streaming(service_fn(download), request).await);
            }
            let mut grpc = server::Grpc::new(ProstCodec::<Text, Text>::default());
            Ok(grpc.unary(service_fn(answer), request).await)
        })
    }
}

impl server::NamedService for Toy {
    const NAME: &'static str = "toy.Toy";
}

/// A running replica. When dropped it dies with its connections, as a killed process does.
pub(crate) struct Replica {
    pub(crate) address: SocketAddr,
    pub(crate) toy: Toy,
    runtime: Option<Runtime>,
}

impl Replica {
    pub(crate) async fn start() -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap()).await
    }

    pub(crate) async fn start_at(address: SocketAddr) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let toy = Toy::default();
        let server = Server::builder().add_routes(Routes::new(toy.clone()));
        let bound = runtime.spawn(async move { TcpListener::bind(address).await.unwrap() });
        let listener = bound.await.unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        Self {
            address,
            toy,
            runtime: Some(runtime),
        }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[derive(Parser)]
struct Settings {
    #[command(flatten)]
    core: CoreSettings,
}

pub(crate) fn settings(arguments: &[&str]) -> CoreSettings {
    Settings::parse_from(std::iter::once(&"edge").chain(arguments)).core
}

/// A client of the replicas at these addresses.
pub(crate) fn client(addresses: &[SocketAddr]) -> Core {
    let urls: Vec<String> = addresses
        .iter()
        .map(|address| format!("http://{address}"))
        .collect();
    settings(&["--core-url", &urls.join(",")]).client().unwrap()
}

pub(crate) fn within(time: Duration) -> Context {
    Context::anonymous(&RequestId::parse("test").unwrap(), time)
}

pub(crate) fn text(text: &str) -> Text {
    Text {
        text: text.to_owned(),
    }
}
