//! People who sign in.

use sqlx::Row as _;

use super::{Connection, Db, Row};
use crate::{
    domain::{email, ids::PersonId, instant::Instant, person::Person},
    storage::Error,
};
macro_rules! select_person {
    ($rest:literal) => {
        concat!("SELECT id, email, name, created_at FROM people ", $rest)
    };
    ($rest:literal, $lock:expr) => {
        concat!(
            "SELECT id, email, name, created_at FROM people ",
            $rest,
            $lock
        )
    };
}

pub(in crate::storage) async fn insert_person(
    connection: &mut Connection,
    person: &Person,
) -> Result<bool, Error> {
    let done = sqlx::query::<Db>(
        "INSERT INTO people (id, email, email_norm, name, created_at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (email_norm) DO NOTHING",
    )
    .bind(person.id.uuid())
    .bind(&person.email)
    .bind(email::normalised(&person.email))
    .bind(&person.name)
    .bind(person.created_at.micros())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(in crate::storage) async fn find_person(
    connection: &mut Connection,
    person: PersonId,
) -> Result<Option<Person>, Error> {
    sqlx::query::<Db>(select_person!("WHERE id = $1"))
        .bind(person.uuid())
        .fetch_optional(connection)
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

pub(in crate::storage) async fn find_person_by_email(
    connection: &mut Connection,
    email: &str,
) -> Result<Option<Person>, Error> {
    sqlx::query::<Db>(select_person!("WHERE email_norm = $1"))
        .bind(email::normalised(email))
        .fetch_optional(connection)
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

pub(in crate::storage) async fn lock_person_by_email(
    connection: &mut Connection,
    email: &str,
) -> Result<Option<Person>, Error> {
    sqlx::query::<Db>(select_person!("WHERE email_norm = $1", for_update!()))
        .bind(email::normalised(email))
        .fetch_optional(connection)
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

pub(in crate::storage) async fn delete_person(
    connection: &mut Connection,
    person: PersonId,
) -> Result<(), Error> {
    for statement in [
        "UPDATE api_keys SET person_id = NULL WHERE person_id = $1",
        "UPDATE invitations SET person_id = NULL WHERE person_id = $1",
        "DELETE FROM oauth_authorizations WHERE person_id = $1",
        "DELETE FROM oauth_codes WHERE person_id = $1",
        "DELETE FROM oauth_grants WHERE person_id = $1",
        "DELETE FROM memberships WHERE person_id = $1",
        "DELETE FROM sessions WHERE person_id = $1",
        "DELETE FROM known_browsers WHERE person_id = $1",
        "DELETE FROM sign_in_links WHERE person_id = $1",
        "DELETE FROM people WHERE id = $1",
    ] {
        sqlx::query::<Db>(statement)
            .bind(person.uuid())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

pub(in crate::storage) async fn update_person(
    connection: &mut Connection,
    person: &Person,
) -> Result<(), Error> {
    let done =
        sqlx::query::<Db>("UPDATE people SET email = $2, email_norm = $3, name = $4 WHERE id = $1")
            .bind(person.id.uuid())
            .bind(&person.email)
            .bind(email::normalised(&person.email))
            .bind(&person.name)
            .execute(connection)
            .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("person")),
    }
}

pub(super) fn read(row: &Row) -> Result<Person, Error> {
    Ok(Person {
        id: PersonId::new(row.try_get("id")?),
        email: row.try_get("email")?,
        name: row.try_get("name")?,
        created_at: Instant::from_micros(row.try_get("created_at")?),
    })
}
