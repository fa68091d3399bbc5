//! Names of what goes with calls and answers besides their messages, agreed between core and edges.

/// With an edge's call: the secret that proves to core that it is an edge. Core forwards and logs it nowhere.
pub const EDGE_TOKEN: &str = "x-muster-edge-token";

/// With an edge's call: the IP address of the client that it calls for. Core believes it of proven edges only.
pub const CLIENT_ADDRESS: &str = "x-client-address";

/// With an edge's call: the [`Surface`] that the client uses. Core believes it of proven edges only.
pub const SURFACE: &str = "x-muster-surface";

/// With an answer: what is left of a rate limit. An HTTP header of the same name and form.
pub const RATE_LIMIT: &str = "ratelimit";

/// With an answer: how often something may be done. An HTTP header of the same name and form.
pub const RATE_LIMIT_POLICY: &str = "ratelimit-policy";

/// With an answer: that another one takes its place before long, so that caches keep it for a shorter time. Any value.
pub const PROVISIONAL: &str = "x-muster-provisional";

/// What an edge offers its clients.
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

    /// The surface of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|surface| surface.name() == name)
    }
}
