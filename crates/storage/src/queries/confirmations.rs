//! Registrations that await the attendee's confirmation: what becomes of them with time.

use domain::{ids::EventId, instant::Instant, registration::Counters};

use crate::{Error, Reads, Tx, sql::sql};

impl Reads {
    /// Returns at most `limit` events with unconfirmed registrations whose time is over: see [`Tx::release_held_seats`] and
    /// [`Tx::lapse_registrations`].
    pub async fn list_events_to_settle(
        &self,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<EventId>, Error> {
        // Events of both kinds: no index has both times.
        let statement = sql!(
            "SELECT event_id FROM registrations WHERE held_until <= $1 \
             UNION SELECT event_id FROM registrations WHERE confirm_until <= $1 LIMIT $2"
        );
        self.all(statement, (now, limit)).await
    }
}

impl Tx {
    /// Releases at most `limit` seats of an event that unconfirmed registrations held until now; returns their number.
    pub async fn release_held_seats(
        &mut self,
        event: EventId,
        now: Instant,
        limit: i64,
    ) -> Result<i32, Error> {
        let statement = sql!(
            "UPDATE registrations SET held_until = NULL, updated_at = $2 WHERE id IN (SELECT id FROM registrations \
             WHERE event_id = $1 AND held_until <= $2 LIMIT $3)"
        );
        let released = self.execute(statement, (event, now, limit)).await?;
        let change = |released: i32| Counters {
            held: -released,
            ..Counters::default()
        };
        self.count_changed(event, released, change).await
    }

    /// Cancels at most `limit` registrations of an event that could be confirmed until now and hold no seat; returns their number. Seats are
    /// released before.
    pub async fn lapse_registrations(
        &mut self,
        event: EventId,
        now: Instant,
        limit: i64,
    ) -> Result<i32, Error> {
        let statement = sql!(
            "UPDATE registrations SET status = 'Cancelled', confirm_until = NULL, updated_at = $2 WHERE id IN (SELECT id \
             FROM registrations WHERE event_id = $1 AND confirm_until <= $2 AND held_until IS NULL LIMIT $3)"
        );
        let lapsed = self.execute(statement, (event, now, limit)).await?;
        let change = |lapsed: i32| Counters {
            pending: -lapsed,
            unconfirmed: -lapsed,
            cancelled: lapsed,
            ..Counters::default()
        };
        self.count_changed(event, lapsed, change).await
    }

    /// Counts this many changed registrations of an event. Returns their number.
    async fn count_changed(
        &mut self,
        event: EventId,
        rows: u64,
        change: impl FnOnce(i32) -> Counters,
    ) -> Result<i32, Error> {
        let count = i32::try_from(rows).unwrap_or(i32::MAX);
        if count > 0 {
            self.change_counters(event, change(count), 0).await?;
        }
        Ok(count)
    }
}
