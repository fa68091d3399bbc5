//! Rpcs and their HTTP routes as types, which edges visit without knowing the rpc.

use serde::{Serialize, de::DeserializeOwned};

use crate::{Scope, http_body::HttpBody, validation::Validate};

/// The callers that may call an rpc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everyone; credentials are ignored.
    Public,
    /// Any caller with a valid credential.
    Bearer,
    /// Like `Bearer`, on a paid plan.
    Paid,
    /// A person's session, which the site presents; no key and no token.
    Session,
}

/// The conditions on callers of an rpc, which are checked before its use case, whether it is a read, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, as the proto states them"
)]
pub struct AccessRule {
    /// Who may call it.
    pub access: Access,
    /// The scope that the credential must have, if any.
    pub scope: Option<Scope>,
    /// Whether only edges may call it.
    pub internal: bool,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// Whether a member who is invited for some events only may call it.
    pub some_events: bool,
    /// Whether the session must have stepped up lately.
    pub step_up: bool,
    /// Its gRPC path without the first slash: package and service, and the rpc.
    pub name: &'static str,
}

impl AccessRule {
    /// The rule of an rpc.
    pub const fn of<R: Rpc>() -> Self {
        Self {
            internal: R::INTERNAL,
            read_only: R::READ_ONLY,
            access: R::ACCESS,
            scope: R::SCOPE,
            some_events: R::SOME_EVENTS,
            step_up: R::STEP_UP,
            name: name(R::GRPC_PATH),
        }
    }
}

/// An rpc's gRPC path without the first slash.
pub const fn name(grpc_path: &'static str) -> &'static str {
    match grpc_path.as_bytes() {
        [b'/', ..] => grpc_path.split_at(1).1,
        _ => grpc_path,
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
    /// It is a file.
    File {
        /// Its media types, of which it has one.
        media_types: &'static [&'static str],
        /// Its largest size.
        max_bytes: usize,
    },
}

/// The form of an rpc's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// One message, as JSON.
    Json,
    /// `google.api.HttpBody`, one or a stream of them: a file.
    File,
}

/// How long caches may keep a public answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caching {
    /// Seconds for which it is fresh.
    pub max_age_seconds: u32,
    /// Seconds after that for which it may be served stale while it is revalidated.
    pub stale_while_revalidate_seconds: u32,
}

/// A path or query parameter that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidParameter {
    /// The parameter's name.
    pub field: &'static str,
    /// What is valid, for example `must be an integer`.
    pub message: &'static str,
}

/// One rpc. The generated implementations are zero-sized types.
pub trait Rpc: Copy + Send + Sync + 'static {
    /// The request message.
    type Request: prost::Message + Default + Clone + Validate + 'static;
    /// The response message, or each piece of a file.
    type Response: prost::Message + Default + 'static;

    /// The rpc's name, for example `CreateEvent`; for logs and metrics.
    const NAME: &'static str;
    /// The gRPC path, for example `/muster.v1.EventService/CreateEvent`.
    const GRPC_PATH: &'static str;
    /// Whether it belongs to an internal package, whose rpcs only edges may call.
    const INTERNAL: bool;
    /// Who may call it.
    const ACCESS: Access;
    /// The scope that the caller's credential must have, if any.
    const SCOPE: Option<Scope>;
    /// Whether it changes nothing. Reads have permits of their own, so that they do not wait for writes.
    const READ_ONLY: bool;
    /// Whether it is idempotent, so that it may be retried.
    const IDEMPOTENT: bool;
    /// Whether it takes an idempotency key. A call with a key may be retried.
    const IDEMPOTENCY_KEY: bool;
    /// Whether a member who is invited for some events only may call it.
    const SOME_EVENTS: bool;
    /// Whether the session must have stepped up lately.
    const STEP_UP: bool;
    /// Whether it can change what public answers show.
    const CHANGES_CATALOGUE: bool;
    /// Whether an invalid request reaches its use case, which says what else is wrong.
    const COLLECTS_MISTAKES: bool;
}

/// An rpc of the public package, whose messages also have a JSON form. Unknown fields in JSON are refused.
pub trait PublicRpc: Rpc<Request: DeserializeOwned, Response: Serialize> {
    /// The form of its answer.
    const CONTENT: Content;
    /// How long caches may keep its answer; `None` if they must revalidate it, or if it needs a credential.
    const CACHING: Option<Caching>;

    /// Sets the update mask of a partial update to the fields that the request contains. Does nothing for other rpcs.
    fn set_update_mask(_request: &mut Self::Request, _fields: Vec<String>) {}
}

/// One HTTP route of an rpc. The generated implementations are zero-sized types.
pub trait Binding: PublicRpc {
    /// The HTTP method.
    const METHOD: http::Method;
    /// The path with `{field}` for each path parameter, for example `/api/v1/events/{slug}`.
    const PATH: &'static str;
    /// Whether it takes a body. Fields that are not path parameters come from the body, or from the query if there is none.
    const BODY: Body;
    /// The fields in the path.
    const PATH_FIELDS: &'static [&'static str];
    /// The fields in the query.
    const QUERY_FIELDS: &'static [&'static str];
    /// Those of them that are lists: each value is a parameter of its own.
    const LIST_FIELDS: &'static [&'static str];

    /// Sets a path or query field from its percent-decoded text. The field is one of `PATH_FIELDS` or `QUERY_FIELDS`.
    ///
    /// # Errors
    /// When the text is not a value of the field's type.
    fn set(request: &mut Self::Request, field: &str, text: &str) -> Result<(), InvalidParameter>;

    /// Sets the file that is the body. Does nothing where it is none.
    fn set_file(_request: &mut Self::Request, _file: HttpBody) {}

    /// The query parameter that leads to the page after this one, and its value; `None` on the last page, and for what is no page.
    fn next_page(_response: &Self::Response) -> Option<(&'static str, String)> {
        None
    }

    /// The JSON of the HTTP answer: the message, or the field that `response_body` names.
    ///
    /// # Errors
    /// Never for generated messages; serde's signature has an error.
    fn to_json(response: &Self::Response) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(response)
    }
}

/// A visitor of all public rpcs, with or without a route: see `muster_api::visit_rpcs`.
pub trait RpcVisitor {
    /// Visits one rpc.
    fn visit<R: PublicRpc>(&mut self, rpc: R);
}

/// A visitor of all internal rpcs: see `muster_api::visit_internal_rpcs`.
pub trait InternalVisitor {
    /// Visits one rpc.
    fn visit<R: Rpc>(&mut self, rpc: R);
}

/// A visitor of all bindings: see `muster_api::visit_bindings`.
pub trait Visitor {
    /// Visits one binding.
    fn visit<B: Binding>(&mut self, binding: B);
}
