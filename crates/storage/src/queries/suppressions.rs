//! Mailboxes that are not mailed, by the SHA-256 of each: for one account, or for all.

use std::collections::HashSet;

use domain::{
    ids::{AccountId, EventId, RegistrationId},
    instant::Instant,
};
use uuid::Uuid;

use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::sql,
};

/// What stands for all accounts.
const ALL: AccountId = AccountId::new(Uuid::nil());

/// A mailbox, and the account that does not mail it; `None` is all.
pub type Suppression = ([u8; 32], Option<AccountId>);

/// What a link refuses that leads to no registration: the mails of an account to a mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusalLink {
    /// The SHA-256 of the mailbox.
    pub mailbox: [u8; 32],
    /// The account.
    pub account: AccountId,
    /// The event that the mail with the link is about.
    pub event: EventId,
}

record! {
    RefusalLink as l { mailbox, account = "l.account_id", event = "l.event_id" }
}

impl Reads {
    /// Returns what a link refuses that leads to no registration, by the SHA-256 of its token.
    pub async fn find_refusal_link(&self, hash: &[u8; 32]) -> Result<Option<RefusalLink>, Error> {
        let statement = sql!(
            "SELECT {} FROM refusal_links l WHERE l.hash = $1",
            RefusalLink::COLUMNS,
        );
        self.optional(statement, [hash]).await
    }

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
    /// Adds a link that only refuses mails. Only the SHA-256 of its token is stored.
    pub async fn insert_refusal_link(
        &mut self,
        hash: &[u8; 32],
        link: &RefusalLink,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO refusal_links (hash, mailbox, account_id, event_id, created_at) VALUES ($1, $2, $3, $4, $5)"
        );
        let values = (hash, &link.mailbox, link.account, link.event, now);
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Makes the private links to a registration such that only refuse mails to the mailbox that had them.
    pub async fn make_refusal_links(
        &mut self,
        registration: RegistrationId,
        link: &RefusalLink,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO refusal_links (hash, mailbox, account_id, event_id, created_at) \
             SELECT l.hash, $2, $3, $4, $5 FROM registration_links l WHERE l.registration_id = $1"
        );
        let values = (registration, &link.mailbox, link.account, link.event, now);
        self.execute(statement, values).await?;
        self.delete_links(registration).await?;
        Ok(())
    }

    /// Removes the links by which a mailbox refuses mails; returns their number.
    pub async fn delete_refusal_links_of(&mut self, mailbox: &[u8; 32]) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM refusal_links WHERE mailbox = $1");
        self.execute(statement, [mailbox]).await
    }

    /// Removes at most `limit` such links from before this time; returns their number.
    pub async fn delete_old_refusal_links(
        &mut self,
        before: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM refusal_links WHERE hash IN \
             (SELECT hash FROM refusal_links WHERE created_at < $1 ORDER BY created_at LIMIT $2)"
        );
        self.execute(statement, (before, limit)).await
    }

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
