//! A toy core: things that can be listed, read, made and changed, hand-written as codegen would write them.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use muster_api::{
    Reason,
    binding::{
        Access, Answer, Binding, Body as HasBody, Caching, InternalVisitor, InvalidParameter,
        PublicRpc, Rpc, Visitor,
    },
    http_body::HttpBody,
    json,
    metadata::PROVISIONAL,
    validation::Validate,
};
use tonic::{Request, Response, Status, body::Body, metadata::MetadataMap, server};
use tonic_prost::ProstCodec;
use tower::{Service, service_fn};

/// The request of every toy rpc.
#[derive(Clone, PartialEq, prost::Message, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Thing {
    #[prost(string, tag = "1")]
    pub(crate) id: String,
    #[prost(string, tag = "2")]
    pub(crate) title: String,
    #[prost(int32, optional, tag = "3")]
    #[serde(deserialize_with = "json::nullable_int32")]
    pub(crate) count: Option<i32>,
    #[prost(bool, tag = "4")]
    pub(crate) flag: bool,
    #[prost(message, repeated, tag = "5")]
    pub(crate) parts: Vec<Part>,
    #[prost(string, optional, tag = "6")]
    pub(crate) query: Option<String>,
    #[prost(string, repeated, tag = "7")]
    #[serde(skip)]
    pub(crate) changed: Vec<String>,
}

#[derive(Clone, PartialEq, prost::Message, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Part {
    #[prost(string, tag = "1")]
    pub(crate) label: String,
    #[prost(string, repeated, tag = "2")]
    pub(crate) options: Vec<String>,
}

/// The answer of every toy rpc: which it was and what it was given.
#[derive(Clone, PartialEq, prost::Message, serde::Serialize)]
pub(crate) struct Echo {
    #[prost(string, tag = "1")]
    pub(crate) rpc: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) thing: Option<Thing>,
    #[prost(string, repeated, tag = "3")]
    pub(crate) changed: Vec<String>,
}

impl Validate for Thing {}

/// Pictures may be kept.
const fn caching(rpc: &str) -> Option<Caching> {
    match rpc.as_bytes() {
        b"GetPicture" => Some(Caching {
            max_age_seconds: 31_536_000,
            stale_while_revalidate_seconds: 60,
            provisional_max_age_seconds: 5,
        }),
        _ => None,
    }
}

macro_rules! bindings {
    ($($name:ident: $method:ident $path:literal, $access:ident, $body:ident, $answer:ident $response:ty,
       path $path_fields:expr, query $query_fields:expr;)*) => {
        $(
            #[derive(Clone, Copy)]
            struct $name;

            impl Rpc for $name {
                type Request = Thing;
                type Response = $response;
                const NAME: &'static str = stringify!($name);
                const GRPC_PATH: &'static str = concat!("/toy.Toy/", stringify!($name));
                const INTERNAL: bool = false;
                const ACCESS: Access = Access::$access;
                const SCOPE: Option<muster_api::Scope> = None;
                const IDEMPOTENT: bool = matches!(http::Method::$method, http::Method::GET);
                const IDEMPOTENCY_KEY: bool = false;
                const CHECKS_CREDENTIAL: bool = matches!(stringify!($name).as_bytes(), b"GetMe");
            }

            impl PublicRpc for $name {
                const ANSWER: Answer = Answer::$answer;
                const CACHING: Option<Caching> = caching(stringify!($name));

                fn set_update_mask(thing: &mut Thing, fields: Vec<String>) {
                    thing.changed = fields;
                }
            }

            impl Binding for $name {
                const METHOD: http::Method = http::Method::$method;
                const PATH: &'static str = $path;
                const BODY: HasBody = HasBody::$body;
                const PATH_FIELDS: &'static [&'static str] = &$path_fields;
                const QUERY_FIELDS: &'static [&'static str] = &$query_fields;

                fn set(thing: &mut Thing, field: &str, text: &str) -> Result<(), InvalidParameter> {
                    match field {
                        "id" => thing.id = text.to_owned(),
                        "count" => thing.count = Some(json::parse_int32("count", text)?),
                        "query" => thing.query = Some(text.to_owned()),
                        other => panic!("{other} is no parameter"),
                    }
                    Ok(())
                }
            }
        )*

        /// Shows every toy binding.
        pub(crate) fn visit_bindings(visitor: &mut impl Visitor) {
            $(visitor.visit($name);)*
        }
    };
}

bindings! {
    ListThings: GET "/api/v1/things", Public, None, Json Echo, path [], query ["count", "query"];
    GetThing: GET "/api/v1/things/{id}", Public, None, Json Echo, path ["id"], query [];
    GetPicture: GET "/api/v1/things/{id}/picture", Public, None, File HttpBody, path ["id"], query [];
    CreateThing: POST "/api/v1/things", Bearer, Required, Json Echo, path [], query [];
    GetMe: GET "/api/v1/me", Bearer, None, Json Echo, path [], query [];
    GetMyThing: GET "/api/v1/me/things/{id}", Bearer, None, Json Echo, path ["id"], query [];
    UpdateThing: PATCH "/api/v1/me/things/{id}", Bearer, Required, Json Echo, path ["id"], query [];
    PublishThing: POST "/api/v1/me/things/{id}/publish", Bearer, None, Json Echo, path ["id"], query [];
    CancelThing: POST "/api/v1/me/things/{id}/cancel", Bearer, Optional, Json Echo, path ["id"], query [];
    ExportThing: GET "/api/v1/me/things/{id}/export", Paid, None, File HttpBody, path ["id"], query [];
}

/// Shows the rpc that checks credentials.
pub(crate) fn visit_internal_rpcs(visitor: &mut impl InternalVisitor) {
    visitor.visit(GetMe);
}

/// Answers every rpc, as the id commands; only `Bearer good` may use what is not public.
#[derive(Clone, Default)]
pub(crate) struct Toy {
    pub(crate) calls: Arc<AtomicUsize>,
    pub(crate) headers: Arc<Mutex<http::HeaderMap>>,
}

impl Toy {
    pub(crate) fn count(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let headers = self.headers.lock().unwrap();
        headers
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    }
}

impl Service<http::Request<Body>> for Toy {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        self.calls.fetch_add(1, Ordering::SeqCst);
        *self.headers.lock().unwrap() = request.headers().clone();
        Box::pin(async move {
            let rpc = request
                .uri()
                .path()
                .trim_start_matches("/toy.Toy/")
                .to_owned();
            if matches!(rpc.as_str(), "GetPicture" | "ExportThing") {
                let mut grpc = server::Grpc::new(ProstCodec::<HttpBody, Thing>::default());
                return Ok(grpc.server_streaming(service_fn(download), request).await);
            }
            let mut grpc = server::Grpc::new(ProstCodec::<Echo, Thing>::default());
            Ok(grpc
                .unary(service_fn(move |thing| echo(rpc.clone(), thing)), request)
                .await)
        })
    }
}

impl server::NamedService for Toy {
    const NAME: &'static str = "toy.Toy";
}

async fn echo(rpc: String, request: Request<Thing>) -> Result<Response<Echo>, Status> {
    if !matches!(rpc.as_str(), "ListThings" | "GetThing") {
        authorize(request.metadata())?;
    }
    let mut thing = request.into_inner();
    obey(&thing.id).await?;
    let tagged = thing.id == "tagged";
    if thing.id == "large" {
        thing.title = "long ".repeat(1000);
    }
    let mut response = Response::new(Echo {
        rpc,
        changed: thing.changed.clone(),
        thing: Some(thing),
    });
    if tagged {
        let metadata = response.metadata_mut();
        metadata.insert("etag", "\"v1\"".parse().unwrap());
        metadata.insert("cache-control", "public, max-age=60".parse().unwrap());
        metadata.insert("x-internal", "secret".parse().unwrap());
    }
    Ok(response)
}

fn authorize(metadata: &MetadataMap) -> Result<(), Status> {
    match metadata
        .get("authorization")
        .map(|value| value.to_str().unwrap().to_lowercase())
    {
        Some(credential) if credential == "bearer good" => Ok(()),
        _ => Err(muster_api::status::status(
            Reason::Unauthorized,
            "the API key is unknown or revoked",
        )),
    }
}

async fn obey(id: &str) -> Result<(), Status> {
    match id {
        "missing" => Err(muster_api::status::status(
            Reason::NotFound,
            "there is no such thing",
        )),
        "limited" => Err(muster_api::status::status(Reason::RateLimited, "slow down")),
        "broken" => Err(Status::internal("SELECT * FROM secrets failed")),
        "hang" => std::future::pending().await,
        "panic" => panic!("as commanded"),
        _ => Ok(()),
    }
}

type Pieces = tokio_stream::Iter<std::vec::IntoIter<Result<HttpBody, Status>>>;

async fn download(request: Request<Thing>) -> Result<Response<Pieces>, Status> {
    let id = request.into_inner().id;
    obey(&id).await?;
    let piece = |data: Vec<u8>| {
        Ok(HttpBody {
            content_type: "image/png".to_owned(),
            data: data.into(),
        })
    };
    let mut pieces = vec![piece(vec![0x89; 3000]), piece(b"PNG".to_vec())];
    if id == "half" {
        pieces[1] = Err(Status::internal("the disk is gone"));
    }
    let mut response = Response::new(tokio_stream::iter(pieces));
    let metadata = response.metadata_mut();
    metadata.insert("etag", "\"p1\"".parse().unwrap());
    if id == "provisional" {
        metadata.insert(PROVISIONAL, "1".parse().unwrap());
    }
    metadata.insert(
        "content-disposition",
        "inline; filename=\"picture.png\"".parse().unwrap(),
    );
    Ok(response)
}
