//! Asking core whether it is well, by gRPC's own health service.

use std::{sync::Arc, time::Duration};

use muster_api::binding::Access;
use process::observe::RequestId;
use tonic::{Code, Status};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
};

use super::{
    Context,
    attempt::{FailureKind, Reply, Rpc, attempt},
    endpoint::Endpoint,
    identity::Identity,
};

/// How long core may take to say how it is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The question.
pub(crate) const CHECK: Rpc = Rpc {
    path: "/grpc.health.v1.Health/Check",
    access: Access::Public,
    idempotent: true,
    goes_on: false,
};

/// What the answer says. A core that has no health service at least answers.
pub(crate) fn verdict(answer: Result<Reply<HealthCheckResponse>, Status>) -> Result<(), Status> {
    match answer.map(|answer| answer.first.unwrap_or_default().status()) {
        Ok(ServingStatus::Serving) => Ok(()),
        Ok(_) => Err(Status::unavailable("core says that it is not serving")),
        Err(status) if status.code() == Code::Unimplemented => Ok(()),
        Err(status) => Err(status),
    }
}

/// Tries a replica that failed, so that no caller has to. Any answer will do: what it says of itself is for readiness checks.
pub(crate) async fn try_again(endpoint: Arc<Endpoint>) {
    let context = Context::anonymous(&RequestId::fresh(), PATIENCE);
    let request = HealthCheckRequest::default();
    // Anybody may ask.
    let nobody = Identity::default();
    let answer = attempt::<_, HealthCheckResponse>(
        &endpoint,
        CHECK,
        request,
        &context,
        &nobody,
        context.deadline(),
    )
    .await;
    match answer {
        Ok(_) => endpoint.succeeded(),
        Err(failure) if failure.kind == FailureKind::Answered => endpoint.succeeded(),
        Err(_) => endpoint.failed(),
    }
}
