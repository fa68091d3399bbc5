//! Having a stock picture fetched for an event's cover.

use crate::{
    domain::{
        event::Event,
        instant::Instant,
        job::{JobKey, STOCK_COVER},
    },
    service::{Error, Service},
    storage::Tx,
};

impl Service {
    /// Leaves a job that looks for a picture, if the operator chose a provider and the event has words for one.
    pub(super) async fn want_cover(
        &self,
        tx: &mut Tx,
        event: &Event,
        now: Instant,
    ) -> Result<(), Error> {
        if self.context.stock.is_some() && event.image_query.is_some() {
            let key = JobKey::of_minute(STOCK_COVER, event.id.uuid(), now);
            tx.insert_job(&key, now).await?;
        }
        Ok(())
    }

    /// When the words have changed: gives up the picture that was found for the old ones, and has another looked for.
    pub(super) async fn renew_cover(
        &self,
        tx: &mut Tx,
        before: &Event,
        after: &Event,
        now: Instant,
    ) -> Result<(), Error> {
        if after.image_query == before.image_query {
            return Ok(());
        }
        if before.image_credit.is_some() {
            tx.delete_stock_cover(after.id).await?;
        }
        self.want_cover(tx, after, now).await
    }
}
