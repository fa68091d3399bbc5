//! Rpcs of core without their types, so that the code of calls is compiled once, and not for each rpc.

use bytes::{Buf as _, BufMut as _, Bytes};
use muster_api::binding::{self, Access, Rpc};
use server::adaptive_limit::Kind;
use tonic::{
    Status,
    codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

use super::Context;

/// The capacity of a buffer at first: enough for most requests and small answers. And for how many bytes messages of a stream are
/// sent together.
const INITIAL_CAPACITY: usize = 512;
const YIELD_THRESHOLD: usize = 32 << 10;

/// A method of core, as its calls need to know it.
#[derive(Clone, Copy)]
pub struct RpcMethod {
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What kind of permit a call needs; `None` if it is always made.
    pub(crate) kind: Option<Kind>,
    /// Any call may be retried.
    pub(crate) is_idempotent: bool,
    /// A call with an idempotency key may be retried.
    pub(crate) takes_key: bool,
    pub(crate) changes_catalogue: bool,
}

impl RpcMethod {
    /// Returns the method of an rpc.
    pub const fn of<R: Rpc>() -> Self {
        Self {
            path: R::GRPC_PATH,
            access: R::ACCESS,
            kind: Some(Kind::of(R::READ_ONLY)),
            is_idempotent: R::IDEMPOTENT,
            takes_key: R::IDEMPOTENCY_KEY,
            changes_catalogue: R::CHANGES_CATALOGUE,
        }
    }

    /// Its name for operators.
    pub(crate) const fn name(&self) -> &'static str {
        binding::name(self.path)
    }
}

/// An encoded request, and its method.
pub struct EncodedRequest {
    pub(crate) method: RpcMethod,
    pub(crate) message: Bytes,
}

impl EncodedRequest {
    /// Encodes a request of an rpc.
    pub fn new<R: Rpc>(request: &R::Request) -> Self {
        Self {
            method: RpcMethod::of::<R>(),
            message: encode(request),
        }
    }

    /// Whether its call may be retried.
    pub(crate) fn is_idempotent(&self, context: &Context) -> bool {
        let method = &self.method;
        method.is_idempotent || (method.takes_key && context.has_idempotency_key())
    }
}

/// Passes encoded messages through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Encoded;

impl Codec for Encoded {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Encoded {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(message);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(INITIAL_CAPACITY, YIELD_THRESHOLD)
    }
}

impl Decoder for Encoded {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(INITIAL_CAPACITY, YIELD_THRESHOLD)
    }
}

/// Encodes a message.
pub(crate) fn encode(message: &impl prost::Message) -> Bytes {
    message.encode_to_vec().into()
}

/// Decodes a message of core.
///
/// # Errors
/// `INTERNAL` if it cannot be read.
pub(crate) fn decode<A: prost::Message + Default>(message: Bytes) -> Result<A, Status> {
    A::decode(message)
        .map_err(|error| Status::internal(format!("cannot read core's answer: {error}")))
}
