//! What a mail needs before it is sent: that its recipient may be mailed, a place in the budget of their mailbox, and a private link.
//! Several mails share a transaction, so that not each waits for a commit of its own.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    audit::Actor,
    budget::Cause,
    email,
    ids::{AccountId, RegistrationId},
};
use storage::Suppression;
use tokio::sync::oneshot::{self, error::TryRecvError};

use super::{Commands, Context, Error, mailboxes::Allowance};

/// The permits of mails. Clones share the queue of those that wait.
#[derive(Debug, Clone)]
pub struct MailPermits {
    commands: Commands,
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
}

/// A private link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewLink {
    /// The SHA-256 of its token.
    pub(crate) hash: [u8; 32],
    /// The registration that it leads to.
    pub(crate) registration: RegistrationId,
    /// The occasion of the new details that it offers.
    pub(crate) occasion: Option<i32>,
}

/// Whether a mail may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permit {
    /// It may.
    Granted,
    /// Not yet: its mailbox got too many.
    Wait(Duration),
    /// Never: its mailbox gets no such mails.
    Suppressed,
}

impl MailPermits {
    /// Permits from the database of these commands.
    pub(super) fn new(commands: Commands) -> Self {
        Self {
            commands,
            queue: Arc::default(),
        }
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
        let Ok(permits) = decide(&self.commands, &mails).await else {
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
            for budget in context.mailbox_limits().budgets(cause, &mail.address) {
                context.tx.give_back(&budget).await?;
            }
            context.note_write();
            Ok(())
        };
        self.commands.run(Actor::System, decide).await
    }

    async fn decide_one(&self, mail: Outgoing) -> Result<Permit, Error> {
        let permits = decide(&self.commands, &[mail]).await?;
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

impl Refusable {
    /// The suppressions that would keep a mail back.
    fn suppressions(self, mailbox: [u8; 32]) -> Vec<Suppression> {
        match self {
            Self::Never => Vec::new(),
            Self::ByOperator => vec![(mailbox, None)],
            Self::ByRecipient(account) => vec![(mailbox, None), (mailbox, Some(account))],
        }
    }
}

/// Decides on mails in one transaction, in their order.
async fn decide(commands: &Commands, mails: &[Outgoing]) -> Result<Vec<Permit>, Error> {
    let decide = async |context: &mut Context| {
        let asked: Vec<Vec<Suppression>> = mails
            .iter()
            .map(|mail| {
                let mailbox = email::mailbox_hash(&mail.address);
                mail.refusable.suppressions(mailbox)
            })
            .collect();
        let suppressed = context.tx.find_suppressions(&asked.concat()).await?;
        let is_suppressed =
            |asked: &Vec<Suppression>| asked.iter().any(|one| suppressed.contains(one));
        let open: Vec<&Outgoing> = mails
            .iter()
            .zip(&asked)
            .filter(|(_, asked)| !is_suppressed(asked))
            .map(|(mail, _)| mail)
            .collect();
        let charged = open
            .iter()
            .filter_map(|mail| Some((mail.charge.cause()?, &*mail.address)));
        let mut allowance = Allowance::of(context, charged).await?;
        let mut permits = Vec::with_capacity(mails.len());
        for (mail, asked) in mails.iter().zip(&asked) {
            let permit = if is_suppressed(asked) {
                Permit::Suppressed
            } else {
                charge(&mut allowance, mail)?
            };
            if let (Permit::Granted, Some(link)) = (permit, &mail.link) {
                context
                    .tx
                    .insert_link(&link.hash, link.registration, link.occasion, context.now)
                    .await?;
            }
            permits.push(permit);
        }
        allowance.give_back(context).await?;
        context.note_write();
        Ok(permits)
    };
    commands.run(Actor::System, decide).await
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
