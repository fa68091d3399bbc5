//! What the organizer does with a registration.

use crate::{
    domain::{
        audit::Actor,
        event::Event,
        ids::{EventId, RegistrationId},
        instant::Instant,
        job::{APPROVED_MAIL, HELD_A_SEAT, JobKey, REGISTRATION_CANCELLED_MAIL},
        registration::{Counters, Refusal, Registration, Status},
    },
    service::{Caller, Error, Service, events::hold},
    storage::Tx,
};

/// A registration with its event, both held until the transaction ends.
struct Held {
    event: Event,
    counters: Counters,
    registration: Registration,
}

impl Service {
    /// Approves a registration that awaits it.
    pub async fn approve_registration(
        &self,
        caller: &Caller,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let now = self.now();
        let (mut tx, held) = self.hold_registration(caller, event, id).await?;
        let before = held.registration;
        let max_capacity = held.event.max_capacity;
        let Some(after) = before.approved(held.counters, max_capacity, now)? else {
            return Ok(before);
        };
        held.event.check_running(now)?;
        let actor = caller.actor();
        self.write_registration(
            &mut tx,
            actor,
            "registration.approve",
            &held.event,
            &before,
            &after,
        )
        .await?;
        tx.insert_job(&mail(APPROVED_MAIL, id), now).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Cancels a registration; its seat goes to who waits longest.
    pub async fn cancel_registration(
        &self,
        caller: &Caller,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let now = self.now();
        let (mut tx, held) = self.hold_registration(caller, event, id).await?;
        let before = held.registration;
        let Some(after) = before.cancelled(now) else {
            return Ok(before);
        };
        held.event.check_running(now)?;
        self.give_up(
            &mut tx,
            caller.actor(),
            &held.event,
            held.counters,
            &before,
            &after,
        )
        .await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Notes that an attendee has come.
    pub async fn check_in(
        &self,
        caller: &Caller,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let decide = |before: &Registration, now| before.checked_in(now);
        self.note(caller, event, id, "registration.check_in", decide)
            .await
    }

    /// Takes back that an attendee has come.
    pub async fn undo_check_in(
        &self,
        caller: &Caller,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let decide = |before: &Registration, now| Ok(before.check_in_undone(now));
        self.note(caller, event, id, "registration.undo_check_in", decide)
            .await
    }

    async fn note(
        &self,
        caller: &Caller,
        event: EventId,
        id: RegistrationId,
        action: &'static str,
        decide: impl FnOnce(&Registration, Instant) -> Result<Option<Registration>, Refusal>,
    ) -> Result<Registration, Error> {
        let now = self.now();
        let (mut tx, held) = self.hold_registration(caller, event, id).await?;
        let before = held.registration;
        // Also after the event, when the list from the door is typed in.
        if held.event.is_cancelled {
            return Err(Error::EventCancelled);
        }
        let Some(after) = decide(&before, now)? else {
            return Ok(before);
        };
        self.write_registration(
            &mut tx,
            caller.actor(),
            action,
            &held.event,
            &before,
            &after,
        )
        .await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Cancels a registration that is held with its event, mails the attendee and promotes who waits.
    pub(super) async fn give_up(
        &self,
        tx: &mut Tx,
        actor: Actor,
        event: &Event,
        counters: Counters,
        before: &Registration,
        after: &Registration,
    ) -> Result<(), Error> {
        self.write_registration(tx, actor, "registration.cancel", event, before, after)
            .await?;
        let now = after.updated_at;
        let mut mail = mail(REGISTRATION_CANCELLED_MAIL, after.id);
        if before.status == Status::Confirmed {
            mail.generation = HELD_A_SEAT;
        }
        tx.insert_job(&mail, now).await?;
        let counters = counters.moved(before.status, Status::Cancelled);
        self.promote(tx, actor, event, counters, now).await?;
        Ok(())
    }

    async fn hold_registration(
        &self,
        caller: &Caller,
        event: EventId,
        id: RegistrationId,
    ) -> Result<(Tx, Held), Error> {
        self.require_paid(caller, event).await?;
        let mut tx = self.context.store.begin().await?;
        let (event, counters) = hold(&mut tx, caller, event).await?;
        let found = tx.find_registration(event.id, id).await?;
        let held = Held {
            registration: found.ok_or(Error::NO_REGISTRATION)?,
            event,
            counters,
        };
        Ok((tx, held))
    }

    /// Writes a change with its audit row, which says nothing of whose registration it is.
    async fn write_registration(
        &self,
        tx: &mut Tx,
        actor: Actor,
        action: &'static str,
        event: &Event,
        before: &Registration,
        after: &Registration,
    ) -> Result<(), Error> {
        tx.update_registration(before.status, after).await?;
        let told = |registration: &Registration| {
            serde_json::json!({
                "status": registration.status.name(),
                "checked_in": registration.checked_in_at.is_some(),
            })
        };
        let (account, subject) = (event.account_id, after.id.uuid());
        let mut entry = self.audited(actor, account, action, subject, after.updated_at);
        entry.before = Some(told(before));
        entry.after = Some(told(after));
        Ok(tx.insert_audit(&entry).await?)
    }
}

fn mail(kind: &str, registration: RegistrationId) -> JobKey {
    JobKey {
        kind: kind.to_owned(),
        subject_id: registration.uuid(),
        generation: 0,
    }
}
