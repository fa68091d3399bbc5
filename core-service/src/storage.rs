//! All SQL. It takes and returns domain values; sqlx types do not leave this module.
//!
//! The statements are written once, in `queries/`, and compiled twice, in the twin modules `sqlite` and `postgres`. Each twin
//! defines its database type, how it is opened, how many rows are passed to a statement (`Input`) and the few clauses that
//! differ. [`Store`] (single reads) and [`Tx`] (one transaction) are enums over the twins, so that no module above is generic.
//!
//! Stored the same way on both engines: times as microseconds since the epoch, ids as UUIDs, JSON as text. Neither the
//! database's clock nor its random numbers are used.
//!
//! Locks are taken in one order everywhere: idempotency key, person, account, grant, `event_counters`, `event_changes`, event,
//! `catalogue_totals`, `seat_versions` (shards ascending).

/// Rows per statement in a full batch of registrations. More would hold locks longer without lower cost per row.
pub const FULL_BATCH: usize = 256;

/// The beginning of a statement that adds entries to the audit log.
macro_rules! insert_into_audit_log {
    () => {
        "INSERT INTO audit_log (id, at, account_id, actor, key_id, person_id, grant_id, action, subject_id, event_id, before, after, reason)"
    };
}

mod addition;
mod catalogue_reads;
mod error;
mod input;
mod migrations;
mod options;
#[expect(
    clippy::duplicate_mod,
    reason = "the statements are compiled once for each engine"
)]
mod postgres;
mod queries;
mod reads;
mod record;
mod row;
mod sql;
#[expect(
    clippy::duplicate_mod,
    reason = "the statements are compiled once for each engine"
)]
mod sqlite;
mod statement;
mod store;
mod stored;
mod tx;
mod uses;
mod values;

pub use addition::{Addition, Alone};
pub use catalogue_reads::CatalogueReads;
pub use error::Error;
pub use options::{Access, Options};
pub use reads::Reads;
pub use store::{Outages, Store};
pub use tx::Tx;
pub use uses::{GrantUses, KeyUses, SessionUses, Uses};
pub use values::{
    AuditRecord, CatalogueMatches, EventFilter, FailedMail, FailedMailRecipient, FirstEvents,
    JobQueue, JobRecord, KeptAnswer, MailQueue, MyEventsFilter, RegistrationFilter, StoredClient,
    StoredConnection, StoredCover,
};
