//! Names of metadata in calls and answers between core and edges.

/// In an edge's call: the secret that proves that it is an edge. Core does not forward or log it.
pub const EDGE_TOKEN: &str = "x-muster-edge-token";

/// In an edge's call: the IP address of its client. Core accepts it from proven edges only.
pub const CLIENT_ADDRESS: &str = "x-client-address";

/// In an edge's call: the [`Surface`] that the client uses. Core accepts it from proven edges only.
pub const SURFACE: &str = "x-muster-surface";

/// In an edge's call: the edge found mistakes in the request and left those fields out. Core judges the rest and refuses it, with a
/// violation of this name beside what else is wrong. Any value.
pub const MISTAKEN: &str = "x-muster-mistaken";

/// In an answer: the remaining allowance of a rate limit, as in the HTTP header of the same name.
pub const RATE_LIMIT: &str = "ratelimit";

/// In an answer: the rate limit, as in the HTTP header of the same name.
pub const RATE_LIMIT_POLICY: &str = "ratelimit-policy";

/// In an answer: the slug of an event of which the number of seats left may have changed.
pub const SEATS_OF: &str = "x-muster-seats-of";

/// A surface that an edge serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// JSON over HTTP.
    Api,
    /// The Model Context Protocol.
    Mcp,
    /// Web pages.
    Site,
}

impl Surface {
    const ALL: [Self; 3] = [Self::Api, Self::Mcp, Self::Site];

    /// Its name, as [`SURFACE`] says it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Mcp => "mcp",
            Self::Site => "site",
        }
    }

    /// The surface with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|surface| surface.name() == name)
    }
}
