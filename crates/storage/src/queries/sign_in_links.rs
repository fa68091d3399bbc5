//! Links by which operators let people sign in.

use domain::{ids::PersonId, instant::Instant};

use crate::{Error, Tx, sql::sql};

impl Tx {
    /// Adds a link with which a person can sign in. Only the SHA-256 of its token is stored.
    pub async fn insert_sign_in_link(
        &mut self,
        hash: &[u8; 32],
        person: PersonId,
        expires_at: Instant,
    ) -> Result<(), Error> {
        let statement =
            sql!("INSERT INTO sign_in_links (hash, person_id, expires_at) VALUES ($1, $2, $3)");
        self.execute(statement, (hash, person, expires_at)).await?;
        Ok(())
    }

    /// Removes a link that is valid; returns the person who signs in with it.
    pub async fn use_sign_in_link(
        &mut self,
        hash: &[u8; 32],
        now: Instant,
    ) -> Result<Option<PersonId>, Error> {
        // One statement, so that of two uses at the same time one finds nothing.
        let statement = sql!(
            "DELETE FROM sign_in_links WHERE hash = $1 AND expires_at > $2 RETURNING person_id"
        );
        self.optional(statement, (hash, now)).await
    }

    /// Removes at most `limit` links that are too old; returns their number.
    pub async fn delete_expired_links(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM sign_in_links WHERE hash IN (SELECT hash FROM sign_in_links WHERE expires_at <= $1 \
             ORDER BY expires_at LIMIT $2)"
        );
        self.execute(statement, (now, limit)).await
    }
}
