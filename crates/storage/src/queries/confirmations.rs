//! Registrations that await the attendee's confirmation: what becomes of them with time.

use domain::{
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::{Companions, Counters},
};

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
    /// Releases the seats that at most `limit` unconfirmed registrations of an event held until now; returns the change of its counters.
    pub async fn release_held_seats(
        &mut self,
        event: EventId,
        now: Instant,
        limit: i64,
    ) -> Result<Counters, Error> {
        let statement = sql!(
            "UPDATE registrations SET held_until = NULL, updated_at = $2 WHERE id IN (SELECT id FROM registrations \
             WHERE event_id = $1 AND held_until <= $2 LIMIT $3) RETURNING party_size"
        );
        let sizes: Vec<i32> = self.all(statement, (event, now, limit)).await?;
        let released = |size: i32| Counters {
            held: -1,
            companions: Companions {
                held: 1 - size,
                ..Companions::default()
            },
            ..Counters::default()
        };
        self.count_changed(event, sizes.into_iter().map(released))
            .await
    }

    /// Cancels at most `limit` registrations of an event that could be confirmed until now and hold no seats; returns them
    /// and the change of its counters. Seats are released before.
    pub async fn lapse_registrations(
        &mut self,
        event: EventId,
        now: Instant,
        limit: i64,
    ) -> Result<(Vec<RegistrationId>, Counters), Error> {
        let statement = sql!(
            "UPDATE registrations SET status = 'Cancelled', confirm_until = NULL, updated_at = $2 WHERE id IN (SELECT id \
             FROM registrations WHERE event_id = $1 AND confirm_until <= $2 AND held_until IS NULL LIMIT $3) RETURNING id, party_size"
        );
        let found: Vec<(RegistrationId, i32)> = self.all(statement, (event, now, limit)).await?;
        let (registrations, sizes): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let lapsed = |size: i32| Counters {
            pending: -1,
            unconfirmed: -1,
            cancelled: 1,
            companions: Companions {
                pending: 1 - size,
                ..Companions::default()
            },
            ..Counters::default()
        };
        let changed = self.count_changed(event, sizes.into_iter().map(lapsed));
        Ok((registrations, changed.await?))
    }

    /// Counts changes of an event's registrations. Returns all together.
    async fn count_changed(
        &mut self,
        event: EventId,
        changes: impl Iterator<Item = Counters>,
    ) -> Result<Counters, Error> {
        let change = changes.fold(Counters::default(), |sum, one| sum + one);
        if change != Counters::default() {
            self.change_counters(event, change, 0).await?;
        }
        Ok(change)
    }
}
