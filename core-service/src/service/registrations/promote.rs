//! Free seats go to who waits longest.

use crate::{
    domain::{audit::Actor, event::Event, instant::Instant, registration::Counters},
    service::{Error, Service},
    storage::Tx,
};

impl Service {
    /// Gives the event's free seats to who waits for one, in order, and mails them. `counters` are held and as they are
    /// now; whoever calls this may have freed a seat or added some. Nobody is promoted for an event that is over.
    pub(in crate::service) async fn promote(
        &self,
        tx: &mut Tx,
        actor: Actor,
        event: &Event,
        counters: Counters,
        now: Instant,
    ) -> Result<Counters, Error> {
        let promoted = counters.promotable(event.max_capacity);
        if promoted == 0 || !event.is_active(now) {
            return Ok(counters);
        }
        tx.schedule_promotion_mails(event.id, promoted, now).await?;
        tx.promote_waitlisted(event.id, promoted, now).await?;
        let mut entry = self.audited(
            actor,
            event.account_id,
            "event.promote_waitlist",
            event.id.uuid(),
            now,
        );
        entry.after = Some(serde_json::json!({ "promoted": promoted }));
        tx.insert_audit(&entry).await?;
        Ok(Counters {
            confirmed: counters.confirmed + promoted,
            waitlisted: counters.waitlisted - promoted,
            ..counters
        })
    }
}
