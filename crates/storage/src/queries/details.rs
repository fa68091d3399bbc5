//! Name and answers of registrations, and why one was declined.

use domain::{
    email,
    ids::RegistrationId,
    instant::Instant,
    registration::{Details, NewDetails, Registration},
};

use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::sql,
    values,
};

record! {
    Details as d { name, answers }
}

impl Reads {
    /// Returns the new details of a repeated registration, and those of the first one.
    pub async fn find_new_details(
        &self,
        registration: RegistrationId,
        occasion: i32,
        now: Instant,
    ) -> Result<Option<(Details, Details)>, Error> {
        let statement = sql!(
            "SELECT {}, r.name, r.answers FROM registration_details d JOIN registrations r ON r.id = d.registration_id \
             WHERE d.registration_id = $1 AND d.occasion = $2 AND d.expires_at > $3",
            Details::COLUMNS,
        );
        self.optional(statement, (registration, occasion, now))
            .await
    }

    /// Returns the new details that a private link offers.
    pub async fn find_new_details_by_link(
        &self,
        hash: &[u8; 32],
        now: Instant,
    ) -> Result<Option<Details>, Error> {
        let statement = sql!(
            "SELECT {} FROM registration_links l JOIN registration_details d \
             ON d.registration_id = l.registration_id AND d.occasion = l.occasion WHERE l.hash = $1 AND d.expires_at > $2",
            Details::COLUMNS,
        );
        self.optional(statement, (hash, now)).await
    }
}

impl Tx {
    /// Stores details of repeated registrations. The first of an occasion stay: a link that was sent must not show others later.
    pub async fn insert_new_details(&mut self, details: &[NewDetails]) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO registration_details (registration_id, occasion, name, answers, expires_at) \
             SELECT * FROM input WHERE TRUE ON CONFLICT (registration_id, occasion) DO NOTHING"
        );
        let input = Input::of(details)
            .column("registration_id", |one| one.registration)
            .column("occasion", |one| one.occasion)
            .column("name", |one| &one.details.name)
            .column("answers", |one| &one.details.answers)
            .column("expires_at", |one| one.expires_at);
        self.execute(statement, input).await?;
        Ok(())
    }

    /// Writes name and answers of a registration.
    pub async fn update_details(&mut self, registration: &Registration) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE registrations SET name = $2, answers = $3, search_text = $4, is_folded = TRUE, updated_at = $5 WHERE id = $1"
        );
        let values = (
            registration.id,
            &registration.name,
            &registration.answers,
            values::search_text(
                &registration.name,
                &registration.email,
                &registration.party.companions,
            ),
            registration.updated_at,
        );
        self.execute_one("registration", statement, values).await
    }

    /// Writes the address of a registration, and what is another one with it: the code, whether the organizer chose it, until when it
    /// can be confirmed, and that nobody refused reminders.
    pub async fn update_address(&mut self, registration: &Registration) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE registrations SET email = $2, email_norm = $3, search_text = $4, is_folded = TRUE, is_added = $5, updated_at = $6, \
             check_in_code = $7, held_until = $8, confirm_until = $9, refuses_reminders = $10 WHERE id = $1"
        );
        let confirmation = registration.confirmation;
        let values = (
            registration.id,
            &registration.email,
            email::normalised(&registration.email),
            values::search_text(
                &registration.name,
                &registration.email,
                &registration.party.companions,
            ),
            registration.is_added,
            registration.updated_at,
            &registration.check_in_code,
            confirmation.and_then(|one| one.held_until),
            confirmation.map(|one| one.until),
            registration.refuses_reminders,
        );
        self.execute_one("registration", statement, values).await
    }

    /// Stores why a registration was declined.
    pub async fn set_decline_reason(
        &mut self,
        registration: RegistrationId,
        reason: &str,
    ) -> Result<(), Error> {
        let statement = sql!("UPDATE registrations SET decline_reason = $2 WHERE id = $1");
        self.execute(statement, (registration, reason)).await?;
        Ok(())
    }

    /// Removes the new details of a registration.
    pub async fn delete_new_details(&mut self, registration: RegistrationId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM registration_details WHERE registration_id = $1");
        self.execute(statement, [registration]).await?;
        Ok(())
    }

    /// Removes at most `limit` expired details; returns their number.
    pub async fn delete_expired_details(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM registration_details WHERE (registration_id, occasion) IN (SELECT registration_id, occasion \
             FROM registration_details WHERE expires_at <= $1 LIMIT $2)"
        );
        self.execute(statement, (now, limit)).await
    }
}
