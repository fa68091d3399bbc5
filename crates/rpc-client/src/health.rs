//! Health checks of core, by gRPC's health service.

use std::{sync::Arc, time::Duration};

use muster_api::binding::Access;
use server::observe::RequestId;
use tonic::{Code, Status};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
};

use super::{
    Context,
    attempt::{FailureKind, Reply, attempt},
    context::Identity,
    endpoint::Endpoint,
    rpc::{EncodedRequest, RpcMethod, decode, encode},
};

/// How long a health check may take.
pub(crate) const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a replica may take to answer the check that is made because of a call without an answer.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);

const CHECK: RpcMethod = RpcMethod {
    path: "/grpc.health.v1.Health/Check",
    access: Access::Public,
    kind: None,
    is_idempotent: true,
    takes_key: false,
    changes_catalogue: false,
};

/// A check as a request.
pub(crate) fn request() -> EncodedRequest {
    EncodedRequest {
        method: CHECK,
        message: encode(&HealthCheckRequest::default()),
    }
}

/// The result of a check. A core without a health service at least answers.
pub(crate) fn verdict(answer: Result<Reply, Status>) -> Result<(), Status> {
    let check = answer.and_then(|answer| decode(answer.first.unwrap_or_default()));
    match check.map(|check: HealthCheckResponse| check.status()) {
        Ok(ServingStatus::Serving) => Ok(()),
        Ok(_) => Err(Status::unavailable("core reports that it is not serving")),
        Err(status) if status.code() == Code::Unimplemented => Ok(()),
        Err(status) => Err(status),
    }
}

/// Probes a failed replica, so that no caller has to.
pub(crate) async fn try_again(endpoint: Arc<Endpoint>) {
    probe(endpoint, CHECK_TIMEOUT).await;
}

/// Probes a replica that leaves a call without an answer. If it hangs, it is ejected.
pub(crate) async fn check(endpoint: Arc<Endpoint>) {
    probe(endpoint, PROBE_TIMEOUT).await;
}

/// Probes a replica that answered a call by saying that it cannot, unless that was just done. Returns whether it is ejected.
pub(crate) async fn doubt(endpoint: &Arc<Endpoint>) -> bool {
    // All other calls that were answered so wait for the one check.
    let _one = endpoint.doubted.lock().await;
    if endpoint.is_available() && endpoint.claim_check() {
        check(Arc::clone(endpoint)).await;
    }
    !endpoint.is_available()
}

/// One that says that it does not serve, since it stops or is cut off from its database, is as good as away.
async fn probe(endpoint: Arc<Endpoint>, within: Duration) {
    let context = Context::anonymous(&RequestId::fresh(), within);
    // Health checks need no credential.
    let nobody = Identity::default();
    let (request, deadline) = (request(), context.deadline());
    let is_there = match attempt(&endpoint, &request, &context, &nobody, deadline).await {
        Ok(answer) => verdict(Ok(answer)).is_ok(),
        Err(failure) => failure.kind == FailureKind::Answered,
    };
    if is_there {
        endpoint.succeeded();
    } else {
        endpoint.failed();
    }
}
