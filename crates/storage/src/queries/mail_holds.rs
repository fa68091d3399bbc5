//! Mails that operators hold, release and drop. A mail of an account or event is held while its account is suspended, `mail hold` is in
//! effect for the account, or the event is hidden.

use domain::{
    ids::{AccountId, EventId},
    instant::Instant,
    job::{ClaimedJob, HELD_UNTIL},
};

use super::{
    events::OVER_AT,
    jobs::CLAIMED,
    mails::{ACCOUNT, IS_MAIL},
};
use crate::{
    Clearance, Error, Reads, Tx,
    sql::{Fragment, sql},
};

/// Whether the event of a mail to a registrant is not hidden.
const NOT_HIDDEN: Fragment = Fragment::new(
    "NOT EXISTS (SELECT 1 FROM registrations r JOIN events e ON e.id = r.event_id WHERE r.id = jobs.subject_id AND e.is_hidden = TRUE)",
);

/// The states of an account that hold its mails.
const HOLDS: Fragment = Fragment::new("(a.suspended_at IS NOT NULL OR a.mail_held_at IS NOT NULL)");

impl Reads {
    /// Whether a claimed mail may be sent now.
    pub async fn clearance(&self, job: &ClaimedJob) -> Result<Clearance, Error> {
        let statement = sql!(
            "SELECT held_at IS NULL AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = {} AND {}) AND {} FROM jobs WHERE {}",
            ACCOUNT,
            HOLDS,
            NOT_HIDDEN,
            CLAIMED,
        );
        let key = job.key;
        let values = (key.kind, key.subject_id, key.occasion, job.attempt);
        let found: Option<bool> = self.optional(statement, values).await?;
        Ok(match found {
            Some(true) => Clearance::Granted,
            Some(false) => Clearance::Held,
            None => Clearance::Withdrawn,
        })
    }
}

impl Tx {
    /// Begins or ends `mail hold` of an account. [`Tx::hold_mails_of`] and [`Tx::release_mails`] change its mails.
    pub async fn set_mail_held(
        &mut self,
        account: AccountId,
        since: Option<Instant>,
    ) -> Result<(), Error> {
        let statement = sql!("UPDATE accounts SET mail_held_at = $2 WHERE id = $1");
        self.execute_one("account", statement, (account, since))
            .await
    }

    /// Holds the queued mails of an account, claimed ones included; returns their number.
    pub async fn hold_mails_of(&mut self, account: AccountId, now: Instant) -> Result<u64, Error> {
        let statement = sql!(
            "UPDATE jobs SET held_at = $2, due_at = $3 WHERE failed_at IS NULL AND held_at IS NULL AND {} AND {} = $1",
            IS_MAIL,
            ACCOUNT,
        );
        self.execute(statement, (account, now, HELD_UNTIL)).await
    }

    /// Holds the queued mails to registrants of an event, claimed ones included; returns their number.
    pub async fn hold_mails_about(&mut self, event: EventId, now: Instant) -> Result<u64, Error> {
        let statement = sql!(
            "UPDATE jobs SET held_at = $2, due_at = $3 WHERE failed_at IS NULL AND held_at IS NULL AND {} \
             AND EXISTS (SELECT 1 FROM registrations r WHERE r.id = jobs.subject_id AND r.event_id = $1)",
            IS_MAIL,
        );
        self.execute(statement, (event, now, HELD_UNTIL)).await
    }

    /// Holds a claimed mail; false if its lease was lost. The try does not count.
    pub async fn hold_job(&mut self, job: &ClaimedJob, now: Instant) -> Result<bool, Error> {
        let statement = sql!(
            "UPDATE jobs SET held_at = $5, due_at = $6, uncounted = uncounted + 1 WHERE {}",
            CLAIMED,
        );
        let key = job.key;
        let values = (
            key.kind,
            key.subject_id,
            key.occasion,
            job.attempt,
            now,
            HELD_UNTIL,
        );
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Makes at most `limit` mails due that were held after a moment and that nothing holds any longer; returns their number.
    pub async fn release_mails(
        &mut self,
        held_after: Instant,
        now: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "UPDATE jobs SET held_at = NULL, due_at = $2 WHERE held_at IS NOT NULL AND (kind, subject_id, occasion) IN \
             (SELECT kind, subject_id, occasion FROM jobs WHERE held_at IS NOT NULL AND held_at > $1 \
             AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = {} AND {}) AND {} LIMIT $3)",
            ACCOUNT,
            HOLDS,
            NOT_HIDDEN,
        );
        self.execute(statement, (held_after, now, limit)).await
    }

    /// Removes at most `limit` held mails about events that are over, which nothing holds any longer; returns their number. Messages of organizers
    /// may come after the event, and so stay.
    pub async fn drop_late_mails(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM jobs WHERE held_at IS NOT NULL AND (kind, subject_id, occasion) IN \
             (SELECT kind, subject_id, occasion FROM jobs WHERE held_at IS NOT NULL AND kind <> 'message_mail' \
             AND EXISTS (SELECT 1 FROM registrations r JOIN events e ON e.id = r.event_id \
             WHERE r.id = jobs.subject_id AND {} <= $1) \
             AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = {} AND {}) AND {} LIMIT $2)",
            OVER_AT,
            ACCOUNT,
            HOLDS,
            NOT_HIDDEN,
        );
        self.execute(statement, (now, limit)).await
    }

    /// Removes the queued mails of an account, held ones included; returns their number.
    pub async fn drop_mails_of(&mut self, account: AccountId) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM jobs WHERE failed_at IS NULL AND {} AND {} = $1",
            IS_MAIL,
            ACCOUNT,
        );
        self.execute(statement, [account]).await
    }

    /// Removes at most `limit` mails that are held since before this time; returns their number.
    pub async fn delete_held_mails(&mut self, before: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM jobs WHERE held_at IS NOT NULL AND (kind, subject_id, occasion) IN (SELECT kind, subject_id, occasion FROM jobs \
             WHERE held_at IS NOT NULL AND held_at < $1 ORDER BY held_at LIMIT $2)"
        );
        self.execute(statement, (before, limit)).await
    }
}
