//! Access tokens and refresh tokens.

use domain::{
    ids::GrantId,
    instant::Instant,
    oauth::{AccessToken, Grant, Hash, RefreshToken, rotation::Successor},
    person::Standing,
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, record},
    sql::sql,
};

record! {
    AccessToken as t in "oauth_access_tokens" { hash, grant_id, scopes, audience, created_at, expires_at }
}

record! {
    RefreshToken as t in "oauth_refresh_tokens" { hash, grant_id, parent, created_at, expires_at, consumed_at }
}

record! {
    Successor as t { hash, created_at, consumed_at }
}

impl Reads {
    /// Returns the access token with this SHA-256, also if it has expired, its grant, and the standing of the person for whom it acts. None if
    /// that person is no member of the account any more.
    pub async fn find_access_token(
        &self,
        hash: &Hash,
    ) -> Result<Option<(AccessToken, Grant, Standing)>, Error> {
        let statement = sql!(
            "SELECT {}, {}, {} FROM oauth_access_tokens t JOIN oauth_grants g ON g.id = t.grant_id \
             JOIN memberships m ON m.account_id = g.account_id AND m.person_id = g.person_id \
             JOIN accounts a ON a.id = g.account_id WHERE t.hash = $1",
            AccessToken::COLUMNS,
            Grant::COLUMNS,
            Standing::COLUMNS,
        );
        self.optional(statement, [hash]).await
    }

    /// Returns the refresh token with this SHA-256, also if it has expired or was exchanged.
    pub async fn find_refresh_token(&self, hash: &Hash) -> Result<Option<RefreshToken>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_refresh_tokens t WHERE t.hash = $1",
            RefreshToken::COLUMNS,
        );
        self.optional(statement, [hash]).await
    }

    /// Returns what a refresh token was exchanged for, the latest first.
    pub async fn list_successors(&self, hash: &Hash, limit: i64) -> Result<Vec<Successor>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_refresh_tokens t WHERE t.parent = $1 ORDER BY t.created_at DESC, t.hash LIMIT $2",
            Successor::COLUMNS,
        );
        self.all(statement, (hash, limit)).await
    }
}

impl Tx {
    /// Adds an access token.
    pub async fn insert_access_token(&mut self, token: &AccessToken) -> Result<(), Error> {
        self.insert(token).await
    }

    /// Adds a refresh token.
    pub async fn insert_refresh_token(&mut self, token: &RefreshToken) -> Result<(), Error> {
        self.insert(token).await
    }

    /// Notes when a refresh token was exchanged.
    pub async fn consume_refresh_token(&mut self, hash: &Hash, at: Instant) -> Result<(), Error> {
        let statement = sql!("UPDATE oauth_refresh_tokens SET consumed_at = $2 WHERE hash = $1");
        self.execute(statement, (hash, at)).await?;
        Ok(())
    }

    /// Removes a refresh token.
    pub async fn delete_refresh_token(&mut self, hash: &Hash) -> Result<(), Error> {
        let statement = sql!("DELETE FROM oauth_refresh_tokens WHERE hash = $1");
        self.execute(statement, [hash]).await?;
        Ok(())
    }

    /// Removes an access token.
    pub async fn delete_access_token(&mut self, hash: &Hash) -> Result<(), Error> {
        let statement = sql!("DELETE FROM oauth_access_tokens WHERE hash = $1");
        self.execute(statement, [hash]).await?;
        Ok(())
    }

    /// Removes all tokens of a grant; returns the SHA-256 of its access tokens.
    pub async fn delete_tokens_of(&mut self, grant: GrantId) -> Result<Vec<Hash>, Error> {
        let statement = sql!("DELETE FROM oauth_refresh_tokens WHERE grant_id = $1");
        self.execute(statement, [grant]).await?;
        let statement = sql!("DELETE FROM oauth_access_tokens WHERE grant_id = $1 RETURNING hash");
        self.all(statement, [grant]).await
    }

    /// Removes tokens of a grant beyond the `kept` of each kind that were made last.
    pub async fn delete_tokens_beyond(&mut self, grant: GrantId, kept: i64) -> Result<(), Error> {
        for statement in [
            sql!(
                "DELETE FROM oauth_refresh_tokens WHERE hash IN (SELECT hash FROM oauth_refresh_tokens WHERE grant_id = $1 \
                 ORDER BY created_at DESC, hash LIMIT 100 OFFSET $2)"
            ),
            sql!(
                "DELETE FROM oauth_access_tokens WHERE hash IN (SELECT hash FROM oauth_access_tokens WHERE grant_id = $1 \
                 ORDER BY created_at DESC, hash LIMIT 100 OFFSET $2)"
            ),
        ] {
            self.execute(statement, (grant, kept)).await?;
        }
        Ok(())
    }

    /// Removes at most `limit` access tokens, and as many refresh tokens, that have expired; returns their number.
    pub async fn delete_expired_tokens(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let mut deleted = 0;
        for statement in [
            sql!(
                "DELETE FROM oauth_access_tokens WHERE hash IN (SELECT hash FROM oauth_access_tokens WHERE expires_at <= $1 \
                 ORDER BY expires_at LIMIT $2)"
            ),
            sql!(
                "DELETE FROM oauth_refresh_tokens WHERE hash IN (SELECT hash FROM oauth_refresh_tokens WHERE expires_at <= $1 \
                 ORDER BY expires_at LIMIT $2)"
            ),
        ] {
            deleted += self.execute(statement, (now, limit)).await?;
        }
        Ok(deleted)
    }
}
