//! Covers that organizers sent.

use domain::{ids::EventId, instant::Instant};

use crate::{Error, Reads, StoredCover, Tx, record::Record as _, sql::sql};

impl Reads {
    /// Returns the picture that an organizer sent as an event's cover.
    pub async fn find_own_cover(&self, event: EventId) -> Result<Option<StoredCover>, Error> {
        let statement = sql!(
            "SELECT {} FROM own_covers s WHERE s.event_id = $1",
            StoredCover::COLUMNS,
        );
        self.optional(statement, [event]).await
    }
}

impl Tx {
    /// Stores a picture as an event's cover. [`Tx::update_event`] says that there is one.
    pub async fn put_own_cover(
        &mut self,
        event: EventId,
        cover: &StoredCover,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO own_covers (event_id, jpeg, digest, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (event_id) DO UPDATE SET jpeg = excluded.jpeg, digest = excluded.digest, \
             created_at = excluded.created_at"
        );
        let values = (event, &cover.jpeg, cover.digest, now);
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Removes the picture that an organizer sent as an event's cover.
    pub async fn delete_own_cover(&mut self, event: EventId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM own_covers WHERE event_id = $1");
        self.execute(statement, [event]).await?;
        Ok(())
    }
}
