//! Authorizations that wait for a person's decision, and the codes that follow from it.

use domain::{
    ids::{AuthorizationId, GrantId, PersonId, SessionId},
    instant::Instant,
    oauth::{Authorization, AuthorizationCode, Hash},
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, record},
    sql::{FOR_UPDATE, sql},
};

record! {
    Authorization as o in "oauth_authorizations" {
        id, session_id, person_id, browser, client_id, redirect_uri, state, challenge, scopes, audience, issuer, created_at,
    }
}

record! {
    AuthorizationCode as o in "oauth_codes" {
        hash, client_id, person_id, account_id, redirect_uri, challenge, scopes, audience, created_at, grant_id,
    }
}

impl Reads {
    /// Returns an authorization that was begun in a session and a browser after a moment, and is not decided.
    pub async fn find_authorization(
        &self,
        id: AuthorizationId,
        session: SessionId,
        browser: &Hash,
        begun_after: Instant,
    ) -> Result<Option<Authorization>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_authorizations o WHERE o.id = $1 AND o.session_id = $2 AND o.browser = $3 AND o.created_at > $4",
            Authorization::COLUMNS,
        );
        let values = (id, session, browser, begun_after);
        self.optional(statement, values).await
    }
}

impl Tx {
    /// Removes the codes of a person that were not exchanged.
    pub async fn delete_unused_codes_of(&mut self, person: PersonId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM oauth_codes WHERE person_id = $1 AND grant_id IS NULL");
        self.execute(statement, [person]).await?;
        Ok(())
    }

    /// Adds an authorization that waits for a decision.
    pub async fn insert_authorization(
        &mut self,
        authorization: &Authorization,
    ) -> Result<(), Error> {
        self.insert(authorization).await
    }

    /// Removes a session's authorizations but the `kept` that were begun last.
    pub async fn delete_authorizations_of(
        &mut self,
        session: SessionId,
        kept: i64,
    ) -> Result<(), Error> {
        let statement = sql!(
            "DELETE FROM oauth_authorizations WHERE session_id = $1 AND id NOT IN \
             (SELECT id FROM oauth_authorizations WHERE session_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2)"
        );
        self.execute(statement, (session, kept)).await?;
        Ok(())
    }

    /// Removes an authorization; false if there is none, as for one of two decisions at the same time.
    pub async fn delete_authorization(&mut self, id: AuthorizationId) -> Result<bool, Error> {
        let statement = sql!("DELETE FROM oauth_authorizations WHERE id = $1");
        Ok(self.execute(statement, [id]).await? == 1)
    }

    /// Removes at most `limit` authorizations that were begun until a moment; returns their number.
    pub async fn delete_old_authorizations(
        &mut self,
        begun_before: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM oauth_authorizations WHERE id IN (SELECT id FROM oauth_authorizations WHERE created_at <= $1 \
             ORDER BY created_at LIMIT $2)"
        );
        self.execute(statement, (begun_before, limit)).await
    }

    /// Adds a code.
    pub async fn insert_authorization_code(
        &mut self,
        code: &AuthorizationCode,
    ) -> Result<(), Error> {
        self.insert(code).await
    }

    /// Reads and locks a code until the end, also if it was used.
    pub async fn lock_authorization_code(
        &mut self,
        hash: &Hash,
    ) -> Result<Option<AuthorizationCode>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_codes o WHERE o.hash = $1{}",
            AuthorizationCode::COLUMNS,
            FOR_UPDATE,
        );
        self.optional(statement, [hash]).await
    }

    /// Notes what a code was exchanged for.
    pub async fn use_authorization_code(
        &mut self,
        hash: &Hash,
        grant: GrantId,
    ) -> Result<(), Error> {
        let statement = sql!("UPDATE oauth_codes SET grant_id = $2 WHERE hash = $1");
        self.execute(statement, (hash, grant)).await?;
        Ok(())
    }

    /// Removes at most `limit` codes that were made until a moment; returns their number.
    pub async fn delete_old_authorization_codes(
        &mut self,
        made_before: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM oauth_codes WHERE hash IN (SELECT hash FROM oauth_codes WHERE created_at <= $1 ORDER BY created_at LIMIT $2)"
        );
        self.execute(statement, (made_before, limit)).await
    }
}
