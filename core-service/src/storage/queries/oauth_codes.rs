//! Authorizations that wait for a person's decision, and the codes that follow from it.

use sqlx::Row as _;
use uuid::Uuid;

use super::{Connection, Db, Row};
use crate::{
    domain::{
        ids::{AccountId, AuthorizationId, ClientId, GrantId, PersonId, SessionId},
        instant::Instant,
        oauth::{Authorization, AuthorizationCode, Hash},
        scope::Scopes,
    },
    storage::{Error, values},
};

pub(in crate::storage) async fn insert_authorization(
    connection: &mut Connection,
    one: &Authorization,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO oauth_authorizations (id, session_id, person_id, browser, client_id, redirect_uri, state, challenge, scopes, \
         audience, issuer, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(one.id.uuid())
    .bind(one.session_id.uuid())
    .bind(one.person_id.uuid())
    .bind(one.browser.as_slice())
    .bind(one.client_id.uuid())
    .bind(&one.redirect_uri)
    .bind(&one.state)
    .bind(&one.challenge)
    .bind(one.scopes.stored())
    .bind(one.audience.name())
    .bind(&one.issuer)
    .bind(one.created_at.micros())
    .execute(connection)
    .await?;
    Ok(())
}

/// Keeps the `kept` that were begun last.
pub(in crate::storage) async fn delete_authorizations_of(
    connection: &mut Connection,
    session: SessionId,
    kept: i64,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "DELETE FROM oauth_authorizations WHERE session_id = $1 AND id NOT IN \
         (SELECT id FROM oauth_authorizations WHERE session_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2)",
    )
    .bind(session.uuid())
    .bind(kept)
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn find_authorization(
    connection: &mut Connection,
    id: AuthorizationId,
    session: SessionId,
    browser: &Hash,
    begun_after: Instant,
) -> Result<Option<Authorization>, Error> {
    sqlx::query::<Db>(
        "SELECT id, session_id, person_id, browser, client_id, redirect_uri, state, challenge, scopes, audience, issuer, created_at \
         FROM oauth_authorizations WHERE id = $1 AND session_id = $2 AND browser = $3 AND created_at > $4",
    )
    .bind(id.uuid())
    .bind(session.uuid())
    .bind(browser.as_slice())
    .bind(begun_after.micros())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(authorization)
    .transpose()
}

/// Of two decisions at the same time one finds nothing.
pub(in crate::storage) async fn delete_authorization(
    connection: &mut Connection,
    id: AuthorizationId,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>("DELETE FROM oauth_authorizations WHERE id = $1")
        .bind(id.uuid())
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn delete_old_authorizations(
    connection: &mut Connection,
    begun_before: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM oauth_authorizations WHERE id IN (SELECT id FROM oauth_authorizations WHERE created_at <= $1 \
         ORDER BY created_at LIMIT $2)",
    )
    .bind(begun_before.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn insert_authorization_code(
    connection: &mut Connection,
    code: &AuthorizationCode,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO oauth_codes (hash, client_id, person_id, account_id, redirect_uri, challenge, scopes, audience, created_at, \
         grant_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(code.hash.as_slice())
    .bind(code.client_id.uuid())
    .bind(code.person_id.uuid())
    .bind(code.account_id.uuid())
    .bind(&code.redirect_uri)
    .bind(&code.challenge)
    .bind(code.scopes.stored())
    .bind(code.audience.name())
    .bind(code.created_at.micros())
    .bind(code.grant_id.map(GrantId::uuid))
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn lock_authorization_code(
    connection: &mut Connection,
    hash: &Hash,
) -> Result<Option<AuthorizationCode>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT hash, client_id, person_id, account_id, redirect_uri, challenge, scopes, audience, created_at, grant_id \
         FROM oauth_codes WHERE hash = $1",
        for_update!()
    ))
    .bind(hash.as_slice())
    .fetch_optional(connection)
    .await?
    .as_ref()
    .map(code)
    .transpose()
}

pub(in crate::storage) async fn use_authorization_code(
    connection: &mut Connection,
    hash: &Hash,
    grant: GrantId,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE oauth_codes SET grant_id = $2 WHERE hash = $1")
        .bind(hash.as_slice())
        .bind(grant.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn delete_old_authorization_codes(
    connection: &mut Connection,
    made_before: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM oauth_codes WHERE hash IN (SELECT hash FROM oauth_codes WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
    )
    .bind(made_before.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

fn authorization(row: &Row) -> Result<Authorization, Error> {
    Ok(Authorization {
        id: AuthorizationId::new(row.try_get("id")?),
        session_id: SessionId::new(row.try_get("session_id")?),
        person_id: PersonId::new(row.try_get("person_id")?),
        browser: values::hash("browser", row.try_get("browser")?)?,
        client_id: ClientId::new(row.try_get("client_id")?),
        redirect_uri: row.try_get("redirect_uri")?,
        state: row.try_get("state")?,
        challenge: row.try_get("challenge")?,
        scopes: Scopes::from_stored(row.try_get("scopes")?),
        audience: values::named("audience", row.try_get("audience")?)?,
        issuer: row.try_get("issuer")?,
        created_at: Instant::from_micros(row.try_get("created_at")?),
    })
}

fn code(row: &Row) -> Result<AuthorizationCode, Error> {
    let grant: Option<Uuid> = row.try_get("grant_id")?;
    Ok(AuthorizationCode {
        hash: values::hash("code", row.try_get("hash")?)?,
        client_id: ClientId::new(row.try_get("client_id")?),
        person_id: PersonId::new(row.try_get("person_id")?),
        account_id: AccountId::new(row.try_get("account_id")?),
        redirect_uri: row.try_get("redirect_uri")?,
        challenge: row.try_get("challenge")?,
        scopes: Scopes::from_stored(row.try_get("scopes")?),
        audience: values::named("audience", row.try_get("audience")?)?,
        created_at: Instant::from_micros(row.try_get("created_at")?),
        grant_id: grant.map(GrantId::new),
    })
}
