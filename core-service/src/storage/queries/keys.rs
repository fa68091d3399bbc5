//! API keys.

use sqlx::Row as _;
use uuid::Uuid;

use super::{
    Connection, Db, Row,
    accounts::{self, account_columns},
};
use crate::{
    domain::{
        account::{Account, ApiKey},
        ids::{AccountId, KeyId, PersonId},
        instant::Instant,
        person::{MemberKey, Standing},
        scope::Scopes,
    },
    storage::{Error, values},
};

macro_rules! select_keys {
    ($rest:literal) => {
        concat!(
            "SELECT k.id, k.person_id, k.label, k.hash, k.scopes, k.created_at, k.last_used_at, k.expires_at, k.revoked_at, ",
            account_columns!(),
            " FROM api_keys k JOIN accounts a ON a.id = k.account_id ",
            $rest
        )
    };
}

pub(in crate::storage) async fn insert_key(
    connection: &mut Connection,
    key: &ApiKey,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO api_keys (id, account_id, person_id, label, hash, created_at, last_used_at, expires_at, revoked_at, scopes) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(key.id.uuid())
    .bind(key.account_id.uuid())
    .bind(key.person_id.map(PersonId::uuid))
    .bind(&key.label)
    .bind(key.hash.as_slice())
    .bind(key.created_at.micros())
    .bind(key.last_used_at.map(Instant::micros))
    .bind(key.expires_at.map(Instant::micros))
    .bind(key.revoked_at.map(Instant::micros))
    .bind(key.scopes.stored())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn revoke_key(
    connection: &mut Connection,
    key: KeyId,
    now: Instant,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL",
    )
    .bind(key.uuid())
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn touch_keys(
    connection: &mut Connection,
    uses: &[(KeyId, Instant)],
) -> Result<(), Error> {
    // In one order, so that two cores that update the same keys cannot deadlock.
    let mut uses = uses.to_vec();
    uses.sort_unstable();
    for (key, at) in uses {
        sqlx::query::<Db>(
            "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
        )
        .bind(key.uuid())
        .bind(at.micros())
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

pub(in crate::storage) async fn find_key_by_hash(
    connection: &mut Connection,
    hash: &[u8; 32],
) -> Result<Option<(ApiKey, Standing)>, Error> {
    sqlx::query::<Db>(
        "SELECT k.id, k.account_id, k.person_id, k.label, k.hash, k.scopes, k.created_at, k.last_used_at, k.expires_at, \
         k.revoked_at, m.role, a.suspended_at IS NOT NULL AS is_suspended FROM api_keys k \
         JOIN memberships m ON m.account_id = k.account_id AND m.person_id = k.person_id \
         JOIN accounts a ON a.id = k.account_id WHERE k.hash = $1",
    )
    .bind(hash.as_slice())
    .fetch_optional(connection)
    .await?
    .map(|row| {
        let standing = Standing {
            role: values::named("role", row.try_get("role")?)?,
            is_suspended: row.try_get("is_suspended")?,
        };
        Ok((key(&row)?, standing))
    })
    .transpose()
}

pub(in crate::storage) async fn find_key(
    connection: &mut Connection,
    key: KeyId,
) -> Result<Option<(ApiKey, Account)>, Error> {
    sqlx::query::<Db>(select_keys!("WHERE k.id = $1"))
        .bind(key.uuid())
        .fetch_optional(connection)
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

pub(in crate::storage) async fn list_keys(
    connection: &mut Connection,
    limit: i64,
) -> Result<Vec<(ApiKey, Account)>, Error> {
    sqlx::query::<Db>(select_keys!(
        "ORDER BY account_email, k.account_id, k.created_at, k.id LIMIT $1"
    ))
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn list_member_keys(
    connection: &mut Connection,
    account: AccountId,
    limit: i64,
) -> Result<Vec<MemberKey>, Error> {
    sqlx::query::<Db>(
        "SELECT k.id, k.account_id, k.person_id, k.label, k.hash, k.scopes, k.created_at, k.last_used_at, k.expires_at, \
         k.revoked_at, m.role, COALESCE(p.name, '') AS person_name FROM api_keys k \
         LEFT JOIN people p ON p.id = k.person_id \
         LEFT JOIN memberships m ON m.account_id = k.account_id AND m.person_id = k.person_id \
         WHERE k.account_id = $1 AND k.revoked_at IS NULL ORDER BY k.created_at DESC, k.id DESC LIMIT $2",
    )
    .bind(account.uuid())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let role: Option<&str> = row.try_get("role")?;
        Ok(MemberKey {
            key: key(row)?,
            person_name: row.try_get("person_name")?,
            role: role.map(|role| values::named("role", role)).transpose()?,
        })
    })
    .collect()
}

pub(in crate::storage) async fn expire_key(
    connection: &mut Connection,
    key: KeyId,
    at: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE api_keys SET expires_at = $2 WHERE id = $1")
        .bind(key.uuid())
        .bind(at.micros())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn revoke_keys_by(
    connection: &mut Connection,
    account: AccountId,
    person: PersonId,
    now: Instant,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE api_keys SET revoked_at = $3 WHERE account_id = $1 AND person_id = $2 AND revoked_at IS NULL",
    )
    .bind(account.uuid())
    .bind(person.uuid())
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn pass_on_keys(
    connection: &mut Connection,
    account: AccountId,
    from: PersonId,
    to: PersonId,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "UPDATE api_keys SET person_id = $3 WHERE account_id = $1 AND person_id = $2",
    )
    .bind(account.uuid())
    .bind(from.uuid())
    .bind(to.uuid())
    .execute(connection)
    .await?;
    Ok(())
}

fn read(row: &Row) -> Result<(ApiKey, Account), Error> {
    Ok((key(row)?, accounts::read(row)?))
}

fn key(row: &Row) -> Result<ApiKey, Error> {
    let hash: &[u8] = row.try_get("hash")?;
    let instant = |column| {
        Ok::<_, Error>(
            row.try_get::<Option<i64>, _>(column)?
                .map(Instant::from_micros),
        )
    };
    let person: Option<Uuid> = row.try_get("person_id")?;
    Ok(ApiKey {
        id: KeyId::new(row.try_get("id")?),
        account_id: AccountId::new(row.try_get::<Uuid, _>("account_id")?),
        person_id: person.map(PersonId::new),
        label: row.try_get("label")?,
        hash: hash
            .try_into()
            .map_err(|_| values::corrupt("key hash", "not 32 bytes"))?,
        scopes: Scopes::from_stored(row.try_get("scopes")?),
        created_at: Instant::from_micros(row.try_get("created_at")?),
        last_used_at: instant("last_used_at")?,
        expires_at: instant("expires_at")?,
        revoked_at: instant("revoked_at")?,
    })
}
