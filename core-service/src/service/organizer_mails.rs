//! Telling the members of an account of new registrations, by mails that collect them (rule 39 of docs/rules.md). What waits is a row
//! in `jobs`, one for each account: it is there from the first registration until a quarter of an hour after the last mail.

use domain::{
    audit::Actor,
    fact::Fact,
    ids::{AccountId, PersonId},
    instant::Instant,
    job::ClaimedJob,
    organizer_mail::{Collection, EventUpdates, MailChoice, Organizer, OrganizerMail, Span},
    person::Reach,
    plan::Plans,
};

use super::{Commands, Context, Error, Principal, SignedIn};

/// Events in one mail. The dashboard shows all.
const MAX_EVENTS: i64 = 20;

/// Members who are mailed.
const MAX_MEMBERS: i64 = 200;

/// Registrations among which names for a mail are looked for.
const MAX_NAMED: i64 = 200;

/// Use cases about mails to organizers.
#[derive(Debug, Clone)]
pub struct OrganizerMails {
    commands: Commands,
    /// Whether every account is trusted.
    trusts_all: bool,
}

impl OrganizerMails {
    /// Mails to the members of accounts on the same database as `commands`.
    pub(super) const fn new(commands: Commands, plans: &Plans) -> Self {
        Self {
            commands,
            trusts_all: plans.new_account_mails.is_none(),
        }
    }

    /// What a member wants to be mailed.
    pub async fn choice(&self, caller: &Principal, by: &SignedIn) -> Result<MailChoice, Error> {
        let store = self.commands.store();
        let found = store.find_organizer(caller.account, by.person).await?;
        Ok(found.ok_or(Error::Unauthorized)?.choice)
    }

    /// Sets what a member wants to be mailed.
    pub async fn choose(
        &self,
        caller: &Principal,
        by: &SignedIn,
        choice: MailChoice,
    ) -> Result<(), Error> {
        let account = caller.account;
        let decide = async |context: &mut Context| {
            let is_member = context
                .tx
                .set_mail_choice(account, by.person, choice)
                .await?;
            context.note_write();
            is_member.then_some(()).ok_or(Error::Unauthorized)
        };
        self.commands.run(caller, decide).await
    }

    /// Schedules the mails of an account about what was collected since then, and goes on collecting.
    pub(crate) async fn collect(&self, job: &ClaimedJob, since: Instant) -> Result<(), Error> {
        let account = AccountId::new(job.key.subject_id);
        let span = Span {
            since,
            until: Collection::seen_until(self.commands.now()),
        };
        let recipients = self.recipients_of(account, span).await?;
        let later = Span {
            since: span.until,
            until: Instant::from_micros(i64::MAX),
        };
        let decide = async |context: &mut Context| {
            let next = Collection::after(span.until, context.now, !recipients.is_empty());
            // Whoever registers at this moment waits for this lock, and begins a new collection if this one ends.
            if !context.tx.go_on_collecting(job, next).await? {
                return Ok(());
            }
            if recipients.is_empty() && !context.tx.has_registrations_in(account, later).await? {
                context.tx.finish_collecting(account).await?;
            }
            for person in recipients {
                let (id, mail) = (
                    context.new_id(),
                    OrganizerMail {
                        account,
                        person,
                        span,
                    },
                );
                context.record(Fact::OrganizerMailDue { id, mail }).await?;
            }
            context.note_write();
            Ok(())
        };
        self.commands.run(Actor::System, decide).await
    }

    async fn recipients_of(&self, account: AccountId, span: Span) -> Result<Vec<PersonId>, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let updates = |reach| store.list_event_updates(account, reach, span, now, MAX_EVENTS);
        let of_account = updates(Reach::Account).await?;
        if of_account.is_empty() {
            return Ok(Vec::new());
        }
        let members = store.list_organizers(account, MAX_MEMBERS).await?;
        let mut recipients = Vec::new();
        for (person, member) in members.into_iter().filter(|(_, one)| one.is_mailed()) {
            let wanted = match member.rights.reach(person) {
                Reach::Account => member.wanted(&of_account),
                // Theirs need not be among those with the most.
                reach @ Reach::EventsOf(_) => member.wanted(&updates(reach).await?),
            };
            if !wanted.is_empty() {
                recipients.push(person);
            }
        }
        Ok(recipients)
    }

    /// What a mail says, and to whom, by now; none if there is nothing to say to them any more.
    pub(crate) async fn content(
        &self,
        mail: OrganizerMail,
    ) -> Result<Option<(Organizer, Vec<EventUpdates>)>, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let OrganizerMail {
            account,
            person,
            span,
        } = mail;
        let Some(mut organizer) = store.find_organizer(account, person).await? else {
            return Ok(None);
        };
        organizer.is_account_trusted |= self.trusts_all;
        let reach = organizer.rights.reach(person);
        let updates = store.list_event_updates(account, reach, span, now, MAX_EVENTS);
        let mut wanted = organizer.wanted(&updates.await?);
        if wanted.is_empty() {
            return Ok(None);
        }
        if organizer.sees_registrations {
            let mut names = store
                .list_new_names(account, reach, span, MAX_NAMED)
                .await?;
            for event in &mut wanted {
                event.names = names.remove(&event.event).unwrap_or_default();
            }
        }
        Ok(Some((organizer, wanted)))
    }
}
