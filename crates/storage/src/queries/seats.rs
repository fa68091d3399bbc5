//! Seats: reads and writes of a batch of registrations, with one statement for all of them, and positions on the waitlist.
//!
//! Counters are locked before anything else of their events is read, in a statement of its own: one that joined both would,
//! after waiting for the lock, still show the event as it was before the wait.

use domain::{
    event::Event,
    ids::{EventId, RegistrationId},
    registration::{Counters, Registration, Seats, Waiting},
};

use crate::{
    Error, FULL_BATCH, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::{FOR_UPDATE, sql},
};

record! {
    Waiting as r { id, seq, size = "r.party_size" }
}

impl Reads {
    /// Returns the counters of these events, in no order.
    pub async fn list_counters(&self, ids: &[EventId]) -> Result<Vec<(EventId, Counters)>, Error> {
        let statement = sql!(
            "SELECT c.event_id, {} FROM event_counters c WHERE c.event_id IN (SELECT id FROM input)",
            Counters::COLUMNS,
        );
        let input = Input::of(ids).column("id", |id| id);
        self.all(statement, input).await
    }

    /// Returns these events, in no order.
    pub async fn list_events(&self, ids: &[EventId]) -> Result<Vec<Event>, Error> {
        let statement = sql!(
            "SELECT {} FROM events e WHERE e.id IN (SELECT id FROM input)",
            Event::COLUMNS,
        );
        let input = Input::of(ids).column("id", |id| id);
        self.all(statement, input).await
    }

    /// Returns the position on the waitlist, from 1: how many wait there or before it.
    pub async fn waitlist_position(&self, event: EventId, seq: i64) -> Result<i64, Error> {
        let statement = sql!(
            "SELECT count(*) FROM registrations WHERE event_id = $1 AND status = 'Waitlisted' AND seq <= $2"
        );
        self.one(statement, (event, seq)).await
    }

    /// Returns at most `limit` parties of at most `max_size` people that wait after a number in the order of registering, in that order.
    pub async fn list_waiting(
        &self,
        event: EventId,
        max_size: i32,
        after_seq: i64,
        limit: i64,
    ) -> Result<Vec<Waiting>, Error> {
        let statement = sql!(
            "SELECT {} FROM registrations r WHERE r.event_id = $1 AND r.status = 'Waitlisted' AND r.party_size <= $2 AND r.seq > $3 \
             ORDER BY r.seq LIMIT $4",
            Waiting::COLUMNS,
        );
        self.all(statement, (event, max_size, after_seq, limit))
            .await
    }

    /// Returns the registrations that are not cancelled of these normalised addresses at these events.
    pub async fn find_active_registrations(
        &self,
        people: &[(EventId, &str)],
    ) -> Result<Vec<(EventId, String, RegistrationId)>, Error> {
        // A look-up for each of the people, and not a join: PostgreSQL may make one by reading all registrations.
        let statement = sql!(
            "SELECT event_id, email_norm, (SELECT r.id FROM registrations r WHERE r.event_id = input.event_id \
             AND r.email_norm = input.email_norm AND r.status <> 'Cancelled') AS id FROM input"
        );
        let active = |(event, email_norm, id): (_, _, Option<_>)| Some((event, email_norm, id?));
        let mut all = Vec::new();
        for part in people.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("event_id", |(event, _)| event)
                .column("email_norm", |(_, email_norm)| email_norm);
            let found: Vec<(_, _, Option<RegistrationId>)> = self.all(statement, input).await?;
            all.extend(found.into_iter().filter_map(active));
        }
        Ok(all)
    }

    /// Returns those of these registrations that are for this event, in the order of registering.
    pub async fn find_registrations(
        &self,
        event: EventId,
        ids: &[RegistrationId],
    ) -> Result<Vec<Registration>, Error> {
        // SQLite has no empty lists of rows.
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!(
            "SELECT {} FROM registrations r WHERE r.id IN (SELECT id FROM input) ORDER BY r.seq",
            Registration::COLUMNS,
        );
        let input = Input::of(ids).column("id", |id| id);
        let mut found: Vec<Registration> = self.all(statement, input).await?;
        found.retain(|registration| registration.event_id == event);
        Ok(found)
    }
}

impl Tx {
    /// Locks the counters of events until the end, lowest id first; returns them and the next number in the order of
    /// registering.
    pub async fn lock_seats(
        &mut self,
        ids: &[EventId],
    ) -> Result<Vec<(EventId, Counters, i64)>, Error> {
        let statement = sql!(
            "SELECT c.event_id, {}, c.next_seq FROM event_counters c WHERE c.event_id IN (SELECT id FROM input) ORDER BY c.event_id{}",
            Counters::COLUMNS,
            FOR_UPDATE,
        );
        let input = Input::of(ids).column("id", |id| id);
        self.all(statement, input).await
    }

    /// Does the same for the existing events of these slugs.
    pub async fn lock_seats_by_slug(
        &mut self,
        slugs: &[&str],
    ) -> Result<Vec<(EventId, Counters, i64)>, Error> {
        let statement = sql!(
            "SELECT c.event_id, {}, c.next_seq FROM event_counters c WHERE c.event_id IN \
             (SELECT e.id FROM events e WHERE e.slug IN (SELECT slug FROM input)) ORDER BY c.event_id{}",
            Counters::COLUMNS,
            FOR_UPDATE,
        );
        let input = Input::of(slugs).column("slug", |slug| slug);
        self.all(statement, input).await
    }

    /// Sets the counters of events whose counters are locked.
    pub async fn update_counters(&mut self, seats: &[&Seats]) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE event_counters SET confirmed = input.confirmed, pending = input.pending, unconfirmed = input.unconfirmed, \
             held = input.held, waitlisted = input.waitlisted, cancelled = input.cancelled, checked_in = input.checked_in, \
             companions_confirmed = input.companions_confirmed, companions_pending = input.companions_pending, \
             companions_held = input.companions_held, companions_waitlisted = input.companions_waitlisted, \
             companions_checked_in = input.companions_checked_in, next_seq = input.next_seq FROM input WHERE event_counters.event_id = input.event_id"
        );
        let input = Input::of(seats)
            .column("event_id", |seats| seats.event.id)
            .column("confirmed", |seats| seats.counters.confirmed)
            .column("pending", |seats| seats.counters.pending)
            .column("unconfirmed", |seats| seats.counters.unconfirmed)
            .column("held", |seats| seats.counters.held)
            .column("waitlisted", |seats| seats.counters.waitlisted)
            .column("cancelled", |seats| seats.counters.cancelled)
            .column("checked_in", |seats| seats.counters.checked_in)
            .column("companions_confirmed", |seats| {
                seats.counters.companions.confirmed
            })
            .column("companions_pending", |seats| {
                seats.counters.companions.pending
            })
            .column("companions_held", |seats| seats.counters.companions.held)
            .column("companions_waitlisted", |seats| {
                seats.counters.companions.waitlisted
            })
            .column("companions_checked_in", |seats| {
                seats.counters.companions.checked_in
            })
            .column("next_seq", |seats| seats.next_seq);
        if self.execute(statement, input).await? != seats.len() as u64 {
            return Err(Error::Missing("event"));
        }
        Ok(())
    }
}
