//! The one way out to addresses that strangers name. A stranger must not be able to make this machine talk to its neighbours, wait for long
//! or read much: requests go over HTTPS to public addresses alone, no redirect is followed, no proxy is used, and answers have a limit of
//! size and time.
//!
//! The address is checked where the connection is made: the resolver's answer is the one that is connected to, so that a name cannot lead
//! elsewhere after it was checked.

mod address;
mod resolver;
mod transfer;

use std::{net::IpAddr, sync::Arc, time::Duration};

use rustls::{ClientConfig, RootCertStore, pki_types::CertificateDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

pub use self::{
    address::is_public,
    resolver::{Resolve, Resolving, SystemResolver},
};

/// The bytes of the largest answer.
pub const MAX_BYTES: usize = 5_000;

/// How long all of it may take: looking up the name, connecting, and the answer.
pub const TIME: Duration = Duration::from_secs(5);

/// How many of a name's addresses are tried.
const MAX_ADDRESSES: usize = 4;

const HTTPS: u16 = 443;

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its text.
    pub text: String,
    /// For how long it may be kept, if its server says so; zero if it must not be kept.
    pub max_age: Option<Duration>,
}

/// Why a document was not read. The texts are for whoever publishes it: they say nothing about this machine's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The URL is not one that is requested at all.
    #[error("its URL must begin with https:// and name a host")]
    Url,
    /// The name is unknown, or one of its addresses is not public.
    #[error("its host has no public address")]
    Address,
    /// Nobody answered, or not as HTTPS with a valid certificate.
    #[error("its server does not answer over https with a valid certificate")]
    Connection,
    /// The answer is another one than 200; redirects are not followed.
    #[error(
        "its server answered with status {0}, and it must answer with 200 and without a redirect"
    )]
    Status(u16),
    /// The answer is too large, or no UTF-8.
    #[error("it must be text of at most {MAX_BYTES} bytes")]
    Text,
    /// It took too long.
    #[error("its server took longer than {} seconds", TIME.as_secs())]
    Slow,
}

/// Requests documents. Clones share everything.
#[derive(Clone)]
pub struct Egress {
    resolver: Arc<dyn Resolve>,
    is_allowed: fn(IpAddr) -> bool,
    tls: TlsConnector,
}

impl std::fmt::Debug for Egress {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Egress")
    }
}

impl Egress {
    /// Requests to public addresses, with the system's resolver and the certificate authorities of browsers.
    ///
    /// # Errors
    /// When there is no TLS.
    pub fn public() -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        Self::new(Arc::new(SystemResolver), is_public, roots)
    }

    /// Requests with another resolver, other addresses and one certificate authority, for tests.
    ///
    /// # Errors
    /// When the authority cannot be read.
    pub fn within(
        resolver: Arc<dyn Resolve>,
        is_allowed: fn(IpAddr) -> bool,
        authority: CertificateDer<'_>,
    ) -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add(authority)?;
        Self::new(resolver, is_allowed, roots)
    }

    fn new(
        resolver: Arc<dyn Resolve>,
        is_allowed: fn(IpAddr) -> bool,
        roots: RootCertStore,
    ) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            resolver,
            is_allowed,
            tls: TlsConnector::from(Arc::new(config)),
        })
    }

    /// Reads the document at a URL.
    ///
    /// # Errors
    /// When it cannot be read within the limits.
    pub async fn fetch(&self, url: &Url) -> Result<Document, Error> {
        let fetched = tokio::time::timeout(TIME, async {
            let ("https", Some(host)) = (url.scheme(), url.host()) else {
                return Err(Error::Url);
            };
            let port = url.port().unwrap_or(HTTPS);
            let stream = self.connect(&host, port).await?;
            let name = transfer::server_name(&host)?;
            let stream = self.tls.connect(name, stream).await;
            let stream = stream.map_err(|_| Error::Connection)?;
            transfer::get(stream, url).await
        });
        fetched.await.unwrap_or(Err(Error::Slow))
    }

    /// Connects to an address of the host that was checked.
    async fn connect(&self, host: &Host<&str>, port: u16) -> Result<TcpStream, Error> {
        let addresses = self.addresses(host).await?;
        for address in addresses.into_iter().take(MAX_ADDRESSES) {
            if let Ok(stream) = TcpStream::connect((address, port)).await {
                return Ok(stream);
            }
        }
        Err(Error::Connection)
    }

    /// The addresses of a host, all of which are allowed. A name with one that is not allowed is not trusted with the others.
    async fn addresses(&self, host: &Host<&str>) -> Result<Vec<IpAddr>, Error> {
        let addresses = match host {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            Host::Domain(name) => {
                let resolved = self.resolver.resolve(name).await;
                resolved.map_err(|_| Error::Address)?
            }
        };
        let all_allowed = addresses.iter().all(|address| (self.is_allowed)(*address));
        if addresses.is_empty() || !all_allowed {
            return Err(Error::Address);
        }
        Ok(addresses)
    }
}
