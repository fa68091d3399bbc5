//! Approving many registrations at once.

use domain::{
    event::Event,
    fact::RegistrationChange,
    ids::{EventId, RegistrationId},
    registration::{Counters, Refusal, Registration},
};

use super::manage::{hold_named, write};
use crate::service::{Context, Error, Invocation, Registrations};

/// The result of approving many registrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Those that were named, as they are now, in the order of registering.
    pub registrations: Vec<Registration>,
    /// How many of them this call approved.
    pub approved: i32,
}

impl Registrations {
    /// Approves those of these registrations that await it, in the order of registering and in one transaction. Others stay as they
    /// are: people confirm and cancel while the organizer reads the list.
    pub async fn approve_all(
        &self,
        by: impl Into<Invocation<'_, Approval>>,
        event: EventId,
        ids: &[RegistrationId],
    ) -> Result<Approval, Error> {
        let by = by.into();
        let caller = by.caller;
        self.require_paid(caller, event).await?;
        let decide = async |context: &mut Context| {
            let (event, mut counters, found) = hold_named(context, caller, event, ids).await?;
            let mut approval = Approval {
                registrations: Vec::with_capacity(found.len()),
                approved: 0,
            };
            for before in found {
                let approved = approve(context, &event, &mut counters, &before).await?;
                approval.approved += i32::from(approved.is_some());
                approval.registrations.push(approved.unwrap_or(before));
            }
            Ok(approval)
        };
        self.commands.run_for(by, decide).await
    }
}

/// Approves a registration if it awaits that, and counts it.
async fn approve(
    context: &mut Context,
    event: &Event,
    counters: &mut Counters,
    before: &Registration,
) -> Result<Option<Registration>, Error> {
    let after = match before.approved(*counters, event.max_capacity, context.now) {
        Ok(Some(after)) => after,
        Ok(None) | Err(Refusal::RegistrationCancelled | Refusal::NotConfirmedByAttendee) => {
            return Ok(None);
        }
        Err(refusal) => return Err(refusal.into()),
    };
    event.check_running(context.now)?;
    let change = RegistrationChange::Approved;
    write(context, change, event, (before, &after)).await?;
    *counters = *counters - before.counted() + after.counted();
    Ok(Some(after))
}
