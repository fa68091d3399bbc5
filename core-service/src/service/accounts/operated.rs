//! Accounts, as operators see and remove them.

use domain::{
    account::{Account, AccountContents},
    audit::Actor,
    event::EventDefaults,
    ids::AccountId,
    person::{Member, Membership, Reach, Role},
    scope::Scopes,
};
use storage::{EventFilter, Store};

use super::Accounts;
use crate::service::{Context, Error, Events, Principal, removal};

/// Maximum number of accounts in a list.
const LIST_LIMIT: i64 = 10_000;

/// Members of one account, and memberships of one person, that are read.
const MAX_MEMBERSHIPS: i64 = 200;

/// Events of an account per query.
const PAGE: i64 = 200;

const NO_ACCOUNT: Error = Error::NotFound { what: "account" };

/// Everything about an account that an operator sees.
#[derive(Debug, Clone)]
pub struct AccountView {
    /// The account.
    pub account: Account,
    /// Its members, by name.
    pub members: Vec<Member>,
    /// How much there is of what belongs to it.
    pub contents: AccountContents,
}

/// The account that the person with this address owns, for operators.
///
/// # Errors
/// [`Error::Conflict`] if there are several: which one is meant is not guessed.
pub(in crate::service) async fn owned_by(store: &Store, email: &str) -> Result<AccountId, Error> {
    let person = store.find_person_by_email(email).await?.ok_or(NO_ACCOUNT)?;
    let all = store.list_memberships_of(person.id, MAX_MEMBERSHIPS);
    let mut owned = all.await?;
    owned.retain(|one| one.rights.role == Role::Owner);
    match &owned[..] {
        [] => Err(NO_ACCOUNT),
        [one] => Ok(one.account_id),
        several => {
            let shown = |one: &Membership| format!("{} (\"{}\")", one.account_id, one.account_name);
            let choices: Vec<_> = several.iter().map(shown).collect();
            Err(Error::Conflict(format!(
                "this person owns several accounts: choose one with --id: {}",
                choices.join(", ")
            )))
        }
    }
}

/// What became of the events to come of an account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CalledOff {
    /// Events that were cancelled.
    pub events: u64,
    /// Mails about it that were scheduled.
    pub mails: i64,
}

impl Accounts {
    /// All accounts, the oldest first.
    pub async fn list(&self) -> Result<Vec<Account>, Error> {
        Ok(self.commands.store().list_accounts(LIST_LIMIT).await?)
    }

    /// The account that the person with this address owns.
    ///
    /// # Errors
    /// [`Error::Conflict`] if there are several.
    pub async fn owned_by(&self, email: &str) -> Result<AccountId, Error> {
        owned_by(self.commands.store(), email).await
    }

    /// Everything about one account.
    pub async fn view(&self, account: AccountId) -> Result<AccountView, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        Ok(AccountView {
            account: store.find_account(account).await?.ok_or(NO_ACCOUNT)?,
            members: store.list_members(account, MAX_MEMBERSHIPS).await?,
            contents: store.account_contents(account, now).await?,
        })
    }

    /// Cancels the events to come of an account for which people are registered, who are told.
    pub async fn call_off(&self, account: AccountId, reason: &str) -> Result<CalledOff, Error> {
        let events = Events::new(self.commands.clone(), self.plans, EventDefaults::default());
        let operator = Principal {
            account,
            actor: Actor::Admin,
            scopes: Scopes::All,
            sees_addresses: true,
            reach: Reach::Account,
            stepped_up_until: None,
        };
        let mut done = CalledOff::default();
        let mut after = None;
        loop {
            let (store, now) = (self.commands.store(), self.commands.now());
            let active = EventFilter::Active.into();
            let page = store
                .list_account_events(account, &active, now, after, PAGE)
                .await?;
            let Some(last) = page.last() else {
                return Ok(done);
            };
            after = Some(last.place());
            for event in page.iter().filter(|event| event.registrations > 0) {
                let cancelled = events.cancel(&operator, event.id, Some(reason.to_owned()));
                done.mails += i64::from(cancelled.await?.registrants_notified);
                done.events += 1;
            }
        }
    }

    /// Removes an account and deletes all that belongs to it; returns what that was.
    pub async fn remove(&self, account: AccountId) -> Result<AccountContents, Error> {
        let decide = async |context: &mut Context| {
            context.tx.lock_account(account).await?.ok_or(NO_ACCOUNT)?;
            removal::begin(context, account).await
        };
        let contents = self.commands.run(Actor::Admin, decide).await?;
        while removal::purge(&self.commands).await? {}
        Ok(contents)
    }
}
