//! The keys that seal secrets: which ones the database needs, and sealing again after a change.

use std::collections::BTreeMap;

use domain::{
    ids::WebhookId,
    instant::Instant,
    webhook::{SigningKey, Webhook},
};
use seal::{OpenError, PREFIX_BYTES, SecretKeys, fingerprint_of_prefix};
use storage::{Reads, Store};
use uuid::Uuid;

use super::{Webhooks, context_of};
use crate::service::Error;

/// Secrets that are looked at, far more than instances have.
const MAX_COUNTED: i64 = 1_000_000;

/// Webhooks whose secrets one transaction seals again, and transactions in a round of maintenance.
const BATCH: i64 = 200;
const BATCHES: usize = 50;

/// How many secrets of a database these keys open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SealedSecrets {
    /// Those that the current key has sealed.
    pub current: i64,
    /// Those that a former key has sealed.
    pub former: i64,
    /// Those that none of the keys opens, by the fingerprint of theirs.
    pub unknown: BTreeMap<String, i64>,
}

impl SealedSecrets {
    /// Counts the secrets of a database that sign now.
    pub(crate) async fn count(
        store: &Reads,
        keys: &SecretKeys,
        now: Instant,
    ) -> Result<Self, storage::Error> {
        let bytes = i32::try_from(PREFIX_BYTES).unwrap_or(i32::MAX);
        let mut counted = Self::default();
        for (prefix, number) in store.count_sealed_secrets(bytes, now, MAX_COUNTED).await? {
            if prefix == keys.current().prefix() {
                counted.current += number;
            } else if keys.former().iter().any(|key| prefix == key.prefix()) {
                counted.former += number;
            } else {
                let fingerprint = fingerprint_of_prefix(&prefix);
                let fingerprint = fingerprint.unwrap_or_else(|| "of no key".to_owned());
                *counted.unknown.entry(fingerprint).or_default() += number;
            }
        }
        Ok(counted)
    }
}

impl Webhooks {
    /// Warns if secrets in the database do not open: another core, or this one before, has other keys.
    pub(crate) async fn warn_of_other_keys(&self) -> Result<(), Error> {
        let keys = &self.policy.keys;
        let counted = SealedSecrets::count(self.commands.store(), keys, self.now()).await?;
        for (other, secrets) in counted.unknown {
            let own = keys.current().fingerprint();
            tracing::warn!(
                %own, %other, secrets,
                "secrets of webhooks are sealed under a key that is not in MUSTER_SECRET_KEY: messages to these webhooks wait"
            );
        }
        Ok(())
    }

    /// Seals what a former key has sealed under the current one, so that the former one can go. Returns whether there is more.
    pub(crate) async fn seal_again(&self) -> Result<bool, Error> {
        let mut batches = 0;
        for key in self.policy.keys.former() {
            let (prefix, mut after) = (key.prefix(), WebhookId::new(Uuid::nil()));
            loop {
                let found = self
                    .store()
                    .list_webhooks_sealed_with(&prefix, after, BATCH);
                let found = found.await?;
                let Some(last) = found.last() else {
                    break;
                };
                if batches == BATCHES {
                    return Ok(true);
                }
                (after, batches) = (last.id, batches + 1);
                self.seal_batch_again(&found).await?;
            }
        }
        Ok(false)
    }

    fn store(&self) -> &Store {
        self.commands.store()
    }

    async fn seal_batch_again(&self, webhooks: &[Webhook]) -> Result<(), Error> {
        let mut tx = self.store().begin().await?;
        for before in webhooks {
            let former = before.former_secret.as_deref();
            let after = Webhook {
                secret: self.sealed_again(before.id, &before.secret),
                former_secret: former.map(|sealed| self.sealed_again(before.id, sealed)),
                ..before.clone()
            };
            if after != *before {
                tx.reseal_webhook(before, &after).await?;
            }
        }
        tx.commit().await?;
        Ok(())
    }

    /// The same secret under the current key. What does not open, or is sealed so already, stays as it is.
    fn sealed_again(&self, id: WebhookId, sealed: &[u8]) -> Vec<u8> {
        let (keys, context) = (&self.policy.keys, context_of(id));
        if sealed.starts_with(&keys.current().prefix()) {
            return sealed.to_vec();
        }
        let opened = keys.open(&context, sealed);
        opened.map_or_else(|_| sealed.to_vec(), |secret| keys.seal(&context, &secret))
    }

    /// The keys that sign messages to a webhook now.
    pub(super) fn open(
        &self,
        webhook: &Webhook,
        now: Instant,
    ) -> Result<Vec<SigningKey>, UnopenedSecret> {
        open(&self.policy.keys, webhook, now)
    }
}

/// A former secret that does not open is left out: the current one is enough for receivers that have it, and an error would keep every
/// message from them.
fn open(
    keys: &SecretKeys,
    webhook: &Webhook,
    now: Instant,
) -> Result<Vec<SigningKey>, UnopenedSecret> {
    let mut signing = vec![open_one(keys, webhook, &webhook.secret)?];
    if let Some(former) = webhook.former_secret_at(now) {
        match open_one(keys, webhook, former) {
            Ok(key) => signing.push(key),
            // The start of this core warned of it.
            Err(error) => {
                tracing::debug!(webhook_id = %webhook.id, %error, "a former secret signs no more");
            }
        }
    }
    Ok(signing)
}

fn open_one(
    keys: &SecretKeys,
    webhook: &Webhook,
    sealed: &[u8],
) -> Result<SigningKey, UnopenedSecret> {
    let bytes = keys.open(&context_of(webhook.id), sealed)?;
    SigningKey::of(webhook.scheme, &bytes).ok_or(UnopenedSecret(OpenError::Damaged))
}

/// The secret of a webhook does not open, so that nothing can be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the secret of the webhook cannot be read: {0}; `muster doctor` says which key is missing")]
pub struct UnopenedSecret(#[from] OpenError);

impl From<UnopenedSecret> for Error {
    fn from(error: UnopenedSecret) -> Self {
        Self::unreadable("webhook", error.to_string())
    }
}
