//! An rpc, and each HTTP route that it is offered at, as types that edges visit without knowing which rpc it is.

use serde::{Serialize, de::DeserializeOwned};

use crate::{scope::Scope, validation::Validate};

/// Who may call an rpc, as its proto says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody; credentials are ignored.
    Public,
    /// Any caller with a valid credential.
    Bearer,
    /// Like `Bearer`, on a paid plan.
    Paid,
}

/// What an rpc demands of its caller before its use case begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// Who may call it.
    pub access: Access,
    /// The scope that the caller's credential must have; none when any valid one will do, or none is needed.
    pub scope: Option<Scope>,
    /// Whether only edges may call it.
    pub internal: bool,
}

impl Demand {
    /// What that rpc demands.
    pub const fn of<R: Rpc>() -> Self {
        Self {
            internal: R::INTERNAL,
            access: R::ACCESS,
            scope: R::SCOPE,
        }
    }
}

/// Whether an HTTP request of the binding has a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Never.
    None,
    /// It may be left out.
    Optional,
    /// It must be there.
    Required,
}

/// What the rpc answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// One message, shown as JSON.
    Json,
    /// `google.api.HttpBody`, one or a stream of them: a file.
    File,
}

/// How long caches may keep an answer that is the same for everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caching {
    /// For how long it is shown without asking again.
    pub max_age_seconds: u32,
    /// For how long after that it may still be shown while it is asked for again.
    pub stale_while_revalidate_seconds: u32,
    /// In place of both, for an answer that core calls provisional.
    pub provisional_max_age_seconds: u32,
}

/// A path or query parameter that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidParameter {
    /// The parameter's name.
    pub field: &'static str,
    /// What would be right, for example `must be an integer`.
    pub message: &'static str,
}

/// One rpc. Generated, one zero-sized type each.
pub trait Rpc: Copy + Send + Sync + 'static {
    /// The request message.
    type Request: prost::Message + Default + Clone + Validate + 'static;
    /// The response message; each of them, where it is a stream.
    type Response: prost::Message + Default + 'static;

    /// The rpc's name, for example `CreateEvent`; for logs and metrics.
    const NAME: &'static str;
    /// The gRPC path, for example `/muster.v1.EventService/CreateEvent`.
    const GRPC_PATH: &'static str;
    /// Whether it is of an internal package, whose rpcs only edges may call.
    const INTERNAL: bool;
    /// Who may call it.
    const ACCESS: Access;
    /// The scope that the caller's credential must have, if any.
    const SCOPE: Option<Scope>;
    /// Whether a second identical call changes nothing more, so that it may be retried.
    const IDEMPOTENT: bool;
    /// Whether it takes an idempotency key, with which any call may be retried.
    const IDEMPOTENCY_KEY: bool;
    /// Whether edges call it to find out if a credential is valid.
    const CHECKS_CREDENTIAL: bool;
}

/// An internal rpc that answers with a stream of messages. It sends the first one at once, and is never silent for
/// [`crate::deadline::STREAM_IDLE`].
pub trait StreamRpc: Rpc {}

/// An rpc of the public package: its messages are JSON, too. As JSON a request is closed: unknown fields are refused.
pub trait PublicRpc: Rpc<Request: DeserializeOwned, Response: Serialize> {
    /// What it answers with.
    const CONTENT: Content;
    /// How long caches may keep what it answers; none when they have to ask again, or may not keep what needs a credential.
    const CACHING: Option<Caching>;

    /// Tells a partial update which fields it is given. Does nothing for other rpcs.
    fn set_update_mask(_request: &mut Self::Request, _fields: Vec<String>) {}
}

/// One HTTP route of an rpc. Generated, one zero-sized type each.
pub trait Binding: PublicRpc {
    /// The HTTP method.
    const METHOD: http::Method;
    /// The path below the host with `{field}` for each path parameter, for example `/api/v1/events/{slug}`.
    const PATH: &'static str;
    /// Whether it takes a body; then every field that is no path parameter comes from there, else from the query.
    const BODY: Body;
    /// The fields that the path holds.
    const PATH_FIELDS: &'static [&'static str];
    /// The fields that the query may hold.
    const QUERY_FIELDS: &'static [&'static str];

    /// Sets a path or query field from its percent-decoded text. The field is one of `PATH_FIELDS` or `QUERY_FIELDS`.
    ///
    /// # Errors
    /// When the text is no value of the field's type.
    fn set(request: &mut Self::Request, field: &str, text: &str) -> Result<(), InvalidParameter>;

    /// The JSON that REST shows: the message, or the one field of it that `response_body` names.
    ///
    /// # Errors
    /// Never for generated messages; serde's signature has one.
    fn to_json(response: &Self::Response) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(response)
    }
}

/// What an edge does with each public rpc, whether or not it has a route; `muster_api::visit_rpcs` hands it all of them.
pub trait RpcVisitor {
    /// Takes one rpc.
    fn visit<R: PublicRpc>(&mut self, rpc: R);
}

/// What an edge does with each internal rpc; `muster_api::visit_internal_rpcs` hands it all of them.
pub trait InternalVisitor {
    /// Takes one rpc.
    fn visit<R: Rpc>(&mut self, rpc: R);
}

/// What an edge does with each binding; `muster_api::visit_bindings` hands it all of them.
pub trait Visitor {
    /// Takes one binding.
    fn visit<B: Binding>(&mut self, binding: B);
}
