//! Streams of messages that core goes on sending.

use muster_api::deadline::STREAM_IDLE;
use tokio::time::timeout;
use tonic::{Status, Streaming, metadata::MetadataMap};

use super::attempt::{Reply, as_seen};

/// Messages as core sends them; [`super::Core::stream`] opens it. Core learns when it is dropped.
#[derive(Debug)]
pub struct Messages<M> {
    metadata: MetadataMap,
    first: Option<M>,
    /// `None` once it has ended.
    rest: Option<Streaming<M>>,
}

impl<M> Messages<M> {
    pub(crate) fn new(begun: Reply<M>) -> Self {
        let is_empty = begun.first.is_none();
        Self {
            metadata: begun.metadata,
            first: begun.first,
            rest: (!is_empty).then_some(begun.rest),
        }
    }

    /// What core says about the stream.
    pub const fn metadata(&self) -> &MetadataMap {
        &self.metadata
    }

    /// The next message, or `None` once core has ended the stream. Waiting may be broken off without losing a message.
    ///
    /// # Errors
    /// Core's status when it ends the stream with one, and `UNAVAILABLE` when the connection breaks or core sends nothing for
    /// [`STREAM_IDLE`]. Then the stream has ended, too.
    pub async fn next(&mut self) -> Result<Option<M>, Status> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let Some(rest) = &mut self.rest else {
            return Ok(None);
        };
        let next = match timeout(STREAM_IDLE, rest.message()).await {
            Ok(next) => next.map_err(as_seen),
            Err(_elapsed) => Err(Status::unavailable(format!(
                "core sent nothing for {} s",
                STREAM_IDLE.as_secs()
            ))),
        };
        if !matches!(next, Ok(Some(_))) {
            self.rest = None;
        }
        next
    }
}
