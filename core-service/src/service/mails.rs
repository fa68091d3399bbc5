//! Mails that were given up, for administrators.

use super::{Error, Service, Unit};
use crate::{
    domain::{audit::Actor, fact::Fact, job::JobKey},
    storage::DeadMail,
};

/// Mails that are made due again in one transaction.
const BATCH: i64 = 500;

impl Service {
    /// Mails that were given up, the latest first, at most so many, and how many there are.
    pub async fn list_dead_mails(&self, limit: u32) -> Result<(Vec<DeadMail>, i64), Error> {
        let store = &self.context.store;
        let mails = store.list_dead_mails(limit.into()).await?;
        Ok((mails, store.count_dead_mails().await?))
    }

    /// Makes a mail that was given up due again; false when there is none of that key.
    pub async fn retry_mail(&self, key: &JobKey) -> Result<bool, Error> {
        let decide = async |unit: &mut Unit| {
            let Some(mail) = unit.tx.find_dead_mail(key).await? else {
                return Ok(false);
            };
            revive(unit, &[mail]).await?;
            Ok(true)
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// Makes every mail that was given up due again; answers how many.
    pub async fn retry_all_mails(&self) -> Result<u64, Error> {
        let mut count = 0;
        loop {
            let decide = async |unit: &mut Unit| {
                let mails = unit.tx.list_dead_mails(BATCH).await?;
                revive(unit, &mails).await
            };
            match self.commands.run(Actor::Admin, decide).await? {
                0 => return Ok(count),
                revived => count += revived,
            }
        }
    }
}

async fn revive(unit: &mut Unit, mails: &[DeadMail]) -> Result<u64, Error> {
    let mut count = 0;
    for DeadMail { job, recipient } in mails {
        if unit.tx.revive_job(&job.key, unit.now).await? {
            let account = recipient.as_ref().map(|recipient| recipient.account_id);
            let job = &job.key;
            unit.record(Fact::MailRetried { account, job }).await?;
            count += 1;
        }
    }
    Ok(count)
}
