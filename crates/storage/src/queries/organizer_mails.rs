//! Mails to organizers: the job that collects registrations, what was collected, and who is told.
//!
//! Registrations are found by the audit log, which has an index of each account's entries by time. One that is not confirmed, or is
//! cancelled by then, is no news.

use std::collections::{HashMap, HashSet};

use domain::{
    ids::{AccountId, EventId, PersonId},
    instant::Instant,
    job::{ClaimedJob, Destination, JobKind, Task},
    organizer_mail::{Collection, EventUpdates, MAX_NAMES, MailChoice, Organizer, Span},
    person::Reach,
    plan::Plan,
};

use super::events::OVER_AT;
use crate::{
    Error, Reads, Tx,
    input::Input,
    row::{Columns, FromRow},
    sql::{Fragment, sql},
};

/// What attendees of account `$1` did in the time after `$2` until `$3` that its organizers may want to know: they registered, or changed
/// their answers.
const UPDATES: Fragment = Fragment::new(
    "audit_log l JOIN registrations r ON r.id = l.subject_id WHERE l.account_id = $1 AND l.at > $2 AND l.at <= $3 \
     AND l.actor = 'attendee' AND l.action IN ('registration.create', 'registration.confirm', 'registration.change_answers') \
     AND r.confirm_until IS NULL AND r.status <> 'Cancelled'",
);

/// Whether an entry of [`UPDATES`] is about answers.
const IS_CHANGE: Fragment = Fragment::new("l.action = 'registration.change_answers'");

/// Jobs that collect for the accounts of `input`, kept as they are. On PostgreSQL they are looked up as arrays: a join might read all of the
/// table by a plan from when it was small.
const COLLECTING: Fragment = Fragment::per_dialect(
    "j.kind IN (SELECT kind FROM input) AND j.subject_id IN (SELECT id FROM input) AND j.occasion = 0 AND j.failed_at IS NULL",
    "j.kind = ANY (ARRAY(SELECT kind FROM input)) AND j.subject_id = ANY (ARRAY(SELECT id FROM input)) \
     AND j.occasion = 0 AND j.failed_at IS NULL FOR SHARE",
);

/// The members of account `$1`, with what is selected for an [`Organizer`].
const ORGANIZERS: Fragment = Fragment::new(
    "p.name, p.email, a.name, a.plan, a.trusted_at IS NOT NULL, m.role, m.only_some_events, m.mails FROM memberships m JOIN people p ON p.id = m.person_id \
     JOIN accounts a ON a.id = m.account_id WHERE m.account_id = $1 AND a.suspended_at IS NULL",
);

impl FromRow for Organizer {
    const WIDTH: usize = 8;

    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        Ok(Self {
            name: columns.read()?,
            email: columns.read()?,
            account_name: columns.read()?,
            sees_registrations: columns.read::<Plan>()?.is_paid(),
            is_account_trusted: columns.read()?,
            rights: columns.read()?,
            choice: columns.read()?,
        })
    }
}

impl FromRow for EventUpdates {
    const WIDTH: usize = 7;

    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        Ok(Self {
            event: columns.read()?,
            title: columns.read()?,
            max_capacity: columns.read()?,
            new: i32::try_from(columns.read::<i64>()?).unwrap_or(i32::MAX),
            changed: i32::try_from(columns.read::<i64>()?).unwrap_or(i32::MAX),
            awaiting: columns.read()?,
            taken: columns.read()?,
            names: Vec::new(),
        })
    }
}

impl Reads {
    /// Returns whether anyone registered for an account's events, or changed answers, in a time.
    pub async fn has_registrations_in(
        &self,
        account: AccountId,
        span: Span,
    ) -> Result<bool, Error> {
        let statement = sql!("SELECT EXISTS (SELECT 1 FROM {})", UPDATES);
        self.one(statement, (account, span.since, span.until)).await
    }

    /// Returns new registrations and changed answers for an account's events in reach in a time, for the events with the most. Who registered in the
    /// time is new, whatever they changed since.
    pub async fn list_event_updates(
        &self,
        account: AccountId,
        reach: Reach,
        span: Span,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<EventUpdates>, Error> {
        let statement = sql!(
            "SELECT e.id, e.title, e.max_capacity, n.fresh, n.everyone - n.fresh, c.pending - c.unconfirmed, \
             c.confirmed + c.held + c.companions_confirmed + c.companions_held \
             FROM (SELECT r.event_id, count(DISTINCT r.id) AS everyone, count(DISTINCT CASE WHEN {} THEN NULL ELSE r.id END) AS fresh \
             FROM {} GROUP BY r.event_id) n \
             JOIN events e ON e.id = n.event_id JOIN event_counters c ON c.event_id = e.id \
             WHERE e.account_id = $1 AND e.is_cancelled = FALSE AND {} > $4 AND ($6 IS NULL OR EXISTS (SELECT 1 FROM member_events x \
             WHERE x.account_id = $1 AND x.person_id = $6 AND x.event_id = e.id)) ORDER BY n.fresh DESC, e.id LIMIT $5",
            IS_CHANGE,
            UPDATES,
            OVER_AT,
        );
        let person = reach.person();
        let values = (account, span.since, span.until, now, limit, person);
        self.all(statement, values).await
    }

    /// Returns the names of people who registered for events in reach in a time, by event, of the `limit` latest.
    pub async fn list_new_names(
        &self,
        account: AccountId,
        reach: Reach,
        span: Span,
        limit: i64,
    ) -> Result<HashMap<EventId, Vec<String>>, Error> {
        let statement = sql!(
            "SELECT r.event_id, r.name FROM {} AND NOT {} AND ($5 IS NULL OR EXISTS (SELECT 1 FROM member_events x \
             WHERE x.account_id = $1 AND x.person_id = $5 AND x.event_id = r.event_id)) ORDER BY l.at DESC, l.id DESC LIMIT $4",
            UPDATES,
            IS_CHANGE,
        );
        let values = (account, span.since, span.until, limit, reach.person());
        let found: Vec<(EventId, String)> = self.all(statement, values).await?;
        let mut names: HashMap<EventId, Vec<String>> = HashMap::new();
        for (event, name) in found {
            let of_event = names.entry(event).or_default();
            if of_event.len() < MAX_NAMES {
                of_event.push(name);
            }
        }
        Ok(names)
    }

    /// Returns the members of an account, with what they want to be mailed; those of the longest standing first.
    pub async fn list_organizers(
        &self,
        account: AccountId,
        limit: i64,
    ) -> Result<Vec<(PersonId, Organizer)>, Error> {
        let statement = sql!(
            "SELECT p.id, {} ORDER BY m.created_at, p.id LIMIT $2",
            ORGANIZERS,
        );
        self.all(statement, (account, limit)).await
    }

    /// Returns a member of an account, with what they want to be mailed.
    pub async fn find_organizer(
        &self,
        account: AccountId,
        person: PersonId,
    ) -> Result<Option<Organizer>, Error> {
        let statement = sql!("SELECT {} AND m.person_id = $2", ORGANIZERS);
        self.optional(statement, (account, person)).await
    }
}

impl Tx {
    /// Begins to collect registrations of these accounts for mails to their members, unless that goes on already.
    ///
    /// A job that waits stays as it is, and cannot end before this transaction: who collects at the same time sees these registrations, or
    /// they begin a new one. Registrations for several events of an account do not wait for each other.
    pub async fn collect_for_organizers(
        &mut self,
        accounts: &[AccountId],
        collection: Collection,
        now: Instant,
        trace_parent: Option<&str>,
    ) -> Result<(), Error> {
        if accounts.is_empty() {
            return Ok(());
        }
        let waiting = self.extend_collecting(accounts).await?;
        let others: Vec<_> = accounts
            .iter()
            .filter(|account| !waiting.contains(*account))
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        let task = Task::OrganizerNews {
            since: collection.since.micros(),
        };
        let (kind, payload) = (task.kind(), task.payload());
        let statement = sql!(
            "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at, \
             trace_parent) SELECT kind, subject_id, 0, destination, payload, 0, 0, due_at, created_at, trace_parent \
             FROM input WHERE TRUE \
             ON CONFLICT (kind, subject_id, occasion) DO UPDATE SET \
             due_at = CASE WHEN jobs.failed_at IS NULL THEN jobs.due_at ELSE excluded.due_at END, failed_at = NULL"
        );
        let input = Input::of(&others)
            .column("kind", |_| kind)
            .column("subject_id", |account| account)
            .column("destination", |_| Destination::DATABASE)
            .column("payload", |_| payload.clone())
            .column("due_at", |_| collection.due_at)
            .column("created_at", |_| now)
            .column("trace_parent", |_| trace_parent);
        self.execute(statement, input).await?;
        Ok(())
    }

    /// Keeps the jobs of these accounts that wait as they are; returns the accounts that have one.
    async fn extend_collecting(
        &mut self,
        accounts: &[AccountId],
    ) -> Result<HashSet<AccountId>, Error> {
        let statement = sql!("SELECT j.subject_id FROM jobs j WHERE {}", COLLECTING);
        let input = Input::of(accounts)
            .column("kind", |_| JobKind::OrganizerNews)
            .column("id", |account| account);
        let found: Vec<AccountId> = self.all(statement, input).await?;
        Ok(found.into_iter().collect())
    }

    /// Goes on collecting; false, and nothing written, if the job is no longer the runner's.
    pub async fn go_on_collecting(
        &mut self,
        job: &ClaimedJob,
        collection: Collection,
    ) -> Result<bool, Error> {
        let task = Task::OrganizerNews {
            since: collection.since.micros(),
        };
        let statement = sql!(
            "UPDATE jobs SET payload = $5, due_at = $6, uncounted = attempts \
             WHERE kind = $1 AND subject_id = $2 AND occasion = $3 AND attempts = $4 AND failed_at IS NULL"
        );
        let values = (
            job.key.kind,
            job.key.subject_id,
            job.key.occasion,
            job.attempt,
            task.payload(),
            collection.due_at,
        );
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Ends what [`Tx::go_on_collecting`] went on with, and has locked.
    pub async fn finish_collecting(&mut self, account: AccountId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM jobs WHERE kind = $1 AND subject_id = $2");
        let values = (JobKind::OrganizerNews, account);
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Sets what a member wants to be mailed; false if there is no such member.
    pub async fn set_mail_choice(
        &mut self,
        account: AccountId,
        person: PersonId,
        choice: MailChoice,
    ) -> Result<bool, Error> {
        let statement =
            sql!("UPDATE memberships SET mails = $3 WHERE account_id = $1 AND person_id = $2");
        let values = (account, person, choice);
        Ok(self.execute(statement, values).await? == 1)
    }
}
