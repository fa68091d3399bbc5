//! What became of the mails to registrants whose jobs ended.

use std::collections::BTreeMap;

use domain::{
    ids::{EventId, RegistrationId},
    instant::Instant,
    job::JobKey,
    mail::{GuestMail, PermanentStatus, SentMail},
};
use uuid::Uuid;

use super::mails::IS_MAIL;
use crate::{
    Error, FoundMail, Reads, Tx, UndeliveredMail,
    input::Input,
    record::{Record as _, record},
    sql::{Fragment, sql},
};

record! {
    GuestMail as m { kind, mailbox, state, words, sent_at, reported_at }
}

record! {
    FoundMail as m {
        key { kind, subject_id, occasion },
        mailbox,
        email = "(SELECT r.email FROM registrations r WHERE r.id = m.subject_id)",
    }
}

record! {
    UndeliveredMail as m {
        registration = "m.subject_id",
        email = "r.email",
        mail { kind, mailbox, state, words, sent_at, reported_at },
    }
}

/// The states of mails whose addresses an organizer should look at.
const IS_PROBLEM: Fragment = Fragment::new("m.state IN ('refused', 'bounced', 'complained')");

/// Of a row that is deleted: its event, its occasion, and whether it was a mail of a message that left.
const DELETED: Fragment =
    Fragment::new("event_id, occasion, kind = 'message_mail' AND state <> 'withheld'");

type Deleted = (EventId, i32, bool);

/// A row of an event's numbers: kind, state (`waiting` as well), number.
pub type MailNumber = (String, String, i64);

impl Reads {
    /// Returns how many mails about an event there are, by kind and state. Those whose tries failed while nothing could be recorded count as
    /// refused.
    pub async fn count_event_mails(&self, event: EventId) -> Result<Vec<MailNumber>, Error> {
        // The queue is read, not the registrations: it is short but for the minutes after a cancellation.
        let statement = sql!(
            "SELECT m.kind, m.state, COUNT(*) FROM mails m WHERE m.event_id = $1 GROUP BY m.kind, m.state \
             UNION ALL SELECT jobs.kind, CASE WHEN jobs.failed_at IS NULL THEN 'waiting' ELSE 'refused' END, COUNT(*) \
             FROM jobs CROSS JOIN registrations r WHERE {} AND r.id = jobs.subject_id AND r.event_id = $1 \
             AND (jobs.failed_at IS NULL OR NOT EXISTS (SELECT 1 FROM mails m WHERE m.subject_id = jobs.subject_id \
             AND m.kind = jobs.kind AND m.occasion = jobs.occasion)) GROUP BY 1, 2 ORDER BY 1, 2",
            IS_MAIL,
        )
        .planned_each_time();
        self.all(statement, [event]).await
    }

    /// Returns the mails about an event whose addresses its organizer should look at, the latest first, after one with this time and
    /// registration. The notice to an address that a registration had is not among them.
    pub async fn list_undelivered_mails(
        &self,
        event: EventId,
        (sent_at, registration): (Instant, Uuid),
        limit: i64,
    ) -> Result<Vec<UndeliveredMail>, Error> {
        let statement = sql!(
            "SELECT {} FROM mails m JOIN registrations r ON r.id = m.subject_id WHERE m.event_id = $1 AND {} \
             AND m.kind <> 'address_corrected_mail' AND (m.sent_at, m.subject_id) < ($2, $3) \
             ORDER BY m.sent_at DESC, m.subject_id DESC LIMIT $4",
            UndeliveredMail::COLUMNS,
            IS_PROBLEM,
        );
        let values = (event, sent_at, registration, limit);
        self.all(statement, values).await
    }

    /// Returns what became of the mails to these registrations.
    pub async fn list_sent_mails(
        &self,
        registrations: &[RegistrationId],
    ) -> Result<Vec<(RegistrationId, GuestMail)>, Error> {
        // SQLite has no empty lists of rows.
        if registrations.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!(
            "SELECT m.subject_id, {} FROM mails m WHERE m.subject_id IN (SELECT id FROM input)",
            GuestMail::COLUMNS,
        )
        .planned_each_time();
        let input = Input::of(registrations).column("id", |id| id);
        self.all(statement, input).await
    }

    /// Returns the mail whose envelope had the token with this hash.
    pub async fn find_mail_by_token(&self, token: &[u8; 32]) -> Result<Option<FoundMail>, Error> {
        let statement = sql!(
            "SELECT {} FROM mails m WHERE m.bounce_token = $1",
            FoundMail::COLUMNS,
        );
        self.optional(statement, [token]).await
    }

    /// Returns the mail of a job that ended.
    pub async fn find_sent_mail(&self, key: &JobKey) -> Result<Option<FoundMail>, Error> {
        let statement = sql!(
            "SELECT {} FROM mails m WHERE m.subject_id = $1 AND m.kind = $2 AND m.occasion = $3",
            FoundMail::COLUMNS,
        );
        let values = (key.subject_id, key.kind, key.occasion);
        self.optional(statement, values).await
    }

    /// Whether a mail to a mailbox is on record.
    pub async fn has_mails_to(&self, mailbox: &[u8; 32]) -> Result<bool, Error> {
        let statement = sql!("SELECT EXISTS (SELECT 1 FROM mails WHERE mailbox = $1)");
        self.one(statement, [mailbox]).await
    }

    /// Returns the number of mails to a mailbox that failed for good since a moment.
    pub async fn count_permanent_failures(
        &self,
        mailbox: &[u8; 32],
        since: Instant,
    ) -> Result<i64, Error> {
        let statement = sql!(
            "SELECT COUNT(*) FROM mails WHERE mailbox = $1 AND status IS NOT NULL AND COALESCE(reported_at, sent_at) >= $2"
        );
        self.one(statement, (mailbox, since)).await
    }
}

impl Tx {
    /// Records what became of mails, in the order of their keys. Mails to registrations that are gone leave nothing behind.
    pub async fn record_mails(&mut self, mails: &[SentMail]) -> Result<(), Error> {
        if mails.is_empty() {
            return Ok(());
        }
        // A join might read all registrations, by a plan from when there were few.
        let statement = sql!(
            "INSERT INTO mails (subject_id, kind, occasion, event_id, mailbox, state, words, status, bounce_token, sent_at) \
             SELECT subject_id, kind, occasion, event_id, mailbox, state, words, status, bounce_token, sent_at FROM \
             (SELECT input.*, (SELECT r.event_id FROM registrations r WHERE r.id = input.subject_id) AS event_id FROM input) AS found \
             WHERE event_id IS NOT NULL ON CONFLICT (subject_id, kind, occasion) DO UPDATE SET mailbox = excluded.mailbox, \
             state = excluded.state, words = excluded.words, status = excluded.status, bounce_token = excluded.bounce_token, \
             sent_at = excluded.sent_at, reported_at = NULL"
        );
        let input = Input::of(mails)
            .column("subject_id", |mail| mail.key.subject_id)
            .column("kind", |mail| mail.key.kind)
            .column("occasion", |mail| mail.key.occasion)
            .column("mailbox", |mail| &mail.mailbox)
            .column("state", |mail| mail.state)
            .column("words", |mail| mail.words.as_deref())
            .column("status", |mail| stored(mail.status))
            .column("bounce_token", |mail| mail.bounce_token.as_ref())
            .column("sent_at", |mail| mail.at);
        self.execute(statement, input).await?;
        Ok(())
    }

    /// Stores that a mail that was handed over came back; false if it was not, or that is stored already.
    pub async fn record_bounce(
        &mut self,
        key: &JobKey,
        status: Option<PermanentStatus>,
        words: Option<&str>,
        now: Instant,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "UPDATE mails SET state = 'bounced', status = $4, words = $5, reported_at = $6 \
             WHERE subject_id = $1 AND kind = $2 AND occasion = $3 AND state = 'handed_over'"
        );
        let JobKey {
            kind,
            subject_id,
            occasion,
        } = *key;
        let values = (subject_id, kind, occasion, stored(status), words, now);
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Stores that a mail that was handed over was called spam; false if it was not, or that is stored already.
    pub async fn record_complaint(&mut self, key: &JobKey, now: Instant) -> Result<bool, Error> {
        let statement = sql!(
            "UPDATE mails SET state = 'complained', reported_at = $4 \
             WHERE subject_id = $1 AND kind = $2 AND occasion = $3 AND state IN ('handed_over', 'bounced')"
        );
        let JobKey {
            kind,
            subject_id,
            occasion,
        } = *key;
        let values = (subject_id, kind, occasion, now);
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Lets the failures of a mailbox until now count no longer.
    pub async fn pardon_mailbox(&mut self, mailbox: &[u8; 32]) -> Result<(), Error> {
        let statement =
            sql!("UPDATE mails SET status = NULL WHERE mailbox = $1 AND status IS NOT NULL");
        self.execute(statement, [mailbox]).await?;
        Ok(())
    }

    /// Removes what became of a mail, which is sent again.
    pub async fn delete_sent_mail(&mut self, key: &JobKey) -> Result<(), Error> {
        let statement =
            sql!("DELETE FROM mails WHERE subject_id = $1 AND kind = $2 AND occasion = $3");
        let values = (key.subject_id, key.kind, key.occasion);
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Removes what became of the mails to a registration.
    pub async fn delete_sent_mails_of(
        &mut self,
        registration: RegistrationId,
    ) -> Result<(), Error> {
        let statement = sql!(
            "DELETE FROM mails WHERE subject_id = $1 RETURNING {}",
            DELETED
        );
        let deleted = self.all(statement, [registration]).await?;
        self.count_left_before(&deleted).await
    }

    /// Removes what became of the mails to a mailbox; returns their number.
    pub async fn delete_sent_mails_to(&mut self, mailbox: &[u8; 32]) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM mails WHERE mailbox = $1 RETURNING {}", DELETED);
        let deleted = self.all(statement, [mailbox]).await?;
        self.count_left_before(&deleted).await?;
        Ok(deleted.len() as u64)
    }

    /// Removes at most `limit` rows about mails from before this time; returns their number.
    pub async fn delete_old_mails(&mut self, before: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM mails WHERE (subject_id, kind, occasion) IN \
             (SELECT subject_id, kind, occasion FROM mails WHERE sent_at < $1 ORDER BY sent_at LIMIT $2) RETURNING {}",
            DELETED,
        );
        let deleted = self.all(statement, (before, limit)).await?;
        self.count_left_before(&deleted).await?;
        Ok(deleted.len() as u64)
    }

    /// Counts deleted mails of messages on their messages, which say how many left.
    async fn count_left_before(&mut self, deleted: &[Deleted]) -> Result<(), Error> {
        let mut left = BTreeMap::<_, i32>::new();
        for &(event, number, has_left) in deleted {
            if has_left {
                *left.entry((event, number)).or_default() += 1;
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        let statement = sql!(
            "UPDATE messages SET left_before = left_before + input.mails FROM input \
             WHERE messages.event_id = input.event_id AND messages.number = input.number"
        );
        let left: Vec<_> = left.into_iter().collect();
        let input = Input::of(&left)
            .column("event_id", |((event, _), _)| *event)
            .column("number", |((_, number), _)| *number)
            .column("mails", |(_, mails)| *mails);
        self.execute(statement, input).await?;
        Ok(())
    }
}

fn stored(status: Option<PermanentStatus>) -> Option<String> {
    status.map(|status| status.to_string())
}

#[cfg(test)]
mod tests {
    use domain::{job::JobKind, mail::MailState};

    use super::*;
    use crate::sql::Dialect;

    #[test]
    fn every_problem_is_named() {
        let all = [
            MailState::HandedOver,
            MailState::Withheld,
            MailState::Refused,
            MailState::Bounced,
            MailState::Complained,
        ];
        let names: Vec<_> = all
            .into_iter()
            .filter(|state| state.is_problem())
            .map(|state| format!("'{state}'"))
            .collect();
        let expected = format!("m.state IN ({})", names.join(", "));
        assert_eq!(IS_PROBLEM.text(Dialect::Sqlite), expected);
    }

    #[test]
    fn the_notice_to_an_earlier_address_is_named_as_it_is_stored() {
        assert_eq!(
            JobKind::AddressCorrectedMail.name(),
            "address_corrected_mail"
        );
    }
}
