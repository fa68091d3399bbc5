//! Failed mails, for administrators.

use domain::{audit::Actor, fact::Fact, job::JobKey};
use storage::FailedMail;

use super::{Commands, Context, Error};

/// Mails that one transaction retries.
const BATCH: i64 = 500;

/// Use cases about failed mails.
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
    pub async fn list_failed(&self, limit: u32) -> Result<(Vec<FailedMail>, i64), Error> {
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

async fn retry(context: &mut Context, mails: &[FailedMail]) -> Result<u64, Error> {
    let mut count = 0;
    for FailedMail { job, recipient } in mails {
        if context.tx.retry_failed_job(&job.key, context.now).await? {
            let account = recipient.as_ref().map(|recipient| recipient.account_id);
            let job = &job.key;
            context.record(Fact::MailRetried { account, job }).await?;
            count += 1;
        }
    }
    Ok(count)
}
