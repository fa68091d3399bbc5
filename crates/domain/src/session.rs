//! Sessions: a person who has signed in, in one browser.

use super::{
    ids::{AccountId, PersonId, SessionId},
    instant::{DAY_SECONDS, Instant},
    token::token,
};

/// The prefix of every session's token.
pub const PREFIX: &str = "mus_ses_";

/// A session that is not used for so long has ended.
pub const IDLE_SECONDS: i64 = 7 * DAY_SECONDS;
/// A session ends at the latest after so long.
pub const MAX_SECONDS: i64 = 30 * DAY_SECONDS;
/// How long a step-up holds.
pub const STEP_UP_SECONDS: i64 = 15 * 60;
/// How many sessions a person may have. One more ends the one that was not used for longest.
pub const MAX_SESSIONS: i64 = 50;

token! {
    /// A session's token in plain text, which exists only while it is made and while a caller is authenticated.
    SessionToken: PREFIX
}

/// A session as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its identifier.
    pub id: SessionId,
    /// Who has signed in.
    pub person_id: PersonId,
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    /// The account that it is about.
    pub account_id: Option<AccountId>,
    /// What the person recognizes it by.
    pub device: String,
    /// The network of the client that signed in, without its last part; empty if it is not known.
    pub network: String,
    /// Since when.
    pub created_at: Instant,
    /// When it was last used, approximately: it is written with a delay.
    pub last_used_at: Instant,
    /// When the person last proved that the address is theirs.
    pub stepped_up_at: Instant,
    /// When it ends at the latest.
    pub expires_at: Instant,
}

impl Session {
    /// When it ends if it is not used any more.
    pub fn ends_at(&self) -> Instant {
        let idle = self.last_used_at.plus_seconds(IDLE_SECONDS);
        idle.min(self.expires_at)
    }

    /// Until when calls that need a step-up are accepted.
    pub fn stepped_up_until(&self) -> Instant {
        self.stepped_up_at.plus_seconds(STEP_UP_SECONDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::Entropy;

    #[test]
    fn a_new_token_is_recognised_and_a_key_is_none() {
        let token = SessionToken::generate(&Entropy::seeded(1));
        assert_eq!(token.expose().len(), 44);
        let again = SessionToken::parse(token.expose()).unwrap();
        assert_eq!(again.hash(), token.hash());
        assert!(!format!("{token:?}").contains(token.expose()));
        let key = token.expose().replace(PREFIX, "mus_live_");
        assert!(SessionToken::parse(&key).is_none());
    }
}
