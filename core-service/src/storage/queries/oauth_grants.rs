//! What people agreed to.

use sqlx::Row as _;

use super::{Connection, Db, Row, ids::ids, oauth_clients};
use crate::{
    domain::{
        ids::{AccountId, ClientId, GrantId, PersonId},
        instant::Instant,
        oauth::Grant,
        person::Role,
        scope::Scopes,
    },
    storage::{Error, StoredConnection, values},
};

macro_rules! grant_columns {
    () => {
        "g.id, g.person_id, g.account_id, g.client_id AS client, g.redirect_uri, g.scopes, g.audience, g.created_at AS agreed_at, \
         g.last_used_at, g.ends_at, g.revoked_at"
    };
}

pub(in crate::storage) async fn insert_grant(
    connection: &mut Connection,
    grant: &Grant,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO oauth_grants (id, person_id, account_id, client_id, redirect_uri, scopes, audience, created_at, last_used_at, \
         ends_at, revoked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(grant.id.uuid())
    .bind(grant.person_id.uuid())
    .bind(grant.account_id.uuid())
    .bind(grant.client_id.uuid())
    .bind(&grant.redirect_uri)
    .bind(grant.scopes.stored())
    .bind(grant.audience.name())
    .bind(grant.created_at.micros())
    .bind(grant.last_used_at.map(Instant::micros))
    .bind(grant.ends_at.micros())
    .bind(grant.revoked_at.map(Instant::micros))
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn lock_grant(
    connection: &mut Connection,
    grant: GrantId,
) -> Result<Option<Grant>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        grant_columns!(),
        " FROM oauth_grants g WHERE g.id = $1",
        for_update!()
    ))
    .bind(grant.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn find_grant(
    connection: &mut Connection,
    grant: GrantId,
) -> Result<Option<Grant>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        grant_columns!(),
        " FROM oauth_grants g WHERE g.id = $1"
    ))
    .bind(grant.uuid())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(read)
    .transpose()
}

pub(in crate::storage) async fn prolong_grant(
    connection: &mut Connection,
    grant: GrantId,
    ends_at: Instant,
    used_at: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "UPDATE oauth_grants SET ends_at = $2, last_used_at = CASE WHEN last_used_at IS NULL OR last_used_at < $3 THEN $3 \
         ELSE last_used_at END WHERE id = $1",
    )
    .bind(grant.uuid())
    .bind(ends_at.micros())
    .bind(used_at.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn mark_grant_revoked(
    connection: &mut Connection,
    grant: GrantId,
    now: Instant,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "UPDATE oauth_grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL",
    )
    .bind(grant.uuid())
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Beyond the `kept` that were used last.
pub(in crate::storage) async fn list_grants_beyond(
    connection: &mut Connection,
    person: PersonId,
    client: ClientId,
    kept: i64,
    limit: i64,
) -> Result<Vec<GrantId>, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT id FROM oauth_grants WHERE person_id = $1 AND client_id = $2 AND revoked_at IS NULL \
         ORDER BY COALESCE(last_used_at, created_at) DESC, created_at DESC, id DESC LIMIT $4 OFFSET $3",
    )
    .bind(person.uuid())
    .bind(client.uuid())
    .bind(kept)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    ids(&rows, GrantId::new)
}

pub(in crate::storage) async fn list_grants_by(
    connection: &mut Connection,
    account: AccountId,
    person: PersonId,
    limit: i64,
) -> Result<Vec<GrantId>, Error> {
    let rows = sqlx::query::<Db>(
        "SELECT id FROM oauth_grants WHERE account_id = $1 AND person_id = $2 AND revoked_at IS NULL ORDER BY id LIMIT $3",
    )
    .bind(account.uuid())
    .bind(person.uuid())
    .bind(limit)
    .fetch_all(connection)
    .await?;
    ids(&rows, GrantId::new)
}

/// Without those in accounts of which the person is no member.
pub(in crate::storage) async fn list_connections(
    connection: &mut Connection,
    person: PersonId,
    now: Instant,
    limit: i64,
) -> Result<Vec<StoredConnection>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        grant_columns!(),
        ", c.id AS client_row, c.client_id, c.metadata, c.name, c.created_at AS client_since, c.fresh_until, a.name AS account_name, m.role \
         FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id JOIN accounts a ON a.id = g.account_id \
         JOIN memberships m ON m.account_id = g.account_id AND m.person_id = g.person_id \
         WHERE g.person_id = $1 AND g.revoked_at IS NULL AND g.ends_at > $2 \
         ORDER BY COALESCE(g.last_used_at, g.created_at) DESC, g.id DESC LIMIT $3"
    ))
    .bind(person.uuid())
    .bind(now.micros())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        let role: Role = values::named("role", row.try_get("role")?)?;
        Ok(StoredConnection {
            grant: read(row)?,
            client: oauth_clients::read_as(row, "client_row", "client_since")?,
            account_name: row.try_get("account_name")?,
            role,
        })
    })
    .collect()
}

pub(in crate::storage) async fn touch_grants(
    connection: &mut Connection,
    uses: &[(GrantId, Instant)],
) -> Result<(), Error> {
    // In one order, so that two cores that update the same grants cannot deadlock.
    let mut uses = uses.to_vec();
    uses.sort_unstable();
    for (grant, at) in uses {
        sqlx::query::<Db>(
            "UPDATE oauth_grants SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
        )
        .bind(grant.uuid())
        .bind(at.micros())
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Their tokens and codes go with them.
pub(in crate::storage) async fn delete_old_grants(
    connection: &mut Connection,
    ended_before: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants WHERE ends_at < $1 ORDER BY ends_at LIMIT $2)",
    )
    .bind(ended_before.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(super) fn read(row: &Row) -> Result<Grant, Error> {
    let instant = |column| {
        Ok::<_, Error>(
            row.try_get::<Option<i64>, _>(column)?
                .map(Instant::from_micros),
        )
    };
    Ok(Grant {
        id: GrantId::new(row.try_get("id")?),
        person_id: PersonId::new(row.try_get("person_id")?),
        account_id: AccountId::new(row.try_get("account_id")?),
        client_id: ClientId::new(row.try_get("client")?),
        redirect_uri: row.try_get("redirect_uri")?,
        scopes: Scopes::from_stored(row.try_get("scopes")?),
        audience: values::named("audience", row.try_get("audience")?)?,
        created_at: Instant::from_micros(row.try_get("agreed_at")?),
        last_used_at: instant("last_used_at")?,
        ends_at: Instant::from_micros(row.try_get("ends_at")?),
        revoked_at: instant("revoked_at")?,
    })
}
