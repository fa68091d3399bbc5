//! The account of a session, as its members manage it.

use std::sync::Arc;

use domain::{
    account::{self, Account, AccountContents},
    audit::Actor,
    change::Change,
    fact::{AccountChange, Fact},
    ids::AccountId,
    session::SessionToken,
    violation::{Checked, FieldViolation, Violations},
    zone::Zone,
};

use super::{
    Authenticator, Commands, Context, Error, Principal, SignUp, SignedIn, accounts,
    credentials::Credentials, removal, sessions,
};

const NO_ACCOUNT: Error = Error::NotFound { what: "account" };

/// A change of an account by a member.
#[derive(Debug, Clone, Default)]
pub struct AccountPatch {
    /// Its new name, if it changes.
    pub name: Option<String>,
    /// The time zone of new events that name none, or the instance's default.
    pub timezone: Change<String>,
}

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

    /// Changes name and time zone.
    pub async fn update(
        &self,
        caller: &Principal,
        patch: impl Into<Checked<AccountPatch>>,
    ) -> Result<(), Error> {
        let Checked {
            message: patch,
            mistakes,
        } = patch.into();
        let mut violations = Violations::from(mistakes);
        if let Some(Err(Error::Invalid(wrong))) = patch.name.as_deref().map(check_name) {
            violations.add_others(wrong);
        }
        let zone = match patch.timezone {
            Change::Set(name) => violations
                .check("timezone", Zone::find(&name))
                .map(|zone| Change::Set(zone.name().to_owned())),
            Change::Clear => Some(Change::Clear),
            Change::Keep => Some(Change::Keep),
        };
        let zone = violations.unless_any(zone).map_err(Error::Invalid)?;
        let decide = async |context: &mut Context| {
            let before = context.tx.lock_account(caller.account).await?;
            let before = before.ok_or(NO_ACCOUNT)?;
            let mut after = before.clone();
            zone.write_optional(&mut after.timezone);
            if let Some(name) = patch.name {
                after.name = name;
            }
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
