//! All SQL. It takes and returns domain values; sqlx types do not leave this module.
//!
//! Statements are methods of [`Reads`], or of [`Tx`] if they write or lock, and stand in `queries/`. How they are written, and how they
//! get to SQLite or PostgreSQL, is in docs/storage.md.
//!
//! Stored the same way on both engines: times as microseconds since the epoch, ids as UUIDs, JSON as text. Neither the
//! database's clock nor its random numbers are used.
//!
//! Locks are taken in one order everywhere: idempotency key, person, account, grant, `event_counters`, event,
//! `catalogue_totals` (shards ascending).

/// Rows per statement in a full batch of registrations. More would hold locks longer without lower cost per row.
pub const FULL_BATCH: usize = 256;

mod connection;
mod error;
mod input;
mod migrations;
mod options;
mod outage;
mod pool;
mod postgres;
mod queries;
mod reads;
mod record;
mod row;
mod schema;
mod servers;
mod sql;
mod sqlite;
mod statement;
mod store;
mod stored;
mod tx;
mod uses;
mod values;
mod watchdog;

pub use error::Error;
pub use options::{Options, Purpose};
pub use outage::Outages;
pub use queries::{
    EventViews, JobDelivery, MailNumber, MessageRefusal, RefusalLink, StreamBounds, StreamPage,
    SuccessfulDelivery, Suppression, WebhookCount,
};
pub use reads::Reads;
pub use store::Store;
pub use tx::Tx;
pub use uses::{GrantUses, KeyUses, SessionUses, Uses};
pub use values::{
    ActivityView, AuditRecord, BlockedMailbox, CatalogueMatches, Clearance, EventFilter,
    FirstEvents, FoundMail, JobQueue, JobRecord, MailQueue, MailRecipient, MyEventsFilter,
    Recipient, RegistrationFilter, StoredAnswer, StoredClient, StoredConnection, StoredCover,
    UndeliveredMail, UnsentMail,
};
