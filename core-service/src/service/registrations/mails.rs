//! What became of the mails about an event, for its organizer.

use std::collections::BTreeMap;

use domain::{
    cursor::Place,
    email::mailbox_hash,
    ids::{EventId, RegistrationId},
    instant::Instant,
    mail::MailProblem,
};
use storage::{MailNumber, UndeliveredMail};
use uuid::Uuid;

use crate::service::{Error, Principal, Registrations, events, pages::page};

/// What became of the mails about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventMails {
    /// How many there are of each kind in each state.
    pub numbers: Vec<MailNumber>,
    /// Those whose addresses should be looked at, the latest first; none where the caller sees no addresses.
    pub undelivered: Vec<UndeliveredMail>,
    /// The last of the page, if there are more.
    pub next: Option<Place>,
}

impl EventMails {
    /// The address that a mail was for, if its registration still has it.
    pub fn address(mail: &UndeliveredMail) -> Option<&str> {
        let is_same = mailbox_hash(&mail.email) == mail.mail.mailbox;
        is_same.then_some(&mail.email)
    }
}

impl Registrations {
    /// What became of the mails about one of the caller's events. The numbers reveal no more than those of registrations; addresses are
    /// shown as the list of registrations shows them.
    pub async fn mails(
        &self,
        caller: &Principal,
        id: EventId,
        limit: i32,
        after: Option<Place>,
    ) -> Result<EventMails, Error> {
        let store = self.commands.store();
        let (event, _) = events::find(store, caller, id).await?;
        let numbers = store.count_event_mails(event.id).await?;
        let account = store.find_account(caller.account).await?;
        let is_paid = account.ok_or(Error::Unauthorized)?.plan.is_paid();
        let (mut undelivered, mut next) = (Vec::new(), None);
        if is_paid && caller.sees_addresses {
            let latest = (Instant::from_micros(i64::MAX), Uuid::max());
            let after = after.map(|place| (Instant::from_micros(place.key), place.id));
            let max = i64::from(limit) + 1;
            let found = store
                .list_undelivered_mails(event.id, after.unwrap_or(latest), max)
                .await?;
            (undelivered, next) = page(found, limit, |last| Place {
                key: last.mail.sent_at.micros(),
                id: last.registration.uuid(),
            });
        }
        Ok(EventMails {
            numbers,
            undelivered,
            next,
        })
    }

    /// What an organizer should know of these registrants' addresses.
    pub(super) async fn mail_problems(
        &self,
        registrants: &[(RegistrationId, &str)],
    ) -> Result<Vec<(RegistrationId, MailProblem)>, Error> {
        let ids: Vec<_> = registrants.iter().map(|(id, _)| *id).collect();
        let mut mails: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (id, mail) in self.commands.store().list_sent_mails(&ids).await? {
            mails.entry(id).or_default().push(mail);
        }
        let problem = |(id, address): &(RegistrationId, &str)| {
            Some((*id, MailProblem::of(address, mails.get(id)?)?))
        };
        Ok(registrants.iter().filter_map(problem).collect())
    }
}
