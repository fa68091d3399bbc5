//! Registrations.

use std::slice;

use domain::{
    account::Account,
    email,
    event::Event,
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::{Confirmation, Counters, Registrant, Registration},
};

use super::contacts::IS_CONTACT_PROVEN;
use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    row::{Columns, FromRow},
    sql::{Fragment, fragment, sql},
    values,
};

record! {
    Registration as r of "registrations" {
        id, event_id, seq, name, email, status,
        confirmation { confirm_until, held_until },
        answers, check_in_code, is_added, checked_in_at, checked_in_by,
        checked_in_by_name = "COALESCE((SELECT k.label FROM api_keys k WHERE k.id = r.checked_in_by), \
            (SELECT p.name FROM people p WHERE p.id = r.checked_in_by))",
        registered_at, updated_at,
    }
}

record! {
    Confirmation as r { until = "r.confirm_until", held_until }
}

/// What is selected for a [`Registrant`] after the event.
const REGISTRANT: Fragment = fragment!(
    "r.id, r.name, r.email, r.status, r.confirm_until IS NOT NULL, r.is_added, r.check_in_code, r.told, r.decline_reason, a.name, \
     a.trusted_at IS NOT NULL, e.contact_email IS NOT NULL AND {}",
    IS_CONTACT_PROVEN,
);

impl FromRow for Registrant {
    const WIDTH: usize = Event::WIDTH + 12;

    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        let event: Event = columns.read()?;
        columns.row_of("registrations", |columns| {
            Ok(Self {
                id: columns.read()?,
                name: columns.read()?,
                email: columns.read()?,
                status: columns.read()?,
                awaits_confirmation: columns.read()?,
                is_added: columns.read()?,
                check_in_code: columns.read()?,
                told: columns.read()?,
                decline_reason: columns.read()?,
                organizer: {
                    let account = Some(columns.read()?).filter(|name| name != Account::ERASED_NAME);
                    event.organizer_name.clone().or(account)
                },
                is_organizer_trusted: columns.read()?,
                is_contact_proven: columns.read()?,
                event,
            })
        })
    }
}

/// Registrations of the address `$1`. Those that are cancelled have an index of their own.
const OF_ADDRESS: Fragment = Fragment::new(
    "registrations r WHERE (r.email_norm = $1 AND r.status <> 'Cancelled' OR r.email_norm = $1 AND r.status = 'Cancelled')",
);

impl Reads {
    /// Returns an event's registrations after a number in the order of registering; the first is 1.
    pub async fn list_registrations(
        &self,
        event: EventId,
        after_seq: i64,
        limit: i64,
    ) -> Result<Vec<Registration>, Error> {
        let statement = sql!(
            "SELECT {} FROM registrations r WHERE r.event_id = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3",
            Registration::COLUMNS,
        );
        self.all(statement, (event, after_seq, limit)).await
    }

    /// Returns one registration of an event.
    pub async fn find_registration(
        &self,
        event: EventId,
        registration: RegistrationId,
    ) -> Result<Option<Registration>, Error> {
        let statement = sql!(
            "SELECT {} FROM registrations r WHERE r.id = $1 AND r.event_id = $2",
            Registration::COLUMNS,
        );
        self.optional(statement, (registration, event)).await
    }

    /// Returns a registration with the data for its mails.
    pub async fn find_registrant(
        &self,
        registration: RegistrationId,
    ) -> Result<Option<Registrant>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM registrations r \
             JOIN events e ON e.id = r.event_id JOIN accounts a ON a.id = e.account_id WHERE r.id = $1",
            Event::COLUMNS,
            REGISTRANT,
        );
        self.optional(statement, [registration]).await
    }

    /// Returns registrations of a normalised email address, for all events and in any status.
    pub async fn list_registrations_of(
        &self,
        email_norm: &str,
        limit: i64,
    ) -> Result<Vec<Registration>, Error> {
        let statement = sql!(
            "SELECT {} FROM {} LIMIT $2",
            Registration::COLUMNS,
            OF_ADDRESS
        );
        self.all(statement, (email_norm, limit)).await
    }

    /// Returns how many registrations such an address has, and for how many events.
    pub async fn count_registrations_of(&self, email_norm: &str) -> Result<(i64, i64), Error> {
        let statement = sql!(
            "SELECT count(*), count(DISTINCT event_id) FROM {}",
            OF_ADDRESS
        );
        self.one(statement, [email_norm]).await
    }

    /// Returns the registrations of a normalised email address at an event, in any status.
    pub async fn list_registrations_at(
        &self,
        event: EventId,
        email_norm: &str,
    ) -> Result<Vec<Registration>, Error> {
        let statement = sql!(
            "SELECT {} FROM {} AND r.event_id = $2 ORDER BY r.seq",
            Registration::COLUMNS,
            OF_ADDRESS,
        );
        self.all(statement, (email_norm, event)).await
    }
}

impl Tx {
    /// Adds a registration with its `seq`, and counts it.
    pub async fn insert_registration(&mut self, registration: &Registration) -> Result<(), Error> {
        self.insert_registrations(slice::from_ref(registration))
            .await?;
        let (event, counted) = (registration.event_id, registration.counted());
        self.change_counters(event, counted, registration.seq + 1)
            .await
    }

    /// Adds registrations without counting them: see [`Tx::update_counters`].
    pub async fn insert_registrations(
        &mut self,
        registrations: &[Registration],
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO registrations (id, event_id, seq, name, email, email_norm, search_text, status, held_until, \
             confirm_until, answers, check_in_code, is_added, checked_in_at, checked_in_by, registered_at, updated_at, is_folded) SELECT input.*, TRUE FROM input"
        );
        let input = Input::of(registrations)
            .column("id", |one| one.id)
            .column("event_id", |one| one.event_id)
            .column("seq", |one| one.seq)
            .column("name", |one| &one.name)
            .column("email", |one| &one.email)
            .column("email_norm", |one| email::normalised(&one.email))
            .column("search_text", |one| {
                values::search_text(&one.name, &one.email)
            })
            .column("status", |one| one.status)
            .column("held_until", held_until)
            .column("confirm_until", confirm_until)
            .column("answers", |one| &one.answers)
            .column("check_in_code", |one| &one.check_in_code)
            .column("is_added", |one| one.is_added)
            .column("checked_in_at", |one| one.checked_in_at)
            .column("checked_in_by", |one| one.checked_in_by)
            .column("registered_at", |one| one.registered_at)
            .column("updated_at", |one| one.updated_at);
        self.execute(statement, input).await?;
        Ok(())
    }

    /// Changes an event's counters by `change`, whose parts may be negative; the next place is `next_seq` at least.
    pub(super) async fn change_counters(
        &mut self,
        event: EventId,
        change: Counters,
        next_seq: i64,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE event_counters SET confirmed = confirmed + $2, pending = pending + $3, waitlisted = waitlisted + $4, \
             cancelled = cancelled + $5, held = held + $6, unconfirmed = unconfirmed + $7, checked_in = checked_in + $8, \
             next_seq = CASE WHEN next_seq > $9 THEN next_seq ELSE $9 END WHERE event_id = $1"
        );
        let values = (
            event,
            change.confirmed,
            change.pending,
            change.waitlisted,
            change.cancelled,
            change.held,
            change.unconfirmed,
            change.checked_in,
            next_seq,
        );
        self.execute_one("event", statement, values).await
    }

    /// Writes the fields of a registration that a change of its status changes, and counts it as it is after.
    pub async fn update_registration(
        &mut self,
        before: &Registration,
        after: &Registration,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE registrations SET status = $2, checked_in_at = $3, updated_at = $4, held_until = $6, confirm_until = $7, \
             checked_in_by = $8 WHERE id = $1 AND status = $5"
        );
        let values = (
            after.id,
            after.status,
            after.checked_in_at,
            after.updated_at,
            before.status,
            held_until(after),
            confirm_until(after),
            after.checked_in_by,
        );
        self.execute_one("registration", statement, values).await?;
        let change = after.counted() - before.counted();
        if change == Counters::default() {
            return Ok(());
        }
        self.change_counters(after.event_id, change, 0).await
    }

    /// Gives seats to this many registrations on the waitlist, those that have waited longest, and counts them. There must be as many; the
    /// caller holds the counters.
    pub async fn promote_waitlisted(
        &mut self,
        event: EventId,
        seats: i32,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE registrations SET status = 'Confirmed', updated_at = $3 WHERE id IN (SELECT id FROM registrations \
             WHERE event_id = $1 AND status = 'Waitlisted' ORDER BY seq LIMIT $2)"
        );
        let values = (event, i64::from(seats), now);
        let promoted = self.execute(statement, values).await?;
        if promoted != u64::try_from(seats).unwrap_or(0) {
            return Err(Error::Missing("waitlisted registration"));
        }
        let change = Counters {
            confirmed: seats,
            waitlisted: -seats,
            ..Counters::default()
        };
        self.change_counters(event, change, 0).await
    }

    /// Removes a registration without changing the counters: see [`Tx::update_counters`]. Its links must be removed first.
    pub async fn delete_registration(&mut self, registration: RegistrationId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM registrations WHERE id = $1");
        self.execute_one("registration", statement, [registration])
            .await
    }
}

fn held_until(registration: &Registration) -> Option<Instant> {
    registration.confirmation?.held_until
}

fn confirm_until(registration: &Registration) -> Option<Instant> {
    Some(registration.confirmation?.until)
}
