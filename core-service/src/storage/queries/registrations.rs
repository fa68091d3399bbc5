//! Registrations.

use sqlx::Row as _;

use super::{Connection, Db, Input, Row, events};
use crate::{
    domain::{
        account::Account,
        check_in_code::CheckInCode,
        email,
        event::TimeAndPlace,
        ids::{EventId, RegistrationId},
        instant::Instant,
        registration::{Confirmation, Counters, Registrant, Registration},
    },
    storage::{Error, values},
};

/// Registrations of the address `$1`. Those that are cancelled have an index of their own.
macro_rules! of_address {
    () => {
        "(r.email_norm = $1 AND r.status <> 'Cancelled' OR r.email_norm = $1 AND r.status = 'Cancelled')"
    };
}

macro_rules! registration_columns {
    () => {
        "r.id, r.event_id, r.seq, r.name, r.email, r.status, r.held_until, r.confirm_until, r.answers, r.check_in_code, r.checked_in_at, \
         r.registered_at, r.updated_at"
    };
}
pub(super) use registration_columns;

pub(in crate::storage) async fn list_registrations(
    connection: &mut Connection,
    event: EventId,
    after_seq: i64,
    limit: i64,
) -> Result<Vec<Registration>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        registration_columns!(),
        " FROM registrations r WHERE r.event_id = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3"
    ))
    .bind(event.uuid())
    .bind(after_seq)
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn find_registration(
    connection: &mut Connection,
    event: EventId,
    registration: RegistrationId,
) -> Result<Option<Registration>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        registration_columns!(),
        " FROM registrations r WHERE r.id = $1 AND r.event_id = $2"
    ))
    .bind(registration.uuid())
    .bind(event.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn find_registrant(
    connection: &mut Connection,
    registration: RegistrationId,
) -> Result<Option<Registrant>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        events::event_columns!(),
        ", r.name, r.email, r.status, r.confirm_until, r.told, r.check_in_code, r.decline_reason, a.name AS organizer FROM registrations r \
         JOIN events e ON e.id = r.event_id JOIN accounts a ON a.id = e.account_id WHERE r.id = $1"
    ))
    .bind(registration.uuid())
    .fetch_optional(connection)
    .await?
    .map(|row| {
        let organizer: String = row.try_get("organizer")?;
        let confirm_until: Option<i64> = row.try_get("confirm_until")?;
        let told: Option<i64> = row.try_get("told")?;
        let event = events::read(&row)?;
        let organizer = Some(organizer).filter(|name| name != Account::ERASED_NAME);
        Ok(Registrant {
            id: registration,
            name: row.try_get("name")?,
            email: row.try_get("email")?,
            status: values::named("registration status", row.try_get("status")?)?,
            awaits_confirmation: confirm_until.is_some(),
            check_in_code: check_in_code(&row)?,
            told: told.map(TimeAndPlace::stored),
            decline_reason: row.try_get("decline_reason")?,
            organizer: event.organizer_name.clone().or(organizer),
            event,
        })
    })
    .transpose()
}

pub(in crate::storage) async fn list_registrations_of(
    connection: &mut Connection,
    email_norm: &str,
    limit: i64,
) -> Result<Vec<Registration>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        registration_columns!(),
        " FROM registrations r WHERE ",
        of_address!(),
        " LIMIT $2"
    ))
    .bind(email_norm)
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn count_registrations_of(
    connection: &mut Connection,
    email_norm: &str,
) -> Result<(i64, i64), Error> {
    let row = sqlx::query::<Db>(concat!(
        "SELECT count(*) AS registrations, count(DISTINCT event_id) AS events FROM registrations r WHERE ",
        of_address!()
    ))
    .bind(email_norm)
    .fetch_one(connection)
    .await?;
    Ok((row.try_get("registrations")?, row.try_get("events")?))
}

pub(in crate::storage) async fn list_registrations_at(
    connection: &mut Connection,
    event: EventId,
    email_norm: &str,
) -> Result<Vec<Registration>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        registration_columns!(),
        " FROM registrations r WHERE ",
        of_address!(),
        " AND r.event_id = $2 ORDER BY r.seq"
    ))
    .bind(email_norm)
    .bind(event.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn delete_registration(
    connection: &mut Connection,
    registration: RegistrationId,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>("DELETE FROM registrations WHERE id = $1")
        .bind(registration.uuid())
        .execute(connection)
        .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("registration")),
    }
}

pub(in crate::storage) async fn insert_registrations(
    connection: &mut Connection,
    registrations: &[Registration],
) -> Result<(), Error> {
    let answers = registrations.iter().map(|registration| {
        serde_json::to_string(&registration.answers)
            .map_err(|error| Error::Internal(Box::new(error)))
    });
    let answers = answers.collect::<Result<Vec<_>, _>>()?;
    let people = || registrations.iter();
    let search = |person: &Registration| values::search_text(&person.name, &person.email);
    Input::default()
        .column("id", people().map(|person| person.id.uuid()))
        .column("event_id", people().map(|person| person.event_id.uuid()))
        .column("seq", people().map(|person| person.seq))
        .column("name", people().map(|person| person.name.as_str()))
        .column("email", people().map(|person| person.email.as_str()))
        .column(
            "email_norm",
            people().map(|person| email::normalised(&person.email)),
        )
        .column("search_text", people().map(search))
        .column("status", people().map(|person| person.status.name()))
        .column("held_until", people().map(held_until))
        .column("confirm_until", people().map(confirm_until))
        .column("answers", answers)
        .column(
            "check_in_code",
            people().map(|person| person.check_in_code.as_str()),
        )
        .column(
            "checked_in_at",
            people().map(|person| person.checked_in_at.map(Instant::micros)),
        )
        .column(
            "registered_at",
            people().map(|person| person.registered_at.micros()),
        )
        .column(
            "updated_at",
            people().map(|person| person.updated_at.micros()),
        )
        .execute(
            connection,
            "INSERT INTO registrations (id, event_id, seq, name, email, email_norm, search_text, status, held_until, \
             confirm_until, answers, check_in_code, checked_in_at, registered_at, updated_at, is_folded) SELECT input.*, TRUE FROM input",
        )
        .await?;
    Ok(())
}

pub(in crate::storage) async fn insert_registration(
    connection: &mut Connection,
    registration: &Registration,
) -> Result<(), Error> {
    insert_registrations(&mut *connection, std::slice::from_ref(registration)).await?;
    change_counters(
        connection,
        registration.event_id,
        registration.counted(),
        registration.seq + 1,
    )
    .await
}

/// Changes an event's counters by `change`, whose parts may be negative; the next place is `next_seq` at least.
pub(super) async fn change_counters(
    connection: &mut Connection,
    event: EventId,
    change: Counters,
    next_seq: i64,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>(
        "UPDATE event_counters SET confirmed = confirmed + $2, pending = pending + $3, waitlisted = waitlisted + $4, \
         cancelled = cancelled + $5, held = held + $6, unconfirmed = unconfirmed + $7, checked_in = checked_in + $8, \
         next_seq = CASE WHEN next_seq > $9 THEN next_seq ELSE $9 END WHERE event_id = $1",
    )
    .bind(event.uuid())
    .bind(change.confirmed)
    .bind(change.pending)
    .bind(change.waitlisted)
    .bind(change.cancelled)
    .bind(change.held)
    .bind(change.unconfirmed)
    .bind(change.checked_in)
    .bind(next_seq)
    .execute(connection)
    .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("event")),
    }
}

pub(in crate::storage) async fn update_registration(
    connection: &mut Connection,
    before: &Registration,
    after: &Registration,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>(
        "UPDATE registrations SET status = $2, checked_in_at = $3, updated_at = $4, held_until = $6, confirm_until = $7 \
         WHERE id = $1 AND status = $5",
    )
    .bind(after.id.uuid())
    .bind(after.status.name())
    .bind(after.checked_in_at.map(Instant::micros))
    .bind(after.updated_at.micros())
    .bind(before.status.name())
    .bind(held_until(after))
    .bind(confirm_until(after))
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() != 1 {
        return Err(Error::Missing("registration"));
    }
    let change = after.counted() - before.counted();
    if change == Counters::default() {
        return Ok(());
    }
    change_counters(connection, after.event_id, change, 0).await
}

fn held_until(registration: &Registration) -> Option<i64> {
    let held_until = registration.confirmation?.held_until;
    held_until.map(Instant::micros)
}

fn confirm_until(registration: &Registration) -> Option<i64> {
    let confirmation = registration.confirmation?;
    Some(confirmation.until.micros())
}

/// Confirms those who have waited longest; the caller holds the counters and knows that there are so many.
pub(in crate::storage) async fn promote_waitlisted(
    connection: &mut Connection,
    event: EventId,
    seats: i32,
    now: Instant,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>(
        "UPDATE registrations SET status = 'Confirmed', updated_at = $3 WHERE id IN (SELECT id FROM registrations \
         WHERE event_id = $1 AND status = 'Waitlisted' ORDER BY seq LIMIT $2)",
    )
    .bind(event.uuid())
    .bind(i64::from(seats))
    .bind(now.micros())
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() != u64::try_from(seats).unwrap_or(0) {
        return Err(Error::Missing("waitlisted registration"));
    }
    let change = Counters {
        confirmed: seats,
        waitlisted: -seats,
        ..Counters::default()
    };
    change_counters(connection, event, change, 0).await
}

fn check_in_code(row: &Row) -> Result<CheckInCode, Error> {
    let code = CheckInCode::parse(row.try_get("check_in_code")?);
    code.ok_or_else(|| values::corrupt("check-in code", ".."))
}

/// Reads `registration_columns!`.
pub(super) fn read(row: &Row) -> Result<Registration, Error> {
    let checked_in_at: Option<i64> = row.try_get("checked_in_at")?;
    let held_until: Option<i64> = row.try_get("held_until")?;
    let confirm_until: Option<i64> = row.try_get("confirm_until")?;
    let answers: &str = row.try_get("answers")?;
    Ok(Registration {
        id: RegistrationId::new(row.try_get("id")?),
        event_id: EventId::new(row.try_get("event_id")?),
        seq: row.try_get("seq")?,
        name: row.try_get("name")?,
        email: row.try_get("email")?,
        status: values::named("registration status", row.try_get("status")?)?,
        confirmation: confirm_until.map(|until| Confirmation {
            held_until: held_until.map(Instant::from_micros),
            until: Instant::from_micros(until),
        }),
        answers: serde_json::from_str(answers)
            .map_err(|error| values::corrupt("answers", &error.to_string()))?,
        check_in_code: check_in_code(row)?,
        checked_in_at: checked_in_at.map(Instant::from_micros),
        registered_at: Instant::from_micros(row.try_get("registered_at")?),
        updated_at: Instant::from_micros(row.try_get("updated_at")?),
    })
}
