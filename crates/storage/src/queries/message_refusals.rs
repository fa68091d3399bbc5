//! Mailboxes that get no messages of an account, by the SHA-256 of each.

use std::collections::HashSet;

use domain::{ids::AccountId, instant::Instant};

use crate::{Error, Reads, Tx, input::Input, sql::sql};

/// A mailbox, and the account whose messages it does not get.
pub type MessageRefusal = ([u8; 32], AccountId);

impl Reads {
    /// Returns which of these refusals there are.
    pub async fn find_message_refusals(
        &self,
        asked: &[MessageRefusal],
    ) -> Result<HashSet<MessageRefusal>, Error> {
        if asked.is_empty() {
            return Ok(HashSet::new());
        }
        let statement = sql!(
            "SELECT s.mailbox, s.account_id FROM input JOIN message_refusals s \
             ON s.mailbox = input.mailbox AND s.account_id = input.account_id"
        );
        let input = Input::of(asked)
            .column("mailbox", |(mailbox, _)| mailbox)
            .column("account_id", |(_, account)| account);
        let found: Vec<MessageRefusal> = self.all(statement, input).await?;
        Ok(found.into_iter().collect())
    }
}

impl Tx {
    /// Stores that a mailbox gets no messages of an account; false if that is stored.
    pub async fn put_message_refusal(
        &mut self,
        (mailbox, account): MessageRefusal,
        now: Instant,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "INSERT INTO message_refusals (mailbox, account_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
        );
        let stored = self.execute(statement, (&mailbox, account, now)).await?;
        Ok(stored == 1)
    }

    /// Removes what [`Tx::put_message_refusal`] stored; false if there was nothing.
    pub async fn delete_message_refusal(
        &mut self,
        (mailbox, account): MessageRefusal,
    ) -> Result<bool, Error> {
        let statement = sql!("DELETE FROM message_refusals WHERE mailbox = $1 AND account_id = $2");
        Ok(self.execute(statement, (&mailbox, account)).await? == 1)
    }
}
