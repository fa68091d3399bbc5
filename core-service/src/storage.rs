//! All SQL. Domain values go in and out; nothing of sqlx leaves this module.
//!
//! The statements stand once, in `queries/`, and are compiled twice: by the twins `sqlite` and `postgres`, each of which says
//! what its database is, how it is opened, how many rows are handed to a statement (`Input`) and the few clauses that differ.
//! [`Store`] (reads, each by itself) and [`Tx`] (one transaction) are enums over the twins, so that nothing above is generic.
//!
//! Stored the same way on both engines: times as microseconds since the epoch, ids as UUIDs, JSON as text. Neither the
//! database's clock nor its random numbers are used.
//!
//! Locks are taken in one order everywhere: idempotency key, account, `event_counters`, event, `catalogue_totals` (shards ascending).

/// Rows that are written together in a rush of registrations: more would hold the locks longer without costing less each.
pub const FULL_BATCH: usize = 256;

mod error;
mod key_uses;
mod migrations;
mod options;
#[expect(
    clippy::duplicate_mod,
    reason = "the statements are compiled once for each engine"
)]
mod postgres;
#[expect(
    clippy::duplicate_mod,
    reason = "the statements are compiled once for each engine"
)]
mod sqlite;
mod store;
mod tx;
mod values;

pub use error::Error;
pub use key_uses::KeyUses;
pub use options::{Access, Options};
pub use store::Store;
pub use tx::Tx;
pub use values::{
    AuditRecord, EventFilter, FailedMail, FailedMailRecipient, JobQueue, JobRecord, KeptAnswer,
    MailQueue, RegistrationFilter, StoredCover,
};
