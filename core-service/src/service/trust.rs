//! Which accounts may mail people who did not register themselves as often as their plan allows (rule 41 of docs/rules.md).

use domain::{
    audit::Actor,
    email::mailbox_hash,
    fact::{AccountChange, Fact},
    ids::AccountId,
    trust::PROOFS_NEEDED,
};

use super::{Accounts, Commands, Context, Error};

/// Notes that someone who registered themselves pressed a button on their page. The caller holds the event and not the account, so
/// [`earn`] follows in a command of its own.
pub(super) async fn note_proof(
    context: &mut Context,
    account: AccountId,
    address: &str,
) -> Result<bool, storage::Error> {
    let is_new = context
        .tx
        .insert_trust_proof(account, &mailbox_hash(address))
        .await?;
    if is_new {
        context.note_write();
    }
    Ok(is_new)
}

/// Trusts an account that has enough proofs.
pub(super) async fn earn(commands: &Commands, account: AccountId) -> Result<(), Error> {
    if commands.store().count_trust_proofs(account).await? < PROOFS_NEEDED {
        return Ok(());
    }
    let decide = async |context: &mut Context| {
        // An account that is being removed earns nothing.
        if context.tx.lock_account(account).await?.is_some()
            && context.tx.count_trust_proofs(account).await? >= PROOFS_NEEDED
        {
            trust(context, account).await?;
        }
        Ok(())
    };
    commands.run(Actor::System, decide).await
}

/// Trusts an account, which must be locked; false if it is trusted already.
async fn trust(context: &mut Context, account: AccountId) -> Result<bool, Error> {
    let now = context.now;
    let is_new = context.tx.trust_account(account, now).await?;
    if is_new {
        let change = AccountChange::Trusted;
        context
            .record(Fact::AccountChanged { account, change })
            .await?;
    }
    Ok(is_new)
}

impl Accounts {
    /// Trusts an account, for an administrator; false if it is trusted already.
    pub async fn trust(&self, account: AccountId) -> Result<bool, Error> {
        let decide = async |context: &mut Context| {
            let found = context.tx.lock_account(account).await?;
            found.ok_or(Error::NotFound { what: "account" })?;
            trust(context, account).await
        };
        self.commands.run(Actor::Admin, decide).await
    }
}
