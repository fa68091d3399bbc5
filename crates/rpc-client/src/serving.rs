//! Whether core serves.

use futures_util::future::select_ok;
use server::observe::RequestId;
use tonic::Status;
use tonic_health::pb::HealthCheckRequest;

use crate::{
    Context, Core,
    health::{CHECK, CHECK_TIMEOUT, verdict},
    rpc::encode,
};

/// How many replicas at most are asked at once whether one serves.
const MAX_ASKED: usize = 16;

impl Core {
    /// Checks that a replica of core reports that it serves, or at least answers if it has no health service; and that this process is
    /// not about to stop.
    ///
    /// # Errors
    /// The cause.
    pub async fn is_serving(&self, request_id: &RequestId) -> Result<(), Status> {
        if self.leaving.is_cancelled() {
            return Err(Status::unavailable("this process stops"));
        }
        let context = Context::anonymous(request_id, CHECK_TIMEOUT);
        let request = encode(&HealthCheckRequest::default());
        let answer = self.exchange(CHECK, request.clone(), &context).await;
        let Err(status) = verdict(answer) else {
            return Ok(());
        };
        let endpoints = self.pool.known();
        if endpoints.len() < 2 {
            return Err(status);
        }
        // That one may stop, or be cut off from its database, while others serve.
        let others = endpoints.iter().take(MAX_ASKED).map(|endpoint| {
            Box::pin(async {
                let (request, deadline) = (request.clone(), context.deadline());
                let answer = self.call_one(endpoint, CHECK, request, &context, deadline);
                verdict(answer.await.map_err(|failure| failure.status))
            })
        });
        let first = select_ok(others).await;
        first.map(|((), _others)| ()).map_err(|_none| status)
    }
}
