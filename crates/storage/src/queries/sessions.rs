//! Sessions, and the browsers in which people signed in.

use domain::{
    budget::BrowserHash,
    ids::{AccountId, PersonId, SessionId},
    instant::Instant,
    person::Standing,
    session::{IDLE_SECONDS, Session},
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, record},
    sql::sql,
};

record! {
    Session as s in "sessions" {
        id, person_id, hash, account_id, device, network, created_at, last_used_at, stepped_up_at, expires_at,
    }
}

impl Reads {
    /// The session with this SHA-256, also if it has ended, and the standing of its person in its account.
    pub async fn find_session_by_hash(
        &self,
        hash: &[u8; 32],
    ) -> Result<Option<(Session, Option<Standing>)>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM sessions s \
             LEFT JOIN memberships m ON m.account_id = s.account_id AND m.person_id = s.person_id \
             LEFT JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1",
            Session::COLUMNS,
            Standing::COLUMNS,
        );
        self.optional(statement, [hash]).await
    }

    /// A session.
    pub async fn find_session(&self, session: SessionId) -> Result<Option<Session>, Error> {
        let statement = sql!(
            "SELECT {} FROM sessions s WHERE s.id = $1",
            Session::COLUMNS
        );
        self.optional(statement, [session]).await
    }

    /// A person's sessions that have not ended, the last used first.
    pub async fn list_sessions(
        &self,
        person: PersonId,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<Session>, Error> {
        let statement = sql!(
            "SELECT {} FROM sessions s WHERE s.person_id = $1 AND s.expires_at > $2 AND s.last_used_at > $3 \
             ORDER BY s.last_used_at DESC, s.id DESC LIMIT $4",
            Session::COLUMNS,
        );
        let used_after = now.plus_seconds(-IDLE_SECONDS);
        self.all(statement, (person, now, used_after, limit)).await
    }

    /// Whether the person who has this normalised address, or can take it back, signed in in a browser before.
    pub async fn knows_browser(
        &self,
        browser: &BrowserHash,
        email_norm: &str,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "SELECT EXISTS (SELECT 1 FROM known_browsers b JOIN people p ON p.id = b.person_id \
             WHERE b.browser = $1 AND (p.email_norm = $2 OR EXISTS \
             (SELECT 1 FROM email_changes c WHERE c.person_id = p.id AND c.email_norm = $2)))"
        );
        self.one(statement, (browser, email_norm)).await
    }

    /// Whether a person signed in in a browser before.
    pub async fn knows_browser_of(
        &self,
        browser: &BrowserHash,
        person: PersonId,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "SELECT EXISTS (SELECT 1 FROM known_browsers WHERE browser = $1 AND person_id = $2)"
        );
        self.one(statement, (browser, person)).await
    }
}

impl Tx {
    /// Adds a session.
    pub async fn insert_session(&mut self, session: &Session) -> Result<(), Error> {
        self.insert(session).await
    }

    /// Gives a session a new token; false if the old one is not the session's any more.
    pub async fn replace_session_hash(
        &mut self,
        session: SessionId,
        old: &[u8; 32],
        new: &[u8; 32],
    ) -> Result<bool, Error> {
        let statement = sql!("UPDATE sessions SET hash = $3 WHERE id = $1 AND hash = $2");
        let values = (session, old, new);
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Notes that a session stepped up.
    pub async fn step_up_session(&mut self, session: SessionId, now: Instant) -> Result<(), Error> {
        let statement = sql!("UPDATE sessions SET stepped_up_at = $2 WHERE id = $1");
        self.execute(statement, (session, now)).await?;
        Ok(())
    }

    /// Makes a session about another account.
    pub async fn set_account_of_session(
        &mut self,
        session: SessionId,
        account: AccountId,
    ) -> Result<(), Error> {
        let statement = sql!("UPDATE sessions SET account_id = $2 WHERE id = $1");
        self.execute(statement, (session, account)).await?;
        Ok(())
    }

    /// Makes a person's sessions about this account be about another one, if there is one.
    pub async fn take_account_from_sessions(
        &mut self,
        account: AccountId,
        person: PersonId,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE sessions SET account_id = (SELECT m.account_id FROM memberships m WHERE m.person_id = $2 \
             AND m.account_id <> $1 ORDER BY m.created_at, m.account_id LIMIT 1) WHERE person_id = $2 AND account_id = $1"
        );
        self.execute(statement, (account, person)).await?;
        Ok(())
    }

    /// Ends a person's session; false if they have no such session.
    pub async fn delete_session(
        &mut self,
        person: PersonId,
        session: SessionId,
    ) -> Result<bool, Error> {
        let statement = sql!("DELETE FROM sessions WHERE id = $1 AND person_id = $2");
        Ok(self.execute(statement, (session, person)).await? == 1)
    }

    /// Ends a person's sessions but the `kept` that were used last; returns the number of ended ones.
    pub async fn delete_sessions_of(&mut self, person: PersonId, kept: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM sessions WHERE person_id = $1 AND id NOT IN \
             (SELECT id FROM sessions WHERE person_id = $1 ORDER BY last_used_at DESC, id DESC LIMIT $2)"
        );
        self.execute(statement, (person, kept)).await
    }

    /// Stores when sessions were last used, never moving back.
    pub async fn touch_sessions(&mut self, uses: &[(SessionId, Instant)]) -> Result<(), Error> {
        let statement =
            sql!("UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2");
        // In one order, so that two cores that update the same sessions cannot deadlock.
        let mut uses = uses.to_vec();
        uses.sort_unstable();
        for (session, at) in uses {
            self.execute(statement, (session, at)).await?;
        }
        Ok(())
    }

    /// Removes at most `limit` sessions that have ended; returns their number.
    pub async fn delete_ended_sessions(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE last_used_at <= $1 OR expires_at <= $2 LIMIT $3)"
        );
        let used_until = now.plus_seconds(-IDLE_SECONDS);
        self.execute(statement, (used_until, now, limit)).await
    }

    /// Notes that a person signed in in a browser.
    pub async fn put_known_browser(
        &mut self,
        browser: &BrowserHash,
        person: PersonId,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO known_browsers (browser, person_id, signed_in_at) VALUES ($1, $2, $3) \
             ON CONFLICT (browser, person_id) DO UPDATE SET signed_in_at = excluded.signed_in_at"
        );
        self.execute(statement, (browser, person, now)).await?;
        Ok(())
    }

    /// Forgets the browsers in which a person signed in since then.
    pub async fn delete_browsers_since(
        &mut self,
        person: PersonId,
        since: Instant,
    ) -> Result<(), Error> {
        let statement =
            sql!("DELETE FROM known_browsers WHERE person_id = $1 AND signed_in_at >= $2");
        self.execute(statement, (person, since)).await?;
        Ok(())
    }

    /// Forgets at most `limit` browsers in which nobody signed in since; returns their number.
    pub async fn delete_old_browsers(&mut self, before: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM known_browsers WHERE (browser, person_id) IN (SELECT browser, person_id FROM known_browsers \
             WHERE signed_in_at < $1 ORDER BY signed_in_at LIMIT $2)"
        );
        self.execute(statement, (before, limit)).await
    }
}
