//! Methods of core without their types, so that the code of calls is compiled once, and not for each rpc.

use bytes::Bytes;
use muster_api::binding::{Access, Rpc};
use server::adaptive_limit::Kind;

use super::codec::encode;

/// A method of core, as its calls need to know it.
#[derive(Clone, Copy)]
pub struct RpcMethod {
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What kind of permit a call needs.
    pub(crate) kind: Kind,
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
            kind: Kind::of(R::READ_ONLY),
            is_idempotent: R::IDEMPOTENT,
            takes_key: R::IDEMPOTENCY_KEY,
            changes_catalogue: R::CHANGES_CATALOGUE,
        }
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
}
