//! The members of accounts.

use sqlx::Row as _;

use super::{Connection, Db, people};
use crate::{
    domain::{
        ids::{AccountId, PersonId},
        instant::Instant,
        person::{Member, Membership, Role},
    },
    storage::{Error, values},
};

pub(in crate::storage) async fn put_membership(
    connection: &mut Connection,
    account: AccountId,
    person: PersonId,
    role: Role,
    now: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO memberships (account_id, person_id, role, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role",
    )
    .bind(account.uuid())
    .bind(person.uuid())
    .bind(role.name())
    .bind(now.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn find_role(
    connection: &mut Connection,
    account: AccountId,
    person: PersonId,
) -> Result<Option<Role>, Error> {
    sqlx::query::<Db>("SELECT role FROM memberships WHERE account_id = $1 AND person_id = $2")
        .bind(account.uuid())
        .bind(person.uuid())
        .fetch_optional(connection)
        .await?
        .map(|row| values::named("role", row.try_get("role")?))
        .transpose()
}

pub(in crate::storage) async fn first_account_of(
    connection: &mut Connection,
    person: PersonId,
) -> Result<Option<AccountId>, Error> {
    sqlx::query::<Db>(
        "SELECT account_id FROM memberships WHERE person_id = $1 ORDER BY created_at, account_id LIMIT 1",
    )
    .bind(person.uuid())
    .fetch_optional(connection)
    .await?
    .map(|row| Ok(AccountId::new(row.try_get("account_id")?)))
    .transpose()
}

pub(in crate::storage) async fn list_memberships_of(
    connection: &mut Connection,
    person: PersonId,
    limit: i64,
) -> Result<Vec<Membership>, Error> {
    sqlx::query::<Db>(
        "SELECT m.account_id, m.role, a.name, a.suspended_at IS NOT NULL AS is_suspended FROM memberships m JOIN accounts a ON a.id = m.account_id \
         WHERE m.person_id = $1 ORDER BY a.name, a.id LIMIT $2",
    )
    .bind(person.uuid())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        Ok(Membership {
            account_id: AccountId::new(row.try_get("account_id")?),
            account_name: row.try_get("name")?,
            role: values::named("role", row.try_get("role")?)?,
            is_suspended: row.try_get("is_suspended")?,
        })
    })
    .collect()
}

pub(in crate::storage) async fn list_members(
    connection: &mut Connection,
    account: AccountId,
    limit: i64,
) -> Result<Vec<Member>, Error> {
    sqlx::query::<Db>(
        "SELECT p.id, p.email, p.name, p.created_at, m.role, m.created_at AS since, \
         (SELECT COUNT(*) FROM api_keys k WHERE k.person_id = p.id AND k.account_id = m.account_id \
         AND k.revoked_at IS NULL) AS keys \
         FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.account_id = $1 ORDER BY p.name, p.id LIMIT $2",
    )
    .bind(account.uuid())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(|row| {
        Ok(Member {
            person: people::read(row)?,
            role: values::named("role", row.try_get("role")?)?,
            since: Instant::from_micros(row.try_get("since")?),
            keys: row.try_get("keys")?,
        })
    })
    .collect()
}

pub(in crate::storage) async fn count_owners(
    connection: &mut Connection,
    account: AccountId,
) -> Result<i64, Error> {
    let row = sqlx::query::<Db>(
        "SELECT COUNT(*) AS owners FROM memberships WHERE account_id = $1 AND role = 'owner'",
    )
    .bind(account.uuid())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("owners")?)
}

pub(in crate::storage) async fn delete_membership(
    connection: &mut Connection,
    account: AccountId,
    person: PersonId,
) -> Result<(), Error> {
    sqlx::query::<Db>("DELETE FROM memberships WHERE account_id = $1 AND person_id = $2")
        .bind(account.uuid())
        .bind(person.uuid())
        .execute(connection)
        .await?;
    Ok(())
}
