//! Mailboxes that are not mailed, by the SHA-256 of each: for one account, or for all.

use std::collections::HashSet;

use domain::{ids::AccountId, instant::Instant};
use uuid::Uuid;

use crate::{Error, Reads, Tx, input::Input, sql::sql};

/// What stands for all accounts.
const ALL: AccountId = AccountId::new(Uuid::nil());

/// A mailbox, and the account that does not mail it; `None` is all.
pub type Suppression = ([u8; 32], Option<AccountId>);

impl Reads {
    /// Returns which of these suppressions there are.
    pub async fn find_suppressions(
        &self,
        asked: &[Suppression],
    ) -> Result<HashSet<Suppression>, Error> {
        if asked.is_empty() {
            return Ok(HashSet::new());
        }
        let statement = sql!(
            "SELECT s.mailbox, s.account_id FROM input JOIN suppressions s \
             ON s.mailbox = input.mailbox AND s.account_id = input.account_id"
        );
        let input = Input::of(asked)
            .column("mailbox", |(mailbox, _)| mailbox)
            .column("account_id", |(_, account)| account.unwrap_or(ALL));
        let found: Vec<([u8; 32], AccountId)> = self.all(statement, input).await?;
        let suppression = |(mailbox, account)| (mailbox, Some(account).filter(|one| *one != ALL));
        Ok(found.into_iter().map(suppression).collect())
    }
}

impl Tx {
    /// Suppresses mails to a mailbox; false if they were suppressed before.
    pub async fn put_suppression(
        &mut self,
        (mailbox, account): Suppression,
        now: Instant,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "INSERT INTO suppressions (mailbox, account_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
        );
        let values = (&mailbox, account.unwrap_or(ALL), now);
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Ends suppressions; returns how many there were.
    pub async fn delete_suppressions(&mut self, ended: &[Suppression]) -> Result<u64, Error> {
        if ended.is_empty() {
            return Ok(0);
        }
        let statement = sql!(
            "DELETE FROM suppressions WHERE (mailbox, account_id) IN (SELECT mailbox, account_id FROM input)"
        );
        let input = Input::of(ended)
            .column("mailbox", |(mailbox, _)| mailbox)
            .column("account_id", |(_, account)| account.unwrap_or(ALL));
        self.execute(statement, input).await
    }
}
