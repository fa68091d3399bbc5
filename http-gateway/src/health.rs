//! `/healthz`: this process runs. `/readyz`: it can do its work, which is to reach core.

use std::sync::Arc;

use axum::{extract::Request, response::Response};
use edge::Problem;
use futures_util::{FutureExt, future::BoxFuture};
use http::Method;

use crate::{guard::request_id, resource::Operation, respond, table::Gateway};

pub(crate) fn operations() -> [(&'static str, Operation); 2] {
    let operation = |handle| Operation {
        method: Method::GET,
        is_shared: false,
        handle,
    };
    [("/healthz", operation(live)), ("/readyz", operation(ready))]
}

fn live(_: Arc<Gateway>, _: Request) -> BoxFuture<'static, Result<Response, Problem>> {
    async { Ok(respond::uncached_json(r#"{"status":"ok"}"#)) }.boxed()
}

fn ready(gateway: Arc<Gateway>, request: Request) -> BoxFuture<'static, Result<Response, Problem>> {
    async move {
        gateway
            .core
            .is_serving(&request_id(&request))
            .await
            .map_err(|status| Problem::from(&status))?;
        Ok(respond::uncached_json(r#"{"status":"ready"}"#))
    }
    .boxed()
}
