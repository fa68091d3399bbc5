//! Changes of people's addresses that can be taken back.

use domain::{email, email_change::EmailChange, ids::PersonId, instant::Instant};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, insert_into, record},
    sql::sql,
};

record! {
    EmailChange as c of "email_changes" { id, person_id, email, changed_by, changed_at, expires_at }
}

impl Reads {
    /// Returns the latest change from an address that can still be taken back.
    pub async fn find_email_change(
        &self,
        address: &str,
        now: Instant,
    ) -> Result<Option<EmailChange>, Error> {
        let statement = sql!(
            "SELECT {} FROM email_changes c WHERE c.email_norm = $1 AND c.expires_at > $2 ORDER BY c.changed_at DESC, c.id DESC LIMIT 1",
            EmailChange::COLUMNS,
        );
        let values = (email::normalised(address), now);
        self.optional(statement, values).await
    }

    /// Returns the change of a person's address that can still be taken back; there is one at most.
    pub async fn find_email_change_of(
        &self,
        person: PersonId,
        now: Instant,
    ) -> Result<Option<EmailChange>, Error> {
        let statement = sql!(
            "SELECT {} FROM email_changes c WHERE c.person_id = $1 AND c.expires_at > $2 ORDER BY c.changed_at, c.id LIMIT 1",
            EmailChange::COLUMNS,
        );
        self.optional(statement, (person, now)).await
    }
}

impl Tx {
    /// Adds a change.
    pub async fn insert_email_change(&mut self, change: &EmailChange) -> Result<(), Error> {
        let (statement, values) = insert_into!("email_changes" {
            id: change.id,
            person_id: change.person_id,
            email: change.email,
            email_norm: email::normalised(&change.email),
            changed_by: change.changed_by,
            changed_at: change.changed_at,
            expires_at: change.expires_at,
        });
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Removes the changes of a person's address, which then cannot be taken back.
    pub async fn delete_email_changes_of(&mut self, person: PersonId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM email_changes WHERE person_id = $1");
        self.execute(statement, [person]).await?;
        Ok(())
    }

    /// Removes the changes from a normalised address; returns their number.
    pub async fn delete_email_changes_from(&mut self, email_norm: &str) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM email_changes WHERE email_norm = $1");
        self.execute(statement, [email_norm]).await
    }

    /// Removes at most `limit` changes that cannot be taken back any more; returns their number.
    pub async fn delete_expired_email_changes(
        &mut self,
        now: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM email_changes WHERE id IN (SELECT id FROM email_changes WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)"
        );
        self.execute(statement, (now, limit)).await
    }
}
