//! Queued, held and failed mails, for administrators.

use domain::{
    audit::Actor,
    email::{Email, mailbox_hash},
    fact::{AccountChange, Fact},
    ids::AccountId,
    instant::Instant,
    job::JobKey,
};
use storage::{BlockedMailbox, UnsentMail};

use super::{Commands, Context, Error};

/// Mails that one transaction retries.
const BATCH: i64 = 500;

/// Mails that one statement releases or drops.
const RELEASED: i64 = 10_000;

/// Use cases about mails that were not sent.
#[derive(Debug, Clone)]
pub struct Mails {
    commands: Commands,
}

impl Mails {
    /// Mails in the database.
    pub const fn new(commands: Commands) -> Self {
        Self { commands }
    }

    /// Failed mails, the latest first, at most `limit`, and their total.
    pub async fn list_failed(&self, limit: u32) -> Result<(Vec<UnsentMail>, i64), Error> {
        let store = self.commands.store();
        let mails = store.list_failed_mails(limit.into()).await?;
        Ok((mails, store.count_failed_mails().await?))
    }

    /// Schedules a failed mail again; false if there is none with this key.
    pub async fn retry(&self, key: &JobKey) -> Result<bool, Error> {
        let decide = async |context: &mut Context| {
            let Some(mail) = context.tx.find_failed_mail(key).await? else {
                return Ok(false);
            };
            retry(context, &[mail]).await?;
            Ok(true)
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// Schedules all failed mails again; returns their number.
    pub async fn retry_all(&self) -> Result<u64, Error> {
        let mut count = 0;
        loop {
            let decide = async |context: &mut Context| {
                let mails = context.tx.list_failed_mails(BATCH).await?;
                retry(context, &mails).await
            };
            match self.commands.run(Actor::Admin, decide).await? {
                0 => return Ok(count),
                retried => count += retried,
            }
        }
    }
}

impl Mails {
    /// Queued mails of an account or of all, the oldest first, at most `limit`.
    pub async fn list_queued(
        &self,
        account: Option<AccountId>,
        limit: u32,
    ) -> Result<Vec<UnsentMail>, Error> {
        let store = self.commands.store();
        Ok(store.list_queued_mails(account, limit.into()).await?)
    }

    /// How many mails of an account are queued.
    pub async fn count_queued(&self, account: AccountId) -> Result<i64, Error> {
        Ok(self.commands.store().count_queued_mails_of(account).await?)
    }

    /// Holds all mails of an account, queued ones and those to come; returns how many were queued.
    pub async fn hold(&self, account: AccountId) -> Result<u64, Error> {
        let decide = async |context: &mut Context| {
            let now = lock(context, account).await?;
            context.tx.set_mail_held(account, Some(now)).await?;
            let held = context.tx.hold_mails_of(account, now).await?;
            let change = AccountChange::MailHeld;
            context
                .record(Fact::AccountChanged { account, change })
                .await?;
            Ok(held)
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// Ends what [`Mails::hold`] began, and makes those held mails due that nothing else holds; returns their number.
    pub async fn release(&self, account: AccountId) -> Result<u64, Error> {
        let decide = async |context: &mut Context| {
            lock(context, account).await?;
            context.tx.set_mail_held(account, None).await?;
            let released = release_mails(context).await?;
            let change = AccountChange::MailReleased;
            context
                .record(Fact::AccountChanged { account, change })
                .await?;
            Ok(released)
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// Removes the queued mails of an account, held ones included; returns their number.
    pub async fn drop_queued(&self, account: AccountId) -> Result<u64, Error> {
        let decide = async |context: &mut Context| {
            lock(context, account).await?;
            let dropped = context.tx.drop_mails_of(account).await?;
            let change = AccountChange::MailDropped(dropped);
            context
                .record(Fact::AccountChanged { account, change })
                .await?;
            Ok(dropped)
        };
        self.commands.run(Actor::Admin, decide).await
    }
}

impl Mails {
    /// Suppresses mails to a mailbox, but for codes to sign in and notices about security; false if they were suppressed before.
    pub async fn suppress(&self, address: &Email) -> Result<bool, Error> {
        let suppression = (mailbox_hash(address.as_str()), None);
        let decide = async |context: &mut Context| {
            context.note_write();
            Ok(context.tx.put_suppression(suppression, context.now).await?)
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// The mailboxes that get no mails, or none of some kinds, the latest first, at most `limit`.
    pub async fn list_blocked(&self, limit: u32) -> Result<Vec<BlockedMailbox>, Error> {
        let store = self.commands.store();
        let mut blocked = store.list_blocked_mailboxes(limit.into()).await?;
        // The registration may have another address by now.
        for one in &mut blocked {
            let email = one.email.take();
            one.email = email.filter(|email| mailbox_hash(email) == one.mailbox);
        }
        Ok(blocked)
    }

    /// Ends what [`Mails::suppress`] began, and what mails that came back or were called spam began; false if there was nothing to end.
    pub async fn allow(&self, address: &Email) -> Result<bool, Error> {
        let suppression = (mailbox_hash(address.as_str()), None);
        let decide = async |context: &mut Context| {
            context.note_write();
            let (mailbox, _) = suppression;
            context.tx.pardon_mailbox(&mailbox).await?;
            let is_stopped = context.tx.delete_mail_stop(&mailbox).await?;
            let suppressed = context.tx.delete_suppressions(&[suppression]).await?;
            Ok(is_stopped || suppressed > 0)
        };
        self.commands.run(Actor::Admin, decide).await
    }
}

async fn lock(context: &mut Context, account: AccountId) -> Result<Instant, Error> {
    let found = context.tx.lock_account(account).await?;
    found.ok_or(Error::NotFound { what: "account" })?;
    Ok(context.renew_time())
}

/// Makes the held mails due that nothing holds any longer, but for those about events that are over; returns their number. Whether each
/// is still true otherwise is checked when it is sent.
pub(super) async fn release_mails(context: &mut Context) -> Result<u64, storage::Error> {
    let (beginning, now) = (Instant::from_micros(0), context.now);
    while context.tx.drop_late_mails(now, RELEASED).await? > 0 {}
    let mut released = 0;
    loop {
        match context.tx.release_mails(beginning, now, RELEASED).await? {
            0 => return Ok(released),
            more => released += more,
        }
    }
}

async fn retry(context: &mut Context, mails: &[UnsentMail]) -> Result<u64, Error> {
    let mut count = 0;
    for UnsentMail { job, recipient } in mails {
        if context.tx.retry_failed_job(&job.key, context.now).await? {
            context.tx.delete_sent_mail(&job.key).await?;
            let account = recipient.as_ref().map(|recipient| recipient.account_id);
            let job = &job.key;
            context.record(Fact::MailRetried { account, job }).await?;
            count += 1;
        }
    }
    Ok(count)
}
