//! Sending the mail about a registration again, also to another address.

use domain::{
    budget::Cause,
    email,
    fact::Fact,
    ids::{AccountId, EventId, RegistrationId},
    registration::{Refusal, Registration, Requester, Status},
};
use storage::{Reads, RefusalLink};

use crate::service::{
    Context, Error, Invocation, Registrations, events, mail_quota, mail_quota::Needed, mailboxes,
    registrations::manage::Held,
};

impl Registrations {
    /// Sends the mail that says what applies to a registration again.
    pub async fn send_mail_again(
        &self,
        by: impl Into<Invocation<'_, Registration>>,
        event: EventId,
        id: RegistrationId,
    ) -> Result<Registration, Error> {
        let by = by.into();
        let caller = by.caller;
        self.require_paid(caller, event).await?;
        let decide = async |context: &mut Context| {
            let account = events::lock_account(context, caller).await?;
            let held = Held::read(context, caller, event, id).await?;
            let registration = held.registration;
            if registration.status == Status::Cancelled {
                return Err(Refusal::RegistrationCancelled.into());
            }
            let requester = Requester::Owner(account.id);
            held.event.check_open(requester, context.now)?;
            let needed = Needed {
                mails: 1,
                strangers: i32::from(registration.is_added),
            };
            mail_quota::count(context, &self.plans, &account, needed).await?;
            mailboxes::spend(context, Cause::Organizer, &registration.email).await?;
            context
                .tx
                .delete_mails_to_current_address(registration.id)
                .await?;
            let fact = Fact::MailSentAgain {
                account: account.id,
                registration: &registration,
            };
            context.record(fact).await?;
            Ok(registration)
        };
        self.commands.run_for(by, decide).await
    }
}

/// Writes another address of a registration: the mail goes there again, the earlier address gets a notice, its code ends, and its
/// links only refuse mails from now on.
pub(super) async fn correct_address(
    context: &mut Context,
    account: AccountId,
    before: &Registration,
    after: &Registration,
) -> Result<(), Error> {
    check_free(&context.tx, after).await?;
    for address in [&before.email, &after.email] {
        mailboxes::spend(context, Cause::Organizer, address).await?;
    }
    context.tx.delete_mails_to_current_address(after.id).await?;
    // Who had the address gets to the registration no more, but the refusal of such mails stays theirs.
    let refusal = RefusalLink {
        mailbox: email::mailbox_hash(&before.email),
        account,
        event: before.event_id,
    };
    let now = context.now;
    let made = context.tx.make_refusal_links(after.id, &refusal, now);
    made.await?;
    context.tx.update_address(after).await?;
    let fact = Fact::AddressLeft {
        registration: after.id,
        address: &before.email,
    };
    context.record(fact).await?;
    Ok(())
}

/// Refuses an address with which someone else is registered for the event.
pub(super) async fn check_free(reads: &Reads, after: &Registration) -> Result<(), Error> {
    let person = (after.event_id, &*email::normalised(&after.email));
    let others = reads.find_active_registrations(&[person]).await?;
    if others.iter().any(|(_, _, other)| *other != after.id) {
        return Err(Error::AlreadyRegistered);
    }
    Ok(())
}

/// The mails of another address. Neither of the two people asked for one.
pub(super) const CORRECTION: Needed = Needed {
    mails: 2,
    strangers: 2,
};
