//! Access tokens and refresh tokens.

use sqlx::Row as _;

use super::{Connection, Db, Row, oauth_grants};
use crate::{
    domain::{
        ids::GrantId,
        instant::Instant,
        oauth::{AccessToken, Grant, Hash, RefreshToken, rotation::Successor},
        person::Standing,
        scope::Scopes,
    },
    storage::{Error, values},
};

pub(in crate::storage) async fn insert_access_token(
    connection: &mut Connection,
    token: &AccessToken,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO oauth_access_tokens (hash, grant_id, scopes, audience, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(token.hash.as_slice())
    .bind(token.grant_id.uuid())
    .bind(token.scopes.stored())
    .bind(token.audience.name())
    .bind(token.created_at.micros())
    .bind(token.expires_at.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn insert_refresh_token(
    connection: &mut Connection,
    token: &RefreshToken,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO oauth_refresh_tokens (hash, grant_id, parent, created_at, expires_at, consumed_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(token.hash.as_slice())
    .bind(token.grant_id.uuid())
    .bind(token.parent.as_ref().map(<[u8; 32]>::as_slice))
    .bind(token.created_at.micros())
    .bind(token.expires_at.micros())
    .bind(token.consumed_at.map(Instant::micros))
    .execute(connection)
    .await?;
    Ok(())
}

/// None if its person is no member of the account any more.
pub(in crate::storage) async fn find_access_token(
    connection: &mut Connection,
    hash: &Hash,
) -> Result<Option<(AccessToken, Grant, Standing)>, Error> {
    sqlx::query::<Db>(
        "SELECT t.hash, t.grant_id, t.scopes AS token_scopes, t.audience AS token_audience, t.created_at, t.expires_at, \
         g.id, g.person_id, g.account_id, g.client_id AS client, g.redirect_uri, g.scopes, g.audience, \
         g.created_at AS agreed_at, g.last_used_at, g.ends_at, g.revoked_at, \
         m.role, a.suspended_at IS NOT NULL AS is_suspended FROM oauth_access_tokens t \
         JOIN oauth_grants g ON g.id = t.grant_id \
         JOIN memberships m ON m.account_id = g.account_id AND m.person_id = g.person_id \
         JOIN accounts a ON a.id = g.account_id WHERE t.hash = $1",
    )
    .bind(hash.as_slice())
    .fetch_optional(connection)
    .await?
    .map(|row| {
        let standing = Standing {
            role: values::named("role", row.try_get("role")?)?,
            is_suspended: row.try_get("is_suspended")?,
        };
        let token = AccessToken {
            hash: *hash,
            grant_id: GrantId::new(row.try_get("grant_id")?),
            scopes: Scopes::from_stored(row.try_get("token_scopes")?),
            audience: values::named("audience", row.try_get("token_audience")?)?,
            created_at: Instant::from_micros(row.try_get("created_at")?),
            expires_at: Instant::from_micros(row.try_get("expires_at")?),
        };
        Ok((token, oauth_grants::read(&row)?, standing))
    })
    .transpose()
}

pub(in crate::storage) async fn find_refresh_token(
    connection: &mut Connection,
    hash: &Hash,
) -> Result<Option<RefreshToken>, Error> {
    sqlx::query::<Db>(
        "SELECT hash, grant_id, parent, created_at, expires_at, consumed_at FROM oauth_refresh_tokens WHERE hash = $1",
    )
    .bind(hash.as_slice())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(refresh_token)
    .transpose()
}

pub(in crate::storage) async fn list_successors(
    connection: &mut Connection,
    hash: &Hash,
    limit: i64,
) -> Result<Vec<Successor>, Error> {
    sqlx::query::<Db>(
        "SELECT hash, created_at, consumed_at IS NOT NULL AS is_used FROM oauth_refresh_tokens WHERE parent = $1 \
         ORDER BY created_at DESC, hash LIMIT $2",
    )
    .bind(hash.as_slice())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        Ok(Successor {
            hash: values::hash("refresh token", row.try_get("hash")?)?,
            created_at: Instant::from_micros(row.try_get("created_at")?),
            is_used: row.try_get("is_used")?,
        })
    })
    .collect()
}

pub(in crate::storage) async fn consume_refresh_token(
    connection: &mut Connection,
    hash: &Hash,
    at: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE oauth_refresh_tokens SET consumed_at = $2 WHERE hash = $1")
        .bind(hash.as_slice())
        .bind(at.micros())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn delete_refresh_token(
    connection: &mut Connection,
    hash: &Hash,
) -> Result<(), Error> {
    sqlx::query::<Db>("DELETE FROM oauth_refresh_tokens WHERE hash = $1")
        .bind(hash.as_slice())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn delete_access_token(
    connection: &mut Connection,
    hash: &Hash,
) -> Result<(), Error> {
    sqlx::query::<Db>("DELETE FROM oauth_access_tokens WHERE hash = $1")
        .bind(hash.as_slice())
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the SHA-256 of the access tokens.
pub(in crate::storage) async fn delete_tokens_of(
    connection: &mut Connection,
    grant: GrantId,
) -> Result<Vec<Hash>, Error> {
    sqlx::query::<Db>("DELETE FROM oauth_refresh_tokens WHERE grant_id = $1")
        .bind(grant.uuid())
        .execute(&mut *connection)
        .await?;
    sqlx::query::<Db>("DELETE FROM oauth_access_tokens WHERE grant_id = $1 RETURNING hash")
        .bind(grant.uuid())
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| values::hash("access token", row.try_get("hash")?))
        .collect()
}

/// Keeps the `kept` of each kind that were made last.
pub(in crate::storage) async fn delete_tokens_beyond(
    connection: &mut Connection,
    grant: GrantId,
    kept: i64,
) -> Result<(), Error> {
    for statement in [
        "DELETE FROM oauth_refresh_tokens WHERE hash IN (SELECT hash FROM oauth_refresh_tokens WHERE grant_id = $1 \
         ORDER BY created_at DESC, hash LIMIT 100 OFFSET $2)",
        "DELETE FROM oauth_access_tokens WHERE hash IN (SELECT hash FROM oauth_access_tokens WHERE grant_id = $1 \
         ORDER BY created_at DESC, hash LIMIT 100 OFFSET $2)",
    ] {
        sqlx::query::<Db>(statement)
            .bind(grant.uuid())
            .bind(kept)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

pub(in crate::storage) async fn delete_expired_tokens(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let mut gone = 0;
    for statement in [
        "DELETE FROM oauth_access_tokens WHERE hash IN (SELECT hash FROM oauth_access_tokens WHERE expires_at <= $1 \
         ORDER BY expires_at LIMIT $2)",
        "DELETE FROM oauth_refresh_tokens WHERE hash IN (SELECT hash FROM oauth_refresh_tokens WHERE expires_at <= $1 \
         ORDER BY expires_at LIMIT $2)",
    ] {
        let done = sqlx::query::<Db>(statement)
            .bind(now.micros())
            .bind(limit)
            .execute(&mut *connection)
            .await?;
        gone += done.rows_affected();
    }
    Ok(gone)
}

fn refresh_token(row: &Row) -> Result<RefreshToken, Error> {
    let parent: Option<&[u8]> = row.try_get("parent")?;
    let consumed_at: Option<i64> = row.try_get("consumed_at")?;
    Ok(RefreshToken {
        hash: values::hash("refresh token", row.try_get("hash")?)?,
        grant_id: GrantId::new(row.try_get("grant_id")?),
        parent: parent
            .map(|parent| values::hash("refresh token", parent))
            .transpose()?,
        created_at: Instant::from_micros(row.try_get("created_at")?),
        expires_at: Instant::from_micros(row.try_get("expires_at")?),
        consumed_at: consumed_at.map(Instant::from_micros),
    })
}
