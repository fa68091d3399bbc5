//! Reminders of events: the jobs that wait, their mails, and who wants none.

use domain::{
    event::{Reminder, Reminders},
    ids::{EventId, RegistrationId},
    instant::Instant,
    job::{Destination, JobKind, Task},
};

use crate::{
    Error, Reads, Tx,
    sql::{Fragment, sql},
    values,
};

/// Those who are reminded of event `$1`: they hold a seat, and registered until `$2`.
const REMINDED: Fragment = Fragment::new(
    "registrations WHERE event_id = $1 AND status = 'Confirmed' AND registered_at <= $2 AND refuses_reminders = FALSE",
);

impl Reads {
    /// Returns the reminders of an event that wait.
    pub async fn list_reminders(&self, event: EventId) -> Result<Vec<Reminder>, Error> {
        let kind = JobKind::EventReminder;
        let statement =
            sql!("SELECT occasion, payload FROM jobs WHERE kind = $1 AND subject_id = $2");
        let found: Vec<(i32, Option<String>)> = self.all(statement, (kind, event)).await?;
        let reminder = |(hours, payload): (i32, Option<String>)| {
            let task = Task::read(kind, payload.as_deref());
            match task.map_err(|error| values::corrupt("job", &error.to_string()))? {
                Task::EventReminder { due_at } => Ok(Reminder {
                    hours,
                    due_at: Instant::from_micros(due_at),
                }),
                other => Err(values::corrupt("job", other.kind().name())),
            }
        };
        found.into_iter().map(reminder).collect()
    }

    /// Returns how many people a reminder of an event goes to.
    pub async fn count_reminded(&self, event: EventId, reminder: Reminder) -> Result<i32, Error> {
        let statement = sql!("SELECT count(*) FROM {}", REMINDED);
        let values = (event, reminder.registered_until());
        let count: i64 = self.one(statement, values).await?;
        Ok(i32::try_from(count).unwrap_or(i32::MAX))
    }
}

impl Tx {
    /// Removes a reminder that waits. A runner that has claimed it finds nothing to do.
    pub async fn delete_reminder(
        &mut self,
        event: EventId,
        reminder: Reminder,
    ) -> Result<(), Error> {
        let statement =
            sql!("DELETE FROM jobs WHERE kind = $1 AND subject_id = $2 AND occasion = $3");
        let values = (JobKind::EventReminder, event, reminder.hours);
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Adds a reminder that waits until it is due.
    pub async fn insert_reminder(
        &mut self,
        event: EventId,
        reminder: Reminder,
        now: Instant,
        trace_parent: Option<&str>,
    ) -> Result<(), Error> {
        let task = Task::EventReminder {
            due_at: reminder.due_at.micros(),
        };
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, \
             trace_parent) VALUES ($1, $2, $3, $4, $5, 0, 0, $6, $7, $8)"
        );
        let values = (
            task.kind(),
            event,
            reminder.hours,
            Destination::DATABASE,
            task.payload(),
            reminder.due_at,
            now,
            trace_parent,
        );
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Adds a `reminder_mail` job for each person to whom a reminder of an event goes; returns their number. An event's sequence number and
    /// the hours are used once.
    pub async fn schedule_reminder_mails(
        &mut self,
        event: EventId,
        reminder: Reminder,
        sequence: i32,
        now: Instant,
        trace_parent: Option<&str>,
    ) -> Result<u64, Error> {
        let task = Task::ReminderMail {
            hours: reminder.hours,
            sequence,
        };
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, \
             trace_parent) SELECT $3, id, $4, $5, $6, 0, 0, $7, $7, $8 FROM {} \
             ON CONFLICT (kind, subject_id, occasion) DO NOTHING",
            REMINDED,
        );
        let values = (
            event,
            reminder.registered_until(),
            task.kind(),
            task.occasion(),
            Destination::MAIL,
            task.payload(),
            now,
            trace_parent,
        );
        self.execute(statement, values).await
    }

    /// Stores which reminders of an event were not sent in time.
    pub async fn set_reminders_missed(
        &mut self,
        event: EventId,
        missed: &Reminders,
    ) -> Result<(), Error> {
        let statement = sql!("UPDATE events SET reminders_missed = $2 WHERE id = $1");
        self.execute_one("event", statement, (event, missed)).await
    }

    /// Stores that someone wants no reminders of the event; false if they wanted none before.
    pub async fn refuse_reminders(&mut self, registration: RegistrationId) -> Result<bool, Error> {
        let statement = sql!(
            "UPDATE registrations SET refuses_reminders = TRUE WHERE id = $1 AND refuses_reminders = FALSE"
        );
        Ok(self.execute(statement, [registration]).await? == 1)
    }
}
