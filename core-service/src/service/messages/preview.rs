//! Who would get a message, and how it would look. Nothing is changed.

use domain::{
    account::Account,
    email::mailbox_hash,
    event::Event,
    ids::{AccountId, EventId, MessageId},
    mail::quota::MailCount,
    message::{Audience, Message},
    registration::{Registrant, SampleOrganizer},
    violation::Checked,
};
use storage::{Recipient, Suppression};
use uuid::Uuid;

use super::{
    Messages, NewMessage,
    create::{Draft, draft, person_of},
    need::Need,
    sees_names,
};
use crate::service::{Error, Principal, catalogue::saturated, events, judgement::Judgement};

/// People that are read at a time.
const PAGE: i64 = 1_000;

/// Why people do not get a message, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// Why, as answers say it.
    pub reason: &'static str,
    /// How many.
    pub count: i32,
}

/// A message that is considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedMessage {
    /// The message.
    pub message: Message,
    /// One who would get it, or the caller.
    pub registrant: Registrant,
    /// How many would get it now.
    pub recipients: i32,
    /// Why others would not.
    pub left_out: Vec<LeftOut>,
    /// How many mails the plan still allows today; `None` if it has no quota.
    pub left_today: Option<i32>,
    /// Whether they are enough.
    pub fits_today: bool,
    /// Whether it is a test.
    pub is_test: bool,
}

/// The people of an audience, apart from those who want none.
#[derive(Debug, Default)]
struct Reached {
    opted_out: i32,
    refused: i32,
    /// Added people, of those who want it.
    added: i32,
    others: i32,
    first: Option<String>,
}

impl Messages {
    /// A message that is considered. What would be refused is refused here, too, but for the mails of the day.
    pub async fn preview(
        &self,
        caller: &Principal,
        id: EventId,
        Checked {
            message: new,
            mistakes,
        }: Checked<NewMessage>,
    ) -> Result<PlannedMessage, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let (event, _) = events::find(store, caller, id).await?;
        let account = store.find_account(caller.account).await?;
        let account = account.ok_or(Error::Unauthorized)?;
        let mut judgement = Judgement::of(mistakes);
        judgement.note(self.check_allowed(&account, &event))?;
        let drafted = judgement.note(draft(MessageId::new(Uuid::nil()), &event, new, now))?;
        let (message, is_test) = match judgement.conclude(drafted)? {
            Draft::Message(message) => (message, false),
            Draft::Test(message) => (message, true),
        };
        let today = store.find_mail_count(account.id).await?;
        let today = today.map_or(MailCount::of_day(now), |count| count.today(now));
        let limit = self.plans.daily_mails.of(account.plan);
        let left_today =
            limit.map(|limit| saturated(i64::from(limit) - i64::from(today.mails)).max(0));
        let to = (id, &message.audience);
        let need = Need::of(store, &self.plans, &account, today, to).await?;
        let reached = self.reached(&account, id, &message.audience).await?;
        let added = need
            .max_added
            .map_or(reached.added, |max| reached.added.min(max));
        let mut left_out = self.beside(id, &message.audience).await?;
        left_out.extend(
            [
                ("opted_out", reached.opted_out),
                ("refused", reached.refused),
                ("added", reached.added - added),
            ]
            .map(|(reason, count)| LeftOut { reason, count }),
        );
        left_out.retain(|one| one.count > 0 && !is_test);
        let person = person_of(store, caller.actor).await?;
        let own = person.map_or_else(|| "Grace Example".to_owned(), |person| person.name);
        let name = reached
            .first
            .filter(|_| !is_test && sees_names(caller, &account));
        let registrant = Registrant {
            name: name.unwrap_or(own),
            ..self.sample(event, account.id).await?
        };
        Ok(PlannedMessage {
            registrant,
            recipients: if is_test { 1 } else { reached.others + added },
            left_out,
            left_today,
            fits_today: need.allowed(&self.plans, &account, today, now).is_ok(),
            message,
            is_test,
        })
    }

    /// Those who want it, and those who do not.
    async fn reached(
        &self,
        account: &Account,
        event: EventId,
        audience: &Audience,
    ) -> Result<Reached, Error> {
        let (store, mut after, mut reached) = (self.commands.store(), 0, Reached::default());
        loop {
            let page = store.list_audience(event, audience, after, PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(reached);
            };
            after = last.seq;
            self.add_page(account, page, &mut reached).await?;
        }
    }

    async fn add_page(
        &self,
        account: &Account,
        page: Vec<Recipient>,
        reached: &mut Reached,
    ) -> Result<(), Error> {
        let store = self.commands.store();
        let mailboxes: Vec<[u8; 32]> = page.iter().map(|one| mailbox_hash(&one.email)).collect();
        let of_account = |mailbox: &[u8; 32]| (*mailbox, account.id);
        let asked: Vec<_> = mailboxes.iter().map(of_account).collect();
        let opted_out = store.find_message_refusals(&asked).await?;
        let both = |mailbox: &[u8; 32]| [(*mailbox, None), (*mailbox, Some(account.id))];
        let asked: Vec<Suppression> = mailboxes.iter().flat_map(both).collect();
        let refused = store.find_suppressions(&asked).await?;
        let stopped = store.find_mail_stops(&mailboxes).await?;
        // Who registered themselves gets messages although they refused the mails about what organizers added them to.
        let is_refused = |one: &Recipient, mailbox: &[u8; 32]| {
            stopped.contains(mailbox)
                || refused.contains(&(*mailbox, None))
                || one.is_added && refused.contains(&(*mailbox, Some(account.id)))
        };
        for (one, mailbox) in page.into_iter().zip(&mailboxes) {
            let count = if is_refused(&one, mailbox) {
                &mut reached.refused
            } else if opted_out.contains(&of_account(mailbox)) {
                &mut reached.opted_out
            } else {
                reached.first.get_or_insert(one.name);
                if one.is_added {
                    &mut reached.added
                } else {
                    &mut reached.others
                }
            };
            *count = count.saturating_add(1);
        }
        Ok(())
    }

    /// Those who are not in the audience.
    async fn beside(&self, event: EventId, audience: &Audience) -> Result<Vec<LeftOut>, Error> {
        let store = self.commands.store();
        let (unconfirmed, other, same) = store.count_beside_audience(event, audience).await?;
        let (all, _) = store.count_audience(event, audience).await?;
        let found = [
            ("other_status", other),
            ("other_audience", same - i64::from(all)),
            ("unconfirmed", unconfirmed),
        ];
        let left_out = |(reason, count)| LeftOut {
            reason,
            count: saturated(count),
        };
        Ok(found.into_iter().map(left_out).collect())
    }

    /// Nobody in particular, with a seat at an event of an account.
    pub(crate) async fn sample(
        &self,
        event: Event,
        account: AccountId,
    ) -> Result<Registrant, Error> {
        let store = self.commands.store();
        let found = store.find_account(account).await?;
        let found = found.ok_or(Error::NO_EVENT)?;
        let organizer = SampleOrganizer {
            is_trusted: found.stranger_mails(&self.plans).is_none(),
            is_contact_proven: match &event.contact_email {
                Some(address) => store.is_contact_proven(account, address).await?,
                None => false,
            },
            name: Some(found.name),
        };
        let entropy = self.commands.entropy();
        Ok(Registrant::sample(event, organizer, entropy))
    }
}
