//! The members of accounts.

use sqlx::Row as _;

use super::{Connection, Db};
use crate::{
    domain::{
        ids::{AccountId, PersonId},
        instant::Instant,
        person::{Membership, Role},
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
        "SELECT m.account_id, m.role, a.name FROM memberships m JOIN accounts a ON a.id = m.account_id \
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
            is_suspended: false,
        })
    })
    .collect()
}
