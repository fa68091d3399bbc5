//! All SQL. It takes and returns domain values; sqlx types do not leave this module.
//!
//! The statements are written once, in `queries/`, and compiled twice, in the twin modules `sqlite` and `postgres`. Each twin
//! defines its database type, how it is opened, how many rows are passed to a statement (`Input`) and the few clauses that
//! differ. [`Store`] (single reads) and [`Tx`] (one transaction) are enums over the twins, so that no module above is generic.
//!
//! Stored the same way on both engines: times as microseconds since the epoch, ids as UUIDs, JSON as text. Neither the
//! database's clock nor its random numbers are used.
//!
//! Locks are taken in one order everywhere: idempotency key, person, account, grant, `event_counters`, event,
//! `catalogue_totals` (shards ascending).

/// Rows per statement in a full batch of registrations. More would hold locks longer without lower cost per row.
pub const FULL_BATCH: usize = 256;

mod error;
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
mod uses;
mod values;

pub use error::Error;
pub use options::{Access, Options};
pub use store::{Outages, Store};
pub use tx::Tx;
pub use uses::{GrantUses, KeyUses, SessionUses, Uses};
pub use values::{
    AuditRecord, CatalogueMatches, EventFilter, FailedMail, FailedMailRecipient, FirstEvents,
    JobQueue, JobRecord, KeptAnswer, MailQueue, MyEventsFilter, RegistrationFilter, StoredClient,
    StoredConnection, StoredCover,
};
