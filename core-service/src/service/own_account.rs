//! The account of a session, as its members manage it.

mod patch;

use std::sync::Arc;

use domain::{
    account::{self, Account, AccountContents},
    audit::Actor,
    fact::{AccountChange, Fact},
    ids::AccountId,
    session::SessionToken,
    violation::{Checked, FieldViolation, Violations},
};

use super::{
    Authenticator, Commands, Context, Error, Principal, SignUp, SignedIn, accounts,
    credentials::Credentials, removal, sessions,
};

pub use patch::AccountPatch;

const NO_ACCOUNT: Error = Error::NotFound { what: "account" };

/// Use cases of members about the account of their session. Whether the caller may is the gate's decision.
#[derive(Debug, Clone)]
pub struct OwnAccounts {
    commands: Commands,
    credentials: Arc<Credentials>,
    sign_up: SignUp,
}

impl OwnAccounts {
    /// The accounts of sessions. Sessions whose account changes are evicted from the cache of `authenticator`.
    pub fn new(commands: Commands, authenticator: &Authenticator, sign_up: SignUp) -> Self {
        Self {
            commands,
            credentials: authenticator.credentials(),
            sign_up,
        }
    }

    /// Creates an account of which the person is the owner; returns it, and the new token of the session, which is about it.
    pub async fn create(
        &self,
        by: &SignedIn,
        name: String,
        timezone: &str,
    ) -> Result<(AccountId, SessionToken), Error> {
        if !self.sign_up.is_open {
            let text = "sign-up is closed here: ask the operator for an account";
            return Err(Error::Conflict(text.to_owned()));
        }
        check_name(&name)?;
        let decide = async |context: &mut Context| {
            let person = context.tx.find_person(by.person).await?;
            let email = person.ok_or(Error::Unauthorized)?.email;
            // Of two calls at the same time the second finds the account of the first.
            context.tx.lock_person_by_email(&email).await?;
            if context.tx.find_account_by_email(&email).await?.is_some() {
                let text = "you own an account already: it can have any number of events and up to 100 members";
                return Err(Error::Conflict(text.to_owned()));
            }
            let account = Account {
                id: AccountId::new(context.new_id()),
                email,
                name,
                plan: self.sign_up.plan,
                timezone: accounts::known_zone(timezone),
                is_suspended: false,
                is_trusted: false,
                handle: None,
                about: None,
                website: None,
                created_at: context.now,
            };
            accounts::add_account(context, &account, &account.name).await?;
            context
                .tx
                .set_account_of_session(by.session, account.id)
                .await?;
            Ok((account.id, sessions::renew(context, by).await?))
        };
        let by_person = Actor::Person(by.person);
        let created = self.commands.run(by_person, decide).await?;
        self.credentials.evict(&by.hash);
        Ok(created)
    }

    /// Changes name, time zone and public page.
    pub async fn update(
        &self,
        caller: &Principal,
        patch: impl Into<Checked<AccountPatch>>,
    ) -> Result<(), Error> {
        let (patch, handle) = patch::checked(patch.into())?;
        let decide = async |context: &mut Context| {
            let before = context.tx.lock_account(caller.account).await?;
            let before = before.ok_or(NO_ACCOUNT)?;
            context.renew_time();
            patch::change_handle(context, &before, handle).await?;
            let after = patch.applied(&before);
            if after != before {
                context.tx.update_account(&after).await?;
                let account = after.id;
                let change = AccountChange::Updated;
                context
                    .record(Fact::AccountChanged { account, change })
                    .await?;
            }
            Ok(())
        };
        self.commands.run(caller, decide).await
    }

    /// What goes if the account is removed.
    pub async fn contents(&self, caller: &Principal) -> Result<AccountContents, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        Ok(store.account_contents(caller.account, now).await?)
    }

    /// Removes the account, whose name the person has typed; returns the new token of the session, which is about another account.
    pub async fn remove(
        &self,
        caller: &Principal,
        by: &SignedIn,
        typed: &str,
    ) -> Result<SessionToken, Error> {
        let decide = async |context: &mut Context| {
            let account = context.tx.lock_account(caller.account).await?;
            let account = account.ok_or(NO_ACCOUNT)?;
            context.renew_time();
            if account.name.trim() != typed.trim() {
                return Err(Error::Invalid(vec![FieldViolation {
                    field: "name".to_owned(),
                    message: "must be the name of the account".to_owned(),
                }]));
            }
            removal::begin(context, account.id).await?;
            sessions::renew(context, by).await
        };
        let token = self.commands.run(caller, decide).await?;
        self.credentials.evict(&by.hash);
        Ok(token)
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    let mut violations = Violations::default();
    account::check_name("name", name, &mut violations);
    violations.unless_any(Some(())).map_err(Error::Invalid)
}
