//! Messages of organizers, and the jobs that begin them.

use domain::{
    ids::{AccountId, EventId, MessageId},
    instant::Instant,
    job::{Destination, JobKind},
    message::{Message, StopReason, Timing},
};

use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, insert_into, record, update},
    row::{Columns, FromRow},
    sql::{Fragment, sql},
    values::corrupt,
};

/// When a message begins that follows an event which starts at `$2` and is over at `$3`.
const MOVED: Fragment = Fragment::new(
    "CASE timing WHEN 'before_start' THEN $2 - hours * 3600000000 ELSE $3 + hours * 3600000000 END",
);

/// The states of mails that left, named since an index has them in order.
const HAS_LEFT: Fragment =
    Fragment::new("m.state IN ('handed_over', 'refused', 'bounced', 'complained')");

record! {
    Message as m of "messages" {
        id, event_id, number, subject, text, audience,
        timing { timing, hours },
        due_at, is_delayed, state, stop_reason, recipients, left_before, author_id,
        author_name = "COALESCE((SELECT k.label FROM api_keys k WHERE k.id = m.author_id), \
            (SELECT p.name FROM people p WHERE p.id = m.author_id))",
        author_person = "(SELECT s.person_id FROM memberships s \
            WHERE s.account_id = (SELECT e.account_id FROM events e WHERE e.id = m.event_id) \
            AND s.person_id = COALESCE((SELECT k.person_id FROM api_keys k WHERE k.id = m.author_id), m.author_id) \
            AND (s.only_some_events = FALSE OR EXISTS (SELECT 1 FROM member_events x WHERE x.account_id = s.account_id \
            AND x.person_id = s.person_id AND x.event_id = m.event_id)))",
        created_at, updated_at, version,
    }
}

impl FromRow for Timing {
    const WIDTH: usize = 2;

    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        let name: String = columns.read()?;
        let hours = columns.read()?;
        Self::of_parts(&name, hours).ok_or_else(|| corrupt("timing", &name))
    }
}

impl Reads {
    /// Returns an event's messages before a number, the latest first.
    pub async fn list_messages(
        &self,
        event: EventId,
        before: i32,
        limit: i64,
    ) -> Result<Vec<Message>, Error> {
        let statement = sql!(
            "SELECT {} FROM messages m WHERE m.event_id = $1 AND m.number < $2 ORDER BY m.number DESC LIMIT $3",
            Message::COLUMNS,
        );
        self.all(statement, (event, before, limit)).await
    }

    /// Returns an account's messages after one, the oldest first.
    pub async fn list_messages_of(
        &self,
        account: AccountId,
        after: MessageId,
        limit: i64,
    ) -> Result<Vec<Message>, Error> {
        let statement = sql!(
            "SELECT {} FROM messages m JOIN events e ON e.id = m.event_id WHERE e.account_id = $1 AND m.id > $2 ORDER BY m.id LIMIT $3",
            Message::COLUMNS,
        );
        self.all(statement, (account, after, limit)).await
    }

    /// Returns how many messages an event has, how many of them are scheduled, and the highest number.
    pub async fn count_messages(&self, event: EventId) -> Result<(i64, i64, i32), Error> {
        let statement = sql!(
            "SELECT count(*), count(*) FILTER (WHERE state = 'scheduled'), COALESCE(max(number), 0) FROM messages WHERE event_id = $1"
        );
        self.one(statement, [event]).await
    }

    /// Returns a message of an event.
    pub async fn find_message(
        &self,
        event: EventId,
        message: MessageId,
    ) -> Result<Option<Message>, Error> {
        let statement = sql!(
            "SELECT {} FROM messages m WHERE m.id = $1 AND m.event_id = $2",
            Message::COLUMNS,
        );
        self.optional(statement, (message, event)).await
    }

    /// Returns an event's message with a number.
    pub async fn find_message_by_number(
        &self,
        event: EventId,
        number: i32,
    ) -> Result<Option<Message>, Error> {
        let statement = sql!(
            "SELECT {} FROM messages m WHERE m.event_id = $1 AND m.number = $2",
            Message::COLUMNS,
        );
        self.optional(statement, (event, number)).await
    }

    /// Returns a message of any event.
    pub async fn get_message(&self, message: MessageId) -> Result<Option<Message>, Error> {
        let statement = sql!(
            "SELECT {} FROM messages m WHERE m.id = $1",
            Message::COLUMNS
        );
        self.optional(statement, [message]).await
    }

    /// Returns how many mails of each of these messages, by event and number, left and are on record: the mail server took or refused them.
    pub async fn count_left_message_mails(
        &self,
        messages: &[(EventId, i32)],
    ) -> Result<Vec<(EventId, i32, i64)>, Error> {
        // SQLite has no empty lists of rows.
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        // Each is a step into the index of mails: a join might read all of them.
        let statement = sql!(
            "SELECT input.event_id, input.number, (SELECT count(*) FROM mails m WHERE m.event_id = input.event_id AND {} \
             AND m.kind = 'message_mail' AND m.occasion = input.number) FROM input",
            HAS_LEFT,
        );
        let input = Input::of(messages)
            .column("event_id", |(event, _)| *event)
            .column("number", |(_, number)| *number);
        self.all(statement, input).await
    }

    /// Returns how many mails of an event's messages wait, by the number of the message.
    pub async fn count_waiting_message_mails(
        &self,
        event: EventId,
    ) -> Result<Vec<(i32, i64)>, Error> {
        let statement = sql!(
            "SELECT j.occasion, count(*) FROM registrations r JOIN jobs j ON j.kind = $2 AND j.subject_id = r.id \
             WHERE r.event_id = $1 AND j.failed_at IS NULL GROUP BY j.occasion"
        )
        .planned_each_time();
        self.all(statement, (event, JobKind::MessageMail)).await
    }
}

impl Tx {
    /// Adds a message.
    pub async fn insert_message(&mut self, message: &Message) -> Result<(), Error> {
        let (timing, hours) = message.timing.parts();
        let (statement, values) = insert_into!("messages" {
            id: message.id,
            event_id: message.event_id,
            number: message.number,
            subject: message.subject,
            text: message.text,
            audience: message.audience,
            timing: *timing,
            hours: hours,
            due_at: message.due_at,
            is_delayed: message.is_delayed,
            state: message.state,
            stop_reason: message.stop_reason,
            recipients: message.recipients,
            // Cores of the release before count these.
            withdrawn: 0,
            author_id: message.author_id,
            created_at: message.created_at,
            updated_at: message.updated_at,
            version: message.version,
        });
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Writes what can change of a message. What left before is counted by [`Tx::delete_old_mails`] and its like alone.
    pub async fn update_message(&mut self, message: &Message) -> Result<(), Error> {
        let (timing, hours) = message.timing.parts();
        let (statement, values) = update!("messages" id = message.id => {
            subject: message.subject,
            text: message.text,
            audience: message.audience,
            timing: *timing,
            hours: hours,
            due_at: message.due_at,
            is_delayed: message.is_delayed,
            state: message.state,
            stop_reason: message.stop_reason,
            recipients: message.recipients,
            updated_at: message.updated_at,
            version: message.version,
        });
        self.execute_one("message", statement, values).await
    }

    /// Schedules that a message begins, instead of a time before. A runner that has claimed the job loses its lease.
    pub async fn put_message_job(
        &mut self,
        message: MessageId,
        due_at: Instant,
        now: Instant,
        trace_parent: Option<&str>,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, attempts, uncounted, due_at, created_at, trace_parent) \
             VALUES ($1, $2, 0, $3, 0, 0, $4, $5, $6) \
             ON CONFLICT (kind, subject_id, occasion) DO UPDATE SET due_at = excluded.due_at, \
             created_at = excluded.created_at, trace_parent = excluded.trace_parent, failed_at = NULL, \
             attempts = jobs.attempts + 1, uncounted = jobs.attempts + 1"
        );
        let values = (
            JobKind::Message,
            message,
            Destination::DATABASE,
            due_at,
            now,
            trace_parent,
        );
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Removes the job that would begin a message.
    pub async fn delete_message_job(&mut self, message: MessageId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM jobs WHERE kind = $1 AND subject_id = $2");
        self.execute(statement, (JobKind::Message, message)).await?;
        Ok(())
    }

    /// Removes the mails of a message that wait, claimed ones included; returns their number.
    pub async fn withdraw_message_mails(
        &mut self,
        event: EventId,
        number: i32,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM jobs WHERE kind = $1 AND occasion = $2 AND failed_at IS NULL \
             AND subject_id IN (SELECT id FROM registrations WHERE event_id = $3)"
        )
        .planned_each_time();
        let values = (JobKind::MessageMail, number, event);
        self.execute(statement, values).await
    }

    /// Moves the scheduled messages that follow an event, whose start and end are these now. One whose time is over by that begins at `soonest`.
    /// One that waits for the mails of the next day moves to a later time only.
    pub async fn move_messages(
        &mut self,
        event: EventId,
        start: Instant,
        over_at: Instant,
        soonest: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE messages SET is_delayed = FALSE, due_at = CASE WHEN {} > $4 THEN {} ELSE $4 END \
             WHERE event_id = $1 AND state = 'scheduled' AND timing IN ('before_start', 'after_end') AND (is_delayed = FALSE OR {} > due_at)",
            MOVED,
            MOVED,
            MOVED,
        );
        let values = (event, start, over_at, soonest);
        if self.execute(statement, values).await? == 0 {
            return Ok(());
        }
        let statement = sql!(
            "UPDATE jobs SET due_at = (SELECT m.due_at FROM messages m WHERE m.id = jobs.subject_id), \
             attempts = attempts + 1, uncounted = attempts + 1 \
             WHERE kind = $1 AND occasion = 0 AND subject_id IN (SELECT id FROM messages WHERE event_id = $2 AND state = 'scheduled' \
             AND timing IN ('before_start', 'after_end'))"
        );
        self.execute(statement, (JobKind::Message, event)).await?;
        Ok(())
    }

    /// Stops the scheduled messages of an event, and, with `begun`, those whose mails wait.
    pub async fn stop_messages(
        &mut self,
        event: EventId,
        reason: StopReason,
        begun: bool,
        now: Instant,
    ) -> Result<(), Error> {
        let (all, ..) = self.count_messages(event).await?;
        if all == 0 {
            return Ok(());
        }
        let statement = sql!(
            "UPDATE messages SET state = 'stopped', stop_reason = $2, updated_at = $3 WHERE event_id = $1 AND state = 'scheduled'"
        );
        self.execute(statement, (event, reason, now)).await?;
        let statement = sql!(
            "DELETE FROM jobs WHERE kind = $1 AND subject_id IN (SELECT id FROM messages WHERE event_id = $2)"
        );
        self.execute(statement, (JobKind::Message, event)).await?;
        if !begun {
            return Ok(());
        }
        for (number, _) in self.count_waiting_message_mails(event).await? {
            self.withdraw_message_mails(event, number).await?;
            let statement = sql!(
                "UPDATE messages SET state = 'stopped', stop_reason = $3, updated_at = $4 WHERE event_id = $1 AND number = $2"
            );
            let values = (event, number, reason, now);
            self.execute(statement, values).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use domain::mail::MailState;

    use super::*;
    use crate::sql::Dialect;

    #[test]
    fn every_state_of_a_mail_that_left_is_named() {
        let left = [
            MailState::HandedOver,
            MailState::Refused,
            MailState::Bounced,
            MailState::Complained,
        ];
        let names = left.map(|state| format!("'{state}'"));
        let expected = format!("m.state IN ({})", names.join(", "));
        assert_eq!(HAS_LEFT.text(Dialect::Sqlite), expected);
        assert_eq!(JobKind::MessageMail.name(), "message_mail");
    }
}
