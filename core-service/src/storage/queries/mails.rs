//! The mails among the jobs: how many wait, and which were given up.

use sqlx::{QueryBuilder, Row as _};
use uuid::Uuid;

use super::{Connection, Db, Row, jobs};
use crate::{
    domain::{
        ids::{AccountId, RegistrationId},
        instant::Instant,
        job::{JobKey, REGISTRATION_MAILS},
    },
    storage::{DeadMail, DeadMailRecipient, Error, MailQueue},
};

/// The kinds are named since the table has no index by subject alone.
pub(in crate::storage) async fn delete_mails_of(
    connection: &mut Connection,
    registration: RegistrationId,
) -> Result<u64, Error> {
    let mut query = QueryBuilder::<Db>::new("DELETE FROM jobs WHERE subject_id = ");
    query.push_bind(registration.uuid()).push(" AND ");
    push_is_mail(&mut query);
    let done = query.build().execute(connection).await?;
    Ok(done.rows_affected())
}

/// The registration and its event are missing only where a mail has outlived them.
const DEAD_MAILS: &str = "SELECT jobs.kind AS kind, jobs.subject_id AS subject_id, jobs.generation AS generation, \
    jobs.attempts AS attempts, jobs.excused AS excused, jobs.due_at AS due_at, jobs.dead_at AS dead_at, \
    jobs.last_error AS last_error, registrations.email AS email, events.account_id AS account_id, \
    events.title AS title, events.slug AS slug, events.is_cancelled AS is_cancelled \
    FROM jobs LEFT JOIN registrations ON registrations.id = jobs.subject_id \
    LEFT JOIN events ON events.id = registrations.event_id \
    WHERE jobs.dead_at IS NOT NULL AND ";

pub(in crate::storage) async fn list_dead_mails(
    connection: &mut Connection,
    limit: i64,
) -> Result<Vec<DeadMail>, Error> {
    let mut query = QueryBuilder::<Db>::new(DEAD_MAILS);
    push_is_mail(&mut query);
    query.push(" ORDER BY jobs.dead_at DESC, jobs.subject_id, jobs.kind, jobs.generation LIMIT ");
    query.push_bind(limit);
    let rows = query.build().fetch_all(connection).await?;
    rows.iter().map(dead_mail).collect()
}

pub(in crate::storage) async fn find_dead_mail(
    connection: &mut Connection,
    key: &JobKey,
) -> Result<Option<DeadMail>, Error> {
    let mut query = QueryBuilder::<Db>::new(DEAD_MAILS);
    push_is_mail(&mut query);
    query.push(" AND jobs.kind = ").push_bind(key.kind.as_str());
    query
        .push(" AND jobs.subject_id = ")
        .push_bind(key.subject_id);
    query
        .push(" AND jobs.generation = ")
        .push_bind(key.generation);
    let row = query.build().fetch_optional(connection).await?;
    row.as_ref().map(dead_mail).transpose()
}

pub(in crate::storage) async fn mail_queue(
    connection: &mut Connection,
) -> Result<MailQueue, Error> {
    let mut query = QueryBuilder::<Db>::new(
        "SELECT COUNT(*) FILTER (WHERE dead_at IS NULL) AS waiting, \
         MIN(created_at) FILTER (WHERE dead_at IS NULL) AS oldest, \
         COUNT(*) FILTER (WHERE dead_at IS NOT NULL) AS dead FROM jobs WHERE ",
    );
    push_is_mail(&mut query);
    let row = query.build().fetch_one(connection).await?;
    let oldest: Option<i64> = row.try_get("oldest")?;
    Ok(MailQueue {
        waiting: row.try_get("waiting")?,
        oldest: oldest.map(Instant::from_micros),
        dead: row.try_get("dead")?,
    })
}

pub(in crate::storage) async fn count_dead_mails(
    connection: &mut Connection,
) -> Result<i64, Error> {
    let mut query = QueryBuilder::<Db>::new(
        "SELECT COUNT(*) AS count FROM jobs WHERE jobs.dead_at IS NOT NULL AND ",
    );
    push_is_mail(&mut query);
    Ok(query
        .build()
        .fetch_one(connection)
        .await?
        .try_get("count")?)
}

fn dead_mail(row: &Row) -> Result<DeadMail, Error> {
    let account: Option<Uuid> = row.try_get("account_id")?;
    let email: Option<String> = row.try_get("email")?;
    let recipient = match (account, email) {
        (Some(account), Some(email)) => Some(DeadMailRecipient {
            email,
            account_id: AccountId::new(account),
            title: row.try_get("title")?,
            slug: row.try_get("slug")?,
            is_cancelled: row.try_get("is_cancelled")?,
        }),
        _ => None,
    };
    let job = jobs::record(row)?;
    Ok(DeadMail { job, recipient })
}

/// Mails are jobs of kinds that are named; other kinds have other subjects.
fn push_is_mail(query: &mut QueryBuilder<Db>) {
    query.push("jobs.kind IN (");
    let mut kinds = query.separated(", ");
    for kind in REGISTRATION_MAILS {
        kinds.push_bind(kind);
    }
    query.push(")");
}
