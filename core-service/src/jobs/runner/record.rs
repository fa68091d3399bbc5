//! Recording the outcomes of tries.

use std::collections::BTreeMap;

use domain::{
    instant::Instant,
    job::{ClaimedJob, JobKey},
    mail::SentMail,
};
use storage::{Error, Tx};

use super::{Lane, Outcome, Runner, Try, mails};
use crate::{
    jobs::{Done, backoff},
    service::stop_after_failure,
};

/// How much of an error's text is stored.
const ERROR_CHARACTERS: usize = 500;

impl Runner {
    /// Records outcomes. A try whose lease was lost changes nothing.
    pub(super) async fn record(
        &self,
        lane: &Lane,
        tx: &mut Tx,
        ended: &[Try],
        now: Instant,
    ) -> Result<(), Error> {
        let (mut done, mut told, mut recorded) = (Vec::<&ClaimedJob>::new(), Vec::new(), 0);
        let mut mails = BTreeMap::new();
        for one in ended {
            match &one.outcome {
                Outcome::Done(Done::Plainly) => done.push(&one.job),
                Outcome::Done(Done::Sent(delivery)) => {
                    done.push(&one.job);
                    told.extend(delivery.told);
                    mails.insert(one.job.key, mails::sent(one, delivery, now));
                }
                Outcome::Done(Done::Withheld(delivery)) => {
                    done.push(&one.job);
                    mails.insert(one.job.key, mails::withheld(one, delivery, now));
                }
                Outcome::Done(Done::Recorded) | Outcome::Withdrawn => recorded += 1,
                _ => {}
            }
        }
        // Transactions that lock several registrations lock them in about this order.
        told.sort_unstable_by_key(|(registration, _)| *registration);
        tx.record_announced(&told).await?;
        let mut held = recorded + tx.finish_jobs(&done).await?;
        for one in ended {
            let is_held = self.record_one(lane, tx, one, now).await?;
            if is_held && let Some(mail) = mails::refused(one, now) {
                mails.insert(one.job.key, mail);
            }
            held += u64::from(is_held);
        }
        record_mails(tx, mails, now).await?;
        let lost = (ended.len() as u64).saturating_sub(held);
        if lost > 0 {
            let destination = &lane.destination;
            tracing::warn!(
                %destination,
                lost,
                "jobs took longer than their leases and may be done twice"
            );
        }
        Ok(())
    }

    /// Records a try that did not succeed; false if its lease was lost.
    async fn record_one(
        &self,
        lane: &Lane,
        tx: &mut Tx,
        Try { job, outcome, .. }: &Try,
        now: Instant,
    ) -> Result<bool, Error> {
        let wait = backoff::wait_seconds(job.tries, job.key.subject_id);
        match (outcome, wait) {
            (Outcome::Done(_) | Outcome::Withdrawn, _) => Ok(false),
            (Outcome::Held, _) => tx.hold_job(job, now).await,
            (Outcome::Wait(wait, text), _) => {
                let seconds = i64::try_from(wait.as_secs()).unwrap_or(i64::MAX);
                let wait = backoff::spread(seconds.saturating_add(1), job.key.subject_id);
                let due_at = now.plus_seconds(wait);
                tx.postpone_job(job, due_at, false, &shortened(text)).await
            }
            (Outcome::Unreachable(text), _) => {
                let due_at = self.pauses.of(&lane.destination).due_at(now);
                tx.postpone_job(job, due_at, false, &shortened(text)).await
            }
            (Outcome::Retry(text), Some(wait)) => {
                let due_at = now.plus_seconds(wait);
                tx.postpone_job(job, due_at, true, &shortened(text)).await
            }
            (Outcome::Retry(text), None) | (Outcome::Failed(text), _) => {
                log_failed(job);
                tx.fail_job(job, now, &shortened(text)).await
            }
        }
    }
}

/// Records what became of mails, each once even if its job was done twice. Those that were refused for good may be the last to their
/// mailboxes.
async fn record_mails(
    tx: &mut Tx,
    mails: BTreeMap<JobKey, SentMail>,
    now: Instant,
) -> Result<(), Error> {
    let mut mails: Vec<SentMail> = mails.into_values().collect();
    // A list of them has an order, although they are recorded at once.
    for (micros, mail) in (0..).zip(&mut mails) {
        mail.at = Instant::from_micros(now.micros() + micros);
    }
    tx.record_mails(&mails).await?;
    for mail in &mails {
        if let Some(status) = mail.status {
            stop_after_failure(tx, &mail.mailbox, status, now).await?;
        }
    }
    Ok(())
}

/// The text is not logged: a mail server's answer may contain an address.
fn log_failed(job: &ClaimedJob) {
    tracing::error!(
        kind = job.key.kind.name(),
        subject_id = %job.key.subject_id,
        tries = job.tries,
        "a job failed and is not tried again"
    );
}

fn shortened(text: &str) -> String {
    text.chars().take(ERROR_CHARACTERS).collect()
}
