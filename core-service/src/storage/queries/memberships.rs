//! The members of accounts.

use sqlx::Row as _;

use super::{Connection, Db};
use crate::{
    domain::{
        ids::{AccountId, PersonId},
        instant::Instant,
        person::Role,
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
