//! Which accounts are trusted with mails to people who did not register themselves, and what proves it for others.

use domain::{
    ids::{AccountId, EventId},
    instant::Instant,
};

use crate::{Error, Reads, Tx, sql::sql};

impl Reads {
    /// Returns how many proofs an account has. One that is trusted has none.
    pub async fn count_trust_proofs(&self, account: AccountId) -> Result<i64, Error> {
        let statement = sql!("SELECT count(*) FROM trust_proofs WHERE account_id = $1");
        self.one(statement, [account]).await
    }

    /// Returns how many of an event's active registrations an organizer added.
    pub async fn count_added(&self, event: EventId) -> Result<i32, Error> {
        let statement = sql!(
            "SELECT count(*) FROM registrations WHERE event_id = $1 AND is_added = TRUE \
             AND status IN ('Pending', 'Confirmed', 'Waitlisted')"
        );
        let added: i64 = self.one(statement, [event]).await?;
        Ok(i32::try_from(added).unwrap_or(i32::MAX))
    }
}

impl Tx {
    /// Adds a proof to an account that is not trusted; false if it is, or has the proof.
    pub async fn insert_trust_proof(
        &mut self,
        account: AccountId,
        mailbox: &[u8; 32],
    ) -> Result<bool, Error> {
        let statement = sql!(
            "INSERT INTO trust_proofs (account_id, mailbox) SELECT id, $2 FROM accounts WHERE id = $1 AND trusted_at IS NULL \
             ON CONFLICT (account_id, mailbox) DO NOTHING"
        );
        Ok(self.execute(statement, (account, mailbox)).await? == 1)
    }

    /// Trusts an account from now on, and removes its proofs; false if it is trusted already. The account must be locked.
    pub async fn trust_account(&mut self, account: AccountId, now: Instant) -> Result<bool, Error> {
        let statement =
            sql!("UPDATE accounts SET trusted_at = $2 WHERE id = $1 AND trusted_at IS NULL");
        let is_new = self.execute(statement, (account, now)).await? == 1;
        let statement = sql!("DELETE FROM trust_proofs WHERE account_id = $1");
        self.execute(statement, [account]).await?;
        Ok(is_new)
    }

    /// Removes what a mailbox proved; returns the number of accounts.
    pub async fn delete_trust_proofs_of(&mut self, mailbox: &[u8; 32]) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM trust_proofs WHERE mailbox = $1");
        self.execute(statement, [mailbox]).await
    }
}
