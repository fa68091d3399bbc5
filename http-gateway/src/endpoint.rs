//! One binding as an HTTP operation: credential, decoding, the call, the answer.

use std::sync::Arc;

use axum::{extract::Request, response::Response};
use edge::{
    Problem,
    http::{
        Operation,
        oauth::{host, origin_on_this_machine},
        require_bearer,
    },
};
use http::Method;
use muster_api::{
    binding::{Access, Binding, Content},
    idempotency_key,
};

use crate::{decode, respond, table::Gateway, well_known::API};

/// The binding as an operation.
pub(crate) fn operation<B: Binding>(gateway: Arc<Gateway>) -> Operation {
    let public_changes = gateway.options.public_changes.clone();
    let operation = Operation::new(B::METHOD, move |request| {
        let gateway = Arc::clone(&gateway);
        async move {
            let host = host(request.headers()).cloned();
            match handle::<B>(&gateway, request).await {
                Ok(response) => Ok(response),
                Err(problem) => {
                    let origin = host.as_ref().and_then(origin_on_this_machine);
                    let origin = origin.as_deref();
                    Err(gateway.oauth.guided(problem, API, origin).await)
                }
            }
        }
    });
    match (B::ACCESS, B::METHOD) {
        (Access::Public, Method::GET) => operation.shared(),
        (Access::Public, _) => operation.shared_with(public_changes),
        _ => operation,
    }
}

async fn handle<B: Binding>(gateway: &Gateway, request: Request) -> Result<Response, Problem> {
    let is_public = B::ACCESS == Access::Public;
    let failed = |status: tonic::Status| Problem::from(&status);
    gateway.core.require_place::<B>().map_err(failed)?;
    if !is_public {
        require_bearer(request.headers())?;
    }
    let (parts, body) = request.into_parts();
    let mut context = gateway.options.calls.context(&parts);
    let asked = parts.uri.clone();
    let read = async {
        let key = if B::IDEMPOTENCY_KEY {
            idempotency_key::read(&parts.headers).map_err(|wrong| Problem::invalid(&[wrong]))?
        } else {
            None
        };
        let calls = &gateway.options.calls;
        let message = decode::decode::<B>(calls, &parts, body, context.deadline()).await?;
        Ok((message, key))
    };
    let (message, key) = match read.await {
        Ok(read) => read,
        Err(problem) => {
            // A missing credential or scope is reported before violations in the request.
            if let (false, Some(check)) = (is_public, gateway.check) {
                check(&gateway.core, &context, B::SCOPE).await?;
            }
            return Err(problem);
        }
    };
    if let Some(key) = key {
        context = context.with_idempotency_key(key);
    }
    match B::CONTENT {
        Content::Json => {
            let (answer, metadata) = gateway
                .core
                .call_encoded::<B>(message, &context)
                .await
                .map_err(failed)?;
            respond::json::<B>(&asked, &answer, metadata)
        }
        Content::File => {
            context = context.with_known_versions(&parts.headers);
            let file = gateway
                .core
                .file::<B>(message, &context)
                .await
                .map_err(failed)?;
            Ok(respond::file::<B, _>(file))
        }
    }
}
