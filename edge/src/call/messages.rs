//! Streams of messages that core goes on sending.

use std::marker::PhantomData;

use bytes::Bytes;
use muster_api::deadline::STREAM_IDLE;
use tokio::time::timeout;
use tonic::{Status, Streaming, metadata::MetadataMap};

use super::{
    attempt::{Reply, as_seen},
    codec::decode,
};

/// Messages as core sends them; [`super::Core::stream`] opens it. Core learns when it is dropped.
#[derive(Debug)]
pub struct Messages<M> {
    metadata: MetadataMap,
    first: Option<Bytes>,
    /// `None` once it has ended.
    rest: Option<Streaming<Bytes>>,
    message: PhantomData<fn() -> M>,
}

impl<M: prost::Message + Default> Messages<M> {
    pub(crate) fn new(begun: Reply) -> Self {
        let is_empty = begun.first.is_none();
        Self {
            metadata: begun.metadata,
            first: begun.first,
            rest: (!is_empty).then_some(begun.rest),
            message: PhantomData,
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
        let next = match (self.first.take(), &mut self.rest) {
            (Some(first), _) => Ok(Some(first)),
            (None, Some(rest)) => receive(rest).await,
            (None, None) => Ok(None),
        };
        let next = next.and_then(|message| message.map(decode).transpose());
        if !matches!(next, Ok(Some(_))) {
            self.rest = None;
        }
        next
    }
}

async fn receive(stream: &mut Streaming<Bytes>) -> Result<Option<Bytes>, Status> {
    match timeout(STREAM_IDLE, stream.message()).await {
        Ok(next) => next.map_err(as_seen),
        Err(_elapsed) => Err(Status::unavailable(format!(
            "core sent nothing for {} s",
            STREAM_IDLE.as_secs()
        ))),
    }
}
