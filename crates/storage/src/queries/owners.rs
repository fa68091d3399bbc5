//! Accounts as their members and operators manage them, and removing them.

use domain::{
    account::{Account, AccountContents},
    ids::{AccountId, EventId, PersonId, RegistrationId},
    instant::Instant,
    job::JobKind,
};
use uuid::Uuid;

use super::events::OVER_AT;
use crate::{
    Error, Reads, Tx,
    record::{Record as _, record, update},
    sql::{FOR_UPDATE, sql},
};

// Of account `$1` at the moment `$2`. The numbers of registrations are those of the counters, which are exact.
record! {
    AccountContents as contents {
        events = "(SELECT COUNT(*) FROM events WHERE account_id = $1)",
        registrations = "(SELECT CAST(COALESCE(SUM(c.confirmed + c.pending + c.waitlisted + c.cancelled), 0) AS BIGINT) FROM events e \
            JOIN event_counters c ON c.event_id = e.id WHERE e.account_id = $1)",
        members = "(SELECT COUNT(*) FROM memberships WHERE account_id = $1)",
        keys = "(SELECT COUNT(*) FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL)",
        awaited_events = "(SELECT COUNT(*) FROM awaited WHERE over_at > $2)",
        waiting_mails = "(SELECT COUNT(*) FROM jobs j JOIN registrations r ON r.id = j.subject_id JOIN events e ON e.id = r.event_id \
            WHERE j.kind = $3 AND j.failed_at IS NULL AND e.account_id = $1)",
    }
}

impl Reads {
    /// Returns all accounts, the oldest first.
    pub async fn list_accounts(&self, limit: i64) -> Result<Vec<Account>, Error> {
        let statement = sql!(
            "SELECT {} FROM accounts a WHERE a.removed_at IS NULL ORDER BY a.created_at, a.id LIMIT $1",
            Account::COLUMNS,
        );
        self.all(statement, [limit]).await
    }

    /// Returns what goes with an account.
    pub async fn account_contents(
        &self,
        account: AccountId,
        now: Instant,
    ) -> Result<AccountContents, Error> {
        let statement = sql!(
            "WITH awaited AS (SELECT {} AS over_at FROM events e JOIN event_counters c ON c.event_id = e.id \
             WHERE e.account_id = $1 AND e.is_cancelled = FALSE AND c.confirmed + c.pending + c.waitlisted > 0) SELECT {}",
            OVER_AT,
            AccountContents::COLUMNS,
        );
        let values = (account, now, JobKind::CancellationMail);
        self.one(statement, values).await
    }

    /// Returns an account's events after one, by id, which is the order of the locks on their counters.
    pub async fn list_event_ids_of(
        &self,
        account: AccountId,
        after: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<EventId>, Error> {
        let statement =
            sql!("SELECT id FROM events WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3");
        let after = after.map_or(Uuid::nil(), EventId::uuid);
        self.all(statement, (account, after, limit)).await
    }

    /// Returns at most `limit` accounts whose rows are to be deleted.
    pub async fn list_removed_accounts(&self, limit: i64) -> Result<Vec<AccountId>, Error> {
        let statement = sql!(
            "SELECT id FROM accounts WHERE removed_at IS NOT NULL ORDER BY removed_at LIMIT $1"
        );
        self.all(statement, [limit]).await
    }

    /// Returns at most `limit` registrations for events of an account.
    pub async fn list_registration_ids_of(
        &self,
        account: AccountId,
        limit: i64,
    ) -> Result<Vec<RegistrationId>, Error> {
        let statement = sql!(
            "SELECT r.id FROM registrations r JOIN events e ON e.id = r.event_id WHERE e.account_id = $1 LIMIT $2"
        );
        self.all(statement, (account, limit)).await
    }
}

impl Tx {
    /// Writes name, time zone and public texts of an account. Its handle changes with [`Tx::take_handle`].
    pub async fn update_account(&mut self, account: &Account) -> Result<(), Error> {
        let (statement, values) = update!("accounts" id = account.id => {
            name: account.name,
            timezone: account.timezone,
            about: account.about,
            website: account.website,
        });
        self.execute_one("account", statement, values).await
    }

    /// Removes the members, invitations and keys of an account, which is deleted from now on. Sessions about it are about another account of
    /// their person then, if there is one.
    pub async fn begin_removal(&mut self, account: AccountId, now: Instant) -> Result<(), Error> {
        let statement = sql!("UPDATE accounts SET removed_at = $2 WHERE id = $1");
        self.execute(statement, (account, now)).await?;
        self.release_handle(account, now).await?;
        self.delete_webhooks_of(account).await?;
        for statement in [
            sql!(
                "UPDATE sessions SET account_id = (SELECT m.account_id FROM memberships m WHERE m.person_id = sessions.person_id \
                 AND m.account_id <> $1 ORDER BY m.created_at, m.account_id LIMIT 1) WHERE account_id = $1"
            ),
            sql!("DELETE FROM oauth_codes WHERE account_id = $1"),
            sql!("DELETE FROM oauth_grants WHERE account_id = $1"),
            sql!("DELETE FROM memberships WHERE account_id = $1"),
            sql!("DELETE FROM invitations WHERE account_id = $1"),
            sql!("DELETE FROM api_keys WHERE account_id = $1"),
            sql!("DELETE FROM idempotency_keys WHERE account_id = $1"),
            sql!("DELETE FROM trust_proofs WHERE account_id = $1"),
            sql!("DELETE FROM proven_contacts WHERE account_id = $1"),
        ] {
            self.execute(statement, [account]).await?;
        }
        Ok(())
    }

    /// Locks an account whose removal has begun; false if there is none.
    pub async fn lock_removed_account(&mut self, account: AccountId) -> Result<bool, Error> {
        let statement = sql!(
            "SELECT id FROM accounts WHERE id = $1 AND removed_at IS NOT NULL{}",
            FOR_UPDATE,
        );
        let found: Option<AccountId> = self.optional(statement, [account]).await?;
        Ok(found.is_some())
    }

    /// Deletes an account whose removal has begun and which has no events any more.
    pub async fn delete_account(&mut self, account: AccountId) -> Result<(), Error> {
        for statement in [
            sql!("DELETE FROM suppressions WHERE account_id = $1"),
            sql!("DELETE FROM refusal_links WHERE account_id = $1"),
            sql!("DELETE FROM message_refusals WHERE account_id = $1"),
            sql!("DELETE FROM webhook_streams WHERE account_id = $1"),
        ] {
            self.execute(statement, [account]).await?;
        }
        let statement = sql!("DELETE FROM accounts WHERE id = $1 AND removed_at IS NOT NULL");
        self.execute_one("account", statement, [account]).await
    }

    /// Revokes the keys that act for a person and removes their names; returns the number of valid ones.
    pub async fn erase_keys_of_person(
        &mut self,
        person: PersonId,
        now: Instant,
    ) -> Result<u64, Error> {
        let statement =
            sql!("UPDATE api_keys SET revoked_at = $2 WHERE person_id = $1 AND revoked_at IS NULL");
        let revoked = self.execute(statement, (person, now)).await?;
        let statement = sql!("UPDATE api_keys SET label = 'erased' WHERE person_id = $1");
        self.execute(statement, [person]).await?;
        Ok(revoked)
    }
}
