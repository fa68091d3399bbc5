//! Telling registrants of an event's new time or place: the job that waits, what they know, and their mails.

use domain::{
    announcement::Announcement,
    event::{ByAudience, TimeAndPlace, WhenAndWhere},
    ids::{EventId, RegistrationId},
    instant::Instant,
    job::{Destination, JobKind, Task},
    mail::quota::MailCount,
};

use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::sql,
    values,
};

record! {
    WhenAndWhere as f { start = "f.start_local", end = "f.end_local", timezone, place }
}

/// For how long a former time is remembered. Mails about a change are sent within minutes, or wait for a mail server.
const REMEMBERED_SECONDS: i64 = 30 * 24 * 60 * 60;

impl Reads {
    /// Returns the announcement of an event's new time or place that waits, if there is one.
    pub async fn find_announcement(&self, event: EventId) -> Result<Option<Announcement>, Error> {
        let kind = JobKind::EventAnnouncement;
        let statement = sql!(
            "SELECT payload, created_at FROM jobs WHERE kind = $1 AND subject_id = $2 AND occasion = 0 AND failed_at IS NULL"
        );
        let found = self.optional(statement, (kind, event)).await?;
        let Some((payload, since)): Option<(Option<String>, Instant)> = found else {
            return Ok(None);
        };
        let task = Task::read(kind, payload.as_deref());
        let task = task.map_err(|error| values::corrupt("job", &error.to_string()))?;
        let Task::EventAnnouncement {
            mails,
            day,
            strangers,
        } = task
        else {
            return Ok(None);
        };
        Ok(Some(Announcement {
            since,
            counted: MailCount {
                day,
                mails,
                strangers,
            },
        }))
    }

    /// Returns when and where an event was to take place before a change, if that is remembered.
    pub async fn find_former(
        &self,
        event: EventId,
        known: TimeAndPlace,
    ) -> Result<Option<WhenAndWhere>, Error> {
        let statement = sql!(
            "SELECT {} FROM former_times f WHERE f.event_id = $1 AND f.fingerprint = $2",
            WhenAndWhere::COLUMNS,
        );
        self.optional(statement, (event, known)).await
    }

    /// Returns the number of an event's active and confirmed registrants who know another time and place than `next`, and how many of them
    /// an organizer added. Those of whom nothing is noted know `known`.
    pub async fn count_who_know_another(
        &self,
        event: EventId,
        known: ByAudience<TimeAndPlace>,
        next: ByAudience<TimeAndPlace>,
    ) -> Result<(i32, i32), Error> {
        let statement = sql!(
            "SELECT count(*), count(*) FILTER (WHERE is_added = TRUE) FROM registrations WHERE event_id = $1 \
             AND status IN ('Pending', 'Confirmed', 'Waitlisted') AND confirm_until IS NULL \
             AND COALESCE(told, CASE WHEN status = 'Confirmed' THEN $2 ELSE $3 END) <> CASE WHEN status = 'Confirmed' THEN $4 ELSE $5 END"
        );
        let (all, added): (i64, i64) = self
            .one(
                statement,
                (event, known.guests, known.others, next.guests, next.others),
            )
            .await?;
        let saturated = |count| i32::try_from(count).unwrap_or(i32::MAX);
        Ok((saturated(all), saturated(added)))
    }
}

impl Tx {
    /// Schedules the announcement of an event's new time or place, instead of one that waits. A runner that has claimed the job loses its
    /// lease.
    pub async fn put_announcement(
        &mut self,
        event: EventId,
        announcement: &Announcement,
        due_at: Instant,
        trace_parent: Option<&str>,
    ) -> Result<(), Error> {
        let MailCount {
            day,
            mails,
            strangers,
        } = announcement.counted;
        let task = Task::EventAnnouncement {
            mails,
            day,
            strangers,
        };
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, \
             trace_parent) VALUES ($1, $2, 0, $3, $4, 0, 0, $5, $6, $7) \
             ON CONFLICT (kind, subject_id, occasion) DO UPDATE SET payload = excluded.payload, due_at = excluded.due_at, \
             created_at = excluded.created_at, trace_parent = excluded.trace_parent, failed_at = NULL, \
             attempts = jobs.attempts + 1, uncounted = jobs.attempts + 1"
        );
        let values = (
            task.kind(),
            event,
            Destination::DATABASE,
            task.payload(),
            due_at,
            announcement.since,
            trace_parent,
        );
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Stores that the active registrants of an event know this time and place, unless they were last told something else. It
    /// must come before the event changes.
    pub async fn note_known(
        &mut self,
        event: EventId,
        known: ByAudience<TimeAndPlace>,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE registrations SET told = CASE WHEN status = 'Confirmed' THEN $2 ELSE $3 END \
             WHERE event_id = $1 AND status IN ('Pending', 'Confirmed', 'Waitlisted') AND told IS NULL"
        );
        self.execute(statement, (event, known.guests, known.others))
            .await?;
        Ok(())
    }

    /// Stores that those without a seat who know an event as the public saw it know how the public sees it now, where only that changed.
    pub async fn note_shown(
        &mut self,
        event: EventId,
        (known, next): (TimeAndPlace, TimeAndPlace),
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE registrations SET told = $3 \
             WHERE event_id = $1 AND status IN ('Pending', 'Waitlisted') AND told = $2"
        );
        self.execute(statement, (event, known, next)).await?;
        Ok(())
    }

    /// Remembers for some weeks when and where an event was to take place, for the mails about its change.
    pub async fn put_former(
        &mut self,
        event: EventId,
        known: TimeAndPlace,
        former: &WhenAndWhere,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!("DELETE FROM former_times WHERE event_id = $1 AND noted_at < $2");
        let too_old = now.plus_seconds(-REMEMBERED_SECONDS);
        self.execute(statement, (event, too_old)).await?;
        let statement = sql!(
            "INSERT INTO former_times (event_id, fingerprint, start_local, end_local, timezone, place, noted_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) \
             ON CONFLICT (event_id, fingerprint) DO UPDATE SET noted_at = excluded.noted_at"
        );
        let values = (
            event,
            known,
            former.start,
            former.end,
            &former.timezone,
            &former.place,
            now,
        );
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Stores which time and place registrants were told.
    pub async fn record_announced(
        &mut self,
        told: &[(RegistrationId, TimeAndPlace)],
    ) -> Result<(), Error> {
        if told.is_empty() {
            return Ok(());
        }
        let statement = sql!(
            "UPDATE registrations SET told = input.told FROM input WHERE registrations.id = input.id"
        );
        let input = Input::of(told)
            .column("id", |(id, _)| id)
            .column("told", |(_, what)| what);
        self.execute(statement, input).await?;
        Ok(())
    }

    /// Adds an `event_changed_mail` job for each active registration of an event whose owner knows another time or place;
    /// returns their number. An event's sequence number is used once.
    pub async fn schedule_event_changed_mails(
        &mut self,
        event: EventId,
        current: ByAudience<TimeAndPlace>,
        sequence: i32,
        now: Instant,
        trace_parent: Option<&str>,
    ) -> Result<u64, Error> {
        let task = Task::EventChangedMail { sequence };
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, \
             trace_parent) SELECT $1, id, $2, $3, $4, 0, 0, $5, $5, $8 FROM registrations \
             WHERE event_id = $6 AND status IN ('Pending', 'Confirmed', 'Waitlisted') AND confirm_until IS NULL \
             AND told <> CASE WHEN status = 'Confirmed' THEN $7 ELSE $9 END"
        );
        let values = (
            task.kind(),
            sequence,
            Destination::MAIL,
            task.payload(),
            now,
            event,
            current.guests,
            trace_parent,
            current.others,
        );
        self.execute(statement, values).await
    }
}
