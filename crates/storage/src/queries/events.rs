//! Events and their counters.

use domain::{
    catalogue::CatalogueEntry,
    date_time::EventTime,
    event::{Event, Window},
    ids::{AccountId, EventId, SeriesId},
    instant::Instant,
    person::Reach,
    registration::{Companions, Counters},
    schedule::Schedule,
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, insert_into, record, update},
    sql::{FOR_UPDATE, Fragment, sql},
    values,
};

record! {
    Event as e of "events" {
        id, account_id, series = "e.series_id", slug, title, description, location, is_location_private, attendee_info, city,
        schedule { start_at, start_local, end_at, end_local, timezone },
        window { registration_opens_at, registration_opens_local, registration_closes_at, registration_closes_local, is_registration_open },
        max_capacity, is_published, is_listed, requires_approval, confirm_by_email, allows_answer_changes, max_party, is_cancelled, cancel_reason, cancelled_at,
        image_query, image_variant, image_credit, has_own_cover, custom_fields, organizer_name, contact_email, reminders, reminders_missed, published_start,
        sequence, version, zone_release, created_at, updated_at, is_hidden, is_account_suspended,
    }
}

/// Makes the statement that writes an event: these columns, and all those that may change.
macro_rules! write_event {
    ($event:ident, $statement:ident!($($head:tt)+), { $($own:tt)+ }) => {
        $statement!($($head)+ {
            $($own)+
            title: $event.title,
            description: $event.description,
            location: $event.location,
            is_location_private: $event.is_location_private,
            attendee_info: $event.attendee_info,
            city: $event.city,
            start_at: $event.schedule.start.at,
            start_local: $event.schedule.start.local,
            end_at: $event.schedule.end.map(|end| end.at),
            end_local: $event.schedule.end.map(|end| end.local),
            timezone: $event.schedule.timezone,
            effective_end: $event.schedule.effective_end(),
            registration_opens_at: $event.window.opens.map(|opens| opens.at),
            registration_opens_local: $event.window.opens.map(|opens| opens.local),
            registration_closes_at: $event.window.closes.map(|closes| closes.at),
            registration_closes_local: $event.window.closes.map(|closes| closes.local),
            is_registration_open: $event.window.is_open,
            max_capacity: $event.max_capacity,
            is_published: $event.is_published,
            is_listed: $event.is_listed,
            image_query: $event.image_query,
            image_variant: $event.image_variant,
            has_own_cover: $event.has_own_cover,
            custom_fields: $event.custom_fields,
            sequence: $event.sequence,
            updated_at: $event.updated_at,
            indexed_as_of: $event.updated_at,
            requires_approval: $event.requires_approval,
            confirm_by_email: $event.confirm_by_email,
            allows_answer_changes: $event.allows_answer_changes,
            max_party: $event.max_party,
            organizer_name: $event.organizer_name,
            contact_email: $event.contact_email,
            reminders: $event.reminders,
            reminders_missed: $event.reminders_missed,
            published_start: $event.published_start,
            version: $event.version,
            zone_release: $event.zone_release,
            search_text: values::event_search_text($event),
        })
    };
}

record! {
    Schedule as e { start { start_at, start_local }, end { end_at, end_local }, timezone }
}

record! {
    EventTime as e { at = "e.start_at", local = "e.start_local" }
}

record! {
    Window as e {
        opens { registration_opens_at, registration_opens_local },
        closes { registration_closes_at, registration_closes_local },
        is_open = "e.is_registration_open",
    }
}

record! {
    Counters as c {
        confirmed, pending, unconfirmed, held, waitlisted, cancelled, checked_in,
        companions { companions_confirmed, companions_pending, companions_held, companions_waitlisted, companions_checked_in },
    }
}

record! {
    Companions as c {
        confirmed = "c.companions_confirmed",
        pending = "c.companions_pending",
        held = "c.companions_held",
        waitlisted = "c.companions_waitlisted",
        checked_in = "c.companions_checked_in",
    }
}

/// When event `e` is over for the people there, as `Schedule::over_at` of the domain says it, but for the hour by which a day is longer or
/// shorter that changes its clocks. Only lists and mails that were held depend on it.
pub(super) const OVER_AT: Fragment = Fragment::new(
    "CASE WHEN e.end_at > e.start_at THEN e.end_at \
     WHEN substr(e.start_local, 12, 2) >= '21' THEN e.start_at + 10800000000 \
     ELSE e.start_at + 86400000000 - 1000000 * (CAST(substr(e.start_local, 12, 2) AS BIGINT) * 3600 \
     + CAST(substr(e.start_local, 15, 2) AS BIGINT) * 60 + CAST(substr(e.start_local, 18, 2) AS BIGINT)) END",
);

impl Reads {
    /// Returns an event, if it is the account's and in reach.
    pub async fn find_account_event(
        &self,
        account: AccountId,
        reach: Reach,
        event: EventId,
    ) -> Result<Option<(Event, Counters)>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM events e JOIN event_counters c ON c.event_id = e.id WHERE e.id = $1 AND e.account_id = $2 \
             AND ($3 IS NULL OR EXISTS (SELECT 1 FROM member_events x WHERE x.account_id = $2 AND x.person_id = $3 AND x.event_id = $1))",
            Event::COLUMNS,
            Counters::COLUMNS,
        );
        let values = (event, account, reach.person());
        self.optional(statement, values).await
    }

    /// Returns the first starts of a series' events after a moment that are not cancelled, at most `limit`.
    pub async fn list_series_starts(
        &self,
        series: SeriesId,
        after: Instant,
        limit: i64,
    ) -> Result<Vec<Instant>, Error> {
        let statement = sql!(
            "SELECT start_at FROM events WHERE series_id = $1 AND start_at > $2 AND is_cancelled = FALSE ORDER BY start_at LIMIT $3"
        );
        self.all(statement, (series, after, limit)).await
    }

    /// Returns the events of a series after one of them, in the order of start and id, that are neither cancelled nor over, at most `limit`.
    pub async fn list_series_after(
        &self,
        series: SeriesId,
        (start, event): (Instant, EventId),
        now: Instant,
        limit: i64,
    ) -> Result<Vec<EventId>, Error> {
        let statement = sql!(
            "SELECT e.id FROM events e WHERE e.series_id = $1 AND (e.start_at > $2 OR e.start_at = $2 AND e.id > $3) \
             AND e.is_cancelled = FALSE AND {} > $4 ORDER BY e.start_at, e.id LIMIT $5",
            OVER_AT,
        );
        self.all(statement, (series, start, event, now, limit))
            .await
    }

    /// Returns an event of any account.
    pub async fn find_event(&self, event: EventId) -> Result<Option<Event>, Error> {
        let statement = sql!("SELECT {} FROM events e WHERE e.id = $1", Event::COLUMNS);
        self.optional(statement, [event]).await
    }
}

impl Tx {
    /// Locks an event's counters, and with them the event, until the end. Cancel, update and every change of seats begin with
    /// it. It does not check the owner.
    pub async fn lock_counters(&mut self, event: EventId) -> Result<Option<Counters>, Error> {
        let statement = sql!(
            "SELECT {} FROM event_counters c WHERE c.event_id = $1{}",
            Counters::COLUMNS,
            FOR_UPDATE,
        );
        self.optional(statement, [event]).await
    }

    /// Adds an event, which nobody has taken down, with empty counters, and counts it in the catalogue when it is `live` (published, listed, not cancelled, not ended).
    /// False, and nothing written, when its slug is taken: try another in the same transaction.
    pub async fn insert_event(&mut self, event: &Event, live: bool) -> Result<bool, Error> {
        let (statement, values) = write_event!(event, insert_into!("events" " ON CONFLICT (slug) DO NOTHING"), {
            id: event.id,
            account_id: event.account_id,
            series_id: event.series,
            slug: event.slug,
            is_cancelled: event.is_cancelled,
            cancel_reason: event.cancel_reason,
            cancelled_at: event.cancelled_at,
            live: live,
            created_at: event.created_at,
        });
        if self.execute(statement, values).await? == 0 {
            return Ok(false);
        }
        let statement = sql!(
            "INSERT INTO event_counters (event_id, confirmed, pending, waitlisted, cancelled, next_seq) VALUES ($1, 0, 0, 0, 0, 1)"
        );
        self.execute(statement, [event.id]).await?;
        if live {
            self.put_entries(&[CatalogueEntry::of(event)]).await?;
            self.change_total(event.id, 1).await?;
        }
        Ok(true)
    }

    /// Writes all fields that may change, and `live` with the catalogue's total. Owner, slug and cancellation do not change.
    pub async fn update_event(&mut self, event: &Event, live: bool) -> Result<(), Error> {
        let (statement, values) = write_event!(event, update!("events" id = event.id =>), { image_credit: event.image_credit, });
        self.execute_one("event", statement, values).await?;
        if live {
            self.put_entries(&[CatalogueEntry::of(event)]).await?;
        } else {
            self.remove_entries(&[event.id]).await?;
        }
        self.set_live(event.id, live).await
    }

    /// Makes an event one date of a series.
    pub async fn set_series(&mut self, event: &Event, live: bool) -> Result<(), Error> {
        let (statement, values) = update!("events" id = event.id => {
            series_id: event.series,
            updated_at: event.updated_at,
            indexed_as_of: event.updated_at,
        });
        self.execute_one("event", statement, values).await?;
        if live {
            self.put_entries(&[CatalogueEntry::of(event)]).await?;
        }
        Ok(())
    }

    /// Cancels an event and removes it from the catalogue; false, and nothing written, if it was already cancelled.
    pub async fn mark_cancelled(
        &mut self,
        event: EventId,
        reason: Option<&str>,
        now: Instant,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "UPDATE events SET is_cancelled = TRUE, cancel_reason = $2, cancelled_at = $3, updated_at = $3, indexed_as_of = $3 \
             WHERE id = $1 AND is_cancelled = FALSE"
        );
        if self.execute(statement, (event, reason, now)).await? == 0 {
            return Ok(false);
        }
        self.remove_entries(&[event]).await?;
        self.set_live(event, false).await?;
        Ok(true)
    }

    /// Removes a draft without registrations, with all that belongs to it. Its counters are locked.
    pub async fn delete_event(&mut self, event: EventId) -> Result<(), Error> {
        self.remove_entries(&[event]).await?;
        // What refers to an event comes before the event itself.
        for statement in [
            sql!(
                "DELETE FROM jobs WHERE kind IN ('stock_cover', 'event_announcement', 'event_reminder') AND subject_id = $1"
            ),
            sql!(
                "DELETE FROM jobs WHERE kind = 'message' AND subject_id IN (SELECT id FROM messages WHERE event_id = $1)"
            ),
            sql!("DELETE FROM messages WHERE event_id = $1"),
            sql!("DELETE FROM stock_covers WHERE event_id = $1"),
            sql!("DELETE FROM own_covers WHERE event_id = $1"),
            sql!("DELETE FROM event_views WHERE event_id = $1"),
            sql!("DELETE FROM mails WHERE event_id = $1"),
            sql!("DELETE FROM former_times WHERE event_id = $1"),
            sql!("DELETE FROM event_counters WHERE event_id = $1"),
        ] {
            self.execute(statement, [event]).await?;
        }
        let statement = sql!("DELETE FROM events WHERE id = $1 AND live = FALSE");
        self.execute_one("draft", statement, [event]).await
    }
}
