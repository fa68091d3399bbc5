//! The mails among the jobs: how many wait, and which failed.

use sqlx::{QueryBuilder, Row as _};
use uuid::Uuid;

use super::{Connection, Db, Row, jobs};
use crate::{
    domain::{
        ids::{AccountId, PersonId, RegistrationId},
        instant::Instant,
        job::{JobKey, JobKind},
    },
    storage::{Error, FailedMail, FailedMailRecipient, MailQueue},
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

/// Mails with codes and invitations to the address, mails to the member, and failed ones whose server named the address: their codes
/// and invitations may be gone by now.
pub(in crate::storage) async fn delete_mails_to(
    connection: &mut Connection,
    email_norm: &str,
    person: Option<PersonId>,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM jobs WHERE (kind = $1 AND subject_id IN (SELECT id FROM codes WHERE email_norm = $4)) \
         OR (kind = $2 AND subject_id IN (SELECT id FROM invitations WHERE email_norm = $4)) \
         OR (kind = $3 AND payload LIKE $5) \
         OR (kind = $6 AND subject_id IN (SELECT id FROM oauth_grants WHERE person_id = $7)) \
         OR (kind IN ($1, $2, $3, $6) AND replace(lower(last_error), $4, '') <> lower(last_error))",
    )
    .bind(JobKind::CodeMail.name())
    .bind(JobKind::InvitationMail.name())
    .bind(JobKind::OrganizerMail.name())
    .bind(email_norm)
    .bind(person.map(|id| format!("%\"person\":\"{id}\"%")))
    .bind(JobKind::AppMail.name())
    .bind(person.map(PersonId::uuid))
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

/// The registration and its event are missing only where a mail has outlived them.
const FAILED_MAILS: &str = "SELECT jobs.kind AS kind, jobs.subject_id AS subject_id, jobs.occasion AS occasion, jobs.payload AS payload, \
    jobs.attempts AS attempts, jobs.uncounted AS uncounted, jobs.due_at AS due_at, jobs.failed_at AS failed_at, \
    jobs.last_error AS last_error, registrations.email AS email, events.account_id AS account_id, \
    events.title AS title, events.slug AS slug, events.is_cancelled AS is_cancelled \
    FROM jobs LEFT JOIN registrations ON registrations.id = jobs.subject_id \
    LEFT JOIN events ON events.id = registrations.event_id \
    WHERE jobs.failed_at IS NOT NULL AND ";

pub(in crate::storage) async fn list_failed_mails(
    connection: &mut Connection,
    limit: i64,
) -> Result<Vec<FailedMail>, Error> {
    let mut query = QueryBuilder::<Db>::new(FAILED_MAILS);
    push_is_mail(&mut query);
    query.push(" ORDER BY jobs.failed_at DESC, jobs.subject_id, jobs.kind, jobs.occasion LIMIT ");
    query.push_bind(limit);
    let rows = query.build().fetch_all(connection).await?;
    rows.iter().map(failed_mail).collect()
}

pub(in crate::storage) async fn find_failed_mail(
    connection: &mut Connection,
    key: &JobKey,
) -> Result<Option<FailedMail>, Error> {
    let mut query = QueryBuilder::<Db>::new(FAILED_MAILS);
    push_is_mail(&mut query);
    query.push(" AND jobs.kind = ").push_bind(key.kind.name());
    query
        .push(" AND jobs.subject_id = ")
        .push_bind(key.subject_id);
    query.push(" AND jobs.occasion = ").push_bind(key.occasion);
    let row = query.build().fetch_optional(connection).await?;
    row.as_ref().map(failed_mail).transpose()
}

pub(in crate::storage) async fn mail_queue(
    connection: &mut Connection,
) -> Result<MailQueue, Error> {
    let mut query = QueryBuilder::<Db>::new(
        "SELECT COUNT(*) FILTER (WHERE failed_at IS NULL) AS waiting, \
         MIN(created_at) FILTER (WHERE failed_at IS NULL) AS oldest, \
         COUNT(*) FILTER (WHERE failed_at IS NOT NULL) AS failed FROM jobs WHERE ",
    );
    push_is_mail(&mut query);
    let row = query.build().fetch_one(connection).await?;
    let oldest: Option<i64> = row.try_get("oldest")?;
    Ok(MailQueue {
        waiting: row.try_get("waiting")?,
        oldest: oldest.map(Instant::from_micros),
        failed: row.try_get("failed")?,
    })
}

pub(in crate::storage) async fn count_failed_mails(
    connection: &mut Connection,
) -> Result<i64, Error> {
    let mut query = QueryBuilder::<Db>::new(
        "SELECT COUNT(*) AS count FROM jobs WHERE jobs.failed_at IS NOT NULL AND ",
    );
    push_is_mail(&mut query);
    Ok(query
        .build()
        .fetch_one(connection)
        .await?
        .try_get("count")?)
}

fn failed_mail(row: &Row) -> Result<FailedMail, Error> {
    let account: Option<Uuid> = row.try_get("account_id")?;
    let email: Option<String> = row.try_get("email")?;
    let recipient = match (account, email) {
        (Some(account), Some(email)) => Some(FailedMailRecipient {
            email,
            account_id: AccountId::new(account),
            title: row.try_get("title")?,
            slug: row.try_get("slug")?,
            is_cancelled: row.try_get("is_cancelled")?,
        }),
        _ => None,
    };
    // The statement selects only kinds that have names.
    let kind: String = row.try_get("kind")?;
    let kind = kind
        .parse()
        .map_err(|error| Error::Internal(Box::new(error)))?;
    let job = jobs::record(kind, row)?;
    Ok(FailedMail { job, recipient })
}

/// Mails are jobs of kinds that are named; other kinds have other subjects.
fn push_is_mail(query: &mut QueryBuilder<Db>) {
    query.push("jobs.kind IN (");
    let mut kinds = query.separated(", ");
    let others = [JobKind::OrganizerMail];
    let mails = JobKind::MAILS.into_iter().chain(JobKind::PERSON_MAILS);
    for kind in mails.chain(others) {
        kinds.push_bind(kind.name());
    }
    query.push(")");
}
