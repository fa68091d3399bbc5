//! One transaction: reads under its locks, and every write.

use std::{ops::Deref, pin::pin, time::Duration};

use process::traces;

use super::{
    Error, FailedMail, Reads, StoredClient, StoredCover, postgres, sqlite, store::DATABASE,
};
use crate::domain::{
    account::{Account, AccountContents, ApiKey},
    announcement::Announcement,
    audit::AuditEntry,
    budget::{BrowserHash, Budget},
    event::{Event, TimeAndPlace, WhenAndWhere},
    ids::{
        AccountId, AuthorizationId, ClientId, CodeId, EventId, GrantId, InvitationId, KeyId,
        PersonId, RegistrationId, SessionId,
    },
    image_credit::ImageCredit,
    instant::Instant,
    invitation::{Invitation, SentInvitation},
    job::{ClaimedJob, Destination, Job, JobKey, JobKind},
    keyed_call::KeyedCall,
    mail_quota::MailCount,
    oauth::{
        AccessToken, Authorization, AuthorizationCode, Grant, Hash, RefreshToken,
        rotation::Successor,
    },
    organizer_mail::{Collection, MailChoice, Span},
    person::{Member, MemberKey, Membership, Person, Role, Standing},
    plan::Plan,
    registration::{Counters, Details, NewDetails, Registration, Seats},
    session::Session,
    sign_in_code::{Code, Holder, Purpose},
};

/// A transaction. Take locks in the order idempotency key, person, account, grant, counters, event. Dropping it without a commit rolls it
/// back.
///
/// It cannot be used after an error: PostgreSQL has aborted it.
#[derive(Debug)]
pub struct Tx {
    pub(super) reads: Reads,
}

#[derive(Debug)]
pub(super) enum Inner {
    Sqlite(sqlite::Transaction),
    Postgres(postgres::Transaction),
}

impl Tx {
    /// Commits the changes. After [`Error::UnknownOutcome`] they must not be repeated blindly.
    pub async fn commit(self) -> Result<(), Error> {
        let began = traces::now();
        let committed = match self.reads.into_inner() {
            Inner::Sqlite(transaction) => transaction.commit().await,
            Inner::Postgres(transaction) => transaction.commit().await,
        };
        traces::ended(began, DATABASE, "commit", committed.is_ok());
        committed.map_err(Error::of_commit)
    }
}

impl Deref for Tx {
    type Target = Reads;

    fn deref(&self) -> &Reads {
        &self.reads
    }
}

/// Gives `Tx` a method for each statement.
macro_rules! statements {
    ($($(#[$doc:meta])* $queries:ident::$name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Tx {$(
            $(#[$doc])*
            pub async fn $name(&mut self, $($argument: $type),*) -> Result<$answer, Error> {
                let began = traces::now();
                let answer = match self.reads.inner() {
                    Inner::Sqlite(transaction) => {
                        let watch = transaction.watch();
                        let statement = sqlite::$queries::$name(transaction.statement(), $($argument),*);
                        let watched = watch.over(pin!(statement)).await;
                        transaction.ended(watched)
                    }
                    Inner::Postgres(transaction) => {
                        let watch = transaction.watch();
                        let statement = postgres::$queries::$name(transaction.statement(), $($argument),*);
                        let watched = watch.over(pin!(statement)).await;
                        transaction.ended(watched)
                    }
                };
                traces::ended(began, DATABASE, stringify!($name), answer.is_ok());
                answer
            }
        )*}
    };
}

statements! {

    /// The number of an account's events that are neither cancelled nor ended, up to `most`.
    my_events::count_active_events(account: AccountId, now: Instant, most: i64) -> i64;
    /// Locks an event's counters, and with them the event, until the end. Cancel, update and every change of seats begin with
    /// it. It does not check the owner.
    events::lock_counters(event: EventId) -> Option<Counters>;
    /// An event, if it is the account's.
    events::find_account_event(account: AccountId, event: EventId) -> Option<(Event, Counters)>;
    /// An event of any account.
    events::find_event(event: EventId) -> Option<Event>;
    /// Whether an event has this slug; only [`Tx::insert_event`] decides.
    events::slug_taken(slug: &str) -> bool;
    /// Adds an event with empty counters, with its entry in the audit log, if there is one, and counts it in the catalogue when it is `live`
    /// (published, listed, not cancelled, not ended). False, and nothing written, when its slug is taken: try another in the same
    /// transaction.
    events::insert_event(event: &Event, live: bool, entry: Option<&AuditEntry>) -> bool;
    /// Writes all fields that may change, and `live` with the catalogue's total. Owner, slug and cancellation do not change.
    events::update_event(event: &Event, live: bool) -> ();
    /// Cancels an event and removes it from the catalogue; false, and nothing written, if it was already cancelled.
    events::mark_cancelled(event: EventId, reason: Option<&str>, now: Instant) -> bool;
    /// Removes a draft without registrations, with all that belongs to it. Its counters are locked.
    my_events::delete_event(event: EventId) -> ();
    /// Notes that a draft is deleted, for cores that keep what its account's searches look at.
    event_changes::note_deleted_draft(event: EventId, account: AccountId, now: Instant) -> ();
    /// Forgets at most `limit` drafts that were deleted before a moment; returns their number.
    event_changes::forget_deleted_drafts(before: Instant, limit: i64) -> u64;
    /// Raises the catalogue's version for changes of these events.
    catalogue::raise_catalogue_version(events: &[EventId]) -> ();
    /// Notes that another number of seats is left of these events, each of which is there once.
    news::raise_seat_versions(events: &[EventId]) -> ();
    /// Removes at most `limit` ended events from the catalogue and its total; returns their number.
    catalogue::unlist_ended_events(now: Instant, limit: i64) -> u64;
    /// Brings the search index up to date for at most `limit` events that other versions wrote; returns their number.
    search::index_events(limit: i64) -> u64;

    /// Removes at most `limit` rows of the audit log from before this time; returns their number.
    audit::delete_audit(before: Instant, limit: i64) -> u64;

    /// Adds a row to the audit log.
    audit::insert_audit(entry: &AuditEntry) -> ();
    /// Adds rows to the audit log.
    audit::insert_audits(entries: &[AuditEntry]) -> ();
}
