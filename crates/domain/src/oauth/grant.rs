//! What a person agreed to, and the codes and tokens that follow from it.

use super::{Audience, Client, Hash};
use crate::{
    ids::{AccountId, AuthorizationId, ClientId, GrantId, PersonId, SessionId},
    instant::{DAY_SECONDS, Instant},
    person::Rights,
    scope::Scopes,
};

/// How long an authorization waits for the person's decision.
pub const AUTHORIZATION_SECONDS: i64 = 10 * 60;
/// How many authorizations wait for one session. One more ends the oldest.
pub const MAX_AUTHORIZATIONS: i64 = 20;
/// How long a code is valid.
pub const CODE_SECONDS: i64 = 60;
/// How long a code is remembered, so that a second use shows.
pub const CODE_MEMORY_SECONDS: i64 = DAY_SECONDS;
/// How long an access token is valid.
pub const ACCESS_SECONDS: i64 = 3_600;
/// How long a refresh token is valid.
const REFRESH_SECONDS: i64 = 30 * DAY_SECONDS;
/// For how many seconds a refresh token that was exchanged yields siblings, unless the operator wants another time.
pub const GRACE_SECONDS: i64 = 60;
/// How long a grant is valid, however often it is refreshed.
const MAX_SECONDS: i64 = 365 * DAY_SECONDS;
/// How many grants there are for one person and one client. One more ends the least recently used.
pub const MAX_GRANTS: i64 = 20;
/// How many refresh tokens and how many access tokens of a grant are stored. The oldest go.
pub const MAX_TOKENS: i64 = 500;

/// An authorization that waits for a person's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// Its identifier.
    pub id: AuthorizationId,
    /// The session in which it was begun.
    pub session_id: SessionId,
    /// Whose session that is.
    pub person_id: PersonId,
    /// SHA-256 of the secret of the browser in which it was begun.
    pub browser: Hash,
    /// The client.
    pub client_id: ClientId,
    /// Where the answer goes.
    pub redirect_uri: String,
    /// What the client gets back.
    pub state: Option<String>,
    /// The PKCE challenge.
    pub challenge: String,
    /// The scopes that the client asks for.
    pub scopes: Scopes,
    /// For which surfaces.
    pub audience: Audience,
    /// The issuer, as the client calls it.
    pub issuer: String,
    /// When it was begun.
    pub created_at: Instant,
}

impl Authorization {
    /// When it lapses.
    pub fn expires_at(&self) -> Instant {
        self.created_at.plus_seconds(AUTHORIZATION_SECONDS)
    }
}

/// A code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationCode {
    /// SHA-256 of the code.
    pub hash: Hash,
    /// The client.
    pub client_id: ClientId,
    /// Who agreed.
    pub person_id: PersonId,
    /// For which account.
    pub account_id: AccountId,
    /// Where the code went.
    pub redirect_uri: String,
    /// The PKCE challenge.
    pub challenge: String,
    /// The scopes.
    pub scopes: Scopes,
    /// For which surfaces.
    pub audience: Audience,
    /// When it was made.
    pub created_at: Instant,
    /// The grant that it was exchanged for.
    pub grant_id: Option<GrantId>,
}

impl AuthorizationCode {
    /// When it ends.
    pub fn expires_at(&self) -> Instant {
        self.created_at.plus_seconds(CODE_SECONDS)
    }
}

/// What a person agreed to: a client acts for them on an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Its identifier.
    pub id: GrantId,
    /// Who agreed.
    pub person_id: PersonId,
    /// For which account.
    pub account_id: AccountId,
    /// The client.
    pub client_id: ClientId,
    /// Where the code went.
    pub redirect_uri: String,
    /// The scopes.
    pub scopes: Scopes,
    /// For which surfaces.
    pub audience: Audience,
    /// When the person agreed.
    pub created_at: Instant,
    /// When it was last used, approximately: it is written with a delay.
    pub last_used_at: Option<Instant>,
    /// When it ends if it is not refreshed any more.
    pub ends_at: Instant,
    /// When it was revoked.
    pub revoked_at: Option<Instant>,
}

impl Grant {
    /// When a refresh token that is made now ends: each refresh moves it, within the longest time of a grant.
    pub fn refresh_ends_at(created_at: Instant, now: Instant) -> Instant {
        let longest = created_at.plus_seconds(MAX_SECONDS);
        now.plus_seconds(REFRESH_SECONDS).min(longest)
    }
}

/// A refresh token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshToken {
    /// SHA-256 of the token.
    pub hash: Hash,
    /// Its grant.
    pub grant_id: GrantId,
    /// The token that it was exchanged for; none for the first one.
    pub parent: Option<Hash>,
    /// When it was made.
    pub created_at: Instant,
    /// When it ends.
    pub expires_at: Instant,
    /// When it was exchanged itself.
    pub consumed_at: Option<Instant>,
}

/// An access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// SHA-256 of the token.
    pub hash: Hash,
    /// Its grant.
    pub grant_id: GrantId,
    /// Its scopes, which may be fewer than the grant's.
    pub scopes: Scopes,
    /// For which surfaces, which may be fewer than the grant's.
    pub audience: Audience,
    /// When it was made.
    pub created_at: Instant,
    /// When it ends.
    pub expires_at: Instant,
}

/// A grant as its person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The grant.
    pub grant: Grant,
    /// The client.
    pub client: Client,
    /// The name of the account.
    pub account_name: String,
    /// The person's rights there.
    pub rights: Rights,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_lasts_while_it_is_refreshed_but_no_longer_than_a_year() {
        let begun = Instant::from_micros(1_893_456_000_000_000);
        let day = |day: i64| begun.plus_seconds(day * DAY_SECONDS);
        assert_eq!(Grant::refresh_ends_at(begun, begun), day(30));
        assert_eq!(Grant::refresh_ends_at(begun, day(300)), day(330));
        assert_eq!(Grant::refresh_ends_at(begun, day(350)), day(365));
    }
}
