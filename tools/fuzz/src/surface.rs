//! Requests to a surface in this process, and what holds for every answer.

use std::future::Future;

use axum::body::Body;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt as _;
use http_kit::Router;
use rpc_client::Core;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

use crate::recorder::{Call, Recorder};

/// A surface in front of a core that notes its calls.
pub(crate) struct Surface {
    runtime: Runtime,
    router: Router,
    recorder: Recorder,
}

/// An answer, and what core was asked for it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) calls: Vec<Call>,
}

impl Surface {
    /// The HTTP gateway.
    pub(crate) fn gateway() -> Self {
        Self::of(|core| http_gateway::router(core, http_gateway::Options::default()))
    }

    /// The MCP bridge.
    pub(crate) fn bridge() -> Self {
        Self::of(|core| {
            let options = mcp_bridge::Options::default();
            mcp_bridge::router(core, &options).expect("the generated table is sound")
        })
    }

    fn of(router: impl FnOnce(Core) -> Router) -> Self {
        let (runtime, recorder) = (runtime(), Recorder::new());
        let router = runtime.block_on(async { router(Core::in_process(recorder.clone())) });
        Self {
            runtime,
            router,
            recorder,
        }
    }

    /// Sends a request. Whatever it is, the answer is no failure of ours.
    pub(crate) fn send(&self, request: Request<Body>) -> Reply {
        let answer = exchange(&self.router, request);
        let (status, headers, body) = self.runtime.block_on(answer);
        let calls = self.recorder.take();
        let reply = Reply {
            status,
            headers,
            body,
            calls,
        };
        assert!(
            !reply.status.is_server_error(),
            "a failure of ours: {reply:?}"
        );
        reply
    }
}

impl Reply {
    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("answers are UTF-8")
    }

    /// Checks that an error says what is wrong, and in a request that is invalid with which field.
    pub(crate) fn check_problem(&self) {
        let document: Value = serde_json::from_slice(&self.body).expect("an error is JSON");
        let error = &document["error"];
        for name in ["code", "message", "request_id"] {
            assert!(is_said(&error[name]), "an error without {name}: {document}");
        }
        if error["code"] == "INVALID_REQUEST" {
            let details = error["details"]
                .as_array()
                .expect("invalid fields are named");
            assert!(!details.is_empty(), "no field is named: {document}");
            for detail in details {
                let is_named = is_said(&detail["field"]) && is_said(&detail["message"]);
                assert!(is_named, "a detail says too little: {document}");
            }
        }
    }
}

fn is_said(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// One thread, as libFuzzer has one.
pub(crate) fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime needs nothing special")
}

/// Sends a request and reads the whole answer.
pub(crate) fn exchange(
    router: &Router,
    request: Request<Body>,
) -> impl Future<Output = (StatusCode, HeaderMap, Vec<u8>)> + use<> {
    let router = router.clone();
    async move {
        let Ok(response) = router.oneshot(request).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("an answer is complete");
        (parts.status, parts.headers, body.to_bytes().to_vec())
    }
}
