//! Mails that were given up, for administrators.

use super::{Error, Service};
use crate::{
    domain::{
        audit::{Actor, AuditEntry},
        instant::Instant,
        job::JobKey,
    },
    storage::{DeadMail, Tx},
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
        let mut tx = self.context.store.begin().await?;
        let Some(mail) = tx.find_dead_mail(key).await? else {
            return Ok(false);
        };
        self.revive(&mut tx, &[mail], self.now()).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Makes every mail that was given up due again; answers how many.
    pub async fn retry_all_mails(&self) -> Result<u64, Error> {
        let mut count = 0;
        loop {
            let mut tx = self.context.store.begin().await?;
            let mails = tx.list_dead_mails(BATCH).await?;
            if mails.is_empty() {
                return Ok(count);
            }
            count += self.revive(&mut tx, &mails, self.now()).await?;
            tx.commit().await?;
        }
    }

    async fn revive(&self, tx: &mut Tx, mails: &[DeadMail], now: Instant) -> Result<u64, Error> {
        let mut count = 0;
        for DeadMail { job, .. } in mails {
            count += u64::from(tx.revive_job(&job.key, now).await?);
        }
        let audits: Vec<AuditEntry> = mails
            .iter()
            .filter_map(|DeadMail { job, recipient }| {
                let account = recipient.as_ref()?.account_id;
                let subject = job.key.subject_id;
                let mut entry = self.audited(Actor::Admin, account, "mail.retry", subject, now);
                entry.after = Some(serde_json::json!({ "kind": job.key.kind }));
                Some(entry)
            })
            .collect();
        tx.insert_audits(&audits).await?;
        Ok(count)
    }
}
