//! Codes in mails.

use sqlx::Row as _;

use super::{Connection, Db, Row};
use crate::{
    domain::{
        email,
        ids::CodeId,
        instant::Instant,
        sign_in_code::{Code, Digits, Holder, Purpose, TRIES},
    },
    storage::{Error, values},
};

pub(in crate::storage) async fn put_code(
    connection: &mut Connection,
    code: &Code,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO codes (id, purpose, holder, email, email_norm, code, tries, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (purpose, holder) DO UPDATE SET id = excluded.id, \
         email = excluded.email, email_norm = excluded.email_norm, code = excluded.code, tries = excluded.tries, \
         expires_at = excluded.expires_at",
    )
    .bind(code.id.uuid())
    .bind(code.purpose.name())
    .bind(code.holder.bytes().as_slice())
    .bind(&code.email)
    .bind(email::normalised(&code.email))
    .bind(code.digits.as_str())
    .bind(code.tries)
    .bind(code.expires_at.micros())
    .execute(connection)
    .await?;
    Ok(())
}

/// One statement, so that of tries at the same time none is counted twice.
pub(in crate::storage) async fn try_code(
    connection: &mut Connection,
    purpose: Purpose,
    holder: &Holder,
    now: Instant,
) -> Result<Option<Code>, Error> {
    sqlx::query::<Db>(
        "UPDATE codes SET tries = tries + 1 WHERE purpose = $1 AND holder = $2 AND expires_at > $3 AND tries < $4 \
         RETURNING id, purpose, holder, email, code, tries, expires_at",
    )
    .bind(purpose.name())
    .bind(holder.bytes().as_slice())
    .bind(now.micros())
    .bind(TRIES)
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn find_code(
    connection: &mut Connection,
    code: CodeId,
) -> Result<Option<Code>, Error> {
    sqlx::query::<Db>(
        "SELECT id, purpose, holder, email, code, tries, expires_at FROM codes WHERE id = $1",
    )
    .bind(code.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn delete_code(
    connection: &mut Connection,
    code: CodeId,
) -> Result<(), Error> {
    sqlx::query::<Db>("DELETE FROM codes WHERE id = $1")
        .bind(code.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn delete_codes_to(
    connection: &mut Connection,
    email_norm: &str,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>("DELETE FROM codes WHERE email_norm = $1")
        .bind(email_norm)
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn delete_expired_codes(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM codes WHERE id IN (SELECT id FROM codes WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
    )
    .bind(now.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

fn read(row: &Row) -> Result<Code, Error> {
    let holder: &[u8] = row.try_get("holder")?;
    let holder = holder.try_into().map(Holder::browser);
    let digits = Digits::stored(row.try_get("code")?);
    Ok(Code {
        id: CodeId::new(row.try_get("id")?),
        purpose: values::named("purpose of a code", row.try_get("purpose")?)?,
        holder: holder.map_err(|_| values::corrupt("holder of a code", "not 32 bytes"))?,
        email: row.try_get("email")?,
        digits: digits.ok_or_else(|| values::corrupt("code", "not 8 digits"))?,
        tries: row.try_get("tries")?,
        expires_at: Instant::from_micros(row.try_get("expires_at")?),
    })
}
