//! Mailboxes that get no messages and reminders, whoever they are from.

use std::collections::HashSet;

use domain::{instant::Instant, mail::StopReason};

use crate::{
    BlockedMailbox, Error, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::sql,
};

record! {
    BlockedMailbox as b { mailbox, account_id, reason, created_at, email }
}

impl Reads {
    /// Returns which of these mailboxes get no messages and reminders.
    pub async fn find_mail_stops(
        &self,
        mailboxes: &[[u8; 32]],
    ) -> Result<HashSet<[u8; 32]>, Error> {
        if mailboxes.is_empty() {
            return Ok(HashSet::new());
        }
        let statement =
            sql!("SELECT s.mailbox FROM input JOIN mail_stops s ON s.mailbox = input.mailbox");
        let input = Input::of(mailboxes).column("mailbox", |mailbox| mailbox);
        Ok(self.all(statement, input).await?.into_iter().collect())
    }

    /// Returns the mailboxes that get no mails, or none of some kinds, the latest first. The address is that of a registration that is
    /// still there and was mailed lately, if there is one.
    pub async fn list_blocked_mailboxes(&self, limit: i64) -> Result<Vec<BlockedMailbox>, Error> {
        let statement = sql!(
            "SELECT {} FROM (SELECT a.mailbox, a.account_id, a.reason, a.created_at, \
             (SELECT r.email FROM mails m JOIN registrations r ON r.id = m.subject_id WHERE m.mailbox = a.mailbox \
             AND m.kind <> 'address_corrected_mail' ORDER BY m.sent_at DESC LIMIT 1) AS email FROM ( \
             SELECT s.mailbox, NULL AS account_id, s.reason, s.created_at FROM mail_stops s \
             UNION ALL SELECT s.mailbox, s.account_id, 'suppressed', s.created_at FROM suppressions s \
             ) a ORDER BY a.created_at DESC, a.mailbox LIMIT $1) b",
            BlockedMailbox::COLUMNS,
        );
        self.all(statement, [limit]).await
    }
}

impl Tx {
    /// Stops messages and reminders to a mailbox; false if that is so already. What its owner said stays the reason.
    pub async fn put_mail_stop(
        &mut self,
        mailbox: &[u8; 32],
        reason: StopReason,
        now: Instant,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "INSERT INTO mail_stops (mailbox, reason, created_at) VALUES ($1, $2, $3) \
             ON CONFLICT (mailbox) DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at \
             WHERE mail_stops.reason = 'bounced' AND excluded.reason <> 'bounced'"
        );
        let values = (mailbox, reason, now);
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Ends what [`Tx::put_mail_stop`] began; false if there was nothing to end.
    pub async fn delete_mail_stop(&mut self, mailbox: &[u8; 32]) -> Result<bool, Error> {
        let statement = sql!("DELETE FROM mail_stops WHERE mailbox = $1");
        Ok(self.execute(statement, [mailbox]).await? == 1)
    }

    /// Forgets that mails to a mailbox came back. What its owner said stays.
    pub async fn delete_bounced_stop(&mut self, mailbox: &[u8; 32]) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM mail_stops WHERE mailbox = $1 AND reason = 'bounced'");
        self.execute(statement, [mailbox]).await
    }
}
