//! Removing a person everywhere, for an administrator.

use super::{Error, Service};
use crate::{
    domain::{
        audit::Actor,
        email::{self, Email},
        ids::EventId,
        instant::Instant,
        registration::{Counters, Registration, Seats},
        violation::Violations,
    },
    storage::Tx,
};

/// Registrations that are looked for at a time.
const PAGE: i64 = 500;

/// What erasing a person did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
    /// Registrations that were removed, in any status.
    pub registrations: u64,
    /// Mails that were waiting to be sent, or were given up, and were removed.
    pub mails: u64,
    /// Private links that no longer lead anywhere.
    pub links: u64,
    /// People who got the seats that came free.
    pub promoted: u64,
    /// Whether there was an account, which lost its address and its owner's name. Its events stay.
    pub account: bool,
    /// Keys of that account that were revoked.
    pub keys: u64,
}

impl Service {
    /// Removes the registrations of an e-mail address with all that goes with them, and takes the address and the name from
    /// its account. The audit log never had either. Done event by event, so that no event is held up by the others; what is
    /// interrupted is finished by doing it again.
    pub async fn erase_person(&self, address: &str) -> Result<Erasure, Error> {
        let mut violations = Violations::default();
        let email = violations.check("email", address.parse::<Email>());
        let email = violations.unless_any(email).map_err(Error::Invalid)?;
        let email_norm = email::normalised(email.as_str());
        let mut done = Erasure::default();
        loop {
            let store = &self.context.store;
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
        self.erase_account(&email_norm, &mut done).await?;
        self.context.store.forget_deleted().await?;
        Ok(done)
    }

    async fn erase_from_event(
        &self,
        event: EventId,
        email_norm: &str,
        done: &mut Erasure,
    ) -> Result<(), Error> {
        let now = self.now();
        let mut tx = self.context.store.begin().await?;
        let held = tx.lock_seats(&[event]).await?;
        let (_, mut counters, next_seq) = held.into_iter().next().ok_or(Error::NO_EVENT)?;
        let event = tx.find_event(event).await?.ok_or(Error::NO_EVENT)?;
        let found = tx.list_registrations_at(event.id, email_norm).await?;
        for registration in &found {
            done.mails += tx.delete_mails_of(registration.id).await?;
            done.links += tx.delete_links(registration.id).await?;
            tx.delete_registration(registration.id).await?;
            done.registrations += 1;
            counters = counters.without(registration.status);
        }
        let seats = Seats {
            event,
            counters,
            next_seq,
        };
        tx.update_counters(&[&seats]).await?;
        self.audit_erased(&mut tx, &seats, &found, now).await?;
        let after = self
            .promote(&mut tx, Actor::Admin, &seats.event, counters, now)
            .await?;
        tx.commit().await?;
        done.promoted += promoted(counters, after);
        Ok(())
    }

    /// Which registrations were erased; whose they were is what nobody is to know any more.
    async fn audit_erased(
        &self,
        tx: &mut Tx,
        seats: &Seats,
        erased: &[Registration],
        now: Instant,
    ) -> Result<(), Error> {
        let account = seats.event.account_id;
        for registration in erased {
            let subject = registration.id.uuid();
            let entry = self.audited(Actor::Admin, account, "registration.erase", subject, now);
            tx.insert_audit(&entry).await?;
        }
        Ok(())
    }

    async fn erase_account(&self, email_norm: &str, done: &mut Erasure) -> Result<(), Error> {
        let now = self.now();
        let mut tx = self.context.store.begin().await?;
        let Some(account) = tx.find_account_by_email(email_norm).await? else {
            return Ok(());
        };
        // The domain is one that RFC 2606 keeps from ever existing.
        let nobody = format!("erased-{}@erased.invalid", account.id);
        tx.erase_account(account.id, &nobody).await?;
        done.keys = tx.revoke_keys_of(account.id, now).await?;
        let subject = account.id.uuid();
        let entry = self.audited(Actor::Admin, account.id, "account.erase", subject, now);
        tx.insert_audit(&entry).await?;
        tx.commit().await?;
        done.account = true;
        Ok(())
    }
}

fn promoted(before: Counters, after: Counters) -> u64 {
    u64::try_from(after.confirmed - before.confirmed).unwrap_or(0)
}
