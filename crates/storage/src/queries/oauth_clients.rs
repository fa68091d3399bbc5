//! Clients of OAuth. What they say of themselves is read by the service, whose settings decide which redirects count.

use domain::{ids::ClientId, instant::Instant};

use crate::{
    Error, Reads, StoredClient, Tx,
    record::{Record as _, record},
    sql::sql,
};

record! {
    StoredClient as oauth_clients of "oauth_clients" { id, client_id, metadata, name, created_at, fresh_until }
}

impl Reads {
    /// Returns the client of OAuth with this identifier.
    pub async fn find_client(&self, client_id: &str) -> Result<Option<StoredClient>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_clients WHERE client_id = $1",
            StoredClient::COLUMNS,
        );
        self.optional(statement, [client_id]).await
    }

    /// Returns a client of OAuth.
    pub async fn get_client(&self, client: ClientId) -> Result<Option<StoredClient>, Error> {
        let statement = sql!(
            "SELECT {} FROM oauth_clients WHERE id = $1",
            StoredClient::COLUMNS,
        );
        self.optional(statement, [client]).await
    }
}

impl Tx {
    /// Adds a client of OAuth, or writes what it says of itself now; returns it as it is stored. Of two that see a client at the same time,
    /// both get the row of the first.
    pub async fn put_client(
        &mut self,
        client: &StoredClient,
        now: Instant,
    ) -> Result<StoredClient, Error> {
        let statement = sql!(
            "INSERT INTO oauth_clients (id, client_id, metadata, name, created_at, seen_at, fresh_until) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) \
             ON CONFLICT (client_id) DO UPDATE SET metadata = excluded.metadata, name = excluded.name, seen_at = excluded.seen_at, \
             fresh_until = excluded.fresh_until RETURNING {}",
            StoredClient::COLUMNS,
        );
        let values = (
            client.id,
            &client.client_id,
            &client.metadata,
            &client.name,
            client.created_at,
            now,
            client.fresh_until,
        );
        self.one(statement, values).await
    }

    /// Notes that a person confirmed a client, so that it is not removed.
    pub async fn confirm_client(&mut self, client: ClientId) -> Result<(), Error> {
        let statement = sql!("UPDATE oauth_clients SET is_kept = TRUE WHERE id = $1");
        self.execute(statement, [client]).await?;
        Ok(())
    }

    /// Removes clients that nobody confirmed: up to `limit` that were last seen before a moment, and up to `limit` beyond the `max` that
    /// were seen last. Returns their number.
    pub async fn delete_unused_clients(
        &mut self,
        seen_before: Instant,
        max: i64,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE is_kept = FALSE AND seen_at < $1 \
             ORDER BY seen_at LIMIT $2)"
        );
        let old = self.execute(statement, (seen_before, limit)).await?;
        let statement = sql!(
            "DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE is_kept = FALSE \
             ORDER BY seen_at DESC LIMIT $2 OFFSET $1)"
        );
        let beyond = self.execute(statement, (max, limit)).await?;
        Ok(old + beyond)
    }
}
