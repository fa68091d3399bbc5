//! Changes of a registration by the organizer.

use domain::{
    change::Change,
    event::Event,
    fact::{DetailsChange, Fact, RegistrationChange},
    ids::{EventId, RegistrationId},
    registration::{Answer, Counters, Details, Party, Registration},
};

use super::{edit::RegistrationPatch, register::too_long, shown_to};
use crate::service::{
    Context, Error, Invocation, Principal, Registrations, Storable, events::hold,
    judgement::Judgement, registrations::promote,
};

/// A registration with its event, both locked until the transaction ends.
pub(super) struct Held {
    pub(super) event: Event,
    pub(super) counters: Counters,
    pub(super) registration: Registration,
}

impl Registrations {
    /// Decides about a registration for one of the caller's events, on a plan that shows registrations. Ownership is decided first.
    pub(super) async fn on_held<A: Storable>(
        &self,
        by: impl Into<Invocation<'_, A>>,
        (event, id): (EventId, RegistrationId),
        decide: impl AsyncFnOnce(&mut Context, &Principal, Held) -> Result<A, Error> + Clone,
    ) -> Result<A, Error> {
        let by = by.into();
        let caller = by.caller;
        self.require_paid(caller, event).await?;
        let decide = async |context: &mut Context| {
            let held = Held::read(context, caller, event, id).await?;
            decide(context, caller, held).await
        };
        self.commands.run_for(by, decide).await
    }

    /// Approves a pending registration.
    pub async fn approve(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let decide = async |context: &mut Context, _: &Principal, held: Held| {
            let before = &held.registration;
            let max_capacity = held.event.max_capacity;
            let approved = before.approved(held.counters, max_capacity, context.now)?;
            let Some(after) = approved else {
                return Ok(held.registration);
            };
            held.event.check_running(context.now)?;
            held.write(context, RegistrationChange::Approved, &after)
                .await?;
            Ok(after)
        };
        self.on_held(by, (event, id), decide).await
    }

    /// Cancels a registration; its seats go to the waitlist, in order.
    pub async fn cancel(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let decide = async |context: &mut Context, _: &Principal, held: Held| {
            let (registration, _) = held.cancel(context).await?;
            Ok(registration)
        };
        self.on_held(by, (event, id), decide).await
    }

    /// Undoes a check-in.
    pub async fn undo_check_in(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let decide = async |context: &mut Context, caller: &Principal, held: Held| {
            // Also allowed after the event, to correct a list from the door.
            if held.event.is_cancelled {
                return Err(Error::EventCancelled);
            }
            let Some(after) = held.registration.check_in_undone(context.now) else {
                return Ok(shown_to(caller, &held.event, held.registration));
            };
            held.write(context, RegistrationChange::CheckInUndone, &after)
                .await?;
            Ok(shown_to(caller, &held.event, after))
        };
        self.on_held(by, (event, id), decide).await
    }
}

/// One of the caller's events with these registrations, each once and in the order of registering. All are locked until the transaction
/// ends.
pub(super) async fn hold_named(
    context: &mut Context,
    caller: &Principal,
    event: EventId,
    ids: &[RegistrationId],
) -> Result<(Event, Counters, Vec<Registration>), Error> {
    let (event, counters) = hold(context, caller, event).await?;
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let found = context.tx.find_registrations(event.id, &ids).await?;
    if found.len() < ids.len() {
        return Err(Error::NO_REGISTRATION);
    }
    let found = found.into_iter();
    let found = found.map(|one| one.current(&event.custom_fields)).collect();
    Ok((event, counters, found))
}

impl Held {
    pub(super) async fn read(
        context: &mut Context,
        caller: &Principal,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Self, Error> {
        let (event, counters) = hold(context, caller, event).await?;
        let found = context.tx.find_registration(event.id, id).await?;
        let found = found.ok_or(Error::NO_REGISTRATION)?;
        Ok(Self {
            registration: found.current(&event.custom_fields),
            event,
            counters,
        })
    }

    /// Cancels the registration. A cancelled one stays unchanged.
    pub(super) async fn cancel(
        self,
        context: &mut Context,
    ) -> Result<(Registration, Event), Error> {
        let after = self.registration.cancelled(context.now);
        self.change(context, RegistrationChange::Cancelled, after)
            .await
    }

    /// Confirms the registration for its attendee. One that does not await that stays unchanged.
    pub(super) async fn confirm(
        self,
        context: &mut Context,
    ) -> Result<(Registration, Event), Error> {
        let after = self
            .registration
            .confirmed(&self.event, self.counters, context.now)?;
        self.change(context, RegistrationChange::Confirmed, after)
            .await
    }

    /// Replaces the answers for their attendee, and the party by one that is not larger, whose seats go to the waitlist, in order. The
    /// same answers and people change nothing.
    pub(super) async fn change_answers(
        self,
        context: &mut Context,
        answers: Vec<Answer>,
        party: Option<Party>,
    ) -> Result<(Registration, Event), Error> {
        self.event.check_takes_new_answers(context.now)?;
        let before = &self.registration;
        let party = party.unwrap_or_else(|| before.party.clone());
        let mut judgement = Judgement::of(before.party_mistakes(&party));
        let edited = if let Some(mistake) = too_long(&answers) {
            Err(Error::Invalid(vec![mistake]))
        } else {
            let patch = RegistrationPatch {
                answers: Change::Set(answers),
                ..RegistrationPatch::default()
            };
            self.edited(patch, context.entropy(), context.now)
        };
        let edited = judgement.note(edited)?;
        let mut after = judgement.conclude(edited)?;
        if after.party != party {
            (after.party, after.updated_at) = (party, context.now);
            context.tx.update_party(before, &after).await?;
        }
        if after == *before {
            return Ok((self.registration, self.event));
        }
        context.tx.update_details(&after).await?;
        let fact = Fact::DetailsChanged {
            change: DetailsChange::AnswersChanged,
            account: self.event.account_id,
            before,
            after: &after,
        };
        context.record(fact).await?;
        let counters = self.counters - before.counted() + after.counted();
        promote(context, &self.event, counters).await?;
        // A smaller party that waited may have seats now.
        let found = context
            .tx
            .find_registration(self.event.id, after.id)
            .await?;
        let found = found.ok_or(Error::NO_REGISTRATION)?;
        Ok((found, self.event))
    }

    /// Takes over the details of a repeated registration. One that has them already stays unchanged.
    pub(super) async fn take_over(
        self,
        context: &mut Context,
        details: Details,
    ) -> Result<(Registration, Event), Error> {
        let Some(after) = self.registration.with_details(details, context.now)? else {
            return Ok((self.registration, self.event));
        };
        self.event.check_running(context.now)?;
        context.tx.update_details(&after).await?;
        let fact = Fact::DetailsChanged {
            change: DetailsChange::TakenOver,
            account: self.event.account_id,
            before: &self.registration,
            after: &after,
        };
        context.record(fact).await?;
        Ok((after, self.event))
    }

    /// Writes a change of status, if there is one, and gives a seat that it leaves free to the waitlist.
    pub(super) async fn change(
        self,
        context: &mut Context,
        change: RegistrationChange,
        after: Option<Registration>,
    ) -> Result<(Registration, Event), Error> {
        let Some(after) = after else {
            return Ok((self.registration, self.event));
        };
        self.event.check_running(context.now)?;
        self.write(context, change, &after).await?;
        let counters = self.counters - self.registration.counted() + after.counted();
        promote(context, &self.event, counters).await?;
        Ok((after, self.event))
    }

    pub(super) async fn write(
        &self,
        context: &mut Context,
        change: RegistrationChange,
        after: &Registration,
    ) -> Result<(), Error> {
        write(context, change, &self.event, (&self.registration, after)).await
    }
}

/// Writes a change of status of a registration for an event, both of which are locked.
pub(super) async fn write(
    context: &mut Context,
    change: RegistrationChange,
    event: &Event,
    (before, after): (&Registration, &Registration),
) -> Result<(), Error> {
    context.tx.update_registration(before, after).await?;
    let fact = Fact::RegistrationChanged {
        change,
        account: event.account_id,
        before,
        after,
    };
    context.record(fact).await?;
    Ok(())
}
