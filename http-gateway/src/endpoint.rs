//! One binding as an HTTP operation: credential, decoding, the call, the answer.

use std::sync::Arc;

use axum::{extract::Request, response::Response};
use http::Method;
use http_kit::{
    Operation, Problem, check_credential,
    oauth::{OAuth, host, origin_on_this_machine},
    require_bearer,
};
use muster_api::{binding::Content, idempotency_key};
use rpc_client::Core;
use server::cors::SharedWith;

use crate::{Options, decode, respond, route::Route, well_known::API};

/// What every operation needs.
pub(crate) struct Gateway {
    pub(crate) core: Core,
    pub(crate) options: Options,
    pub(crate) oauth: OAuth,
}

/// A route as an operation of this method.
pub(crate) fn operation(method: Method, route: Route, gateway: Arc<Gateway>) -> Operation {
    let named = &gateway.options.public_changes;
    let shared = SharedWith::of(!route.is_public(), route.is_read, named);
    let operation = Operation::new(method, move |request| {
        let gateway = Arc::clone(&gateway);
        async move {
            let host = host(request.headers()).cloned();
            match handle(&gateway, &route, request).await {
                Ok(response) => Ok(response),
                Err(problem) => {
                    let origin = host.as_ref().and_then(origin_on_this_machine);
                    let origin = origin.as_deref();
                    Err(gateway
                        .oauth
                        .guided(problem, API, route.scope, origin)
                        .await)
                }
            }
        }
    });
    operation.shared_with(shared)
}

async fn handle(gateway: &Gateway, route: &Route, request: Request) -> Result<Response, Problem> {
    let failed = |status: tonic::Status| Problem::from(&status);
    let Gateway { core, options, .. } = gateway;
    core.require_permit(&route.method).map_err(failed)?;
    if !route.is_public() {
        require_bearer(request.headers())?;
    }
    let (parts, body) = request.into_parts();
    let mut context = options.calls.context(&parts);
    let read = async {
        let key = if route.takes_key {
            idempotency_key::read(&parts.headers).map_err(|wrong| Problem::invalid(&[wrong]))?
        } else {
            None
        };
        let request =
            decode::decode(route, &options.calls, &parts, body, context.deadline()).await?;
        Ok((request, key))
    };
    let read = match read.await {
        Ok((Ok(request), key)) => Ok((request, key)),
        Ok((Err(mistakes), _)) => Err(mistakes.judged(core, &context).await),
        Err(problem) => Err(problem),
    };
    let (request, key) = match read {
        Ok(read) => read,
        Err(problem) => {
            // A missing credential or scope is reported before violations in the request.
            if !route.is_public() {
                check_credential(core, &context, route.scope).await?;
            }
            return Err(problem);
        }
    };
    if let Some(key) = key {
        context = context.with_idempotency_key(key);
    }
    match route.content {
        Content::Json => {
            let answer = core.answer(request, &context).await;
            let (answer, metadata) = answer.map_err(failed)?;
            respond::json(route, &options.public_url, &parts.uri, &answer, metadata)
        }
        Content::File => {
            context = context.with_known_versions(&parts.headers);
            let file = core.file(request, &context).await.map_err(failed)?;
            Ok(respond::file(route, file))
        }
    }
}
