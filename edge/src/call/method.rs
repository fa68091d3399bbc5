//! Methods of core without their types, so that the code of calls is compiled once, and not for each rpc.

use bytes::Bytes;
use muster_api::binding::{Access, Rpc};
use process::adaptive_limit::Kind;
use tonic::Status;

use super::codec::{decode, encode};

/// A method of core, as its calls need to know it.
#[derive(Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the rpc in the proto"
)]
pub struct RpcMethod {
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What kind of permit a call needs.
    pub(crate) kind: Kind,
    /// Any call may be retried.
    pub(crate) is_idempotent: bool,
    /// A call with an idempotency key may be retried.
    pub(crate) takes_key: bool,
    pub(crate) shows_catalogue: bool,
    pub(crate) changes_catalogue: bool,
    pub(crate) seats_of: SeatsOf,
}

/// See [`Rpc::seats_of`].
type SeatsOf = fn(Bytes, &mut dyn FnMut(&str)) -> Result<(), Status>;

impl RpcMethod {
    /// Returns the method of an rpc.
    pub const fn of<R: Rpc>() -> Self {
        Self {
            path: R::GRPC_PATH,
            access: R::ACCESS,
            kind: Kind::of(R::READ_ONLY),
            is_idempotent: R::IDEMPOTENT,
            takes_key: R::IDEMPOTENCY_KEY,
            shows_catalogue: R::SHOWS_CATALOGUE,
            changes_catalogue: R::CHANGES_CATALOGUE,
            seats_of: |message, visit| {
                R::seats_of(&decode(message)?, visit);
                Ok(())
            },
        }
    }
}

/// An encoded request, and its method.
pub struct EncodedRequest {
    pub(crate) method: RpcMethod,
    pub(crate) message: Bytes,
    /// Whether the request has a filter.
    pub(crate) is_filtered: bool,
}

impl EncodedRequest {
    /// Encodes a request of an rpc.
    pub fn new<R: Rpc>(request: &R::Request) -> Self {
        Self {
            method: RpcMethod::of::<R>(),
            message: encode(request),
            is_filtered: R::is_filtered(request),
        }
    }
}
