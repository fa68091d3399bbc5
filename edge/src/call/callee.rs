//! An rpc without its types, so that what calls it is compiled once, and not for each rpc.

use bytes::Bytes;
use muster_api::binding::{Access, Rpc};
use process::places::Kind;

use super::wire::encode;

/// What a call has to know of its rpc.
#[derive(Clone, Copy)]
pub struct Callee {
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    /// What kind of place a call needs.
    pub(crate) kind: Kind,
    /// Any call may be retried.
    pub(crate) is_idempotent: bool,
    /// A call with an idempotency key may be retried.
    pub(crate) takes_key: bool,
    pub(crate) changes_catalogue: bool,
}

impl Callee {
    /// What an rpc is like.
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

/// What is asked of an rpc, encoded.
pub struct Question {
    pub(crate) callee: Callee,
    pub(crate) message: Bytes,
}

impl Question {
    /// A request of an rpc.
    pub fn to<R: Rpc>(request: &R::Request) -> Self {
        Self {
            callee: Callee::of::<R>(),
            message: encode(request),
        }
    }
}
