//! The keys of an account, as its members manage them.

use std::sync::Arc;

use domain::{
    account::{self, ApiKey},
    api_key::PlainKey,
    expiry::Expiry,
    fact::{Fact, KeyOrigin},
    ids::{KeyId, PersonId},
    person::MemberKey,
    scope::{Scope, Scopes},
    violation::Violations,
    webhook::Webhook,
};

use super::{
    Authenticator, Commands, Context, Error, KeyTerms, NewKey, Principal, SignedIn,
    credentials::Credentials, webhooks,
};

/// How many keys an account may have that are not revoked.
pub(super) const MAX_KEYS: i64 = 100;

const NO_KEY: Error = Error::NotFound { what: "key" };

/// A request of a member to create a key.
#[derive(Debug, Clone)]
pub struct KeyRequest {
    /// Its name in lists.
    pub name: String,
    /// The names of its scopes.
    pub scopes: Vec<String>,
    /// When it expires; never if empty.
    pub expires: String,
}

/// Use cases of members about the keys of their account. Whether the caller may is the gate's decision.
#[derive(Debug, Clone)]
pub struct OwnKeys {
    commands: Commands,
    credentials: Arc<Credentials>,
}

impl OwnKeys {
    /// The keys of accounts. Revoked ones are evicted from the cache of `authenticator`.
    pub fn new(commands: Commands, authenticator: &Authenticator) -> Self {
        Self {
            commands,
            credentials: authenticator.credentials(),
        }
    }

    /// The present, by which keys have expired.
    pub(crate) fn now(&self) -> domain::instant::Instant {
        self.commands.now()
    }

    /// The keys of the caller's account that are not revoked, the newest first.
    pub async fn list(&self, caller: &Principal) -> Result<Vec<MemberKey>, Error> {
        let store = self.commands.store();
        Ok(store.list_member_keys(caller.account, MAX_KEYS).await?)
    }

    /// The webhooks of the caller's account that end with the credential by which someone decided where they post.
    pub async fn dependent_webhooks(&self, caller: &Principal) -> Result<Vec<Webhook>, Error> {
        let store = self.commands.store();
        let all = store.list_webhooks(caller.account, webhooks::MAX_WEBHOOKS);
        Ok(webhooks::not_disabled(all.await?))
    }

    /// Creates a key of the caller.
    pub async fn create(
        &self,
        caller: &Principal,
        by: &SignedIn,
        request: KeyRequest,
    ) -> Result<(NewKey, MemberKey), Error> {
        let terms = terms(caller, request)?;
        let mut violations = Violations::default();
        account::check_name("name", &terms.label, &mut violations);
        let now = self.commands.now();
        let end = terms.expiry.map(|expiry| expiry.instant(now));
        if end == Some(None) {
            violations.add("expires", "must be in the future");
        }
        violations.unless_any(Some(())).map_err(Error::Invalid)?;
        let plain = PlainKey::generate(self.commands.entropy());
        let decide = async |context: &mut Context| {
            let key = ApiKey {
                id: KeyId::new(context.new_id()),
                account_id: caller.account,
                person_id: Some(by.person),
                label: terms.label,
                hash: plain.hash(),
                scopes: terms.scopes,
                created_at: context.now,
                last_used_at: None,
                expires_at: end.flatten(),
                revoked_at: None,
            };
            add(context, key, plain, KeyOrigin::Made).await
        };
        self.commands.run(caller, decide).await
    }

    /// Creates a key like another one, which expires after an overlap.
    pub async fn rotate(
        &self,
        caller: &Principal,
        by: &SignedIn,
        id: KeyId,
        overlap_seconds: i64,
    ) -> Result<(NewKey, MemberKey), Error> {
        let plain = PlainKey::generate(self.commands.entropy());
        let decide = async |context: &mut Context| {
            let (old, _) = context.tx.find_key(id).await?.ok_or(NO_KEY)?;
            let is_valid = old.account_id == caller.account
                && old.revoked_at.is_none()
                && old.expires_at.is_none_or(|end| context.now < end);
            if !is_valid {
                return Err(NO_KEY);
            }
            let overlap = context.now.plus_seconds(overlap_seconds);
            let until = old.expires_at.map_or(overlap, |end| end.min(overlap));
            context.tx.expire_key(id, until).await?;
            let key = successor(context, &old, by.person, &plain);
            let (from, to) = (id.uuid(), Some(key.id.uuid()));
            context
                .tx
                .pass_on_webhooks(caller.account, from, to)
                .await?;
            let made = add(context, key, plain, KeyOrigin::Replaces(id)).await?;
            Ok((made, old.hash))
        };
        let (made, old) = self.commands.run(caller, decide).await?;
        self.credentials.evict(&old);
        Ok(made)
    }

    /// Revokes a key: at once here, within [`super::credentials::TRUST_SECONDS`] on other cores. A revoked key stays unchanged.
    /// The webhooks that it made or redirected are disabled, or passed on to the person.
    pub async fn revoke(
        &self,
        caller: &Principal,
        id: KeyId,
        keeps_webhooks: bool,
    ) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let found = context.tx.find_key(id).await?;
            let key = found.map(|(key, _)| key).ok_or(NO_KEY)?;
            if key.account_id != caller.account {
                return Err(NO_KEY);
            }
            if context.tx.revoke_key(id, context.now).await? {
                let account = caller.account;
                context
                    .record(Fact::KeyRevoked { account, key: id })
                    .await?;
                if keeps_webhooks {
                    let keeper = caller.actor.credential();
                    context
                        .tx
                        .pass_on_webhooks(account, id.uuid(), keeper)
                        .await?;
                } else {
                    webhooks::end_webhooks_of(context, account, id.uuid()).await?;
                }
            }
            Ok(key.hash)
        };
        let hash = self.commands.run(caller, decide).await?;
        self.credentials.evict(&hash);
        Ok(())
    }
}

/// A key like another one, with the same lifetime from now, for a person.
pub(super) fn successor(
    context: &Context,
    old: &ApiKey,
    person: PersonId,
    plain: &PlainKey,
) -> ApiKey {
    let lifetime = old
        .expires_at
        .map(|end| (end.micros() - old.created_at.micros()) / 1_000_000);
    ApiKey {
        id: KeyId::new(context.new_id()),
        person_id: Some(person),
        hash: plain.hash(),
        created_at: context.now,
        last_used_at: None,
        expires_at: lifetime.map(|seconds| context.now.plus_seconds(seconds)),
        revoked_at: None,
        ..old.clone()
    }
}

/// Adds a key under the account's lock, so that there are never too many.
async fn add(
    context: &mut Context,
    key: ApiKey,
    plain: PlainKey,
    origin: KeyOrigin,
) -> Result<(NewKey, MemberKey), Error> {
    let account = context.tx.lock_account(key.account_id).await?;
    account.ok_or(Error::NotFound { what: "account" })?;
    let keys = context
        .tx
        .list_member_keys(key.account_id, MAX_KEYS)
        .await?;
    if keys.len() >= usize::try_from(MAX_KEYS).unwrap_or(usize::MAX) {
        return Err(Error::Conflict(format!(
            "an account may have {MAX_KEYS} keys: revoke one first"
        )));
    }
    context.tx.insert_key(&key).await?;
    context
        .record(Fact::KeyCreated { key: &key, origin })
        .await?;
    let keys = context
        .tx
        .list_member_keys(key.account_id, MAX_KEYS)
        .await?;
    let shown = keys.into_iter().find(|one| one.key.id == key.id);
    Ok((NewKey { key, plain }, shown.ok_or(NO_KEY)?))
}

fn terms(caller: &Principal, request: KeyRequest) -> Result<KeyTerms, Error> {
    let mut violations = Violations::default();
    let mut scopes = Vec::new();
    for name in &request.scopes {
        match name.parse::<Scope>() {
            Ok(scope) if caller.scopes.contain(scope) => scopes.push(scope),
            Ok(scope) => violations.add("scopes", format!("your role does not have {scope}")),
            Err(error) => violations.add("scopes", error.to_string()),
        }
    }
    let expires = Some(request.expires.trim()).filter(|text| !text.is_empty());
    let expiry = expires.map(str::parse::<Expiry>).transpose();
    let expiry = violations.check("expires", expiry);
    let expiry = violations.unless_any(expiry).map_err(Error::Invalid)?;
    Ok(KeyTerms {
        label: request.name,
        scopes: Scopes::named(scopes),
        expiry,
    })
}
