//! API keys, for administrators.

use std::sync::Arc;

use domain::{
    account::{self, Account, ApiKey},
    api_key::PlainKey,
    audit::Actor,
    expiry::Expiry,
    fact::{Fact, KeyOrigin},
    ids::{AccountId, KeyId, PersonId},
    scope::Scopes,
    violation::Violations,
    webhook::Webhook,
};

use super::{
    Authenticator, Commands, Context, Error, accounts::owned_by, credentials::Credentials, webhooks,
};

/// Maximum number of keys in a list.
const LIST_LIMIT: i64 = 10_000;

/// A new key.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// The stored key.
    pub key: ApiKey,
    /// The key itself, which is not stored and shown only once.
    pub plain: PlainKey,
}

/// The scopes and the expiry of a new key.
#[derive(Debug, Clone)]
pub struct KeyTerms {
    /// Its name in lists.
    pub label: String,
    /// Its scopes.
    pub scopes: Scopes,
    /// When it expires, if ever.
    pub expiry: Option<Expiry>,
}

impl KeyTerms {
    /// A key with all scopes and without expiry.
    pub fn named(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            scopes: Scopes::All,
            expiry: None,
        }
    }
}

/// Use cases about API keys.
#[derive(Debug, Clone)]
pub struct Keys {
    commands: Commands,
    credentials: Arc<Credentials>,
}

impl Keys {
    /// API keys. Revoked ones are evicted from the cache of `authenticator`.
    pub fn new(commands: Commands, authenticator: &Authenticator) -> Self {
        Self {
            commands,
            credentials: authenticator.credentials(),
        }
    }

    /// Creates a key with all scopes for the owner of one account, by their email address.
    pub async fn create(&self, email: &str, label: &str) -> Result<NewKey, Error> {
        self.create_on(email, KeyTerms::named(label)).await
    }

    /// Creates a key with these terms for the owner of one account, by their email address.
    pub async fn create_on(&self, email: &str, terms: KeyTerms) -> Result<NewKey, Error> {
        let account = owned_by(self.commands.store(), email).await?;
        self.create_in(account, Some(email), terms).await
    }

    /// Creates a key of an account with these terms. It acts for the owner with this address, or for the first owner.
    pub async fn create_in(
        &self,
        account: AccountId,
        owner: Option<&str>,
        terms: KeyTerms,
    ) -> Result<NewKey, Error> {
        self.make(account, owner, terms, KeyOrigin::Made).await
    }

    /// Creates a key with all scopes for the owner of the demo account.
    pub async fn create_for_demo(&self, email: &str, label: &str) -> Result<NewKey, Error> {
        let account = owned_by(self.commands.store(), email).await?;
        let terms = KeyTerms::named(label);
        self.make(account, Some(email), terms, KeyOrigin::Demo)
            .await
    }

    async fn make(
        &self,
        account: AccountId,
        owner: Option<&str>,
        terms: KeyTerms,
        origin: KeyOrigin,
    ) -> Result<NewKey, Error> {
        let mut violations = Violations::default();
        account::check_name("name", &terms.label, &mut violations);
        let end = terms
            .expiry
            .map(|expiry| expiry.instant(self.commands.now()));
        if end == Some(None) {
            violations.add("expires", "must be in the future");
        }
        violations.unless_any(Some(())).map_err(Error::Invalid)?;

        let plain = PlainKey::generate(self.commands.entropy());
        let decide = async |context: &mut Context| {
            let account = context.tx.lock_account(account).await?;
            let account = account.ok_or(Error::NotFound { what: "account" })?;
            let address = owner.unwrap_or(&account.email);
            let owner = context.tx.find_person_by_email(address).await?;
            let key = ApiKey {
                id: KeyId::new(context.new_id()),
                account_id: account.id,
                person_id: owner.map(|owner| owner.id),
                label: terms.label,
                hash: plain.hash(),
                scopes: terms.scopes,
                created_at: context.now,
                last_used_at: None,
                expires_at: end.flatten(),
                revoked_at: None,
            };
            context.tx.insert_key(&key).await?;
            context
                .record(Fact::KeyCreated { key: &key, origin })
                .await?;
            Ok(NewKey { key, plain })
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// All keys with their accounts, by account and age.
    pub async fn list(&self) -> Result<Vec<(ApiKey, Account)>, Error> {
        Ok(self.commands.store().list_keys(LIST_LIMIT).await?)
    }

    /// The webhooks that a revocation of the key disables, or passes on.
    pub async fn dependent_webhooks(&self, key: &ApiKey) -> Result<Vec<Webhook>, Error> {
        let store = self.commands.store();
        let found = store.list_webhooks_by(key.account_id, key.id.uuid());
        Ok(webhooks::not_disabled(found.await?))
    }

    /// Revokes a key: at once here, within [`super::credentials::TRUST_SECONDS`] on other cores. A revoked key stays unchanged. The
    /// webhooks that it made or redirected are disabled.
    pub async fn revoke(&self, id: KeyId) -> Result<(), Error> {
        self.revoke_with(id, false).await
    }

    /// The same, except that its webhooks go on, as those of the person for whom it acts.
    pub async fn revoke_and_pass_on_webhooks(&self, id: KeyId) -> Result<(), Error> {
        self.revoke_with(id, true).await
    }

    /// The person who gets the webhooks of a revoked key. Webhooks of nobody would never be disabled.
    pub fn keeper(key: &ApiKey) -> Result<PersonId, Error> {
        key.person_id.ok_or(Error::NotAllowedNow(
            "the key acts for nobody who could keep its webhooks: revoke it without --keep-webhooks, and they are disabled",
        ))
    }

    async fn revoke_with(&self, id: KeyId, keeps_webhooks: bool) -> Result<(), Error> {
        let found = self.commands.store().find_key(id).await?;
        let (key, account) = found.ok_or(Error::NotFound { what: "key" })?;
        let keeper = if keeps_webhooks {
            Some(Self::keeper(&key)?)
        } else {
            None
        };
        let decide = async |context: &mut Context| {
            if context.tx.revoke_key(id, context.now).await? {
                let account = account.id;
                context
                    .record(Fact::KeyRevoked { account, key: id })
                    .await?;
                if let Some(keeper) = keeper {
                    let (from, to) = (id.uuid(), Some(keeper.uuid()));
                    context.tx.pass_on_webhooks(account, from, to).await?;
                } else {
                    webhooks::end_webhooks_of(context, account, id.uuid()).await?;
                }
            }
            Ok(())
        };
        self.commands.run(Actor::Admin, decide).await?;
        self.credentials.evict(&key.hash);
        Ok(())
    }
}
