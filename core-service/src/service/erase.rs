//! Erasing a person, for an administrator.

use super::{Commands, Error, Unit, registrations::promote};
use crate::domain::{
    audit::Actor,
    email::{self, InvalidEmail},
    fact::{EventChange, Fact},
    ids::EventId,
    registration::{Counters, Seats},
    violation::Violations,
};

/// Registrations or events per query.
const PAGE: i64 = 500;

/// The result of erasing a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
    /// Removed registrations, in any status.
    pub registrations: u64,
    /// Removed mails that were waiting or had failed.
    pub mails: u64,
    /// Removed private links.
    pub links: u64,
    /// Registrations that got a seat from the waitlist.
    pub promoted: u64,
    /// Events from which the name and the address of the organizer were removed.
    pub events: u64,
    /// Whether there was an account. Its address and its owner's name were removed; its events stay.
    pub account: bool,
    /// Revoked keys of the account.
    pub keys: u64,
}

/// Use cases about personal data.
#[derive(Debug, Clone)]
pub struct People {
    commands: Commands,
}

impl People {
    /// Personal data in the database.
    pub const fn new(commands: Commands) -> Self {
        Self { commands }
    }

    /// Removes the registrations of an e-mail address with their mails and links, and removes the address and the name from its
    /// account, and from events that name them as the organizer. The audit log contains neither. Each event is a transaction of its own, so that no event waits for the others.
    /// An interrupted run is completed by repeating it.
    pub async fn erase(&self, address: &str) -> Result<Erasure, Error> {
        let mut violations = Violations::default();
        // Not the API's rule, which is stricter now than it was when some addresses were stored.
        if !address.contains('@') {
            violations.add("email", InvalidEmail.to_string());
        }
        let email_norm = violations
            .unless_any(Some(email::normalised(address)))
            .map_err(Error::Invalid)?;
        let mut done = Erasure::default();
        loop {
            let store = self.commands.store();
            let found = store.list_registrations_of(&email_norm, PAGE).await?;
            let mut events: Vec<EventId> = found.iter().map(|one| one.event_id).collect();
            events.sort_unstable();
            events.dedup();
            if events.is_empty() {
                break;
            }
            for event in events {
                self.erase_from_event(event, &email_norm, &mut done).await?;
            }
        }
        self.erase_contacts(&email_norm, &mut done).await?;
        self.erase_account(&email_norm, &mut done).await?;
        self.erase_person(&email_norm).await?;
        self.commands.store().forget_deleted().await?;
        Ok(done)
    }

    async fn erase_from_event(
        &self,
        event: EventId,
        email_norm: &str,
        done: &mut Erasure,
    ) -> Result<(), Error> {
        let decide = async |unit: &mut Unit| {
            let held = unit.tx.lock_seats(&[event]).await?;
            let (_, mut counters, next_seq) = held.into_iter().next().ok_or(Error::NO_EVENT)?;
            unit.renew_time();
            let event = unit.tx.find_event(event).await?.ok_or(Error::NO_EVENT)?;
            let found = unit.tx.list_registrations_at(event.id, email_norm).await?;
            let mut erased = Erasure::default();
            for registration in found {
                let id = registration.id;
                erased.mails += unit.tx.delete_mails_of(id).await?;
                erased.links += unit.tx.delete_links(id).await?;
                unit.tx.delete_answers_about(id).await?;
                unit.tx.delete_new_details(id).await?;
                unit.tx.delete_registration(id).await?;
                erased.registrations += 1;
                counters = counters - registration.counted();
                let fact = Fact::RegistrationErased {
                    account: event.account_id,
                    event: event.id,
                    registration: id,
                };
                unit.record(fact).await?;
            }
            let seats = Seats {
                event,
                counters,
                next_seq,
            };
            unit.tx.update_counters(&[&seats]).await?;
            let after = promote(unit, &seats.event, counters).await?;
            erased.promoted = promoted(counters, after);
            Ok(erased)
        };
        // Only committed changes are counted.
        let erased = self.commands.run(Actor::Admin, decide).await?;
        done.registrations += erased.registrations;
        done.mails += erased.mails;
        done.links += erased.links;
        done.promoted += erased.promoted;
        Ok(())
    }

    /// From all events of the person's account, and from those of others that have the address.
    async fn erase_contacts(&self, email_norm: &str, done: &mut Erasure) -> Result<(), Error> {
        let store = self.commands.store();
        let account = store.find_account_by_email(email_norm).await?;
        let account = account.map(|account| account.id);
        loop {
            let found = store.list_events_with_contact(account, email_norm, PAGE);
            let found = found.await?;
            if found.is_empty() {
                return Ok(());
            }
            for event in found {
                self.erase_contact(event).await?;
                done.events += 1;
            }
        }
    }

    async fn erase_contact(&self, event: EventId) -> Result<(), Error> {
        let decide = async |unit: &mut Unit| {
            let counters = unit.tx.lock_counters(event).await?;
            counters.ok_or(Error::NO_EVENT)?;
            unit.renew_time();
            let before = unit.tx.find_event(event).await?.ok_or(Error::NO_EVENT)?;
            let after = before.without_contact(unit.now);
            unit.tx
                .update_event(&after, after.is_live(unit.now))
                .await?;
            let fact = Fact::EventChanged {
                change: EventChange::Updated,
                before: &before,
                after: &after,
            };
            unit.record(fact).await?;
            Ok(())
        };
        self.commands.run(Actor::Admin, decide).await
    }

    async fn erase_account(&self, email_norm: &str, done: &mut Erasure) -> Result<(), Error> {
        let decide = async |unit: &mut Unit| {
            let Some(account) = unit.tx.find_account_by_email(email_norm).await? else {
                return Ok(None);
            };
            let account = account.id;
            unit.tx.erase_account(account).await?;
            let keys = unit.tx.revoke_keys_of(account, unit.now).await?;
            unit.tx.delete_answers_of(account).await?;
            unit.record(Fact::AccountErased { account }).await?;
            Ok(Some(keys))
        };
        if let Some(keys) = self.commands.run(Actor::Admin, decide).await? {
            (done.account, done.keys) = (true, keys);
        }
        Ok(())
    }

    async fn erase_person(&self, email_norm: &str) -> Result<(), Error> {
        let decide = async |unit: &mut Unit| {
            let codes = unit.tx.delete_codes_to(email_norm).await?;
            let invitations = unit.tx.delete_invitations_to(email_norm).await?;
            let person = unit.tx.lock_person_by_email(email_norm).await?;
            if let Some(person) = &person {
                unit.tx.delete_person(person.id).await?;
            }
            if person.is_some() || codes + invitations > 0 {
                unit.note_write();
            }
            Ok(())
        };
        self.commands.run(Actor::Admin, decide).await
    }
}

fn promoted(before: Counters, after: Counters) -> u64 {
    u64::try_from(after.confirmed - before.confirmed).unwrap_or(0)
}
