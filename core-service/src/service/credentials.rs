//! Authentication of callers, with few look-ups and without a write per call.

mod cache;
mod unknown;

use std::{net::IpAddr, sync::Arc};

use domain::{
    account::ApiKey,
    api_key::PlainKey,
    audit::Actor,
    clock::Clock,
    ids::{AccountId, PersonId, SessionId},
    instant::Instant,
    oauth::{self, Audience, Kind},
    person::Reach,
    scope::{Scope, Scopes},
    session::{Session, SessionToken},
};
use storage::{GrantUses, KeyUses, SessionUses, Store};

use self::{cache::Recognised, unknown::Unknown};
use super::{Error, Lacking};

pub(super) use self::cache::Credentials;

/// How long a credential is cached. Revocation must take effect everywhere within 5 s.
pub(super) const TRUST_SECONDS: i64 = 2;

/// A caller with a valid credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Principal {
    /// The account.
    pub account: AccountId,
    /// The actor, as the audit log names it.
    pub actor: Actor,
    /// The credential's scopes.
    pub scopes: Scopes,
    /// Whether addresses and answers of guests are shown: not at the door.
    pub sees_addresses: bool,
    /// The events of the account that are there for the caller.
    pub reach: Reach,
    /// Until when a session may do what needs a step-up; `None` of a key or an app, whose consent was worth one.
    pub(in crate::service) stepped_up_until: Option<Instant>,
}

impl Principal {
    /// Refuses a session that did not step up.
    pub(in crate::service) fn require_step_up(&self, now: Instant) -> Result<(), Error> {
        match self.stepped_up_until {
            Some(until) if until <= now => Err(Error::StepUpRequired),
            _ => Ok(()),
        }
    }
}

/// A person who is signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedIn {
    /// Who it is.
    pub person: PersonId,
    /// Their session.
    pub session: SessionId,
    /// The hash of its token.
    pub(super) hash: [u8; 32],
    /// Until when calls that need a step-up are accepted.
    pub stepped_up_until: Instant,
}

/// Whom a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// For which account it acts, and what it may do there; none for a person who is in no account.
    pub principal: Option<Principal>,
    /// The person, if it comes from a session.
    pub person: Option<SignedIn>,
    /// The app, if it comes with an access token.
    pub app: Option<AppCall>,
    /// Whether the operator has suspended the account: then nothing may be done there.
    pub is_suspended: bool,
}

impl Caller {
    /// Refuses a caller who reaches some events only, for what needs this scope and is about more than those.
    ///
    /// # Errors
    /// When they do, or the account is suspended.
    pub fn require_account(&self, needed: Scope) -> Result<(), Error> {
        if self.is_suspended {
            return Err(Error::AccountSuspended);
        }
        let reach = self.principal.map(|principal| principal.reach);
        if matches!(reach, Some(Reach::EventsOf(_))) {
            let lacking = Lacking::Events;
            return Err(Error::InsufficientScope { needed, lacking });
        }
        Ok(())
    }

    /// Refuses a caller without this scope.
    ///
    /// # Errors
    /// When the scope is missing, or the account is suspended.
    pub fn require(&self, needed: Scope) -> Result<(), Error> {
        if self.is_suspended {
            return Err(Error::AccountSuspended);
        }
        let scopes = self.principal.map(|principal| principal.scopes);
        if scopes.is_some_and(|scopes| scopes.contain(needed)) {
            return Ok(());
        }
        let lacking = match (self.person, self.app) {
            (Some(_), _) => Lacking::Role,
            // A new consent would not help.
            (None, Some(app)) if !app.role.contain(needed) => Lacking::Role,
            (None, Some(app)) => Lacking::Grant(app.granted),
            (None, None) => Lacking::Key,
        };
        Err(Error::InsufficientScope { needed, lacking })
    }
}

/// What an access token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppCall {
    /// For which surfaces.
    pub audience: Audience,
    /// The scopes that it was granted, whatever the role of its person is.
    pub granted: Scopes,
    /// The scopes that the role of its person has now.
    pub role: Scopes,
}

impl From<&Principal> for Actor {
    fn from(principal: &Principal) -> Self {
        principal.actor
    }
}

/// What a call takes of sessions, which the site alone has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionTrust {
    /// The call does not come from the site: a session is unknown there.
    Unknown,
    /// The call only reads: a session counts as it was found up to [`TRUST_SECONDS`] ago.
    Remembered,
    /// The call may change something: a session is looked up. One that has ended, or that has another token or is about another
    /// account since, changes nothing more on any core.
    LookedUp,
}

/// A credential, whose kind its prefix shows. Another kind is another variant; this `impl` alone parses, hashes and looks up
/// credentials.
enum Credential {
    /// `mus_live_`: an API key.
    Key(PlainKey),
    /// `mus_at_`: an app's access token.
    Token(oauth::Secret),
    /// `mus_ses_`: a person's session.
    Session(SessionToken),
}

impl Credential {
    /// The credential in the header `Authorization`; `None` if its kind is unknown here or its checksum is wrong.
    fn parse(authorization: &str, takes_sessions: bool) -> Option<Self> {
        let text = bearer(authorization)?;
        let session = || {
            let text = Some(text).filter(|_| takes_sessions);
            text.and_then(SessionToken::parse).map(Self::Session)
        };
        let token = || oauth::Secret::parse(Kind::AccessToken, text).map(Self::Token);
        PlainKey::parse(text)
            .map(Self::Key)
            .or_else(token)
            .or_else(session)
    }

    /// Whether the result of an earlier look-up counts.
    const fn may_be_remembered(&self, trust: SessionTrust) -> bool {
        match self {
            Self::Key(_) | Self::Token(_) => true,
            Self::Session(_) => matches!(trust, SessionTrust::Remembered),
        }
    }

    /// The hash by which it is stored and cached.
    fn hash(&self) -> Hash {
        match self {
            Self::Key(key) => key.hash(),
            Self::Token(token) => token.hash(),
            Self::Session(token) => token.hash(),
        }
    }

    /// The caller, if it is valid.
    async fn look_up(
        &self,
        authenticator: &Authenticator,
        now: Instant,
    ) -> Result<Recognised, Error> {
        match self {
            Self::Key(key) => authenticator.recognise_key(&key.hash(), now).await,
            Self::Token(token) => authenticator.recognise_token(&token.hash(), now).await,
            Self::Session(token) => authenticator.recognise_session(&token.hash(), now).await,
        }
    }
}

/// SHA-256 of a credential.
type Hash = [u8; 32];

/// Authenticates callers.
#[derive(Debug, Clone)]
pub struct Authenticator {
    store: Store,
    clock: Clock,
    credentials: Arc<Credentials>,
    unknown: Arc<Unknown>,
    key_uses: KeyUses,
    session_uses: SessionUses,
    grant_uses: GrantUses,
}

impl Authenticator {
    /// Authenticates by the keys in the database.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self {
            store,
            unknown: Arc::new(Unknown::new(&clock)),
            clock,
            credentials: Arc::default(),
            key_uses: KeyUses::default(),
            session_uses: SessionUses::default(),
            grant_uses: GrantUses::default(),
        }
    }

    /// The present.
    pub(crate) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// When keys were used, for maintenance to store.
    pub fn key_uses(&self) -> KeyUses {
        self.key_uses.clone()
    }

    /// When sessions were used, for maintenance to store.
    pub fn session_uses(&self) -> SessionUses {
        self.session_uses.clone()
    }

    /// When what people agreed to was used, for maintenance to store.
    pub fn grant_uses(&self) -> GrantUses {
        self.grant_uses.clone()
    }

    pub(super) fn credentials(&self) -> Arc<Credentials> {
        Arc::clone(&self.credentials)
    }

    /// Authenticates a caller by the header `Authorization`.
    pub async fn authenticate(&self, authorization: Option<&str>) -> Result<Principal, Error> {
        self.authenticate_client(authorization, None).await
    }

    /// The same for a client at this address, who may try only so many unknown credentials.
    pub async fn authenticate_client(
        &self,
        authorization: Option<&str>,
        client: Option<IpAddr>,
    ) -> Result<Principal, Error> {
        let caller = self
            .authenticate_call(authorization, client, SessionTrust::Unknown)
            .await?;
        if caller.is_suspended {
            return Err(Error::AccountSuspended);
        }
        caller.principal.ok_or(Error::Unauthorized)
    }

    /// The same for a call, which may come from a session.
    pub async fn authenticate_call(
        &self,
        authorization: Option<&str>,
        client: Option<IpAddr>,
        trust: SessionTrust,
    ) -> Result<Caller, Error> {
        let takes_sessions = trust != SessionTrust::Unknown;
        let credential = authorization.and_then(|text| Credential::parse(text, takes_sessions));
        let credential = credential.ok_or(Error::Unauthorized)?;
        let (hash, now) = (credential.hash(), self.clock.now());
        if credential.may_be_remembered(trust)
            && let Some(caller) = self.credentials.recognise(&hash, now)
        {
            return Ok(caller);
        }
        if self.unknown.was_refused(&hash, now) {
            return Err(Error::Unauthorized);
        }
        let attempt = if self.credentials.has_recognised(&hash) {
            None
        } else {
            Some(self.unknown.allow(client)?)
        };
        let revocations = self.credentials.revocations();
        let looked_up = credential.look_up(self, now).await;
        match (&looked_up, attempt) {
            (Err(Error::Unauthorized), _) => self.unknown.refuse(hash, now),
            (_, Some(attempt)) => attempt.forgive(),
            (_, None) => {}
        }
        let recognised = looked_up?;
        self.credentials.remember(hash, recognised, revocations);
        Ok(recognised.caller)
    }

    async fn recognise_key(&self, hash: &Hash, now: Instant) -> Result<Recognised, Error> {
        let found = self.store.find_key_by_hash(hash).await?;
        let (key, standing) = found.ok_or(Error::Unauthorized)?;
        if !is_valid(&key, now) {
            return Err(Error::Unauthorized);
        }
        self.key_uses.record(key.id, now);
        // The look-up finds keys of members only.
        let person = key.person_id.ok_or(Error::Unauthorized)?;
        let principal = Principal {
            account: key.account_id,
            actor: Actor::Key(key.id),
            scopes: key.scopes.within(standing.rights.scopes()),
            sees_addresses: standing.rights.role.sees_addresses(),
            reach: standing.rights.reach(person),
            stepped_up_until: None,
        };
        let caller = Caller {
            principal: Some(principal),
            person: None,
            app: None,
            is_suspended: standing.is_suspended,
        };
        Ok(Recognised {
            caller,
            expires_at: key.expires_at,
            looked_up_at: now,
        })
    }

    async fn recognise_token(&self, hash: &Hash, now: Instant) -> Result<Recognised, Error> {
        let found = self.store.find_access_token(hash).await?;
        let (token, grant, standing) = found.ok_or(Error::Unauthorized)?;
        if token.expires_at <= now || grant.revoked_at.is_some() {
            return Err(Error::Unauthorized);
        }
        self.grant_uses.record(grant.id, now);
        let role = standing.rights.scopes();
        let granted = token.scopes.within(grant.scopes);
        let principal = Principal {
            account: grant.account_id,
            actor: Actor::App(grant.id, grant.person_id),
            scopes: granted.within(role),
            sees_addresses: standing.rights.role.sees_addresses(),
            reach: standing.rights.reach(grant.person_id),
            stepped_up_until: None,
        };
        let caller = Caller {
            principal: Some(principal),
            person: None,
            app: Some(AppCall {
                audience: token.audience,
                granted,
                role,
            }),
            is_suspended: standing.is_suspended,
        };
        Ok(Recognised {
            caller,
            expires_at: Some(token.expires_at),
            looked_up_at: now,
        })
    }

    async fn recognise_session(&self, hash: &Hash, now: Instant) -> Result<Recognised, Error> {
        let found = self.store.find_session_by_hash(hash).await?;
        let (session, standing) = found.ok_or(Error::Unauthorized)?;
        if session.ends_at() <= now {
            return Err(Error::Unauthorized);
        }
        self.session_uses.record(session.id, now);
        let member = session.account_id.zip(standing);
        let principal = member.map(|(account, standing)| Principal {
            account,
            actor: Actor::Person(session.person_id),
            scopes: standing.rights.scopes(),
            sees_addresses: standing.rights.role.sees_addresses(),
            reach: standing.rights.reach(session.person_id),
            stepped_up_until: Some(session.stepped_up_until()),
        });
        Ok(Recognised {
            caller: Caller {
                principal,
                person: Some(signed_in(&session)),
                app: None,
                is_suspended: standing.is_some_and(|one| one.is_suspended),
            },
            expires_at: Some(session.ends_at()),
            looked_up_at: now,
        })
    }
}

fn signed_in(session: &Session) -> SignedIn {
    SignedIn {
        person: session.person_id,
        session: session.id,
        hash: session.hash,
        stepped_up_until: session.stepped_up_until(),
    }
}

/// The token after the scheme `Bearer`, which is case-insensitive.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}

fn is_valid(key: &ApiKey, now: Instant) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|end| now < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_is_bearer_in_any_case() {
        for (header, token) in [
            ("Bearer abc", Some("abc")),
            ("bearer abc", Some("abc")),
            ("BEARER  abc ", Some("abc")),
            ("Bearer", None),
            ("Bearer ", Some("")),
            ("Basic abc", None),
            ("abc", None),
            ("Bearerabc", None),
            ("", None),
        ] {
            assert_eq!(bearer(header), token, "{header:?}");
        }
    }
}
