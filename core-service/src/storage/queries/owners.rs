//! Accounts as their members and operators manage them, and removing them.

use sqlx::Row as _;

use super::{
    Connection, Db,
    accounts::{self, account_columns},
    ids::ids,
};
use crate::{
    domain::{
        account::{Account, AccountContents},
        ids::{AccountId, EventId, PersonId, RegistrationId},
        instant::Instant,
        job::JobKind,
    },
    storage::Error,
};

pub(in crate::storage) async fn update_account(
    connection: &mut Connection,
    account: &Account,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>("UPDATE accounts SET name = $2, timezone = $3 WHERE id = $1")
        .bind(account.id.uuid())
        .bind(&account.name)
        .bind(&account.timezone)
        .execute(connection)
        .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("account")),
    }
}

pub(in crate::storage) async fn list_accounts(
    connection: &mut Connection,
    limit: i64,
) -> Result<Vec<Account>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        account_columns!(),
        " FROM accounts a WHERE a.removed_at IS NULL ORDER BY a.created_at, a.id LIMIT $1"
    ))
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(accounts::read)
    .collect()
}

/// The numbers of registrations are those of the counters, which are exact.
pub(in crate::storage) async fn account_contents(
    connection: &mut Connection,
    account: AccountId,
    now: Instant,
) -> Result<AccountContents, Error> {
    let row = sqlx::query::<Db>(
        "SELECT (SELECT COUNT(*) FROM events WHERE account_id = $1) AS events, \
         (SELECT CAST(COALESCE(SUM(c.confirmed + c.pending + c.waitlisted + c.cancelled), 0) AS BIGINT) FROM events e \
         JOIN event_counters c ON c.event_id = e.id WHERE e.account_id = $1) AS registrations, \
         (SELECT COUNT(*) FROM memberships WHERE account_id = $1) AS members, \
         (SELECT COUNT(*) FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL) AS keys, \
         (SELECT COUNT(*) FROM events e JOIN event_counters c ON c.event_id = e.id WHERE e.account_id = $1 \
         AND e.is_cancelled = FALSE AND e.effective_end > $2 AND c.confirmed + c.pending + c.waitlisted > 0) AS awaited, \
         (SELECT COUNT(*) FROM jobs j JOIN registrations r ON r.id = j.subject_id JOIN events e ON e.id = r.event_id \
         WHERE j.kind = $3 AND j.failed_at IS NULL AND e.account_id = $1) AS waiting_mails",
    )
    .bind(account.uuid())
    .bind(now.micros())
    .bind(JobKind::CancellationMail.name())
    .fetch_one(connection)
    .await?;
    Ok(AccountContents {
        events: row.try_get("events")?,
        registrations: row.try_get("registrations")?,
        members: row.try_get("members")?,
        keys: row.try_get("keys")?,
        awaited_events: row.try_get("awaited")?,
        waiting_mails: row.try_get("waiting_mails")?,
    })
}

/// In the order of the locks on their counters.
pub(in crate::storage) async fn list_event_ids_of(
    connection: &mut Connection,
    account: AccountId,
    after: Option<EventId>,
    limit: i64,
) -> Result<Vec<EventId>, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT id FROM events WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3",
    )
    .bind(account.uuid())
    .bind(after.map_or(uuid::Uuid::nil(), EventId::uuid))
    .bind(limit)
    .fetch_all(connection)
    .await?;
    ids(&rows, EventId::new)
}

/// Sessions about the account are about another one of their person then, if there is one.
pub(in crate::storage) async fn begin_removal(
    connection: &mut Connection,
    account: AccountId,
    now: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE accounts SET removed_at = $2 WHERE id = $1")
        .bind(account.uuid())
        .bind(now.micros())
        .execute(&mut *connection)
        .await?;
    for statement in [
        "UPDATE sessions SET account_id = (SELECT m.account_id FROM memberships m WHERE m.person_id = sessions.person_id \
         AND m.account_id <> $1 ORDER BY m.created_at, m.account_id LIMIT 1) WHERE account_id = $1",
        "DELETE FROM oauth_codes WHERE account_id = $1",
        "DELETE FROM oauth_grants WHERE account_id = $1",
        "DELETE FROM memberships WHERE account_id = $1",
        "DELETE FROM invitations WHERE account_id = $1",
        "DELETE FROM api_keys WHERE account_id = $1",
        "DELETE FROM idempotency_keys WHERE account_id = $1",
    ] {
        sqlx::query::<Db>(statement)
            .bind(account.uuid())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

pub(in crate::storage) async fn list_removed_accounts(
    connection: &mut Connection,
    limit: i64,
) -> Result<Vec<AccountId>, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT id FROM accounts WHERE removed_at IS NOT NULL ORDER BY removed_at LIMIT $1",
    )
    .bind(limit)
    .fetch_all(connection)
    .await?;
    ids(&rows, AccountId::new)
}

pub(in crate::storage) async fn lock_removed_account(
    connection: &mut Connection,
    account: AccountId,
) -> Result<bool, Error> {
    let found = sqlx::query::<Db>(concat!(
        "SELECT id FROM accounts WHERE id = $1 AND removed_at IS NOT NULL",
        for_update!()
    ))
    .bind(account.uuid())
    .fetch_optional(connection)
    .await?;
    Ok(found.is_some())
}

pub(in crate::storage) async fn list_registration_ids_of(
    connection: &mut Connection,
    account: AccountId,
    limit: i64,
) -> Result<Vec<RegistrationId>, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT r.id FROM registrations r JOIN events e ON e.id = r.event_id WHERE e.account_id = $1 LIMIT $2",
    )
    .bind(account.uuid())
    .bind(limit)
    .fetch_all(connection)
    .await?;
    ids(&rows, RegistrationId::new)
}

/// Nothing else refers to it any more.
pub(in crate::storage) async fn delete_account(
    connection: &mut Connection,
    account: AccountId,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>("DELETE FROM accounts WHERE id = $1 AND removed_at IS NOT NULL")
        .bind(account.uuid())
        .execute(connection)
        .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("account")),
    }
}

pub(in crate::storage) async fn erase_keys_of_person(
    connection: &mut Connection,
    person: PersonId,
    now: Instant,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE api_keys SET revoked_at = $2 WHERE person_id = $1 AND revoked_at IS NULL",
    )
    .bind(person.uuid())
    .bind(now.micros())
    .execute(&mut *connection)
    .await?;
    sqlx::query::<Db>("UPDATE api_keys SET label = 'erased' WHERE person_id = $1")
        .bind(person.uuid())
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}
