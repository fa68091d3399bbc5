//! What people agreed to.

use domain::{
    ids::{AccountId, ClientId, GrantId, PersonId},
    instant::Instant,
    oauth::Grant,
    person::Rights,
};

use crate::{
    Error, Reads, StoredClient, StoredConnection, Tx,
    record::{Record as _, record},
    sql::{FOR_UPDATE, sql},
};

record! {
    Grant as g in "oauth_grants" {
        id, person_id, account_id, client_id, redirect_uri, scopes, audience, created_at, last_used_at, ends_at, revoked_at,
    }
}

impl Reads {
    /// Returns a grant, also if it is revoked.
    pub async fn find_grant(&self, grant: GrantId) -> Result<Option<Grant>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_grants g WHERE g.id = $1",
            Grant::COLUMNS
        );
        self.optional(statement, [grant]).await
    }

    /// Returns at most `limit` of a person's grants for a client beyond the `kept` that were used last.
    pub async fn list_grants_beyond(
        &self,
        person: PersonId,
        client: ClientId,
        kept: i64,
        limit: i64,
    ) -> Result<Vec<GrantId>, Error> {
        let statement = sql!(
            "SELECT id FROM oauth_grants WHERE person_id = $1 AND client_id = $2 AND revoked_at IS NULL \
             ORDER BY COALESCE(last_used_at, created_at) DESC, created_at DESC, id DESC LIMIT $4 OFFSET $3"
        );
        self.all(statement, (person, client, kept, limit)).await
    }

    /// Returns a person's grants for an account that are not revoked.
    pub async fn list_grants_by(
        &self,
        account: AccountId,
        person: PersonId,
        limit: i64,
    ) -> Result<Vec<GrantId>, Error> {
        let statement = sql!(
            "SELECT id FROM oauth_grants WHERE account_id = $1 AND person_id = $2 AND revoked_at IS NULL ORDER BY id LIMIT $3"
        );
        self.all(statement, (account, person, limit)).await
    }

    /// Returns a person's grants that have not ended, the last used first, without those in accounts of which the person is no member.
    pub async fn list_connections(
        &self,
        person: PersonId,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<StoredConnection>, Error> {
        let statement = sql!(
            "SELECT {}, {}, a.name, {} FROM oauth_grants g JOIN oauth_clients ON oauth_clients.id = g.client_id \
             JOIN accounts a ON a.id = g.account_id \
             JOIN memberships m ON m.account_id = g.account_id AND m.person_id = g.person_id \
             WHERE g.person_id = $1 AND g.revoked_at IS NULL AND g.ends_at > $2 \
             ORDER BY COALESCE(g.last_used_at, g.created_at) DESC, g.id DESC LIMIT $3",
            Grant::COLUMNS,
            StoredClient::COLUMNS,
            Rights::COLUMNS,
        );
        let found = self.all(statement, (person, now, limit)).await?;
        let connection = |(grant, client, account_name, rights)| StoredConnection {
            grant,
            client,
            account_name,
            rights,
        };
        Ok(found.into_iter().map(connection).collect())
    }
}

impl Tx {
    /// Adds a grant.
    pub async fn insert_grant(&mut self, grant: &Grant) -> Result<(), Error> {
        self.insert(grant).await
    }

    /// Reads and locks a grant until the end, also if it is revoked.
    pub async fn lock_grant(&mut self, grant: GrantId) -> Result<Option<Grant>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_grants g WHERE g.id = $1{}",
            Grant::COLUMNS,
            FOR_UPDATE,
        );
        self.optional(statement, [grant]).await
    }

    /// Moves the end of a grant, and notes that it was used.
    pub async fn prolong_grant(
        &mut self,
        grant: GrantId,
        ends_at: Instant,
        used_at: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE oauth_grants SET ends_at = $2, last_used_at = CASE WHEN last_used_at IS NULL OR last_used_at < $3 THEN $3 \
             ELSE last_used_at END WHERE id = $1"
        );
        self.execute(statement, (grant, ends_at, used_at)).await?;
        Ok(())
    }

    /// Revokes a grant; false if it is unknown or already revoked. Its tokens remain: see [`Tx::delete_tokens_of`].
    pub async fn mark_grant_revoked(
        &mut self,
        grant: GrantId,
        now: Instant,
    ) -> Result<bool, Error> {
        let statement =
            sql!("UPDATE oauth_grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL");
        Ok(self.execute(statement, (grant, now)).await? == 1)
    }

    /// Stores when grants were last used, never moving back.
    pub async fn touch_grants(&mut self, uses: &[(GrantId, Instant)]) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE oauth_grants SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)"
        );
        // In one order, so that two cores that update the same grants cannot deadlock.
        let mut uses = uses.to_vec();
        uses.sort_unstable();
        for (grant, at) in uses {
            self.execute(statement, (grant, at)).await?;
        }
        Ok(())
    }

    /// Removes at most `limit` grants that ended before a moment, with their tokens and codes; returns their number.
    pub async fn delete_old_grants(
        &mut self,
        ended_before: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants WHERE ends_at < $1 ORDER BY ends_at LIMIT $2)"
        );
        self.execute(statement, (ended_before, limit)).await
    }
}
