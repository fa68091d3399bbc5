//! Declining registrations that hold no seat, one or many: they are cancelled, and the attendees get a mail with the reason.

use domain::{
    event::Event,
    fact::{Fact, RegistrationChange},
    ids::{EventId, RegistrationId},
    registration::{Refusal, Registration},
};

use crate::service::{
    Context, Error, Invocation, Principal, Registrations,
    registrations::{
        manage::{Held, hold_named},
        promote,
    },
};

impl Registrations {
    /// Declines a registration that holds no seat.
    pub async fn decline(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
        reason: Option<String>,
    ) -> Result<Registration, Error> {
        let by = by.into();
        let caller = by.caller;
        self.require_paid(caller, event).await?;
        let decide = async |context: &mut Context| {
            let Held {
                event,
                counters,
                registration: before,
            } = Held::read(context, caller, event, id).await?;
            let Some(after) = before.declined(context.now)? else {
                return Ok(before);
            };
            write(context, &event, &before, &after, reason.as_deref()).await?;
            let counters = counters - before.counted() + after.counted();
            promote(context, &event, counters).await?;
            Ok(after)
        };
        self.commands.run_for(by, decide).await
    }

    /// Declines those of these registrations that hold no seat, in the order of registering and in one transaction. Others stay as they
    /// are. Answers all of them, as they are now.
    pub async fn decline_all(
        &self,
        caller: &Principal,
        event: EventId,
        ids: &[RegistrationId],
        reason: Option<String>,
    ) -> Result<Vec<Registration>, Error> {
        self.require_paid(caller, event).await?;
        let decide = async |context: &mut Context| {
            let (event, mut counters, mut named) = hold_named(context, caller, event, ids).await?;
            for registration in &mut named {
                let after = match registration.declined(context.now) {
                    Ok(Some(after)) => after,
                    Ok(None) | Err(Refusal::HoldsSeat) => continue,
                    Err(refusal) => return Err(refusal.into()),
                };
                write(context, &event, registration, &after, reason.as_deref()).await?;
                counters = counters - registration.counted() + after.counted();
                *registration = after;
            }
            promote(context, &event, counters).await?;
            Ok(named)
        };
        self.commands.run(caller, decide).await
    }
}

async fn write(
    context: &mut Context,
    event: &Event,
    before: &Registration,
    after: &Registration,
    reason: Option<&str>,
) -> Result<(), Error> {
    event.check_running(context.now)?;
    if let Some(reason) = reason {
        context.tx.set_decline_reason(before.id, reason).await?;
    }
    context.tx.update_registration(before, after).await?;
    let fact = Fact::RegistrationChanged {
        change: RegistrationChange::Declined,
        account: event.account_id,
        before,
        after,
    };
    context.record(fact).await?;
    Ok(())
}
