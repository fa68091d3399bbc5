//! What goes wrong on the way to a target.

/// Why there is no answer. The texts are for the endpoint's owner: they say nothing about this machine's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The URL is not one that is requested at all.
    #[error("its URL must begin with https://, name a host, and have no user name and no password")]
    Url,
    /// The name is unknown, or one of its addresses is neither public nor admitted.
    #[error("its host has no public address")]
    Address,
    /// Nobody accepts connections.
    #[error("its server accepts no connection")]
    Refused,
    /// The certificate is not valid for the host, or this is not TLS.
    #[error("its server does not answer over https with a valid certificate")]
    Tls,
    /// It took too long.
    #[error("its server took too long")]
    Slow,
    /// The connection ended before the answer did, or the answer is not HTTP. The endpoint may have got the request.
    #[error("its server broke off, or answered with something other than HTTP")]
    Interrupted,
}
