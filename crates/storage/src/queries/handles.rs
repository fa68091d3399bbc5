//! Handles of accounts, present and former, and who is found by them.

use domain::{
    account::Organizer,
    handle::{BLOCKED_SECONDS, Handle},
    ids::AccountId,
    instant::Instant,
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, record},
    sql::sql,
};

record! {
    Organizer as a { id, handle = "present.handle", name, about, website }
}

impl Reads {
    /// Returns the account that has or had this handle, unless it is suspended or has no handle any more.
    pub async fn find_organizer_by_handle(&self, handle: &str) -> Result<Option<Organizer>, Error> {
        let statement = sql!(
            "SELECT {} FROM handles h JOIN handles present ON present.account_id = h.account_id AND present.released_at IS NULL \
             JOIN accounts a ON a.id = h.account_id WHERE h.handle = $1 AND a.suspended_at IS NULL AND a.removed_at IS NULL",
            Organizer::COLUMNS,
        );
        self.optional(statement, [handle]).await
    }

    /// Returns the number of handles that an account gave up within the time for which nobody else gets them.
    pub async fn count_former_handles(
        &self,
        account: AccountId,
        now: Instant,
    ) -> Result<i64, Error> {
        let statement =
            sql!("SELECT count(*) FROM handles WHERE account_id = $1 AND released_at > $2");
        let values = (account, now.plus_seconds(-BLOCKED_SECONDS));
        self.one(statement, values).await
    }
}

impl Tx {
    /// Gives up the handle of an account, which nobody else gets for a year.
    pub async fn release_handle(&mut self, account: AccountId, now: Instant) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE handles SET released_at = $2 WHERE account_id = $1 AND released_at IS NULL"
        );
        self.execute(statement, (account, now)).await?;
        Ok(())
    }

    /// Gives an account a handle, as its only present one. False if another account has it, or had it within a year; then the caller must not
    /// commit.
    pub async fn take_handle(
        &mut self,
        account: AccountId,
        handle: &Handle,
        now: Instant,
    ) -> Result<bool, Error> {
        self.release_handle(account, now).await?;
        let statement = sql!(
            "INSERT INTO handles (handle, account_id, taken_at) VALUES ($1, $2, $3) ON CONFLICT (handle) DO UPDATE \
             SET account_id = excluded.account_id, taken_at = excluded.taken_at, released_at = NULL \
             WHERE handles.account_id = excluded.account_id OR handles.released_at <= $4"
        );
        let given_up_before = now.plus_seconds(-BLOCKED_SECONDS);
        let values = (handle.as_str(), account, now, given_up_before);
        Ok(self.execute(statement, values).await? == 1)
    }

    /// Deletes at most `limit` handles that were given up until that moment; returns their number.
    pub async fn delete_former_handles(
        &mut self,
        until: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM handles WHERE handle IN (SELECT handle FROM handles WHERE released_at <= $1 ORDER BY released_at LIMIT $2)"
        );
        self.execute(statement, (until, limit)).await
    }
}
