//! What a mail needs before it is sent: that its recipient may be mailed, a place in the budget of their mailbox, and a private link.
//! Several mails share a transaction, so that not each waits for a commit of its own.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    audit::Actor,
    budget::{Budget, Cause},
    email,
    entropy::Entropy,
    ids::{AccountId, RegistrationId},
    instant::Instant,
    mail::quota::MailCount,
    plan::Plans,
};
use storage::{MessageRefusal, RefusalLink, Suppression};
use tokio::sync::oneshot::{self, error::TryRecvError};

use super::{Commands, Context, Error, mail_quota, mailboxes::Allowance};

/// The permits of mails. Clones share the queue of those that wait.
#[derive(Debug, Clone)]
pub struct MailPermits {
    commands: Commands,
    plans: Plans,
    queue: Arc<Queue>,
}

/// Mails that wait for a permit: at most as many as running tries.
#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Vec<Waiting>>,
    /// Held by the task that decides; the others wait, and most find their permits decided.
    decider: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Waiting {
    mail: Outgoing,
    decided: oneshot::Sender<Permit>,
}

/// A mail that is to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    /// The recipient's address.
    pub(crate) address: String,
    /// What it takes from the mailbox's budget.
    pub(crate) charge: Charge,
    /// Who can say that the mailbox gets no such mail.
    pub(crate) refusable: Refusable,
    /// The account whose mails to people who did not register themselves it counts among (rule 41 of docs/rules.md), unless its request was
    /// counted.
    pub(crate) stranger_of: Option<AccountId>,
    /// A new private link in it.
    pub(crate) link: Option<NewLink>,
}

/// What a mail takes from the budget of its mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charge {
    /// Nothing: it was counted with the request that caused it.
    Before,
    /// One. It waits beyond the budget.
    Waits(Cause),
    /// One. It is sent beyond the budget, too, since its recipient must know at once.
    Urgent(Cause),
}

/// Who can say that a mailbox gets no such mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusable {
    /// Nobody: codes to sign in and notices about security.
    Never,
    /// The operator.
    ByOperator,
    /// The operator, and the recipient for this account, whose organizers added them.
    ByRecipient(AccountId),
    /// The same of a reminder, for the account if its organizers added the recipient.
    Reminder(Option<AccountId>),
    /// The same of a message, and the recipient for the messages of this account alone.
    Message {
        /// Whose message it is.
        account: AccountId,
        /// Whether its organizers added the recipient.
        is_added: bool,
    },
}

/// A private link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewLink {
    /// The SHA-256 of its token.
    pub(crate) hash: [u8; 32],
    /// What it leads to.
    pub(crate) to: LinkTarget,
}

/// What a private link leads to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LinkTarget {
    /// A registration.
    Registration {
        /// Which.
        registration: RegistrationId,
        /// The occasion of the new details that it offers.
        occasion: Option<i32>,
    },
    /// Only the refusal of an account's mails.
    Refusal(RefusalLink),
}

impl NewLink {
    async fn insert(&self, context: &mut Context) -> Result<(), storage::Error> {
        let (tx, now) = (&mut context.tx, context.now);
        match &self.to {
            LinkTarget::Registration {
                registration,
                occasion,
            } => {
                tx.insert_link(&self.hash, *registration, *occasion, now)
                    .await
            }
            LinkTarget::Refusal(link) => tx.insert_refusal_link(&self.hash, link, now).await,
        }
    }
}

/// Whether a mail may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permit {
    /// It may.
    Granted,
    /// Not yet: its mailbox got too many, or its account mailed too many strangers.
    Wait(Duration),
    /// Never: its mailbox gets no such mails.
    Suppressed,
}

impl MailPermits {
    /// Permits from the database of these commands.
    pub(super) fn new(commands: Commands, plans: Plans) -> Self {
        Self {
            commands,
            plans,
            queue: Arc::default(),
        }
    }

    /// The source of tokens in envelopes.
    pub(crate) const fn entropy(&self) -> &Entropy {
        self.commands.entropy()
    }

    /// Asks for a mail, together with all that wait.
    pub(crate) async fn ask(&self, mail: Outgoing) -> Result<Permit, Error> {
        let (decided, mut receiver) = oneshot::channel();
        let waiting = Waiting {
            mail: mail.clone(),
            decided,
        };
        self.waiting().push(waiting);
        let _decider = self.queue.decider.lock().await;
        match receiver.try_recv() {
            Ok(permit) => return Ok(permit),
            Err(TryRecvError::Empty) => {}
            // The batch failed.
            Err(TryRecvError::Closed) => return self.decide_one(mail).await,
        }
        let (mails, replies): (Vec<_>, Vec<_>) = std::mem::take(&mut *self.waiting())
            .into_iter()
            .map(|one| (one.mail, one.decided))
            .unzip();
        let Ok(permits) = self.decide(&mails).await else {
            // One mail may be the cause, so each task asks again for its own.
            drop(replies);
            return self.decide_one(mail).await;
        };
        for (reply, permit) in replies.into_iter().zip(permits) {
            // If the task has stopped waiting, its link stays unused.
            let _ = reply.send(permit);
        }
        let lost = || storage::Error::Internal("a mail was not decided on".into());
        receiver.try_recv().map_err(|_| Error::Internal(lost()))
    }

    /// Gives back what a mail took from its mailbox's budget and did not use, since it could not be sent.
    pub(crate) async fn give_back(&self, mail: &Outgoing) -> Result<(), Error> {
        let Some(cause) = mail.charge.cause() else {
            return Ok(());
        };
        let decide = async |context: &mut Context| {
            let mails = std::slice::from_ref(mail);
            let mut strangers = Strangers::lock(context, &self.plans, mails).await?;
            strangers.give_back(mail);
            strangers.write(context).await?;
            for budget in Budget::mails_to(context.mailbox_limits(), cause, &mail.address) {
                context.tx.give_back(&budget).await?;
            }
            context.note_write();
            Ok(())
        };
        self.commands.run(Actor::System, decide).await
    }

    async fn decide_one(&self, mail: Outgoing) -> Result<Permit, Error> {
        let permits = self.decide(&[mail]).await?;
        let lost = || storage::Error::Internal("a mail was not decided on".into());
        let permit = permits.into_iter().next();
        permit.ok_or_else(|| Error::Internal(lost()))
    }

    /// A panic cannot leave the value in a bad state.
    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        let waiting = self.queue.waiting.lock();
        waiting.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Charge {
    const fn cause(self) -> Option<Cause> {
        match self {
            Self::Before => None,
            Self::Waits(cause) | Self::Urgent(cause) => Some(cause),
        }
    }
}

impl MailPermits {
    /// Decides on mails in one transaction, in their order.
    async fn decide(&self, mails: &[Outgoing]) -> Result<Vec<Permit>, Error> {
        let decide = async |context: &mut Context| {
            let refused = Refused::find(context, mails).await?;
            let mut strangers = Strangers::lock(context, &self.plans, mails).await?;
            let charged = mails
                .iter()
                .filter(|mail| !refused.has(mail))
                .filter_map(|mail| Some((mail.charge.cause()?, &*mail.address)));
            let mut allowance = Allowance::of(context, charged).await?;
            let mut permits = Vec::with_capacity(mails.len());
            for mail in mails {
                let mut permit = if refused.has(mail) {
                    Permit::Suppressed
                } else {
                    strangers.check(mail, context.now)
                };
                if permit == Permit::Granted {
                    permit = charge(&mut allowance, mail)?;
                }
                if permit == Permit::Granted {
                    strangers.count(mail);
                    if let Some(link) = &mail.link {
                        link.insert(context).await?;
                    }
                }
                permits.push(permit);
            }
            allowance.give_back(context).await?;
            strangers.write(context).await?;
            context.note_write();
            Ok(permits)
        };
        self.commands.run(Actor::System, decide).await
    }
}

/// The mails of a batch that are refused.
struct Refused {
    suppressions: HashSet<Suppression>,
    messages: HashSet<MessageRefusal>,
    /// Mailboxes that get no messages and reminders.
    stopped: HashSet<[u8; 32]>,
}

impl Refused {
    async fn find(context: &mut Context, mails: &[Outgoing]) -> Result<Self, storage::Error> {
        let suppressions: Vec<Suppression> =
            mails.iter().flat_map(Outgoing::suppressions).collect();
        let messages: Vec<MessageRefusal> =
            mails.iter().filter_map(Outgoing::message_refusal).collect();
        let stoppable: Vec<[u8; 32]> = mails.iter().filter_map(Outgoing::stoppable).collect();
        Ok(Self {
            suppressions: context.tx.find_suppressions(&suppressions).await?,
            stopped: context.tx.find_mail_stops(&stoppable).await?,
            messages: context.tx.find_message_refusals(&messages).await?,
        })
    }

    fn has(&self, mail: &Outgoing) -> bool {
        let mut asked = mail.suppressions().into_iter();
        let (refusal, stoppable) = (mail.message_refusal(), mail.stoppable());
        asked.any(|one| self.suppressions.contains(&one))
            || refusal.is_some_and(|one| self.messages.contains(&one))
            || stoppable.is_some_and(|mailbox| self.stopped.contains(&mailbox))
    }
}

impl Outgoing {
    /// The suppressions that would keep it back.
    fn suppressions(&self) -> Vec<Suppression> {
        let mailbox = || email::mailbox_hash(&self.address);
        match self.refusable {
            Refusable::Never => Vec::new(),
            Refusable::ByOperator
            | Refusable::Reminder(None)
            | Refusable::Message {
                is_added: false, ..
            } => vec![(mailbox(), None)],
            Refusable::ByRecipient(account)
            | Refusable::Reminder(Some(account))
            | Refusable::Message {
                account,
                is_added: true,
            } => {
                let mailbox = mailbox();
                vec![(mailbox, None), (mailbox, Some(account))]
            }
        }
    }

    /// The refusal of messages that would keep it back.
    fn message_refusal(&self) -> Option<MessageRefusal> {
        match self.refusable {
            Refusable::Message { account, .. } => {
                Some((email::mailbox_hash(&self.address), account))
            }
            Refusable::Never
            | Refusable::ByOperator
            | Refusable::ByRecipient(_)
            | Refusable::Reminder(_) => None,
        }
    }
}

impl Outgoing {
    /// Its mailbox, if mails that came back or were called spam keep it back.
    fn stoppable(&self) -> Option<[u8; 32]> {
        let is_stoppable = self.refusable.is_stoppable();
        is_stoppable.then(|| email::mailbox_hash(&self.address))
    }
}

impl Refusable {
    /// Whether it is a message or a reminder, which nobody gets to whom mails fail or who called one spam (rule 48 of docs/rules.md). What
    /// people need to know is still tried.
    const fn is_stoppable(self) -> bool {
        match self {
            Self::Never | Self::ByOperator | Self::ByRecipient(_) => false,
            Self::Reminder(_) | Self::Message { .. } => true,
        }
    }
}

/// The accounts of a batch whose mails to strangers are limited; they are locked.
struct Strangers(BTreeMap<AccountId, Limited>);

struct Limited {
    limit: u32,
    stored: MailCount,
    count: MailCount,
}

impl Strangers {
    /// Locks the accounts, lowest id first. It comes before the budgets of mailboxes.
    async fn lock(
        context: &mut Context,
        plans: &Plans,
        mails: &[Outgoing],
    ) -> Result<Self, storage::Error> {
        let ids: BTreeSet<AccountId> = mails.iter().filter_map(|mail| mail.stranger_of).collect();
        let mut accounts = BTreeMap::new();
        for id in ids {
            let account = context.tx.lock_account(id).await?;
            let Some(limit) = account.and_then(|account| account.stranger_mails(plans)) else {
                continue;
            };
            let count = mail_quota::today(context, id).await?;
            let limited = Limited {
                limit,
                stored: count,
                count,
            };
            accounts.insert(id, limited);
        }
        Ok(Self(accounts))
    }

    /// Whether the account of a mail may mail one more stranger today. Counts nothing.
    fn check(&self, mail: &Outgoing, now: Instant) -> Permit {
        let limited = mail.stranger_of.and_then(|account| self.0.get(&account));
        let counted = limited.map(|one| one.count.with_strangers(1, Some(one.limit)));
        match counted {
            None | Some(Ok(_)) => Permit::Granted,
            Some(Err(exceeded)) => Permit::Wait(mail_quota::until_reset(exceeded, now)),
        }
    }

    fn count(&mut self, mail: &Outgoing) {
        let limited = mail
            .stranger_of
            .and_then(|account| self.0.get_mut(&account));
        if let Some(one) = limited {
            one.count.strangers = one.count.strangers.saturating_add(1);
        }
    }

    fn give_back(&mut self, mail: &Outgoing) {
        let limited = mail
            .stranger_of
            .and_then(|account| self.0.get_mut(&account));
        if let Some(one) = limited {
            one.count.strangers = (one.count.strangers - 1).max(0);
        }
    }

    async fn write(&self, context: &mut Context) -> Result<(), storage::Error> {
        for (account, one) in &self.0 {
            if one.count != one.stored {
                context.tx.set_mail_count(*account, one.count).await?;
            }
        }
        Ok(())
    }
}

fn charge(allowance: &mut Allowance, mail: &Outgoing) -> Result<Permit, Error> {
    match mail.charge {
        Charge::Before => Ok(Permit::Granted),
        Charge::Urgent(cause) => {
            allowance.take_anyway(cause, &mail.address);
            Ok(Permit::Granted)
        }
        Charge::Waits(cause) => match allowance.take(cause, &mail.address) {
            Ok(()) => Ok(Permit::Granted),
            Err(Error::RateLimited { wait, .. }) => Ok(Permit::Wait(wait)),
            Err(error) => Err(error),
        },
    }
}
