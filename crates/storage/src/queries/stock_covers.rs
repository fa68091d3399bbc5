//! Covers from stock photographs.

use domain::{ids::EventId, image_credit::ImageCredit, instant::Instant};

use crate::{
    Error, Reads, StoredCover, Tx,
    record::{Record as _, record},
    sql::sql,
};

record! {
    StoredCover as s { jpeg, digest }
}

impl Reads {
    /// Returns the photograph that is an event's cover.
    pub async fn find_stock_cover(&self, event: EventId) -> Result<Option<StoredCover>, Error> {
        let statement = sql!(
            "SELECT {} FROM stock_covers s WHERE s.event_id = $1",
            StoredCover::COLUMNS,
        );
        self.optional(statement, [event]).await
    }
}

impl Tx {
    /// Makes a photograph the event's cover, with its credit.
    pub async fn put_stock_cover(
        &mut self,
        event: EventId,
        cover: &StoredCover,
        credit: &ImageCredit,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO stock_covers (event_id, jpeg, digest, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (event_id) DO UPDATE SET jpeg = excluded.jpeg, digest = excluded.digest, \
             created_at = excluded.created_at"
        );
        let values = (event, &cover.jpeg, cover.digest, now);
        self.execute(statement, values).await?;
        let statement = sql!("UPDATE events SET image_credit = $2 WHERE id = $1");
        self.execute_one("event", statement, (event, credit)).await
    }

    /// Removes the photograph of an event's cover. [`Tx::update_event`] removes its credit.
    pub async fn delete_stock_cover(&mut self, event: EventId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM stock_covers WHERE event_id = $1");
        self.execute(statement, [event]).await?;
        Ok(())
    }
}
