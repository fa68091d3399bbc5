//! Addresses for questions in mails: an account proves those that are no member's by a code (rule 42 of docs/rules.md).

use domain::{
    budget::Budget,
    plan::Plans,
    sign_in_code::{Holder, Purpose},
};

use super::{
    Commands, Context, Error, Principal, SignedIn,
    codes::{self, AskedBy},
    mail_quota::{self, Needed},
};

const NO_ACCOUNT: Error = Error::NotFound { what: "account" };

/// Use cases of members about the addresses that mails of their account may name.
#[derive(Debug, Clone)]
pub struct Contacts {
    commands: Commands,
    plans: Plans,
}

impl Contacts {
    /// Addresses of accounts with these quotas.
    pub const fn new(commands: Commands, plans: Plans) -> Self {
        Self { commands, plans }
    }

    /// Whether mails of the account may name an address.
    pub async fn is_proven(&self, caller: &Principal, address: &str) -> Result<bool, Error> {
        let store = self.commands.store();
        Ok(store.is_contact_proven(caller.account, address).await?)
    }

    /// Mails a code to an address. It counts as a mail to someone who did not register themselves.
    pub async fn start(
        &self,
        caller: &Principal,
        by: &SignedIn,
        address: &str,
    ) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let account = context.tx.lock_account(caller.account).await?;
            let account = account.ok_or(NO_ACCOUNT)?;
            mail_quota::count(context, &self.plans, &account, Needed::INVITATION).await?;
            codes::spend(context, &Budget::contact_mails(address)).await?;
            codes::spend(context, &Budget::contact_mails_of(caller.account)).await?;
            let holder = Holder::session(by.session);
            codes::mail(context, Purpose::Contact, holder, address, AskedBy::Member).await
        };
        self.commands.run(caller, decide).await
    }

    /// Proves the address to which the code went; returns it.
    pub async fn finish(
        &self,
        caller: &Principal,
        by: &SignedIn,
        typed: &str,
    ) -> Result<String, Error> {
        let decide = async |context: &mut Context| {
            let account = context.tx.lock_account(caller.account).await?;
            account.ok_or(NO_ACCOUNT)?;
            let holder = Holder::session(by.session);
            let checked = codes::check(context, Purpose::Contact, holder, typed).await?;
            let code = match checked.right() {
                Ok(code) => code,
                // The try was written and has to be committed.
                Err(refusal) => return Ok(Err(refusal)),
            };
            let now = context.now;
            context
                .tx
                .put_proven_contact(caller.account, &code.email, now)
                .await?;
            context.note_write();
            Ok(Ok(code.email))
        };
        self.commands.run(caller, decide).await?
    }
}
