//! Registrations: registering, and what the organizer and the attendee can do afterwards.

mod approve;
mod batch;
mod decline;
mod door;
mod edit;
mod export;
mod import;
mod list;
mod mail_again;
mod mail_choice;
mod mails;
mod manage;
mod own;
mod planned;
mod promote;
mod register;
mod settle;

use std::sync::Arc;

use domain::{
    event::Event,
    ids::EventId,
    plan::Plans,
    registration::{Counters, Registration},
};

use self::batch::Batchers;
use super::{Commands, Error, Links, Principal, events, limits::Limiters};

pub use approve::Approval;
pub use door::{Arrival, DoorPlace};
pub use edit::RegistrationPatch;
pub use export::Export;
pub use import::{Imported, ImportedLine, NewList, Outcome, ReadPerson};
pub use list::{MailFailure, RegistrationPage};
pub use mail_choice::{MailChoice, MailRefusal, MessagesStopped};
pub use mails::EventMails;
pub use own::{OwnRegistration, OwnRegistrations, Ticket};
pub use planned::PlannedRecipients;
pub(super) use promote::{promotable, promote};
pub use register::{Added, NewRegistration};
pub(crate) use settle::settle_all;

/// A registration for an event as a caller sees it: at the door without address and answers.
fn shown_to(caller: &Principal, event: &Event, registration: Registration) -> Registration {
    if caller.sees_addresses {
        return registration.current(&event.custom_fields);
    }
    Registration {
        email: String::new(),
        answers: Vec::new(),
        ..registration
    }
}

/// Use cases about registrations, for the public and the organizer.
#[derive(Debug, Clone)]
pub struct Registrations {
    commands: Commands,
    links: Links,
    limiters: Arc<Limiters>,
    batchers: Arc<Batchers>,
    plans: Plans,
}

impl Registrations {
    /// Must be called within a Tokio runtime, in which the batchers run.
    pub(super) fn new(
        commands: Commands,
        links: Links,
        limiters: Arc<Limiters>,
        plans: Plans,
    ) -> Self {
        Self {
            batchers: Arc::new(Batchers::start(&commands, plans)),
            plans,
            commands,
            links,
            limiters,
        }
    }

    /// One of the caller's events, if the plan shows registrations. Ownership is decided before the plan, so that a refusal
    /// because of the plan reveals nothing.
    async fn require_paid(
        &self,
        caller: &Principal,
        id: EventId,
    ) -> Result<(Event, Counters), Error> {
        let store = self.commands.store();
        let found = events::find(store, caller, id).await?;
        let account = store.find_account(caller.account).await?;
        if account.ok_or(Error::Unauthorized)?.plan.is_paid() {
            Ok(found)
        } else {
            Err(Error::PlanRequired)
        }
    }
}
