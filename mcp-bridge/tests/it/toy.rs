//! A toy core with two rpcs, one of which never answers, and the bridge in front of it.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use axum::{Router, body::Body, response::Response};
use edge::Core;
use http::Request;
use mcp_bridge::{Options, Table};
use muster_api::{
    Reason,
    binding::{Access, Answer, Caching, InternalVisitor, PublicRpc, Rpc, RpcVisitor},
    status::status,
    validation::Validate,
};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tonic::{Status, server};
use tonic_prost::ProstCodec;
use tower::{Service, service_fn};

#[derive(Clone, PartialEq, prost::Message, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Nothing {}

impl Validate for Nothing {}

macro_rules! rpc {
    ($name:ident, $checks:literal) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl Rpc for $name {
            type Request = Nothing;
            type Response = Nothing;
            const NAME: &'static str = stringify!($name);
            const GRPC_PATH: &'static str = concat!("/toy.Toy/", stringify!($name));
            const INTERNAL: bool = false;
            const ACCESS: Access = Access::Bearer;
            const SCOPE: Option<muster_api::Scope> = None;
            const IDEMPOTENT: bool = false;
            const IDEMPOTENCY_KEY: bool = false;
            const CHECKS_CREDENTIAL: bool = $checks;
        }

        impl PublicRpc for $name {
            const ANSWER: Answer = Answer::Json;
            const CACHING: Option<Caching> = None;
        }
    };
}

rpc!(GetMe, true);
rpc!(Wait, false);

/// What the core has seen.
#[derive(Clone, Default)]
pub(crate) struct Toy {
    pub(crate) checks: Arc<AtomicUsize>,
    pub(crate) begun: Arc<Notify>,
    pub(crate) dropped: Arc<Notify>,
}

/// Tells when a call is dropped.
struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Service<Request<tonic::body::Body>> for Toy {
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<tonic::body::Body>) -> Self::Future {
        let toy = self.clone();
        let waits = request.uri().path().ends_with("Wait");
        let known = request
            .headers()
            .get("authorization")
            .is_some_and(|key| key == "Bearer good");
        let answer = move |_: tonic::Request<Nothing>| {
            let toy = toy.clone();
            async move {
                if waits {
                    let _dropped = Dropped(toy.dropped.clone());
                    toy.begun.notify_one();
                    std::future::pending::<()>().await;
                }
                toy.checks.fetch_add(1, Ordering::SeqCst);
                if known {
                    Ok::<_, Status>(tonic::Response::new(Nothing {}))
                } else {
                    Err(status(Reason::Unauthorized, "no"))
                }
            }
        };
        Box::pin(async move {
            let mut grpc = server::Grpc::new(ProstCodec::<Nothing, Nothing>::default());
            Ok(grpc.unary(service_fn(answer), request).await)
        })
    }
}

impl Toy {
    pub(crate) fn checks(&self) -> usize {
        self.checks.load(Ordering::SeqCst)
    }

    /// The bridge in front of this core.
    pub(crate) fn bridge(&self, options: &Options) -> Router {
        let tool = |name: &str, rpc: &str| {
            let schema = json!({"type": "object", "additionalProperties": false});
            let tool =
                json!({"name": name, "inputSchema": schema, "outputSchema": {"type": "object"}});
            json!({"grpc_path": format!("/toy.Toy/{rpc}"), "tool": tool})
        };
        let tools = json!([tool("get_me", "GetMe"), tool("wait", "Wait")]).to_string();
        let document = json!({
            "name": "toy", "title": "Toy", "version": "1", "instructions": "Play.", "resources": [], "prompts": [],
        });
        let table = Table::of(&tools, &document.to_string(), |visitor| {
            RpcVisitor::visit(visitor, GetMe);
            RpcVisitor::visit(visitor, Wait);
            InternalVisitor::visit(visitor, GetMe);
        });
        table
            .unwrap()
            .into_router(Core::in_process(self.clone()), options)
    }
}

/// A request with a key.
pub(crate) fn request(method: &str, params: &Value) -> Request<Body> {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    Request::post("http://localhost/mcp")
        .header("host", "localhost")
        .header("authorization", "Bearer good")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2025-11-25")
        .body(Body::from(message.to_string()))
        .unwrap()
}

/// The JSON of an answer.
pub(crate) async fn json(response: Response) -> Value {
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await;
    serde_json::from_slice(&bytes.unwrap()).unwrap()
}
