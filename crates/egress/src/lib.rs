//! The one way out to addresses that strangers name. A stranger must not be able to make this machine talk to its neighbours, wait for long
//! or read much: requests go over HTTPS to public addresses alone, no redirect is followed, no proxy is used, and answers have a limit of
//! size and time. Operators can admit networks and hosts of their own.
//!
//! The address is checked where the connection is made: the resolver's answer is the one that is connected to, so that a name cannot lead
//! elsewhere after it was checked. A kept connection leads where it was made to.

mod address;
mod allowances;
mod client;
mod connector;
mod fault;
mod fetch;
mod metadata;
mod policy;
mod post;
mod resolver;
mod target;

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use http::HeaderMap;
use rustls::{ClientConfig, RootCertStore, pki_types::CertificateDer};
use url::Url;

use self::{client::Client, connector::Connector, policy::Policy, target::Target};

pub use self::{
    address::is_public,
    allowances::{Allowances, HostRule, HostRules, Networks},
    client::{IDLE_TIMEOUT, MAX_IDLE_PER_HOST},
    fault::Fault,
    fetch::{Document, Error, MAX_BYTES, TIME},
    post::{Answer, InvalidRetryAfter, PostError, PostLimits, RetryAfter},
    resolver::{Resolve, Resolving, SystemResolver},
};

/// Requests documents, and posts. Clones share everything, their connections as well.
#[derive(Clone)]
pub struct Egress {
    resolver: Arc<dyn Resolve>,
    policy: Arc<Policy>,
    tls: Arc<ClientConfig>,
    client: Client,
}

/// What a client has that takes the certificates that browsers take: Mozilla's roots, independent of the system's certificates.
///
/// # Errors
/// When there is no TLS.
pub fn browser_tls() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    client_tls(roots)
}

fn client_tls(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
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
        let tls = browser_tls()?;
        Ok(Self::new(Arc::new(SystemResolver), is_public, tls))
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
        Ok(Self::new(resolver, is_allowed, client_tls(roots)?))
    }

    fn new(resolver: Arc<dyn Resolve>, is_public: fn(IpAddr) -> bool, tls: ClientConfig) -> Self {
        let policy = Policy {
            is_public,
            allowances: Allowances::default(),
        };
        Self::under(policy, resolver, Arc::new(tls))
    }

    fn under(policy: Policy, resolver: Arc<dyn Resolve>, tls: Arc<ClientConfig>) -> Self {
        let policy = Arc::new(policy);
        let connector =
            Connector::new(Arc::clone(&resolver), Arc::clone(&policy), Arc::clone(&tls));
        Self {
            resolver,
            policy,
            tls,
            client: client::new(connector),
        }
    }

    /// The same with targets that an operator admits. It has connections of its own.
    #[must_use]
    pub fn admitting(self, allowances: Allowances) -> Self {
        let policy = Policy {
            is_public: self.policy.is_public,
            allowances,
        };
        Self::under(policy, self.resolver, self.tls)
    }

    /// Whether a URL may be posted to, as far as it says itself: its scheme, its port, and its address if it has no name. Nothing is looked
    /// up and nothing connected to; an address of a name is checked when the request is made.
    ///
    /// # Errors
    /// [`Fault::Url`] and [`Fault::Address`].
    pub fn allows(&self, url: &Url) -> Result<(), Fault> {
        self.policy.check(&Target::of(url).ok_or(Fault::Url)?)
    }

    /// Posts to a URL, over a connection that was kept from an earlier request to the same scheme, host and port, or a new one. The host, the
    /// length and the connection are named by this crate, and so is the sender if `headers` do not. A request of which a server may have
    /// got something is not repeated.
    ///
    /// # Errors
    /// When there is no answer within the limits.
    pub async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
        limits: PostLimits,
    ) -> Result<Answer, PostError> {
        let refused = |fault| PostError {
            fault,
            is_private: false,
        };
        let target = Target::of(url).ok_or(refused(Fault::Url))?;
        self.policy.check(&target).map_err(refused)?;
        post::post(&self.client, &self.policy, &target, (headers, body), limits).await
    }

    /// Reads the document at a URL.
    ///
    /// # Errors
    /// When it cannot be read within the limits.
    pub async fn fetch(&self, url: &Url) -> Result<Document, Error> {
        let target = Target::of(url).ok_or(Error::Url)?;
        let fetched = tokio::time::timeout(TIME, fetch::get(&self.client, &target));
        fetched.await.unwrap_or(Err(Error::Slow))
    }
}
