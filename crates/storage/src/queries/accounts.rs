//! Accounts.

use std::collections::HashMap;

use domain::{
    account::{Account, OrganizerName},
    email,
    ids::{AccountId, EventId},
    mail::quota::MailCount,
    plan::Plan,
};

use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, insert_into, record},
    sql::{FOR_SHARE, FOR_UPDATE, POSITION, sql},
};

// The first owner is the one who has been it for longest.
record! {
    Account as a of "accounts" {
        id,
        email = "COALESCE((SELECT p.email FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.account_id = a.id \
            AND m.role = 'owner' ORDER BY m.created_at, m.person_id LIMIT 1), '') AS account_email",
        name,
        plan,
        timezone,
        is_suspended = "a.suspended_at IS NOT NULL",
        is_trusted = "a.trusted_at IS NOT NULL",
        handle = "(SELECT h.handle FROM handles h WHERE h.account_id = a.id AND h.released_at IS NULL) AS account_handle",
        about,
        website,
        created_at,
    }
}

record! {
    OrganizerName as a { name, handle = "h.handle" }
}

record! {
    MailCount as a { day = "a.mail_day", mails, strangers = "a.stranger_mails" }
}

impl Reads {
    /// Returns an account.
    pub async fn find_account(&self, account: AccountId) -> Result<Option<Account>, Error> {
        let statement = sql!(
            "SELECT {} FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL",
            Account::COLUMNS,
        );
        self.optional(statement, [account]).await
    }

    /// Returns the account of which the person with this address, in any case, is an owner; the one that they own for longest.
    pub async fn find_account_by_email(&self, email: &str) -> Result<Option<Account>, Error> {
        let statement = sql!(
            "SELECT {} FROM accounts a JOIN memberships o ON o.account_id = a.id AND o.role = 'owner' \
             JOIN people e ON e.id = o.person_id WHERE e.email_norm = $1 ORDER BY o.created_at, a.id LIMIT 1",
            Account::COLUMNS,
        );
        self.optional(statement, [email::normalised(email)]).await
    }

    /// Returns what events say of these accounts, without those whose names were erased.
    pub async fn list_organizer_names(
        &self,
        ids: &[AccountId],
    ) -> Result<HashMap<AccountId, OrganizerName>, Error> {
        let statement = sql!(
            "SELECT a.id, {} FROM accounts a LEFT JOIN handles h ON h.account_id = a.id AND h.released_at IS NULL \
             WHERE a.id IN (SELECT id FROM input)",
            OrganizerName::COLUMNS,
        );
        let input = Input::of(ids).column("id", |id| id);
        let mut names: Vec<(AccountId, OrganizerName)> = self.all(statement, input).await?;
        names.retain(|(_, organizer)| organizer.name != Account::ERASED_NAME);
        Ok(names.into_iter().collect())
    }

    /// Returns whether there is any account.
    pub async fn has_accounts(&self) -> Result<bool, Error> {
        let statement = sql!("SELECT EXISTS (SELECT 1 FROM accounts)");
        self.one(statement, ()).await
    }

    /// Returns the mails that count against an account's daily quota. Commands that change them lock the account first.
    pub async fn find_mail_count(&self, account: AccountId) -> Result<Option<MailCount>, Error> {
        let statement = sql!(
            "SELECT {} FROM accounts a WHERE a.id = $1",
            MailCount::COLUMNS
        );
        self.optional(statement, [account]).await
    }

    /// Returns at most `limit` events whose organizer is named, and which are the account's or have the address, which is normalised.
    ///
    /// It reads all events, which a rare command may: an index would serve nothing else.
    pub async fn list_events_with_contact(
        &self,
        account: Option<AccountId>,
        email_norm: &str,
        limit: i64,
    ) -> Result<Vec<EventId>, Error> {
        let statement = sql!(
            "SELECT id FROM events WHERE (organizer_name IS NOT NULL OR contact_email IS NOT NULL) \
             AND (account_id = $1 OR lower(contact_email) = $2) LIMIT $3"
        );
        self.all(statement, (account, email_norm, limit)).await
    }
}

impl Tx {
    /// Adds an account, without its owner and its handle.
    pub async fn insert_account(&mut self, account: &Account) -> Result<(), Error> {
        // The address is the owner's. Both columns for it say nothing: SQLite cannot drop a unique one.
        let (statement, values) = insert_into!("accounts" {
            id: account.id,
            email: "",
            email_norm: account.id.uuid().simple().to_string(),
            name: account.name,
            plan: account.plan,
            timezone: account.timezone,
            created_at: account.created_at,
            trusted_at: account.is_trusted.then_some(account.created_at),
            about: account.about,
            website: account.website,
        });
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Changes an account's plan; false when there is no such account.
    pub async fn set_plan(&mut self, account: AccountId, plan: Plan) -> Result<bool, Error> {
        let statement = sql!("UPDATE accounts SET plan = $2 WHERE id = $1");
        Ok(self.execute(statement, (account, plan)).await? == 1)
    }

    /// Reads and locks an account until the end. Commands that may add an active event take this lock before they count.
    pub async fn lock_account(&mut self, account: AccountId) -> Result<Option<Account>, Error> {
        let statement = sql!(
            "SELECT {} FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL{}",
            Account::COLUMNS,
            FOR_UPDATE,
        );
        self.optional(statement, [account]).await
    }

    /// Does the same, and returns whether an event has this slug; only [`Tx::insert_event`] decides. Accounts on the `shared` plans are kept
    /// as they are, but several transactions may do so at the same time.
    pub async fn lock_account_for_slug(
        &mut self,
        account: AccountId,
        slug: &str,
        shared: &[Plan],
    ) -> Result<Option<(Account, bool)>, Error> {
        let statement = sql!(
            "WITH alone AS (SELECT {} FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL AND {}($3, ',' || a.plan || ',') = 0{}), \
             shared AS (SELECT {} FROM accounts a WHERE a.id = $1 AND a.removed_at IS NULL AND {}($3, ',' || a.plan || ',') > 0{}) \
             SELECT locked.*, EXISTS (SELECT 1 FROM events e WHERE e.slug = $2) AS slug_is_taken \
             FROM (SELECT * FROM alone UNION ALL SELECT * FROM shared) locked",
            Account::COLUMNS,
            POSITION,
            FOR_UPDATE,
            Account::COLUMNS,
            POSITION,
            FOR_SHARE,
        );
        let shared: Vec<&str> = shared.iter().map(|plan| plan.name()).collect();
        let values = (account, slug, format!(",{},", shared.join(",")));
        match self.optional(statement, values).await? {
            Some(found) => Ok(Some(found)),
            // There is none, or its plan has changed while this waited.
            None => Ok(self
                .lock_account(account)
                .await?
                .map(|account| (account, false))),
        }
    }

    /// Sets the mails that count against an account's daily quota.
    pub async fn set_mail_count(
        &mut self,
        account: AccountId,
        count: MailCount,
    ) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE accounts SET mail_day = $2, mails = $3, stranger_mails = $4 WHERE id = $1"
        );
        let values = (account, count.day, count.mails, count.strangers);
        self.execute_one("account", statement, values).await
    }
}
