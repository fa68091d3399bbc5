//! API keys.

use domain::{
    account::{Account, ApiKey},
    ids::{AccountId, KeyId, PersonId},
    instant::Instant,
    person::{MemberKey, Rights, Standing},
    scope::Scopes,
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, record},
    sql::sql,
};

record! {
    ApiKey as k in "api_keys" {
        id, account_id, person_id, label, hash, scopes, created_at, last_used_at, expires_at, revoked_at,
    }
}

impl Reads {
    /// The key with this SHA-256, also if revoked or expired, and the standing of the person for whom it acts. None if that person is no
    /// member of its account any more.
    pub async fn find_key_by_hash(
        &self,
        hash: &[u8; 32],
    ) -> Result<Option<(ApiKey, Standing)>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM api_keys k \
             JOIN memberships m ON m.account_id = k.account_id AND m.person_id = k.person_id \
             JOIN accounts a ON a.id = k.account_id WHERE k.hash = $1",
            ApiKey::COLUMNS,
            Standing::COLUMNS,
        );
        self.optional(statement, [hash]).await
    }

    /// A key and its account.
    pub async fn find_key(&self, key: KeyId) -> Result<Option<(ApiKey, Account)>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1",
            ApiKey::COLUMNS,
            Account::COLUMNS,
        );
        self.optional(statement, [key]).await
    }

    /// All keys with their accounts, by account and age.
    pub async fn list_keys(&self, limit: i64) -> Result<Vec<(ApiKey, Account)>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM api_keys k JOIN accounts a ON a.id = k.account_id \
             ORDER BY account_email, k.account_id, k.created_at, k.id LIMIT $1",
            ApiKey::COLUMNS,
            Account::COLUMNS,
        );
        self.all(statement, [limit]).await
    }

    /// The keys of a person that were made since then and are not revoked.
    pub async fn list_keys_since(
        &self,
        person: PersonId,
        since: Instant,
        limit: i64,
    ) -> Result<Vec<ApiKey>, Error> {
        let statement = sql!(
            "SELECT {} FROM api_keys k WHERE k.person_id = $1 AND k.created_at >= $2 AND k.revoked_at IS NULL \
             ORDER BY k.created_at, k.id LIMIT $3",
            ApiKey::COLUMNS,
        );
        self.all(statement, (person, since, limit)).await
    }

    /// The keys of an account that are not revoked, the newest first.
    pub async fn list_member_keys(
        &self,
        account: AccountId,
        limit: i64,
    ) -> Result<Vec<MemberKey>, Error> {
        let statement = sql!(
            "SELECT {}, COALESCE(p.name, ''), {} FROM api_keys k \
             LEFT JOIN people p ON p.id = k.person_id \
             LEFT JOIN memberships m ON m.account_id = k.account_id AND m.person_id = k.person_id \
             WHERE k.account_id = $1 AND k.revoked_at IS NULL ORDER BY k.created_at DESC, k.id DESC LIMIT $2",
            ApiKey::COLUMNS,
            Rights::COLUMNS,
        );
        let found = self.all(statement, (account, limit)).await?;
        let key = |(key, person_name, rights)| MemberKey {
            key,
            person_name,
            rights,
        };
        Ok(found.into_iter().map(key).collect())
    }
}

impl Tx {
    /// Adds a key.
    pub async fn insert_key(&mut self, key: &ApiKey) -> Result<(), Error> {
        self.insert(key).await
    }

    /// Revokes a key; false when it is unknown or already revoked.
    pub async fn revoke_key(&mut self, key: KeyId, now: Instant) -> Result<bool, Error> {
        let statement =
            sql!("UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL");
        Ok(self.execute(statement, (key, now)).await? == 1)
    }

    /// Stores when keys were last used, never moving back.
    pub async fn touch_keys(&mut self, uses: &[(KeyId, Instant)]) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)"
        );
        // In one order, so that two cores that update the same keys cannot deadlock.
        let mut uses = uses.to_vec();
        uses.sort_unstable();
        for (key, at) in uses {
            self.execute(statement, (key, at)).await?;
        }
        Ok(())
    }

    /// Sets when a key expires.
    pub async fn expire_key(&mut self, key: KeyId, at: Instant) -> Result<(), Error> {
        let statement = sql!("UPDATE api_keys SET expires_at = $2 WHERE id = $1");
        self.execute(statement, (key, at)).await?;
        Ok(())
    }

    /// Revokes the keys that act for a person in an account; returns their number.
    pub async fn revoke_keys_by(
        &mut self,
        account: AccountId,
        person: PersonId,
        now: Instant,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "UPDATE api_keys SET revoked_at = $3 WHERE account_id = $1 AND person_id = $2 AND revoked_at IS NULL"
        );
        self.execute(statement, (account, person, now)).await
    }

    /// Makes a key act for another person, with these scopes and until then.
    pub async fn pass_on_key(
        &mut self,
        key: KeyId,
        to: PersonId,
        scopes: Scopes,
        until: Instant,
    ) -> Result<(), Error> {
        let statement =
            sql!("UPDATE api_keys SET person_id = $2, scopes = $3, expires_at = $4 WHERE id = $1");
        self.execute(statement, (key, to, scopes.stored(), until))
            .await?;
        Ok(())
    }
}
