//! Names of what goes with calls and answers besides their messages, agreed between core and edges.

/// With a call: the IP address of the client that an edge calls for.
pub const CLIENT_ADDRESS: &str = "x-client-address";

/// With an answer: what is left of a rate limit. An HTTP header of the same name and form.
pub const RATE_LIMIT: &str = "ratelimit";

/// With an answer: how often something may be done. An HTTP header of the same name and form.
pub const RATE_LIMIT_POLICY: &str = "ratelimit-policy";
