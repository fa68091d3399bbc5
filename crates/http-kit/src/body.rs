//! Reading a request's body within limits of size, time and memory.

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, header::CONTENT_LENGTH};
use http_body_util::BodyExt;
use muster_api::{Reason, violation::Violation};
use server::{
    budget::{Budget, Held},
    serve::is_stalled,
};
use tokio::time::{Instant, timeout_at};

use crate::Problem;

/// The largest body that is no file. The largest event, with twenty custom fields of fifty options, is far smaller.
pub const MAX_BYTES: usize = 1 << 20;

/// How long a body may take, with any time limit of its request.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);

/// The same for a file that is larger than that: a photograph from a telephone.
const FILE_TIMEOUT: Duration = Duration::from_mins(1);

/// How many bytes bodies hold while they are read: those of all clients, and those of one.
const OF_CLIENTS: usize = 128 << 20;
const OF_ONE_CLIENT: usize = 16 << 20;

/// The memory of the bodies of a surface while they are read.
pub(super) fn budget() -> Arc<Budget<IpAddr>> {
    Arc::new(Budget::new(OF_CLIENTS, OF_ONE_CLIENT))
}

/// Reads the whole body before the deadline.
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    held: Held<IpAddr>,
    max_bytes: usize,
    deadline: Instant,
) -> Result<Bytes, Problem> {
    let declared = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let declared = declared.unwrap_or_default();
    if declared > max_bytes {
        return Err(too_large(max_bytes));
    }
    let limit = if max_bytes > MAX_BYTES {
        FILE_TIMEOUT
    } else {
        BODY_TIMEOUT
    };
    let deadline = deadline.min(Instant::now() + limit);
    let read = timeout_at(deadline, collect(body, held, max_bytes)).await;
    read.unwrap_or_else(|_elapsed| Err(too_slow()))
}

/// A problem with the whole body.
pub fn invalid(message: &str) -> Problem {
    Problem::invalid(&[Violation {
        field: "body".to_owned(),
        message: message.to_owned(),
    }])
}

async fn collect(
    mut body: Body,
    mut held: Held<IpAddr>,
    max_bytes: usize,
) -> Result<Bytes, Problem> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| broken(&error))?.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > max_bytes {
            return Err(too_large(max_bytes));
        }
        let size = bytes.len() + data.len();
        held.at_least(size).map_err(|_exhausted| too_many())?;
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.into())
}

fn too_large(max_bytes: usize) -> Problem {
    Problem::new(
        Reason::PayloadTooLarge,
        format!("the body is larger than {max_bytes} bytes"),
    )
}

fn too_many() -> Problem {
    Problem::new(Reason::Unavailable, "too many bodies are being received")
}

fn too_slow() -> Problem {
    let message = "the body did not arrive in time";
    Problem::new(Reason::InvalidRequest, message).answered(408)
}

fn broken(error: &axum::Error) -> Problem {
    if is_stalled(error) {
        too_slow()
    } else {
        invalid("broke off").caused_by(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;
    use tokio::time::sleep;

    use super::*;

    const CLIENT: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    async fn read_to(
        memory: &Arc<Budget<IpAddr>>,
        body: Body,
        time: Duration,
    ) -> Result<Bytes, Problem> {
        let deadline = Instant::now() + time;
        let held = memory.hold(CLIENT);
        read(&HeaderMap::new(), body, held, MAX_BYTES, deadline).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_trickles_ends_long_before_a_long_deadline() {
        let trickle = stream::unfold((), async |()| {
            sleep(Duration::from_secs(5)).await;
            Some((Ok::<_, Infallible>("x"), ()))
        });
        let (begun, day) = (Instant::now(), Duration::from_hours(24));
        let read = read_to(&budget(), Body::from_stream(trickle), day).await;
        assert_eq!(read.unwrap_err().http_status, 408);
        assert_eq!(begun.elapsed(), BODY_TIMEOUT);
    }

    #[tokio::test]
    async fn bodies_that_are_being_read_share_the_memory_of_their_client() {
        let memory = budget();
        let mut others = memory.hold(CLIENT);
        others.at_least(OF_ONE_CLIENT - 1).unwrap();
        let refused = read_to(&memory, Body::from("xx"), BODY_TIMEOUT).await;
        assert_eq!(refused.unwrap_err().http_status, 503);
        assert_eq!(
            read_to(&memory, Body::from("x"), BODY_TIMEOUT)
                .await
                .unwrap(),
            "x"
        );
        drop(others);
        assert!(
            read_to(&memory, Body::from("xx"), BODY_TIMEOUT)
                .await
                .is_ok()
        );
    }
}
