//! Adding an event in two round trips in place of four: what decides is read without a lock, and one statement adds the event if the account is
//! still like that.

use std::pin::pin;

use sqlx::Row as _;

use super::{Connection, Db, Engine, Lease, accounts, accounts::account_columns, events};
use crate::{
    domain::{account::Account, audit::AuditEntry, event::Event, ids::AccountId},
    storage::Error,
};

/// An account as it was read, and the connection that adds an event to it.
#[derive(Debug)]
pub(in crate::storage) struct Addition {
    /// Until it is given back.
    lease: Option<Lease>,
    pub(in crate::storage) account: Option<Account>,
    pub(in crate::storage) slug_is_taken: bool,
}

impl Engine {
    /// Reads an account, and whether an event has this slug.
    pub(in crate::storage) async fn begin_addition(
        &self,
        account: AccountId,
        slug: &str,
    ) -> Result<Addition, Error> {
        loop {
            let mut lease = self.writers.take().await?;
            let watch = lease.watch();
            let read = watch
                .over(pin!(find_account_for_slug(&mut lease, account, slug)))
                .await;
            if let Some((lease, found)) = lease.tried(read).await? {
                let (account, slug_is_taken) = found.unzip();
                return Ok(Addition {
                    lease: Some(lease),
                    account,
                    slug_is_taken: slug_is_taken.unwrap_or(false),
                });
            }
        }
    }
}

impl Addition {
    /// Adds an event of the account with its entry in the audit log, and commits; false, and nothing written, if its slug is taken or the
    /// account has changed since.
    pub(in crate::storage) async fn add(
        mut self,
        event: &Event,
        live: bool,
        entry: Option<&AuditEntry>,
    ) -> Result<bool, Error> {
        let (Some(account), Some(mut lease)) = (&self.account, self.lease.take()) else {
            return Ok(false);
        };
        let statement = events::insertion(event, live, entry, Some(account))?;
        let watch = lease.watch();
        let added = async {
            let done = statement.execute(&mut *lease).await;
            // It is the commit as well.
            let done = done.map_err(Error::of_commit)?;
            Ok(done.rows_affected() == 1)
        };
        let added = watch.over(pin!(added)).await;
        if added.is_given_up {
            lease.forsake();
            let text = "the database does not answer".to_owned();
            return Err(Error::UnknownOutcome(text));
        }
        // Whatever the connection is good for, the answer is final.
        let _is_sound = lease.give_back(added.answer.as_ref().err()).await;
        added.answer
    }
}

impl Drop for Addition {
    /// What was read has arrived, so the connection is of use to others.
    fn drop(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.put_back();
        }
    }
}

async fn find_account_for_slug(
    connection: &mut Connection,
    account: AccountId,
    slug: &str,
) -> Result<Option<(Account, bool)>, Error> {
    sqlx::query::<Db>(concat!(
        "SELECT ",
        account_columns!(),
        ", EXISTS (SELECT 1 FROM events e WHERE e.slug = $2) AS slug_is_taken \
         FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL"
    ))
    .bind(account.uuid())
    .bind(slug)
    .fetch_optional(connection)
    .await?
    .map(|row| Ok((accounts::read(&row)?, row.try_get("slug_is_taken")?)))
    .transpose()
}
