//! Declining registrations that hold no seat, one or many: they are cancelled, and the attendees get a mail with the reason.

use domain::{
    fact::RegistrationChange,
    ids::{EventId, RegistrationId},
    registration::{Refusal, Registration},
};

use crate::service::{
    Context, Error, Invocation, Principal, Registrations,
    registrations::{
        manage::{Held, hold_named, write},
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
        let decide = async |context: &mut Context, _: &Principal, held: Held| {
            let after = held.registration.declined(context.now)?;
            if let (Some(after), Some(reason)) = (&after, &reason) {
                context.tx.set_decline_reason(after.id, reason).await?;
            }
            let change = RegistrationChange::Declined;
            let (registration, _) = held.change(context, change, after).await?;
            Ok(registration)
        };
        self.on_held(by, (event, id), decide).await
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
                event.check_running(context.now)?;
                if let Some(reason) = &reason {
                    context.tx.set_decline_reason(after.id, reason).await?;
                }
                let change = RegistrationChange::Declined;
                write(context, change, &event, (registration, &after)).await?;
                counters = counters - registration.counted() + after.counted();
                *registration = after;
            }
            promote(context, &event, counters).await?;
            Ok(named)
        };
        self.commands.run(caller, decide).await
    }
}
