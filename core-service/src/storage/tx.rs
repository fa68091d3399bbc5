//! One transaction: reads under its locks, and every write.

use std::time::Duration;

use super::{Error, FailedMail, StoredCover, postgres, sqlite};
use crate::domain::{
    account::{Account, ApiKey},
    audit::AuditEntry,
    event::Event,
    ids::{AccountId, EventId, KeyId, RegistrationId},
    image_credit::ImageCredit,
    instant::Instant,
    job::{ClaimedJob, Destination, Job, JobKey, JobKind},
    keyed_call::KeyedCall,
    plan::Plan,
    registration::{Counters, Registration, Seats, Status},
};

/// A transaction. Take locks in the order idempotency key, account, counters, event; what is dropped without a commit is undone.
///
/// After an error nothing more can be done in it: PostgreSQL has given the transaction up.
#[derive(Debug)]
pub struct Tx(pub(super) Inner);

#[derive(Debug)]
pub(super) enum Inner {
    Sqlite(sqlx::Transaction<'static, sqlite::Db>),
    Postgres(sqlx::Transaction<'static, postgres::Db>),
}

impl Tx {
    /// Makes the changes last. An [`Error::UnknownOutcome`] must not be retried blindly.
    pub async fn commit(self) -> Result<(), Error> {
        match self.0 {
            Inner::Sqlite(transaction) => transaction.commit().await,
            Inner::Postgres(transaction) => transaction.commit().await,
        }
        .map_err(Error::of_commit)
    }
}

/// Gives `Tx` a method per statement.
macro_rules! statements {
    ($($(#[$doc:meta])* $queries:ident::$name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Tx {$(
            $(#[$doc])*
            pub async fn $name(&mut self, $($argument: $type),*) -> Result<$answer, Error> {
                match &mut self.0 {
                    Inner::Sqlite(transaction) => sqlite::$queries::$name(transaction, $($argument),*).await,
                    Inner::Postgres(transaction) => postgres::$queries::$name(transaction, $($argument),*).await,
                }
            }
        )*}
    };
}

statements! {
    /// Adds an account; false, and nothing written, when its e-mail address is taken.
    accounts::insert_account(account: &Account) -> bool;
    /// Whether there is any account.
    accounts::has_accounts() -> bool;
    /// Changes an account's plan; false when there is no such account.
    accounts::set_plan(account: AccountId, plan: Plan) -> bool;
    /// Reads an account and holds it until the end: whatever may add an active event takes this lock before it counts.
    accounts::lock_account(account: AccountId) -> Option<Account>;
    /// The account of an e-mail address, in whatever case it is written.
    accounts::find_account_by_email(email: &str) -> Option<Account>;

    /// Adds a key.
    keys::insert_key(key: &ApiKey) -> ();
    /// Revokes a key; false when it is unknown or already revoked.
    keys::revoke_key(key: KeyId, now: Instant) -> bool;
    /// Moves forward when keys were last used.
    keys::touch_keys(uses: &[(KeyId, Instant)]) -> ();

    /// How many events of an account are neither cancelled nor ended.
    events::count_active_events(account: AccountId, now: Instant) -> i64;
    /// Holds an event's counters, and with them the event, until the end. Cancel, update and every change of seats begin
    /// with this; it says nothing about whose event it is.
    events::lock_counters(event: EventId) -> Option<Counters>;
    /// An event, if it is the account's.
    events::find_account_event(account: AccountId, event: EventId) -> Option<(Event, Counters)>;
    /// An event, whoever's it is.
    events::find_event(event: EventId) -> Option<Event>;
    /// Whether an event has that slug; only [`Tx::insert_event`] decides.
    events::slug_taken(slug: &str) -> bool;
    /// Adds an event with empty counters, and counts it in the catalogue when it is `live` (published, listed, not
    /// cancelled, not ended). False, and nothing written, when its slug is taken: try another in the same transaction.
    events::insert_event(event: &Event, live: bool) -> bool;
    /// Writes all fields that may change, and `live` with the catalogue's total; owner, slug and cancellation stay.
    events::update_event(event: &Event, live: bool) -> ();
    /// Cancels an event and takes it out of the catalogue; false, and nothing written, when it was cancelled before.
    events::mark_cancelled(event: EventId, reason: Option<&str>, now: Instant) -> bool;
    /// Raises the catalogue's version for changes of these events.
    catalogue::raise_catalogue_version(events: &[EventId]) -> ();
    /// Takes at most `limit` ended events out of the catalogue and its total; answers how many.
    catalogue::unlist_ended_events(now: Instant, limit: i64) -> u64;

    /// Adds a registration at the place that its `seq` says, and counts it.
    registrations::insert_registration(registration: &Registration) -> ();
    /// Gives a seat to that many on the waitlist, in order, and counts them; they must be there.
    registrations::promote_waitlisted(event: EventId, seats: i32, now: Instant) -> ();
    /// One registration of an event.
    registrations::find_registration(event: EventId, registration: RegistrationId) -> Option<Registration>;
    /// Writes what may change of a registration that stood at `before`, and counts it where it stands now.
    registrations::update_registration(before: Status, after: &Registration) -> ();
    /// Adds registrations without counting them: see [`Tx::update_counters`].
    registrations::insert_registrations(registrations: &[Registration]) -> ();

    /// The registrations of a normalised e-mail address at an event, in any status.
    registrations::list_registrations_at(event: EventId, email_norm: &str) -> Vec<Registration>;
    /// Removes a registration without uncounting it: see [`Tx::update_counters`]. Its links go first.
    registrations::delete_registration(registration: RegistrationId) -> ();
    /// Removes the private links to a registration; answers how many.
    links::delete_links(registration: RegistrationId) -> u64;
    /// Removes the mails of a registration that are not sent, failed ones included; answers how many.
    mails::delete_mails_of(registration: RegistrationId) -> u64;
    /// Removes at most `limit` jobs that failed before then; answers how many.
    jobs::delete_failed_jobs(before: Instant, limit: i64) -> u64;
    /// Removes at most `limit` rows of the audit log from before then; answers how many.
    audit::delete_audit(before: Instant, limit: i64) -> u64;
    /// Takes the owner's name and address from an account, which has `email` from now on.
    accounts::erase_account(account: AccountId, email: &str) -> ();
    /// Revokes an account's keys and takes away what its owner called them; answers how many were valid.
    keys::revoke_keys_of(account: AccountId, now: Instant) -> u64;

    /// The events of these slugs, those that exist.
    seats::find_event_ids(slugs: &[&str]) -> Vec<EventId>;
    /// Holds the counters of events until the end, lowest id first; answers them and the next place in the order of
    /// registering.
    seats::lock_seats(ids: &[EventId]) -> Vec<(EventId, Counters, i64)>;
    /// These events, in no order.
    seats::list_events(ids: &[EventId]) -> Vec<Event>;
    /// The registrations that are not cancelled of these normalised addresses at these events.
    seats::find_active_registrations(people: &[(EventId, &str)]) -> Vec<(EventId, String, RegistrationId)>;
    /// Notes that nothing but the time of these registrations changed.
    seats::touch_registrations(ids: &[RegistrationId], now: Instant) -> ();
    /// Sets the counters of events whose counters are held.
    seats::update_counters(seats: &[&Seats]) -> ();

    /// Adds a private link to a registration, of which only the SHA-256 of its token is stored.
    links::insert_link(hash: &[u8; 32], registration: RegistrationId, now: Instant) -> ();
    /// The registration that a private link leads to.
    links::find_registration_by_link(hash: &[u8; 32]) -> Option<Registration>;

    /// One `cancellation_mail` job for each active registration of an event; answers how many.
    jobs::schedule_cancellation_mails(event: EventId, now: Instant) -> u64;
    /// One `promoted_mail` job for each of so many who have waited longest, before they are promoted.
    jobs::schedule_promotion_mails(event: EventId, seats: i32, now: Instant) -> ();
    /// One `event_changed_mail` job for each active registration of an event, once for each of its sequence numbers.
    jobs::schedule_event_changed_mails(event: EventId, sequence: i32, now: Instant) -> u64;
    /// Adds jobs that are due at once, except those that are there already; answers how many were added.
    jobs::insert_jobs(jobs: &[Job], now: Instant) -> u64;
    /// Leases at most `limit` jobs of a kind for a destination that are due.
    jobs::claim_jobs(destination: &Destination, kind: JobKind, now: Instant, leased_until: Instant, limit: usize)
        -> Vec<ClaimedJob>;
    /// Removes jobs that are done; answers how many: those whose lease was lost stay.
    jobs::finish_jobs(jobs: &[&ClaimedJob]) -> u64;
    /// Puts a job back until `due_at`, as if it had not been tried unless the try `counts`; false when the lease was lost.
    jobs::postpone_job(job: &ClaimedJob, due_at: Instant, counts: bool, error: &str) -> bool;
    /// Marks a job as failed and keeps it for people to look at; false when the lease was lost.
    jobs::fail_job(job: &ClaimedJob, now: Instant, error: &str) -> bool;
    /// Makes a failed job due again, as if it were new; false when there is none.
    jobs::retry_failed_job(key: &JobKey, now: Instant) -> bool;
    /// Mails that failed, the latest first.
    mails::list_failed_mails(limit: i64) -> Vec<FailedMail>;
    /// The mail of that key, if it failed.
    mails::find_failed_mail(key: &JobKey) -> Option<FailedMail>;

    /// Makes a photograph the event's cover, and says whose it is.
    stock_covers::put_stock_cover(event: EventId, cover: &StoredCover, credit: &ImageCredit, now: Instant) -> ();
    /// Removes the photograph that was an event's cover; its credit goes by [`Tx::update_event`].
    stock_covers::delete_stock_cover(event: EventId) -> ();

    /// Takes an idempotency key for a call. False when it is taken, or when somebody else has been about to take it for longer
    /// than `longest_wait`; nothing more can be done in the transaction then. Comes before every other lock.
    idempotency_keys::claim_idempotency_key(call: &KeyedCall, now: Instant, longest_wait: Duration) -> bool;
    /// Keeps the sealed answer to a call whose key was claimed; it is erased with the registration that it tells of.
    idempotency_keys::keep_answer(call: &KeyedCall, sealed: &[u8], registration: Option<RegistrationId>) -> ();
    /// Removes at most `limit` answers that are kept for long enough; answers how many.
    idempotency_keys::delete_old_answers(now: Instant, limit: i64) -> u64;
    /// Removes the answers that tell of a registration; answers how many.
    idempotency_keys::delete_answers_about(registration: RegistrationId) -> u64;
    /// Removes the answers that were given to an account; answers how many.
    idempotency_keys::delete_answers_of(account: AccountId) -> u64;

    /// Writes down a change, in its transaction.
    audit::insert_audit(entry: &AuditEntry) -> ();
    /// Writes down changes, in their transaction.
    audit::insert_audits(entries: &[AuditEntry]) -> ();
}
