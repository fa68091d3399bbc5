//! Recognizes calls of Muster's own edges. Only edges may name the client that they call for and its surface, and call
//! `muster.internal.v1`. All other callers are ordinary clients.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    str::FromStr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use http::{Extensions, HeaderMap, HeaderValue, Request};
use muster_api::metadata::{CLIENT_ADDRESS, EDGE_TOKEN, SURFACE, Surface};
use secrecy::ExposeSecret as _;
use server::{serve::Peer, settings};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tonic::{Status, body::Body};

/// One, and a second one while edges change to it.
const MAX_TOKENS: usize = 2;

/// How often refused edges are logged. Otherwise each call of such an edge would be a line.
const WARN_AGAIN: Duration = Duration::from_mins(1);

/// Secrets by which edges prove themselves. Only their SHA-256 is kept.
#[derive(Clone, Default)]
pub struct EdgeTokens(Vec<[u8; 32]>);

impl FromStr for EdgeTokens {
    type Err = String;

    /// One token, or two separated by a comma or on lines of their own.
    fn from_str(text: &str) -> Result<Self, String> {
        let separated = text.split(|character: char| character == ',' || character.is_whitespace());
        let tokens = separated
            .filter(|token| !token.is_empty())
            .map(settings::token)
            .collect::<Result<Vec<_>, _>>()?;
        if tokens.is_empty() || tokens.len() > MAX_TOKENS {
            return Err(format!(
                "must be one secret, or {MAX_TOKENS} separated by a comma while edges change from one to the other"
            ));
        }
        let hash = |token: &secrecy::SecretString| hash(token.expose_secret().as_bytes());
        Ok(Self(tokens.iter().map(hash).collect()))
    }
}

impl fmt::Debug for EdgeTokens {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "EdgeTokens({})", self.0.len())
    }
}

impl EdgeTokens {
    fn accept(&self, token: &HeaderValue) -> bool {
        let shown = hash(token.as_bytes());
        let matches = self.0.iter().map(|token| token.ct_eq(&shown));
        matches
            .fold(subtle::Choice::from(0), |any, one| any | one)
            .into()
    }
}

fn hash(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}

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
            Some(token) if self.tokens.accept(&token) => true,
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
            let tokens = self.tokens.0.len();
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

    #[test]
    fn one_token_or_two_are_read_and_never_shown() {
        for both in [
            format!("{OLD},{NEW}"),
            format!(" {OLD} , {NEW},"),
            format!("{OLD}\n{NEW}\n"),
        ] {
            let tokens: EdgeTokens = both.parse().unwrap();
            assert!(tokens.accept(&HeaderValue::from_static(OLD)), "{both}");
            assert!(tokens.accept(&HeaderValue::from_static(NEW)), "{both}");
            assert_eq!(format!("{tokens:?}"), "EdgeTokens(2)");
        }
        let one: EdgeTokens = NEW.parse().unwrap();
        assert!(one.accept(&HeaderValue::from_static(NEW)));
        assert!(!one.accept(&HeaderValue::from_static(OLD)));
        assert!(!EdgeTokens::default().accept(&HeaderValue::from_static(NEW)));
    }

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

    #[test]
    fn tokens_that_are_short_strange_or_too_many_are_refused_in_words() {
        let three = format!("{OLD},{NEW},{NEW}");
        for (text, problem) in [
            ("", "must be one secret"),
            (&three, "must be one secret"),
            ("too-short", "at least 32"),
            (&format!("{OLD},short"), "at least 32"),
            (&format!("{OLD}\u{e9}"), "visible ASCII"),
        ] {
            let error = text.parse::<EdgeTokens>().unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
