//! Sessions, and the browsers in which people signed in.

use sqlx::Row as _;
use uuid::Uuid;

use super::{Connection, Db, Row};
use crate::{
    domain::{
        budget::BrowserHash,
        ids::{AccountId, PersonId, SessionId},
        instant::Instant,
        person::Standing,
        session::{IDLE_SECONDS, Session},
    },
    storage::{Error, values},
};

macro_rules! select_sessions {
    ($more:literal, $rest:literal) => {
        concat!(
            "SELECT s.id, s.person_id, s.hash, s.account_id, s.device, s.created_at, s.last_used_at, s.stepped_up_at, \
             s.expires_at",
            $more,
            " FROM sessions s ",
            $rest
        )
    };
}

pub(in crate::storage) async fn insert_session(
    connection: &mut Connection,
    session: &Session,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO sessions (id, person_id, hash, account_id, device, created_at, last_used_at, stepped_up_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(session.id.uuid())
    .bind(session.person_id.uuid())
    .bind(session.hash.as_slice())
    .bind(session.account_id.map(AccountId::uuid))
    .bind(&session.device)
    .bind(session.created_at.micros())
    .bind(session.last_used_at.micros())
    .bind(session.stepped_up_at.micros())
    .bind(session.expires_at.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn find_session_by_hash(
    connection: &mut Connection,
    hash: &[u8; 32],
) -> Result<Option<(Session, Option<Standing>)>, Error> {
    sqlx::query::<Db>(select_sessions!(
        ", m.role, a.suspended_at IS NOT NULL AS is_suspended",
        "LEFT JOIN memberships m ON m.account_id = s.account_id AND m.person_id = s.person_id \
         LEFT JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1"
    ))
    .bind(hash.as_slice())
    .fetch_optional(connection)
    .await?
    .map(|row| {
        let role: Option<&str> = row.try_get("role")?;
        let standing = |role| {
            Ok::<_, Error>(Standing {
                role: values::named("role", role)?,
                is_suspended: row.try_get("is_suspended")?,
            })
        };
        Ok((read(&row)?, role.map(standing).transpose()?))
    })
    .transpose()
}

pub(in crate::storage) async fn find_session(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Option<Session>, Error> {
    sqlx::query::<Db>(select_sessions!("", "WHERE s.id = $1"))
        .bind(session.uuid())
        .fetch_optional(connection)
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

pub(in crate::storage) async fn list_sessions(
    connection: &mut Connection,
    person: PersonId,
    now: Instant,
    limit: i64,
) -> Result<Vec<Session>, Error> {
    sqlx::query::<Db>(select_sessions!(
        "",
        "WHERE s.person_id = $1 AND s.expires_at > $2 AND s.last_used_at > $3 \
         ORDER BY s.last_used_at DESC, s.id DESC LIMIT $4"
    ))
    .bind(person.uuid())
    .bind(now.micros())
    .bind(now.plus_seconds(-IDLE_SECONDS).micros())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn replace_session_hash(
    connection: &mut Connection,
    session: SessionId,
    old: &[u8; 32],
    new: &[u8; 32],
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>("UPDATE sessions SET hash = $3 WHERE id = $1 AND hash = $2")
        .bind(session.uuid())
        .bind(old.as_slice())
        .bind(new.as_slice())
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn step_up_session(
    connection: &mut Connection,
    session: SessionId,
    now: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE sessions SET stepped_up_at = $2 WHERE id = $1")
        .bind(session.uuid())
        .bind(now.micros())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn set_account_of_session(
    connection: &mut Connection,
    session: SessionId,
    account: AccountId,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE sessions SET account_id = $2 WHERE id = $1")
        .bind(session.uuid())
        .bind(account.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

/// They are about another account of the person then, if there is one.
pub(in crate::storage) async fn take_account_from_sessions(
    connection: &mut Connection,
    account: AccountId,
    person: PersonId,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "UPDATE sessions SET account_id = (SELECT m.account_id FROM memberships m WHERE m.person_id = $2 \
         AND m.account_id <> $1 ORDER BY m.created_at, m.account_id LIMIT 1) WHERE person_id = $2 AND account_id = $1",
    )
    .bind(account.uuid())
    .bind(person.uuid())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn delete_session(
    connection: &mut Connection,
    person: PersonId,
    session: SessionId,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>("DELETE FROM sessions WHERE id = $1 AND person_id = $2")
        .bind(session.uuid())
        .bind(person.uuid())
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Keeps the `kept` that were used last.
pub(in crate::storage) async fn delete_sessions_of(
    connection: &mut Connection,
    person: PersonId,
    kept: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM sessions WHERE person_id = $1 AND id NOT IN \
         (SELECT id FROM sessions WHERE person_id = $1 ORDER BY last_used_at DESC, id DESC LIMIT $2)",
    )
    .bind(person.uuid())
    .bind(kept)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn touch_sessions(
    connection: &mut Connection,
    uses: &[(SessionId, Instant)],
) -> Result<(), Error> {
    // In one order, so that two cores that update the same sessions cannot deadlock.
    let mut uses = uses.to_vec();
    uses.sort_unstable();
    for (session, at) in uses {
        sqlx::query::<Db>(
            "UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2",
        )
        .bind(session.uuid())
        .bind(at.micros())
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

pub(in crate::storage) async fn delete_ended_sessions(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE last_used_at <= $1 OR expires_at <= $2 LIMIT $3)",
    )
    .bind(now.plus_seconds(-IDLE_SECONDS).micros())
    .bind(now.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn put_known_browser(
    connection: &mut Connection,
    browser: &BrowserHash,
    person: PersonId,
    now: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO known_browsers (browser, person_id, signed_in_at) VALUES ($1, $2, $3) \
         ON CONFLICT (browser, person_id) DO UPDATE SET signed_in_at = excluded.signed_in_at",
    )
    .bind(browser.as_slice())
    .bind(person.uuid())
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn knows_browser(
    connection: &mut Connection,
    browser: &BrowserHash,
    email_norm: &str,
) -> Result<bool, Error> {
    let row = sqlx::query::<Db>(
        "SELECT EXISTS (SELECT 1 FROM known_browsers b JOIN people p ON p.id = b.person_id \
         WHERE b.browser = $1 AND p.email_norm = $2) AS found",
    )
    .bind(browser.as_slice())
    .bind(email_norm)
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("found")?)
}

pub(in crate::storage) async fn delete_old_browsers(
    connection: &mut Connection,
    before: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM known_browsers WHERE (browser, person_id) IN (SELECT browser, person_id FROM known_browsers \
         WHERE signed_in_at < $1 ORDER BY signed_in_at LIMIT $2)",
    )
    .bind(before.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

fn read(row: &Row) -> Result<Session, Error> {
    let hash: &[u8] = row.try_get("hash")?;
    let account: Option<Uuid> = row.try_get("account_id")?;
    let instant = |column| Ok::<_, Error>(Instant::from_micros(row.try_get(column)?));
    Ok(Session {
        id: SessionId::new(row.try_get("id")?),
        person_id: PersonId::new(row.try_get("person_id")?),
        hash: hash
            .try_into()
            .map_err(|_| values::corrupt("session hash", "not 32 bytes"))?,
        account_id: account.map(AccountId::new),
        device: row.try_get("device")?,
        created_at: instant("created_at")?,
        last_used_at: instant("last_used_at")?,
        stepped_up_at: instant("stepped_up_at")?,
        expires_at: instant("expires_at")?,
    })
}
