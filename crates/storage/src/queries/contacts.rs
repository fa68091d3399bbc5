//! Addresses for questions: those of an account's members, and those that were proven to belong to it.

use domain::{email, ids::AccountId, instant::Instant};

use crate::{
    Error, Reads, Tx,
    sql::{Fragment, sql},
};

/// Whether the contact address of an event `e` is a member's own, or was proven for the account.
pub(super) const IS_CONTACT_PROVEN: Fragment = Fragment::new(
    "(EXISTS (SELECT 1 FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.account_id = e.account_id \
     AND p.email_norm = lower(e.contact_email)) OR EXISTS (SELECT 1 FROM proven_contacts c \
     WHERE c.account_id = e.account_id AND c.email_norm = lower(e.contact_email)))",
);

impl Reads {
    /// Returns whether an address is that of a member of an account, or was proven to belong to it.
    pub async fn is_contact_proven(
        &self,
        account: AccountId,
        address: &str,
    ) -> Result<bool, Error> {
        let statement = sql!(
            "SELECT {} FROM (SELECT id AS account_id, $2 AS contact_email FROM accounts WHERE id = $1) e",
            IS_CONTACT_PROVEN,
        );
        let proven = self.optional(statement, (account, email::normalised(address)));
        Ok(proven.await?.unwrap_or(false))
    }
}

impl Tx {
    /// Notes that an address belongs to an account, which must be locked.
    pub async fn put_proven_contact(
        &mut self,
        account: AccountId,
        address: &str,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO proven_contacts (account_id, email_norm, proven_at) VALUES ($1, $2, $3) \
             ON CONFLICT (account_id, email_norm) DO UPDATE SET proven_at = excluded.proven_at"
        );
        self.execute(statement, (account, email::normalised(address), now))
            .await?;
        Ok(())
    }

    /// Removes what was proven of a normalised address; returns the number of accounts.
    pub async fn delete_proven_contacts_of(&mut self, email_norm: &str) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM proven_contacts WHERE email_norm = $1");
        self.execute(statement, [email_norm]).await
    }
}
