//! The people who get a message.

use domain::{
    ids::EventId,
    instant::Instant,
    job::{Destination, JobKind},
    message::Audience,
    registration::Status,
};

use crate::{
    Error, Reads, Recipient, Tx,
    record::{Record as _, record},
    sql::{Fragment, fragment, sql},
    statement::Values,
};

/// Whether registration `r` has one of the statuses.
const HAS_STATUS: Fragment = Fragment::new(
    "($2 = TRUE AND r.status = 'Pending' OR $3 = TRUE AND r.status = 'Confirmed' OR $4 = TRUE AND r.status = 'Waitlisted')",
);

/// Whether its answers fit all filters. An unchecked checkbox may be no answer.
const ANSWERS: Fragment = Fragment::per_dialect(
    "($8 = '[]' OR NOT EXISTS (SELECT 1 FROM json_each($8) f WHERE NOT EXISTS \
     (SELECT 1 FROM json_each(r.answers) a, json_each(a.value, '$.values') v WHERE (a.value ->> 'field_id' = f.value ->> 'field_id' \
     OR a.value ->> 'field_id' IS NULL AND a.value ->> 'label' = f.value ->> 'label') \
     AND v.value IN (SELECT o.value FROM json_each(f.value, '$.options') o)) \
     AND NOT (f.value ->> 'or_none' AND NOT EXISTS (SELECT 1 FROM json_each(r.answers) a \
     WHERE a.value ->> 'field_id' = f.value ->> 'field_id' \
     OR a.value ->> 'field_id' IS NULL AND a.value ->> 'label' = f.value ->> 'label'))))",
    "($8 = '[]' OR NOT EXISTS (SELECT 1 FROM jsonb_array_elements(CAST($8 AS JSONB)) f WHERE NOT EXISTS \
     (SELECT 1 FROM jsonb_array_elements(CAST(r.answers AS JSONB)) a, jsonb_array_elements_text(a -> 'values') v \
     WHERE (a ->> 'field_id' = f ->> 'field_id' OR a ->> 'field_id' IS NULL AND a ->> 'label' = f ->> 'label') \
     AND v IN (SELECT jsonb_array_elements_text(f -> 'options'))) \
     AND NOT (f ->> 'or_none' = 'true' AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(CAST(r.answers AS JSONB)) a \
     WHERE a ->> 'field_id' = f ->> 'field_id' OR a ->> 'field_id' IS NULL AND a ->> 'label' = f ->> 'label'))))",
);

/// The registrations of an audience, of whom none must still confirm the address.
const AUDIENCE: Fragment = fragment!(
    "registrations r WHERE r.event_id = $1 AND r.confirm_until IS NULL AND {} \
     AND ($5 = 0 OR $5 = 1 AND r.checked_in_at IS NOT NULL OR $5 = 2 AND r.checked_in_at IS NULL) \
     AND r.registered_at >= $6 AND r.registered_at < $7 AND {}",
    HAS_STATUS,
    ANSWERS,
);

record! {
    Recipient as r { seq, name, email, is_added }
}

impl Reads {
    /// Returns how many people are in an audience, and how many of them an organizer added.
    pub async fn count_audience(
        &self,
        event: EventId,
        audience: &Audience,
    ) -> Result<(i32, i32), Error> {
        let statement = sql!(
            "SELECT count(*), count(*) FILTER (WHERE r.is_added = TRUE) FROM {}",
            AUDIENCE,
        );
        let values = |values: &mut Values| add(values, event, audience);
        let (all, added): (i64, i64) = self.one(statement, values).await?;
        let saturated = |count| i32::try_from(count).unwrap_or(i32::MAX);
        Ok((saturated(all), saturated(added)))
    }

    /// Returns people of an audience after a number, in the order of registering.
    pub async fn list_audience(
        &self,
        event: EventId,
        audience: &Audience,
        after_seq: i64,
        limit: i64,
    ) -> Result<Vec<Recipient>, Error> {
        let statement = sql!(
            "SELECT {} FROM {} AND r.seq > $9 ORDER BY r.seq LIMIT $10",
            Recipient::COLUMNS,
            AUDIENCE,
        );
        let values = |values: &mut Values| {
            add(values, event, audience);
            values.add(&after_seq);
            values.add(&limit);
        };
        self.all(statement, values).await
    }

    /// Returns how many active registrations of an event must still be confirmed, how many of the others have another status than an
    /// audience, and how many have one of it.
    pub async fn count_beside_audience(
        &self,
        event: EventId,
        audience: &Audience,
    ) -> Result<(i64, i64, i64), Error> {
        let statement = sql!(
            "SELECT count(*) FILTER (WHERE r.confirm_until IS NOT NULL), \
             count(*) FILTER (WHERE r.confirm_until IS NULL AND NOT {}), \
             count(*) FILTER (WHERE r.confirm_until IS NULL AND {}) \
             FROM registrations r WHERE r.event_id = $1 AND r.status IN ('Pending', 'Confirmed', 'Waitlisted')",
            HAS_STATUS,
            HAS_STATUS,
        );
        let [pending, confirmed, waitlisted] = statuses(audience);
        let values = (event, pending, confirmed, waitlisted);
        self.one(statement, values).await
    }
}

impl Tx {
    /// Adds a `message_mail` job for each person of an audience, but for no more than `max_added` of those whom an organizer added; returns
    /// their number.
    pub async fn schedule_message_mails(
        &mut self,
        event: EventId,
        (number, audience): (i32, &Audience),
        max_added: Option<i32>,
        now: Instant,
        trace_parent: Option<&str>,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, attempts, uncounted, due_at, created_at, trace_parent) \
             SELECT $9, r.id, $10, $11, 0, 0, $12, $12, $13 FROM {} AND (r.is_added = FALSE OR r.id IN \
             (SELECT r.id FROM {} AND r.is_added = TRUE ORDER BY r.seq LIMIT $14))",
            AUDIENCE,
            AUDIENCE,
        );
        let max_added = max_added.map_or(i64::MAX, i64::from);
        let values = |values: &mut Values| {
            add(values, event, audience);
            values.add(&JobKind::MessageMail);
            values.add(&number);
            values.add(&Destination::MAIL);
            values.add(&now);
            values.add(&trace_parent);
            values.add(&max_added);
        };
        self.execute(statement, values).await
    }
}

/// Adds the values of [`AUDIENCE`].
fn add(values: &mut Values, event: EventId, audience: &Audience) {
    values.add(&event);
    for status in statuses(audience) {
        values.add(&status);
    }
    let checked_in: i32 = match audience.checked_in {
        None => 0,
        Some(true) => 1,
        Some(false) => 2,
    };
    values.add(&checked_in);
    let registered = audience.registered();
    values.add(&registered.from);
    values.add(&registered.before);
    values.add(&audience.answers);
}

fn statuses(audience: &Audience) -> [bool; 3] {
    [Status::Pending, Status::Confirmed, Status::Waitlisted].map(|status| audience.has(status))
}
