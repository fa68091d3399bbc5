//! Invitations to accounts.

use sqlx::Row as _;
use uuid::Uuid;

use super::{Connection, Db, Row};
use crate::{
    domain::{
        email,
        ids::{AccountId, InvitationId, PersonId},
        instant::Instant,
        invitation::{Invitation, SentInvitation},
    },
    storage::{Error, values},
};

macro_rules! select_invitations {
    ($rest:literal) => {
        concat!(
            "SELECT i.id, i.account_id, i.email, i.role, i.person_id, i.created_at, i.expires_at, a.name AS account_name, \
             COALESCE(p.name, '') AS person_name FROM invitations i JOIN accounts a ON a.id = i.account_id \
             LEFT JOIN people p ON p.id = i.person_id ",
            $rest
        )
    };
}

pub(in crate::storage) async fn is_invited(
    connection: &mut Connection,
    address: &str,
    now: Instant,
) -> Result<bool, Error> {
    let row = sqlx::query::<Db>(
        "SELECT EXISTS (SELECT 1 FROM invitations WHERE email_norm = $1 AND expires_at > $2) AS found",
    )
    .bind(email::normalised(address))
    .bind(now.micros())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("found")?)
}

pub(in crate::storage) async fn find_invitation(
    connection: &mut Connection,
    invitation: InvitationId,
    now: Instant,
) -> Result<Option<SentInvitation>, Error> {
    sqlx::query::<Db>(select_invitations!("WHERE i.id = $1 AND i.expires_at > $2"))
        .bind(invitation.uuid())
        .bind(now.micros())
        .fetch_optional(connection)
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

pub(in crate::storage) async fn list_invitations_to(
    connection: &mut Connection,
    address: &str,
    now: Instant,
    limit: i64,
) -> Result<Vec<SentInvitation>, Error> {
    sqlx::query::<Db>(select_invitations!(
        "WHERE i.email_norm = $1 AND i.expires_at > $2 ORDER BY i.created_at DESC, i.id DESC LIMIT $3"
    ))
    .bind(email::normalised(address))
    .bind(now.micros())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn delete_invitations_to(
    connection: &mut Connection,
    email_norm: &str,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>("DELETE FROM invitations WHERE email_norm = $1")
        .bind(email_norm)
        .execute(connection)
        .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn delete_expired_invitations(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
    )
    .bind(now.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn put_invitation(
    connection: &mut Connection,
    invitation: &Invitation,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO invitations (id, account_id, email, email_norm, role, person_id, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account_id, email_norm) DO UPDATE SET id = excluded.id, \
         email = excluded.email, role = excluded.role, person_id = excluded.person_id, created_at = excluded.created_at, \
         expires_at = excluded.expires_at",
    )
    .bind(invitation.id.uuid())
    .bind(invitation.account_id.uuid())
    .bind(&invitation.email)
    .bind(email::normalised(&invitation.email))
    .bind(invitation.role.name())
    .bind(invitation.invited_by.map(PersonId::uuid))
    .bind(invitation.created_at.micros())
    .bind(invitation.expires_at.micros())
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn list_invitations_of(
    connection: &mut Connection,
    account: AccountId,
    now: Instant,
    limit: i64,
) -> Result<Vec<SentInvitation>, Error> {
    sqlx::query::<Db>(select_invitations!(
        "WHERE i.account_id = $1 AND i.expires_at > $2 ORDER BY i.created_at DESC, i.id DESC LIMIT $3"
    ))
    .bind(account.uuid())
    .bind(now.micros())
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

pub(in crate::storage) async fn delete_invitation(
    connection: &mut Connection,
    invitation: InvitationId,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>("DELETE FROM invitations WHERE id = $1")
        .bind(invitation.uuid())
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

fn read(row: &Row) -> Result<SentInvitation, Error> {
    let person: Option<Uuid> = row.try_get("person_id")?;
    let invitation = Invitation {
        id: InvitationId::new(row.try_get("id")?),
        account_id: AccountId::new(row.try_get("account_id")?),
        email: row.try_get("email")?,
        role: values::named("role", row.try_get("role")?)?,
        invited_by: person.map(PersonId::new),
        created_at: Instant::from_micros(row.try_get("created_at")?),
        expires_at: Instant::from_micros(row.try_get("expires_at")?),
    };
    Ok(SentInvitation {
        invitation,
        account_name: row.try_get("account_name")?,
        invited_by: row.try_get("person_name")?,
    })
}
