//! One call to core, at as many replicas as it needs and may be sent to.

use std::{pin::pin, sync::Arc};

use server::metrics;
use tokio::time::{Instant, timeout_at};
use tonic::Status;

use super::{
    Context, Core,
    attempt::{CallFailure, FailureKind, Reply, attempt},
    channel::CHANNELS,
    endpoint::Endpoint,
    health,
    pool::Chosen,
    rpc::EncodedRequest,
};

impl Core {
    /// Calls a replica. If that fails, it calls another one if this is safe: the first has not seen the call, or the call is
    /// idempotent by its rpc or its key. The first try of an idempotent call gets half of the time, so that the other half is
    /// left for the second. If no replica could be reached, the hosts are resolved again, and a new endpoint is called.
    pub(super) async fn exchange(
        &self,
        request: &EncodedRequest,
        context: &Context,
    ) -> Result<Reply, Status> {
        let (deadline, kind) = (context.deadline(), request.method.kind);
        let is_idempotent = request.is_idempotent(context);
        let found = timeout_at(deadline, self.pool.endpoints()).await;
        let endpoints =
            found.map_err(|_elapsed| Status::deadline_exceeded("core was not found in time"))??;
        let pick = |tried: Option<&_>| self.pool.pick(&endpoints, tried, kind);
        let mut first = pick(None).inspect_err(|why| why.count(kind))?;
        let now = Instant::now();
        let is_shared = is_idempotent && endpoints.len() > 1;
        let first_deadline = if is_shared {
            now + deadline.saturating_duration_since(now) / 2
        } else {
            deadline
        };
        let call = self.call_one(&first.endpoint, request, context, first_deadline);
        let answer = if endpoints.len() > 1 {
            watch(&first.endpoint, is_idempotent, call).await
        } else {
            call.await
        };
        let failure = match answer {
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        first.note(&failure);
        // The first permit is returned before the second call.
        let another = |first: Chosen| pick(Some(&first.endpoint)).ok();
        let second = match failure.kind {
            FailureKind::NotSent | FailureKind::Closing => another(first),
            FailureKind::Broken if is_idempotent => {
                pick(Some(&first.endpoint)).ok().or(Some(first))
            }
            FailureKind::Hung | FailureKind::Late if is_shared => another(first),
            // It may only have too much to do. Then others are spared as well.
            FailureKind::Answered if endpoints.len() > 1 && failure.is_shed() => {
                let is_away = health::doubt(&first.endpoint).await;
                let helps = is_away && endpoints.iter().any(|one| one.is_available());
                (helps && is_idempotent).then(|| another(first)).flatten()
            }
            _ => None,
        };
        let failure = match second {
            None => failure,
            Some(mut second) => {
                note_another(request, &failure);
                let answer = self
                    .call_one(&second.endpoint, request, context, deadline)
                    .await;
                let Err(failure) = answer else {
                    return answer.map_err(|failure| failure.status);
                };
                second.note(&failure);
                failure
            }
        };
        // No replica has seen the call, and another one may have started.
        let new = match failure.kind {
            FailureKind::NotSent => {
                let found = timeout_at(deadline, self.pool.new_endpoint(&endpoints, kind)).await;
                found.ok().flatten()
            }
            _ => None,
        };
        let Some(mut new) = new else {
            return Err(failure.status);
        };
        note_another(request, &failure);
        let answer = self
            .call_one(&new.endpoint, request, context, deadline)
            .await;
        answer.map_err(|failure| {
            new.note(&failure);
            failure.status
        })
    }

    /// Calls one replica and records whether it works. A connection that closes is replaced by another one, if the replica does not
    /// stop.
    pub(super) async fn call_one(
        &self,
        endpoint: &Endpoint,
        request: &EncodedRequest,
        context: &Context,
        deadline: Instant,
    ) -> Result<Reply, CallFailure> {
        let attempt = || attempt(endpoint, request, context, &self.identity, deadline);
        let kind =
            |result: &Result<_, CallFailure>| result.as_ref().err().map(|failure| failure.kind);
        let mut result = attempt().await;
        let mut closed = 0;
        while kind(&result) == Some(FailureKind::Closing) && closed < CHANNELS {
            closed += 1;
            metrics::measure(|all| all.core_retries.add_one([]));
            result = attempt().await;
        }
        match kind(&result) {
            // Whether it serves others is to be seen.
            Some(FailureKind::Answered) if result.as_ref().is_err_and(CallFailure::is_shed) => {}
            None | Some(FailureKind::Answered) if closed == 0 => endpoint.succeeded(),
            None | Some(FailureKind::Answered | FailureKind::Closing) => {
                endpoint.closed_a_connection();
            }
            Some(FailureKind::NotSent | FailureKind::Broken | FailureKind::Hung) => {
                self.pool.failed(endpoint);
            }
            // The time was too short to judge the replica, or the replica itself reported that it is late.
            Some(FailureKind::Late) => {}
        }
        result
    }
}

fn note_another(request: &EncodedRequest, failure: &CallFailure) {
    metrics::measure(|all| all.core_retries.add_one([]));
    tracing::debug!(
        rpc = request.method.path,
        error = failure.status.message(),
        "trying another replica of core"
    );
}

/// Waits for a call, and ejects its replica if it hangs. Then an idempotent call ends, to be made elsewhere. Others go on: the
/// replica may have seen them.
async fn watch<A>(
    endpoint: &Arc<Endpoint>,
    is_idempotent: bool,
    call: impl Future<Output = Result<A, CallFailure>>,
) -> Result<A, CallFailure> {
    let mut call = pin!(call);
    let check = || health::check(Arc::clone(endpoint));
    tokio::select! {
        biased;
        answer = &mut call => return answer,
        () = endpoint.ejection(check) => {}
    }
    if is_idempotent {
        Err(CallFailure::hung())
    } else {
        call.await
    }
}
