//! Stored answers to calls with an idempotency key.

use std::time::Duration;

use domain::{
    idempotency::{KeyedCall, RETENTION_SECONDS},
    ids::{AccountId, RegistrationId},
    instant::Instant,
};

use crate::{
    Error, Reads, StoredAnswer, Tx,
    postgres::LOCK_TIMEOUT,
    sql::{Dialect, sql},
};

impl Reads {
    /// Returns the stored answer for the key of a call, if it is not too old.
    pub async fn find_answer(
        &self,
        call: &KeyedCall,
        now: Instant,
    ) -> Result<Option<StoredAnswer>, Error> {
        let statement = sql!(
            "SELECT request_hash, answer FROM idempotency_keys \
             WHERE account_id = $1 AND key_hash = $2 AND created_at > $3"
        );
        let after = now.plus_seconds(-RETENTION_SECONDS);
        let found: Option<([u8; 32], Vec<u8>)> = self
            .optional(statement, (call.account, call.key_hash, after))
            .await?;
        Ok(found.map(|(request_hash, sealed)| StoredAnswer {
            is_of_this_request: request_hash == call.request_hash,
            sealed,
        }))
    }
}

impl Tx {
    /// Claims an idempotency key for a call. False if it is claimed, or if another transaction has not decided within
    /// `longest_wait`; then the transaction cannot be used any more. It must come before every other lock.
    pub async fn claim_idempotency_key(
        &mut self,
        call: &KeyedCall,
        now: Instant,
        longest_wait: Duration,
    ) -> Result<bool, Error> {
        let millis = longest_wait.as_millis().max(1);
        self.set_lock_timeout(&format!("{millis}ms")).await?;
        // The row is inserted before the decision, so that calls with the same key wait for this transaction to end.
        let statement = sql!(
            "INSERT INTO idempotency_keys (account_id, key_hash, request_hash, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (account_id, key_hash) DO UPDATE \
             SET request_hash = $3, answer = NULL, registration_id = NULL, created_at = $4 \
             WHERE idempotency_keys.created_at <= $5"
        );
        let too_old = now.plus_seconds(-RETENTION_SECONDS);
        let values = (call.account, call.key_hash, call.request_hash, now, too_old);
        match self.execute(statement, values).await {
            Ok(0) | Err(Error::Locked(_)) => Ok(false),
            Ok(_) => {
                self.set_lock_timeout(LOCK_TIMEOUT).await?;
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }

    /// Sets how long this transaction waits for locks from now on. On SQLite transactions wait for the one writer only.
    async fn set_lock_timeout(&mut self, timeout: &str) -> Result<(), Error> {
        if self.dialect() == Dialect::Postgres {
            let statement = sql!("SELECT set_config('lock_timeout', $1, true)");
            self.execute(statement, [timeout]).await?;
        }
        Ok(())
    }

    /// Stores the encrypted answer to a call whose key was claimed. It is erased with the registration in it.
    pub async fn store_answer(
        &mut self,
        call: &KeyedCall,
        sealed: &[u8],
        registration: Option<RegistrationId>,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE idempotency_keys SET answer = $3, registration_id = $4 WHERE account_id = $1 AND key_hash = $2"
        );
        let values = (call.account, call.key_hash, sealed, registration);
        self.execute_one("idempotency key", statement, values).await
    }

    /// Removes at most `limit` old stored answers; returns their number.
    pub async fn delete_old_answers(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM idempotency_keys WHERE (account_id, key_hash) IN (SELECT account_id, key_hash \
             FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)"
        );
        let too_old = now.plus_seconds(-RETENTION_SECONDS);
        self.execute(statement, (too_old, limit)).await
    }

    /// Removes the stored answers with a registration; returns their number.
    pub async fn delete_answers_about(
        &mut self,
        registration: RegistrationId,
    ) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM idempotency_keys WHERE registration_id = $1");
        self.execute(statement, [registration]).await
    }

    /// Removes the stored answers of an account; returns their number.
    pub async fn delete_answers_of(&mut self, account: AccountId) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM idempotency_keys WHERE account_id = $1");
        self.execute(statement, [account]).await
    }
}
