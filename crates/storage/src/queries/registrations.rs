//! Registrations.

use std::slice;

use domain::{
    account::Account,
    email,
    event::Event,
    ids::{EventId, RegistrationId},
    instant::Instant,
    registration::{Confirmation, Counters, Party, Registrant, Registration, Status, Waiting},
};

use super::contacts::IS_CONTACT_PROVEN;
use crate::{
    Error, FULL_BATCH, Reads, Tx,
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
        answers, check_in_code, is_added,
        party { party_size, companions },
        arrived, checked_in_at, checked_in_by,
        checked_in_by_name = "COALESCE((SELECT k.label FROM api_keys k WHERE k.id = r.checked_in_by), \
            (SELECT p.name FROM people p WHERE p.id = r.checked_in_by))",
        refuses_reminders, registered_at, updated_at,
    }
}

record! {
    Party as r { size = "r.party_size", companions }
}

record! {
    Confirmation as r { until = "r.confirm_until", held_until }
}

/// What is selected for a [`Registrant`] after the event.
const REGISTRANT: Fragment = fragment!(
    "r.id, r.name, r.email, r.status, r.confirm_until IS NOT NULL, r.is_added, r.refuses_reminders, r.party_size, r.companions, r.check_in_code, r.told, r.decline_reason, a.name, \
     a.trusted_at IS NOT NULL, e.contact_email IS NOT NULL AND {}",
    IS_CONTACT_PROVEN,
);

impl FromRow for Registrant {
    const WIDTH: usize = Event::WIDTH + 15;

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
                refuses_reminders: columns.read()?,
                party: columns.read()?,
                check_in_code: columns.read()?,
                announced: columns.read()?,
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
             confirm_until, answers, check_in_code, is_added, party_size, companions, arrived, checked_in_at, checked_in_by, registered_at, updated_at, is_folded) SELECT input.*, TRUE FROM input"
        );
        for part in registrations.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("id", |one| one.id)
                .column("event_id", |one| one.event_id)
                .column("seq", |one| one.seq)
                .column("name", |one| &one.name)
                .column("email", |one| &one.email)
                .column("email_norm", |one| email::normalised(&one.email))
                .column("search_text", |one| {
                    values::search_text(&one.name, &one.email, &one.party.companions)
                })
                .column("status", |one| one.status)
                .column("held_until", held_until)
                .column("confirm_until", confirm_until)
                .column("answers", |one| &one.answers)
                .column("check_in_code", |one| &one.check_in_code)
                .column("is_added", |one| one.is_added)
                .column("party_size", |one| one.party.size)
                .column("companions", |one| &one.party.companions)
                .column("arrived", |one| one.arrived)
                .column("checked_in_at", |one| one.checked_in_at)
                .column("checked_in_by", |one| one.checked_in_by)
                .column("registered_at", |one| one.registered_at)
                .column("updated_at", |one| one.updated_at);
            self.execute(statement, input).await?;
        }
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
             companions_confirmed = companions_confirmed + $9, companions_pending = companions_pending + $10, \
             companions_held = companions_held + $11, companions_waitlisted = companions_waitlisted + $12, \
             companions_checked_in = companions_checked_in + $13, \
             next_seq = CASE WHEN next_seq > $14 THEN next_seq ELSE $14 END WHERE event_id = $1"
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
            change.companions.confirmed,
            change.companions.pending,
            change.companions.held,
            change.companions.waitlisted,
            change.companions.checked_in,
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
             checked_in_by = $8, arrived = $9 WHERE id = $1 AND status = $5"
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
            after.arrived,
        );
        self.execute_one("registration", statement, values).await?;
        let change = after.counted() - before.counted();
        if change == Counters::default() {
            return Ok(());
        }
        self.change_counters(after.event_id, change, 0).await
    }

    /// Writes the people of a registration, and counts it as it is after. The names are found once [`Tx::update_details`] wrote them.
    pub async fn update_party(
        &mut self,
        before: &Registration,
        after: &Registration,
    ) -> Result<(), Error> {
        let statement =
            sql!("UPDATE registrations SET party_size = $2, companions = $3 WHERE id = $1");
        let values = (after.id, after.party.size, &after.party.companions);
        self.execute_one("registration", statement, values).await?;
        let change = after.counted() - before.counted();
        self.change_counters(after.event_id, change, 0).await
    }

    /// Gives seats to parties on the waitlist, and counts them. Returns the change of the counters, which the caller holds.
    pub async fn promote_waitlisted(
        &mut self,
        event: EventId,
        promoted: &[Waiting],
        now: Instant,
    ) -> Result<Counters, Error> {
        let statement = sql!(
            "UPDATE registrations SET status = 'Confirmed', updated_at = input.now FROM input \
             WHERE registrations.id = input.id AND registrations.status = 'Waitlisted'"
        );
        for part in promoted.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("id", |party| party.id)
                .column("now", |_| now);
            if self.execute(statement, input).await? != part.len() as u64 {
                return Err(Error::Missing("waitlisted registration"));
            }
        }
        let moved = |party: &Waiting| {
            let of = |status| Counters::of(status, None, party.size);
            of(Status::Confirmed) - of(Status::Waitlisted)
        };
        let change = promoted.iter().map(moved);
        let change = change.fold(Counters::default(), |sum, one| sum + one);
        self.change_counters(event, change, 0).await?;
        Ok(change)
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
