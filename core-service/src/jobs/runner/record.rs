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
        let (mut done, mut announced, mut recorded) = (Vec::<&ClaimedJob>::new(), Vec::new(), 0);
        let mut not_begun = Vec::new();
        let (mut mails, mut posted) = (BTreeMap::new(), Vec::new());
        for one in ended {
            match &one.outcome {
                Outcome::Done(Done::Plainly) => done.push(&one.job),
                Outcome::Done(Done::Sent(delivery)) => {
                    done.push(&one.job);
                    announced.extend(delivery.announced);
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
                Outcome::NotBegun => {
                    not_begun.push(&one.job);
                    lane.put_back(one.job.key.kind);
                }
                Outcome::Done(Done::Recorded) | Outcome::Withdrawn | Outcome::Slowed(..) => {
                    recorded += 1;
                }
                _ => {}
            }
        }
        // Transactions that lock several registrations lock them in about this order.
        announced.sort_unstable_by_key(|(registration, _)| *registration);
        tx.record_announced(&announced).await?;
        tx.record_deliveries(&posted).await?;
        let mut failed: Vec<(&Try, Next<'_>)> = ended
            .iter()
            .filter_map(|one| Some((one, self.next(lane, one, now)?)))
            .collect();
        // First what is given up: it locks a webhook before its job, as every transaction that locks both.
        failed.sort_by_key(|(_, next)| !matches!(next, Next::GiveUp(_)));
        for (one, next) in failed {
            let is_recorded = self.record_failure(tx, &one.job, next, now).await?;
            if is_recorded && let Some(mail) = mails::refused(one, now) {
                mails.insert(one.job.key, mail);
            }
            recorded += u64::from(is_recorded);
        }
        recorded += tx.finish_jobs(&done).await?;
        recorded += tx.release_jobs(&not_begun).await?;
        record_mails(tx, mails, now).await?;
        let lost = lost(ended, recorded, now);
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

    /// What becomes of the job of a try that did not succeed; `None` if that is recorded otherwise.
    fn next<'a>(&self, lane: &Lane, one: &'a Try, now: Instant) -> Option<Next<'a>> {
        let Try { job, outcome, .. } = one;
        let subject = job.key.subject_id;
        let next = match outcome {
            Outcome::Done(_) | Outcome::Withdrawn | Outcome::Slowed(..) | Outcome::NotBegun => {
                return None;
            }
            Outcome::Held => Next::Hold,
            Outcome::Wait(wait, error) => {
                let seconds = i64::try_from(wait.as_secs()).unwrap_or(i64::MAX);
                let wait = backoff::spread(seconds.saturating_add(1), subject);
                Next::Postpone {
                    due_at: now.plus_seconds(wait),
                    counts: false,
                    error,
                }
            }
            Outcome::Unreachable(error) => Next::Postpone {
                due_at: self.pauses.of(&lane.destination).due_at(now),
                counts: false,
                error,
            },
            Outcome::Retry(error) => {
                let handler = self.handlers.get(&job.key.kind);
                match handler.and_then(|handler| handler.wait_seconds(job.tries, subject)) {
                    Some(wait) => Next::Postpone {
                        due_at: now.plus_seconds(wait),
                        counts: true,
                        error,
                    },
                    None => Next::GiveUp(error),
                }
            }
            Outcome::Failed(error) => Next::GiveUp(error),
        };
        Some(next)
    }

    /// Records what becomes of a job; false if its lease was lost.
    async fn record_failure(
        &self,
        tx: &mut Tx,
        job: &ClaimedJob,
        next: Next<'_>,
        now: Instant,
    ) -> Result<bool, Error> {
        match next {
            Next::Hold => tx.hold_job(job, now).await,
            Next::Postpone {
                due_at,
                counts,
                error,
            } => {
                tx.postpone_job(job, due_at, counts, &shortened(error))
                    .await
            }
            Next::GiveUp(error) => {
                log_failed(job);
                match self.handlers.get(&job.key.kind) {
                    Some(handler) => handler.give_up(tx, job, now, &shortened(error)).await,
                    None => Ok(false),
                }
            }
        }
    }
}

/// What becomes of a job whose try did not succeed.
enum Next<'a> {
    Hold,
    Postpone {
        due_at: Instant,
        /// Whether the try counts.
        counts: bool,
        error: &'a str,
    },
    GiveUp(&'a str),
}

/// How many of these tries lost their leases, if so many were recorded. A lease that has not ended cannot be lost: such a job was
/// removed, say since its webhook was paused.
fn lost(ended: &[Try], recorded: u64, now: Instant) -> u64 {
    let late = ended.iter().filter(|one| one.job.leased_until <= now);
    (ended.len() as u64)
        .saturating_sub(recorded)
        .min(late.count() as u64)
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
