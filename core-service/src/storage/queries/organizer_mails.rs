//! Mails to organizers: the job that collects registrations, what was collected, and who is told.
//!
//! Registrations are found by the audit log, which has an index of each account's entries by time. One that is not confirmed, or is
//! cancelled by then, is no news.

use std::collections::{HashMap, HashSet};

use sqlx::Row as _;
use uuid::Uuid;

use super::{Connection, Db, Input, Row};
use crate::{
    domain::{
        ids::{AccountId, EventId, PersonId},
        instant::Instant,
        job::{ClaimedJob, Destination, JobKind, Task},
        organizer_mail::{Collection, EventNews, MOST_NAMES, MailChoice, Organizer, Span},
        plan::Plan,
    },
    storage::{Error, values},
};

/// Account `$1`, and the time after `$2` until `$3`.
macro_rules! registered {
    () => {
        "FROM audit_log l JOIN registrations r ON r.id = l.subject_id WHERE l.account_id = $1 AND l.at > $2 AND l.at <= $3 \
         AND l.actor = 'attendee' AND l.action IN ('registration.create', 'registration.confirm') \
         AND r.confirm_until IS NULL AND r.status <> 'Cancelled'"
    };
}

/// A job that waits stays as it is, and cannot end before this transaction: who collects at the same time sees these registrations, or
/// they begin a new one. Registrations for several events of an account do not wait for each other.
pub(in crate::storage) async fn collect_for_organizers(
    connection: &mut Connection,
    accounts: &[AccountId],
    collection: Collection,
    now: Instant,
    trace_parent: Option<&str>,
) -> Result<(), Error> {
    if accounts.is_empty() {
        return Ok(());
    }
    let waiting = keep_collecting(connection, accounts).await?;
    let all = || {
        accounts
            .iter()
            .filter(|account| !waiting.contains(*account))
    };
    if all().next().is_none() {
        return Ok(());
    }
    let task = Task::OrganizerNews {
        since: collection.since.micros(),
    };
    Input::default()
        .column("kind", all().map(|_| task.kind().name()))
        .column("subject_id", all().map(|account| account.uuid()))
        .column("destination", all().map(|_| Destination::DATABASE.name().to_owned()))
        .column("payload", all().map(|_| task.payload()))
        .column("due_at", all().map(|_| collection.due_at.micros()))
        .column("created_at", all().map(|_| now.micros()))
        .column("trace_parent", all().map(|_| trace_parent))
        .execute(
            connection,
            "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, \
             trace_parent) SELECT kind, subject_id, 0, destination, payload, 0, 0, due_at, created_at, trace_parent \
             FROM input WHERE TRUE \
             ON CONFLICT (kind, subject_id, occasion) DO UPDATE SET \
             due_at = CASE WHEN jobs.failed_at IS NULL THEN jobs.due_at ELSE excluded.due_at END, failed_at = NULL",
        )
        .await?;
    Ok(())
}

/// Those of the accounts that have a job which waits.
async fn keep_collecting(
    connection: &mut Connection,
    accounts: &[AccountId],
) -> Result<HashSet<AccountId>, Error> {
    Input::default()
        .column(
            "kind",
            accounts.iter().map(|_| JobKind::OrganizerNews.name()),
        )
        .column("id", accounts.iter().map(|account| account.uuid()))
        .fetch(
            connection,
            concat!(
                "SELECT j.subject_id FROM jobs j WHERE j.kind",
                any_of_input!("kind"),
                " AND j.subject_id",
                any_of_input!("id"),
                " AND j.occasion = 0 AND j.failed_at IS NULL",
                for_share!()
            ),
        )
        .await?
        .iter()
        .map(|row| Ok(AccountId::new(row.try_get("subject_id")?)))
        .collect()
}

/// False if another runner has the job by now.
pub(in crate::storage) async fn go_on_collecting(
    connection: &mut Connection,
    job: &ClaimedJob,
    collection: Collection,
) -> Result<bool, Error> {
    let task = Task::OrganizerNews {
        since: collection.since.micros(),
    };
    let done = sqlx::query::<Db>(
        "UPDATE jobs SET payload = $5, due_at = $6, uncounted = attempts \
         WHERE kind = $1 AND subject_id = $2 AND occasion = $3 AND attempts = $4 AND failed_at IS NULL",
    )
    .bind(job.key.kind.name())
    .bind(job.key.subject_id)
    .bind(job.key.occasion)
    .bind(job.attempt)
    .bind(task.payload())
    .bind(collection.due_at.micros())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// After [`go_on_collecting`], which has locked it.
pub(in crate::storage) async fn finish_collecting(
    connection: &mut Connection,
    account: AccountId,
) -> Result<(), Error> {
    sqlx::query::<Db>("DELETE FROM jobs WHERE kind = $1 AND subject_id = $2")
        .bind(JobKind::OrganizerNews.name())
        .bind(account.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn has_registrations_in(
    connection: &mut Connection,
    account: AccountId,
    span: Span,
) -> Result<bool, Error> {
    let row = sqlx::query::<Db>(concat!(
        "SELECT EXISTS (SELECT 1 ",
        registered!(),
        ") AS found"
    ))
    .bind(account.uuid())
    .bind(span.since.micros())
    .bind(span.until.micros())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("found")?)
}

/// Those with the most new registrations first.
pub(in crate::storage) async fn list_event_news(
    connection: &mut Connection,
    account: AccountId,
    span: Span,
    now: Instant,
    limit: i64,
) -> Result<Vec<EventNews>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT e.id, e.title, e.max_capacity, n.fresh, c.pending - c.unconfirmed AS awaiting, c.confirmed + c.held AS taken \
         FROM (SELECT r.event_id, count(DISTINCT r.id) AS fresh ",
        registered!(),
        " GROUP BY r.event_id) n JOIN events e ON e.id = n.event_id JOIN event_counters c ON c.event_id = e.id \
         WHERE e.account_id = $1 AND e.is_cancelled = FALSE AND e.effective_end > $4 ORDER BY n.fresh DESC, e.id LIMIT $5"
    ))
    .bind(account.uuid())
    .bind(span.since.micros())
    .bind(span.until.micros())
    .bind(now.micros())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let fresh: i64 = row.try_get("fresh")?;
        Ok(EventNews {
            event: EventId::new(row.try_get("id")?),
            title: row.try_get("title")?,
            new: i32::try_from(fresh).unwrap_or(i32::MAX),
            awaiting: row.try_get("awaiting")?,
            taken: row.try_get("taken")?,
            max_capacity: row.try_get("max_capacity")?,
            names: Vec::new(),
        })
    })
    .collect()
}

/// Of at most `limit` of the latest.
pub(in crate::storage) async fn list_new_names(
    connection: &mut Connection,
    account: AccountId,
    span: Span,
    limit: i64,
) -> Result<HashMap<EventId, Vec<String>>, Error> {
    let rows = sqlx::query::<Db>(concat!(
        "SELECT r.event_id, r.name ",
        registered!(),
        " ORDER BY l.at DESC, l.id DESC LIMIT $4"
    ))
    .bind(account.uuid())
    .bind(span.since.micros())
    .bind(span.until.micros())
    .bind(limit)
    .fetch_all(connection)
    .await?;
    let mut names: HashMap<EventId, Vec<String>> = HashMap::new();
    for row in &rows {
        let event = EventId::new(row.try_get("event_id")?);
        let of_event = names.entry(event).or_default();
        if of_event.len() < MOST_NAMES {
            of_event.push(row.try_get("name")?);
        }
    }
    Ok(names)
}

macro_rules! organizers {
    ($rest:literal) => {
        concat!(
            "SELECT p.id, p.name, p.email, a.name AS account_name, a.plan, m.role, m.mails FROM memberships m \
             JOIN people p ON p.id = m.person_id JOIN accounts a ON a.id = m.account_id WHERE m.account_id = $1 AND a.suspended_at IS NULL ",
            $rest
        )
    };
}

pub(in crate::storage) async fn list_organizers(
    connection: &mut Connection,
    account: AccountId,
    limit: i64,
) -> Result<Vec<(PersonId, Organizer)>, Error> {
    sqlx::query::<Db>(organizers!("ORDER BY m.created_at, p.id LIMIT $2"))
        .bind(account.uuid())
        .bind(limit)
        .fetch_all(connection)
        .await?
        .iter()
        .map(read)
        .collect()
}

pub(in crate::storage) async fn find_organizer(
    connection: &mut Connection,
    account: AccountId,
    person: PersonId,
) -> Result<Option<Organizer>, Error> {
    let row = sqlx::query::<Db>(organizers!("AND m.person_id = $2"))
        .bind(account.uuid())
        .bind(person.uuid())
        .fetch_optional(connection)
        .await?;
    let found = row.as_ref().map(read).transpose()?;
    Ok(found.map(|(_, organizer)| organizer))
}

pub(in crate::storage) async fn set_mail_choice(
    connection: &mut Connection,
    account: AccountId,
    person: PersonId,
    choice: MailChoice,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE memberships SET mails = $3 WHERE account_id = $1 AND person_id = $2",
    )
    .bind(account.uuid())
    .bind(person.uuid())
    .bind(choice.name())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

fn read(row: &Row) -> Result<(PersonId, Organizer), Error> {
    let id: Uuid = row.try_get("id")?;
    let plan: Plan = values::named("plan", row.try_get("plan")?)?;
    let organizer = Organizer {
        name: row.try_get("name")?,
        email: row.try_get("email")?,
        account_name: row.try_get("account_name")?,
        role: values::named("role", row.try_get("role")?)?,
        choice: values::named("choice of mails", row.try_get("mails")?)?,
        sees_registrations: plan.is_paid(),
    };
    Ok((PersonId::new(id), organizer))
}
