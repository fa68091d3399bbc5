//! One binding as an HTTP operation: credential, decoding, the call, the answer.

use std::sync::Arc;

use axum::{extract::Request, response::Response};
use edge::{Context, Problem, require_bearer};
use futures_util::FutureExt;
use http::Method;
use muster_api::binding::{Access, Answer, Binding};
use process::serve::Peer;

use crate::{decode, guard::request_id, resource::Operation, respond, table::Gateway};

/// The binding as an operation.
pub(crate) fn operation<B: Binding>() -> Operation {
    Operation {
        method: B::METHOD,
        is_shared: B::ACCESS == Access::Public && B::METHOD == Method::GET,
        handle: |gateway, request| handle::<B>(gateway, request).boxed(),
    }
}

async fn handle<B: Binding>(gateway: Arc<Gateway>, request: Request) -> Result<Response, Problem> {
    let is_public = B::ACCESS == Access::Public;
    if !is_public {
        require_bearer(request.headers())?;
    }
    let id = request_id(&request);
    let (parts, body) = request.into_parts();
    let mut context = Context::from_headers(&parts.headers, &id, gateway.options.request_time);
    if let Some(Peer(peer)) = parts.extensions.get() {
        let proxies = &gateway.options.trusted_proxies;
        context = context.for_client(proxies.client(*peer, &parts.headers));
    }
    let message = match decode::decode::<B>(&parts, body, context.deadline()).await {
        Ok(message) => message,
        Err(problem) => {
            // A caller without access learns nothing of the request's faults: 401 goes before 400.
            if let (false, Some(check)) = (is_public, gateway.check) {
                check(&gateway.core, &context).await?;
            }
            return Err(problem);
        }
    };
    let failed = |status: tonic::Status| Problem::from(&status);
    match B::ANSWER {
        Answer::Json => {
            let (answer, metadata) = gateway
                .core
                .call::<B>(message, &context)
                .await
                .map_err(failed)?;
            respond::json::<B>(&answer, metadata, &parts)
        }
        Answer::File => {
            let file = gateway
                .core
                .file::<B>(message, &context)
                .await
                .map_err(failed)?;
            Ok(respond::file::<B, _>(file, &parts))
        }
    }
}
