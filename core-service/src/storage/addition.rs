//! Adding an event without a transaction that lasts. See `postgres/additions.rs`.

use process::traces;

use super::{Error, postgres, store::DATABASE};
use crate::domain::{account::Account, audit::AuditEntry, event::Event};

/// An account as it was read without a lock, and the way to add an event to it.
#[derive(Debug)]
pub struct Addition(pub(super) postgres::Addition);

impl Addition {
    /// The account, if there is one.
    pub const fn account(&self) -> Option<&Account> {
        self.0.account.as_ref()
    }

    /// Whether an event has the slug; only [`Addition::add`] decides.
    pub const fn slug_is_taken(&self) -> bool {
        self.0.slug_is_taken
    }

    /// Adds an event of the account with its entry in the audit log, to the catalogue as well if it is live, and commits. False, and nothing
    /// written, if its slug is taken, or if the account's plan or time zone has changed since it was read, or it was suspended or removed.
    /// After [`Error::UnknownOutcome`] it must not be repeated blindly.
    pub async fn add(
        self,
        event: &Event,
        live: bool,
        entry: Option<&AuditEntry>,
    ) -> Result<bool, Error> {
        let began = traces::now();
        let added = self.0.add(event, live, entry).await;
        traces::ended(began, DATABASE, "add_event", added.is_ok());
        added
    }
}
