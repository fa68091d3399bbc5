//! People who sign in.

use domain::{email, ids::PersonId, instant::Instant, person::Person};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, insert_into, record},
    sql::{FOR_UPDATE, sql},
};

record! {
    Person as p of "people" { id, email, name, created_at }
}

impl Reads {
    /// Returns a person.
    pub async fn find_person(&self, person: PersonId) -> Result<Option<Person>, Error> {
        let statement = sql!("SELECT {} FROM people p WHERE p.id = $1", Person::COLUMNS);
        self.optional(statement, [person]).await
    }

    /// Returns the person with this address, in any case.
    pub async fn find_person_by_email(&self, email: &str) -> Result<Option<Person>, Error> {
        let statement = sql!(
            "SELECT {} FROM people p WHERE p.email_norm = $1",
            Person::COLUMNS
        );
        self.optional(statement, [email::normalised(email)]).await
    }
}

impl Tx {
    /// Adds a person; false, and nothing written, if another one has the address.
    pub async fn insert_person(&mut self, person: &Person) -> Result<bool, Error> {
        let (statement, values) = insert_into!("people" " ON CONFLICT (email_norm) DO NOTHING" {
            id: person.id,
            email: person.email,
            email_norm: email::normalised(&person.email),
            name: person.name,
            created_at: person.created_at,
        });
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Locks the person with this address, in any case, until the end. It comes before the lock of an account.
    pub async fn lock_person_by_email(&mut self, email: &str) -> Result<Option<Person>, Error> {
        let statement = sql!(
            "SELECT {} FROM people p WHERE p.email_norm = $1{}",
            Person::COLUMNS,
            FOR_UPDATE,
        );
        self.optional(statement, [email::normalised(email)]).await
    }

    /// Removes a person from their accounts and for good. Their keys act for nobody then.
    pub async fn delete_person(&mut self, person: PersonId) -> Result<(), Error> {
        for statement in [
            sql!("UPDATE api_keys SET person_id = NULL WHERE person_id = $1"),
            sql!("DELETE FROM invitations WHERE person_id = $1"),
            sql!("DELETE FROM oauth_authorizations WHERE person_id = $1"),
            sql!("DELETE FROM oauth_codes WHERE person_id = $1"),
            sql!("DELETE FROM oauth_grants WHERE person_id = $1"),
            sql!("DELETE FROM memberships WHERE person_id = $1"),
            sql!("DELETE FROM sessions WHERE person_id = $1"),
            sql!("DELETE FROM known_browsers WHERE person_id = $1"),
            sql!("DELETE FROM sign_in_links WHERE person_id = $1"),
            sql!("DELETE FROM email_changes WHERE person_id = $1"),
            sql!("DELETE FROM audit_log WHERE subject_id = $1 AND account_id IS NULL"),
            sql!("DELETE FROM people WHERE id = $1"),
        ] {
            self.execute(statement, [person]).await?;
        }
        Ok(())
    }

    /// Notes that a person signed in; true if they never had before.
    pub async fn note_first_sign_in(
        &mut self,
        person: PersonId,
        now: Instant,
    ) -> Result<bool, Error> {
        let statement =
            sql!("UPDATE people SET signed_in_at = $2 WHERE id = $1 AND signed_in_at IS NULL");
        Ok(self.execute(statement, (person, now)).await? == 1)
    }

    /// Writes name and address of a person.
    pub async fn update_person(&mut self, person: &Person) -> Result<(), Error> {
        let statement =
            sql!("UPDATE people SET email = $2, email_norm = $3, name = $4 WHERE id = $1");
        let email_norm = email::normalised(&person.email);
        let values = (person.id, &person.email, email_norm, &person.name);
        self.execute_one("person", statement, values).await
    }
}
