//! Recognizes calls of Muster's own edges. Only edges may name the client that they call for and its surface, and call
//! `muster.internal.v1`. All other callers are ordinary clients.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use http::{Extensions, HeaderMap, HeaderValue, Request};
use muster_api::metadata::{CLIENT_ADDRESS, EDGE_TOKEN, SURFACE, Surface};
use server::serve::Peer;
use tonic::{Status, body::Body};

/// Secrets by which edges prove themselves.
pub use crate::service::SharedSecrets as EdgeTokens;

/// How often refused edges are logged. Otherwise each call of such an edge would be a line.
const WARN_AGAIN: Duration = Duration::from_mins(1);

/// The transport of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// This process.
    InProcess,
    /// A Unix socket.
    Unix,
    /// A TCP connection of this peer.
    Tcp(SocketAddr),
}

impl Transport {
    /// The peer's IP address, over a network.
    pub const fn ip(self) -> Option<IpAddr> {
        match self {
            Self::Tcp(peer) => Some(peer.ip()),
            Self::InProcess | Self::Unix => None,
        }
    }
}

/// The transport of a request from a port.
pub(super) fn transport(extensions: &Extensions) -> Option<Transport> {
    let peer = extensions.get::<Peer>()?;
    Some(peer.address.map_or(Transport::Unix, Transport::Tcp))
}

/// Whether the connection of a request from a port has a client certificate. The port accepts only those of the authority in
/// `--tls-client-ca`.
fn has_certificate(extensions: &Extensions) -> bool {
    let peer = extensions.get::<Peer>();
    peer.is_some_and(|peer| peer.has_certificate)
}

/// How a call came to core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallOrigin {
    /// Whether the caller is a proven edge.
    pub(super) by_edge: bool,
    /// The client's address: the one that an edge names, otherwise the peer's own. A Unix socket has none.
    pub(super) client: Option<IpAddr>,
    /// The surface that the client used; `None` for clients that call core directly.
    pub(super) surface: Option<Surface>,
}

impl CallOrigin {
    /// Whether the call comes from the site.
    pub(super) fn is_site(&self) -> bool {
        self.by_edge && self.surface == Some(Surface::Site)
    }
}

/// Recognizes edges.
#[derive(Debug, Default)]
pub(super) struct Edges {
    tokens: EdgeTokens,
    warned: Mutex<Option<Instant>>,
}

impl Edges {
    pub(super) fn new(tokens: EdgeTokens) -> Self {
        Self {
            tokens,
            warned: Mutex::default(),
        }
    }

    /// Finds out how a request from a port came. One without a transport is refused, since no limit could count it.
    ///
    /// # Errors
    /// As [`Self::origin`].
    pub(super) fn origin_at_port(
        &self,
        request: &mut Request<Body>,
    ) -> Result<CallOrigin, Box<Status>> {
        let transport = transport(request.extensions());
        let transport = transport.ok_or_else(|| Status::internal("the call has no transport"))?;
        self.origin(request, transport)
    }

    /// Finds out how a request came, and removes the headers of edges: nothing behind the gate reads them.
    ///
    /// # Errors
    /// When its token is wrong. A wrong token is an error of the settings and must not be ignored.
    pub(super) fn origin(
        &self,
        request: &mut Request<Body>,
        transport: Transport,
    ) -> Result<CallOrigin, Box<Status>> {
        let has_proof = transport == Transport::InProcess || has_certificate(request.extensions());
        let said = EdgeHeaders::take(request.headers_mut());
        let by_edge = match said.token {
            _ if has_proof => true,
            Some(token) if self.tokens.accept(token.as_bytes()) => true,
            Some(_) => return Err(Box::new(self.refuse(transport))),
            None => false,
        };
        let peer = transport.ip();
        Ok(CallOrigin {
            by_edge,
            client: said.client.filter(|_| by_edge).or(peer),
            surface: said.surface.filter(|_| by_edge),
        })
    }

    /// The status has no reason code, so edges log it and do not show it to clients.
    fn refuse(&self, transport: Transport) -> Status {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.is_none_or(|at| at.elapsed() >= WARN_AGAIN) {
            *warned = Some(Instant::now());
            let tokens = self.tokens.count();
            tracing::warn!(
                ?transport,
                tokens,
                "refused an edge with a wrong token; set --edge-token (MUSTER_EDGE_TOKEN) to the same secret at both"
            );
        }
        Status::permission_denied(format!(
            "core does not accept this {EDGE_TOKEN}: the edge's MUSTER_EDGE_TOKEN must be one of core's"
        ))
    }
}

/// The headers of an edge.
struct EdgeHeaders {
    token: Option<HeaderValue>,
    client: Option<IpAddr>,
    surface: Option<Surface>,
}

impl EdgeHeaders {
    fn take(headers: &mut HeaderMap) -> Self {
        let token = headers.remove(EDGE_TOKEN);
        let (client, surface) = (headers.remove(CLIENT_ADDRESS), headers.remove(SURFACE));
        Self {
            token,
            client: client.and_then(|address| address.to_str().ok()?.parse().ok()),
            surface: surface.and_then(|surface| Surface::from_name(surface.to_str().ok()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "old-0123456789abcdef0123456789abcdef";
    const NEW: &str = "new-0123456789abcdef0123456789abcdef";

    /// The origin of a call from there that claims to come from the site for another client.
    fn origin(
        edges: &Edges,
        transport: Transport,
        token: Option<&'static str>,
    ) -> Option<CallOrigin> {
        let mut request = Request::new(Body::empty());
        let headers = request.headers_mut();
        headers.insert(CLIENT_ADDRESS, HeaderValue::from_static("192.0.2.1"));
        headers.insert(SURFACE, HeaderValue::from_static("site"));
        if let Some(token) = token {
            headers.insert(EDGE_TOKEN, HeaderValue::from_static(token));
        }
        let origin = edges.origin(&mut request, transport);
        assert!(
            request.headers().is_empty(),
            "nothing behind the gate sees them"
        );
        origin.ok()
    }

    #[test]
    fn only_a_proven_edge_says_who_its_client_is_and_where_they_came_in() {
        let edges = Edges::new(NEW.parse().unwrap());
        let tcp = Transport::Tcp(([198, 51, 100, 1], 7).into());
        let said = CallOrigin {
            by_edge: true,
            client: Some([192, 0, 2, 1].into()),
            surface: Some(Surface::Site),
        };
        let unsaid = |client| CallOrigin {
            by_edge: false,
            client,
            surface: None,
        };
        assert_eq!(origin(&edges, tcp, Some(NEW)), Some(said));
        assert_eq!(origin(&edges, Transport::Unix, Some(NEW)), Some(said));
        assert_eq!(origin(&edges, Transport::InProcess, None), Some(said));
        let peer = Some([198, 51, 100, 1].into());
        assert_eq!(origin(&edges, tcp, None), Some(unsaid(peer)));
        assert_eq!(origin(&edges, Transport::Unix, None), Some(unsaid(None)));
        assert_eq!(origin(&edges, tcp, Some(OLD)), None);
        // Without a configured token, no token is valid.
        assert_eq!(origin(&Edges::default(), tcp, Some(NEW)), None);
    }

    #[test]
    fn a_call_without_a_transport_is_refused() {
        let edges = Edges::new(NEW.parse().unwrap());
        let mut request = Request::new(Body::empty());
        let headers = request.headers_mut();
        headers.insert(EDGE_TOKEN, HeaderValue::from_static(NEW));
        assert!(edges.origin_at_port(&mut request).is_err());
        request.extensions_mut().insert(Peer {
            address: None,
            has_certificate: false,
        });
        assert!(edges.origin_at_port(&mut request).is_ok());
    }
}
