//! OAuth: apps act for people by their consent.
//!
//! Reading order: `clients` (who asks), `authorize` (what a person agrees to), `exchange` and `refresh` (codes and tokens), `connections`
//! (what people have connected, and ending it).

mod attempts;
mod authorize;
mod clients;
mod connections;
mod exchange;
mod issue;
mod refresh;

use std::{net::IpAddr, sync::Arc};

use domain::{
    oauth::{Hash, Place, PrivateSchemes, Refusal, grant::GRACE_SECONDS},
    scope::Scope,
};
use egress::Egress;

use self::clients::Clients;
use super::{Authenticator, Commands, Error, Links, credentials::Credentials, limits::Limiters};

pub(crate) use self::clients::{MAX_UNUSED_CLIENTS, UNUSED_CLIENT_DAYS};
pub(super) use self::connections::{revoke, revoke_all_of};
pub use self::{
    authorize::{Asked, Choice, ConsentAccount, Pending, Problem, WayBack},
    exchange::{Issued, TokenRequest},
};

/// The operator's settings for OAuth.
#[derive(Debug, Clone)]
pub struct OAuthPolicy {
    /// For how many seconds a refresh token that was exchanged yields siblings.
    pub refresh_grace_seconds: i64,
    /// The way to the documents of clients; none if clients must register.
    pub documents: Option<Egress>,
    /// Private schemes that may be redirected to.
    pub private_schemes: PrivateSchemes,
}

impl Default for OAuthPolicy {
    /// The defaults of the settings, but without a way to documents.
    fn default() -> Self {
        Self {
            refresh_grace_seconds: GRACE_SECONDS,
            documents: None,
            private_schemes: PrivateSchemes::default(),
        }
    }
}

/// What metadata documents say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerView {
    /// The issuer.
    pub issuer: String,
    /// All scopes that a token can have.
    pub scopes: Vec<Scope>,
    /// Whether clients may be named by documents.
    pub takes_client_documents: bool,
}

/// Use cases of OAuth.
#[derive(Debug, Clone)]
pub struct OAuth {
    commands: Commands,
    credentials: Arc<Credentials>,
    limiters: Arc<Limiters>,
    clients: Clients,
    public_url: String,
    grace_seconds: i64,
}

impl OAuth {
    /// OAuth below the public URL of `links`. Revoked tokens are evicted from the cache of `authenticator`.
    pub(super) fn new(
        commands: Commands,
        authenticator: &Authenticator,
        limiters: Arc<Limiters>,
        links: &Links,
        policy: OAuthPolicy,
    ) -> Self {
        Self {
            credentials: authenticator.credentials(),
            limiters,
            public_url: links.public_url().to_owned(),
            grace_seconds: policy.refresh_grace_seconds,
            clients: Clients::new(commands.clone(), policy),
            commands,
        }
    }

    /// What metadata documents say to a client that calls under this origin.
    pub fn server(&self, origin: Option<&str>) -> ServerView {
        ServerView {
            issuer: self.place(origin).issuer().to_owned(),
            scopes: Scope::ALL.to_vec(),
            takes_client_documents: self.clients.takes_documents(),
        }
    }

    /// Registers a client; returns the answer.
    pub async fn register(
        &self,
        metadata: &str,
        address: Option<IpAddr>,
    ) -> Result<Result<String, Refusal>, Error> {
        self.limiters.count_address(address)?;
        self.clients.register(metadata).await
    }

    fn place(&self, origin: Option<&str>) -> Place {
        Place::new(&self.public_url, origin)
    }

    /// Forgets access tokens that were revoked.
    fn evict(&self, hashes: &[Hash]) {
        for hash in hashes {
            self.credentials.evict(hash);
        }
    }
}
