//! How attendees get to their registrations: by private links, of which only hashes are stored, and by check-in codes.

use domain::{
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::{CheckInCode, DoorCode, Registration},
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, record},
    sql::sql,
};

record! {
    DoorCode as r {
        code = "r.check_in_code",
        status,
        is_checked_in = "r.checked_in_at IS NOT NULL",
        party_size,
    }
}

impl Reads {
    /// Returns the registration of a private link, by the SHA-256 of the link's token.
    pub async fn find_registration_by_link(
        &self,
        hash: &[u8; 32],
    ) -> Result<Option<Registration>, Error> {
        let statement = sql!(
            "SELECT {} FROM registration_links l JOIN registrations r ON r.id = l.registration_id WHERE l.hash = $1",
            Registration::COLUMNS,
        );
        self.optional(statement, [hash]).await
    }

    /// Returns the registration with this check-in code.
    pub async fn find_registration_by_code(
        &self,
        code: &CheckInCode,
    ) -> Result<Option<Registration>, Error> {
        let statement = sql!(
            "SELECT {} FROM registrations r WHERE r.check_in_code = $1",
            Registration::COLUMNS,
        );
        self.optional(statement, [code]).await
    }

    /// Returns the check-in codes of an event, each with its status and whether they were checked in; the confirmed ones first.
    pub async fn list_check_in_codes(
        &self,
        event: EventId,
        limit: i64,
    ) -> Result<Vec<DoorCode>, Error> {
        let statement = sql!(
            "SELECT {} FROM registrations r WHERE r.event_id = $1 \
             ORDER BY CASE r.status WHEN 'Confirmed' THEN 0 ELSE 1 END, r.seq LIMIT $2",
            DoorCode::COLUMNS,
        );
        self.all(statement, (event, limit)).await
    }
}

impl Tx {
    /// Adds a private link to a registration. Only the SHA-256 of its token is stored. `occasion` is that of the new details which
    /// the link offers.
    pub async fn insert_link(
        &mut self,
        hash: &[u8; 32],
        registration: RegistrationId,
        occasion: Option<i32>,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO registration_links (hash, registration_id, occasion, created_at) VALUES ($1, $2, $3, $4)"
        );
        let values = (hash, registration, occasion, now);
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Removes the private links to a registration; returns their number.
    pub async fn delete_links(&mut self, registration: RegistrationId) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM registration_links WHERE registration_id = $1");
        self.execute(statement, [registration]).await
    }
}
