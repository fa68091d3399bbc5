//! Stored answers to calls with an idempotency key.

use std::time::Duration;

use sqlx::Row as _;

use super::{Connection, Db, LOCK_WAIT};
use crate::{
    domain::{
        ids::{AccountId, RegistrationId},
        instant::Instant,
        keyed_call::{KEPT_SECONDS, KeyedCall},
    },
    storage::{Error, KeptAnswer, values},
};

/// SQLSTATE `lock_not_available`: the wait for a lock timed out.
const LOCK_NOT_AVAILABLE: &str = "55P03";

/// The row is inserted before the decision, so that calls with the same key wait for this transaction to end.
pub(in crate::storage) async fn claim_idempotency_key(
    connection: &mut Connection,
    call: &KeyedCall,
    now: Instant,
    longest_wait: Duration,
) -> Result<bool, Error> {
    let millis = longest_wait.as_millis().max(1);
    set_lock_wait(connection, &format!("{millis}ms")).await?;
    let claimed = sqlx::query::<Db>(
        "INSERT INTO idempotency_keys (account_id, key_hash, request_hash, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (account_id, key_hash) DO UPDATE \
         SET request_hash = $3, answer = NULL, registration_id = NULL, created_at = $4 \
         WHERE idempotency_keys.created_at <= $5",
    )
    .bind(call.account.uuid())
    .bind(call.key_hash.as_slice())
    .bind(call.request_hash.as_slice())
    .bind(now.micros())
    .bind(now.plus_seconds(-KEPT_SECONDS).micros())
    .execute(&mut *connection)
    .await;
    match claimed {
        Ok(done) if done.rows_affected() == 0 => Ok(false),
        Ok(_) => {
            if let Some((_, usual)) = LOCK_WAIT {
                set_lock_wait(connection, usual).await?;
            }
            Ok(true)
        }
        Err(sqlx::Error::Database(error))
            if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) =>
        {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Sets how long this transaction waits for locks from now on.
async fn set_lock_wait(connection: &mut Connection, wait: &str) -> Result<(), Error> {
    if let Some((statement, _)) = LOCK_WAIT {
        sqlx::query::<Db>(statement)
            .bind(wait)
            .execute(connection)
            .await?;
    }
    Ok(())
}

pub(in crate::storage) async fn keep_answer(
    connection: &mut Connection,
    call: &KeyedCall,
    sealed: &[u8],
    registration: Option<RegistrationId>,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>(
        "UPDATE idempotency_keys SET answer = $3, registration_id = $4 WHERE account_id = $1 AND key_hash = $2",
    )
    .bind(call.account.uuid())
    .bind(call.key_hash.as_slice())
    .bind(sealed)
    .bind(registration.map(RegistrationId::uuid))
    .execute(connection)
    .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("idempotency key")),
    }
}

pub(in crate::storage) async fn find_kept_answer(
    connection: &mut Connection,
    call: &KeyedCall,
    now: Instant,
) -> Result<Option<KeptAnswer>, Error> {
    let found = sqlx::query::<Db>(
        "SELECT request_hash, answer FROM idempotency_keys \
         WHERE account_id = $1 AND key_hash = $2 AND created_at > $3",
    )
    .bind(call.account.uuid())
    .bind(call.key_hash.as_slice())
    .bind(now.plus_seconds(-KEPT_SECONDS).micros())
    .fetch_optional(connection)
    .await?;
    found
        .map(|row| {
            let sealed: Option<Vec<u8>> = row.try_get("answer")?;
            let request_hash: &[u8] = row.try_get("request_hash")?;
            Ok(KeptAnswer {
                is_of_this_request: request_hash == call.request_hash,
                sealed: sealed.ok_or_else(|| values::corrupt("answer", "null"))?,
            })
        })
        .transpose()
}

pub(in crate::storage) async fn delete_old_answers(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM idempotency_keys WHERE (account_id, key_hash) IN (SELECT account_id, key_hash \
         FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
    )
    .bind(now.plus_seconds(-KEPT_SECONDS).micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn delete_answers_about(
    connection: &mut Connection,
    registration: RegistrationId,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>("DELETE FROM idempotency_keys WHERE registration_id = $1")
        .bind(registration.uuid())
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn delete_answers_of(
    connection: &mut Connection,
    account: AccountId,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>("DELETE FROM idempotency_keys WHERE account_id = $1")
        .bind(account.uuid())
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}
