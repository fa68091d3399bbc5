//! Recording the outcomes of tries.

use std::{collections::BTreeMap, time::Duration};

use domain::{
    instant::Instant,
    job::{ClaimedJob, JobKey, JobKind},
    mail::SentMail,
    webhook::{self, DeliveryAttempt},
};
use storage::{Error, Tx};

use super::{Lane, Outcome, Runner, Try, mails};
use crate::{
    jobs::{Done, backoff},
    service::{attempt_at, stop_after_failure},
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
        let (mut mails, mut posted) = (BTreeMap::new(), Vec::new());
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
                Outcome::Done(Done::Posted(delivery)) => {
                    posted.push((**delivery).clone());
                    recorded += 1;
                }
                Outcome::Done(Done::Recorded) | Outcome::Withdrawn | Outcome::Slowed(..) => {
                    recorded += 1;
                }
                _ => {}
            }
        }
        // Transactions that lock several registrations lock them in about this order.
        told.sort_unstable_by_key(|(registration, _)| *registration);
        tx.record_announced(&told).await?;
        tx.record_deliveries(&posted).await?;
        let mut held = recorded + tx.finish_jobs(&done).await?;
        for one in ended {
            let is_held = self.record_one(lane, tx, one, now).await?;
            if is_held && let Some(mail) = mails::refused(one, now) {
                mails.insert(one.job.key, mail);
            }
            held += u64::from(is_held);
        }
        record_mails(tx, mails, now).await?;
        let lost = lost(ended, held, now);
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
        let is_delivery = job.key.kind == JobKind::WebhookDelivery;
        let wait = if is_delivery {
            webhook::wait_seconds(job.tries, job.key.subject_id)
        } else {
            backoff::wait_seconds(job.tries, job.key.subject_id)
        };
        match (outcome, wait) {
            (Outcome::Done(_) | Outcome::Withdrawn | Outcome::Slowed(..), _) => Ok(false),
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
                if is_delivery {
                    return fail_delivery(tx, job, now, text).await;
                }
                tx.fail_job(job, now, &shortened(text)).await
            }
        }
    }
}

/// How many of these tries lost their leases, if so many still held theirs. A lease that has not ended cannot be lost: such a job was
/// removed, say since its webhook was paused.
fn lost(ended: &[Try], held: u64, now: Instant) -> u64 {
    let late = ended.iter().filter(|one| one.job.leased_until <= now);
    (ended.len() as u64)
        .saturating_sub(held)
        .min(late.count() as u64)
}

/// Gives up a delivery that Muster itself could not make. The text is for operators, so the attempt says less.
async fn fail_delivery(
    tx: &mut Tx,
    job: &ClaimedJob,
    now: Instant,
    text: &str,
) -> Result<bool, Error> {
    tracing::error!(message_id = %job.key.subject_id, error = %shortened(text), "a message could not be posted to a webhook");
    let attempt = DeliveryAttempt {
        error: Some("it could not be posted: the log of this site says why".to_owned()),
        ..attempt_at(now, Duration::ZERO)
    };
    tx.fail_delivery(job, &attempt).await
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

#[cfg(test)]
mod tests {
    use domain::job::JobKind;
    use uuid::Uuid;

    use super::*;

    const NOW: Instant = Instant::from_micros(60_000_000);

    fn ended(leased_until: Instant) -> Try {
        let job = ClaimedJob {
            key: JobKey {
                kind: JobKind::WebhookDelivery,
                subject_id: Uuid::nil(),
                occasion: 1,
            },
            payload: None,
            attempt: 1,
            tries: 1,
            leased_until,
            trace_parent: None,
        };
        Try {
            job,
            started: NOW,
            outcome: Outcome::Done(Done::Plainly),
            unsent: None,
        }
    }

    #[test]
    fn a_job_that_is_removed_during_its_try_has_lost_no_lease() {
        let running = ended(NOW.plus_seconds(1));
        assert_eq!(lost(&[running], 0, NOW), 0);
        let late = [ended(NOW), ended(NOW.plus_seconds(1))];
        assert_eq!(lost(&late, 0, NOW), 1);
        assert_eq!(lost(&late, 2, NOW), 0);
    }
}
