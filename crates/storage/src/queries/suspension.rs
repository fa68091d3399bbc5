//! What operators withdraw from the public: accounts, and single events.

use domain::{
    ids::{AccountId, EventId},
    instant::Instant,
};

use crate::{Error, Tx, sql::sql};

impl Tx {
    /// Suspends an account and its events, or resumes it.
    pub async fn set_account_suspended(
        &mut self,
        account: AccountId,
        since: Option<Instant>,
    ) -> Result<(), Error> {
        let statement = sql!("UPDATE accounts SET suspended_at = $2 WHERE id = $1");
        self.execute(statement, (account, since)).await?;
        let statement = sql!("UPDATE events SET is_account_suspended = $2 WHERE account_id = $1");
        self.execute(statement, (account, since.is_some())).await?;
        Ok(())
    }

    /// Takes an event down, or shows it again. [`Tx::update_event`] changes the catalogue.
    pub async fn set_hidden(&mut self, event: EventId, is_hidden: bool) -> Result<(), Error> {
        let statement = sql!("UPDATE events SET is_hidden = $2 WHERE id = $1");
        self.execute_one("event", statement, (event, is_hidden))
            .await
    }
}
