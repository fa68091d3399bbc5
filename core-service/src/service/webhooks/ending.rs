//! Ending webhooks with the power by which someone decided where they post.

use domain::{
    audit::Actor,
    fact::{Fact, WebhookChange},
    ids::{AccountId, PersonId},
    instant::Instant,
    webhook::{DisabledReason, Webhook, WebhookState},
};
use uuid::Uuid;

use crate::service::{Commands, Context, Error};

/// Webhooks that one transaction of maintenance disables, and transactions in a round.
const BATCH: i64 = 50;
const BATCHES: usize = 20;

/// Disables the webhooks of keys and apps whose time is over. Returns whether there are more.
pub(crate) async fn end_expired_webhooks(commands: &Commands) -> Result<bool, Error> {
    for _ in 0..BATCHES {
        let decide = async |context: &mut Context| {
            let expired = context.tx.list_expired_webhooks(context.now, BATCH);
            let expired = expired.await?;
            let is_last = i64::try_from(expired.len()).is_ok_and(|count| count < BATCH);
            end(context, expired).await?;
            Ok(is_last)
        };
        if commands.run(Actor::System, decide).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Those of these webhooks that can still end.
pub(in crate::service) fn not_disabled(mut webhooks: Vec<Webhook>) -> Vec<Webhook> {
    webhooks.retain(|webhook| webhook.state != WebhookState::Disabled);
    webhooks
}

/// Disables the webhooks of a credential that is revoked.
pub(in crate::service) async fn end_webhooks_of(
    context: &mut Context,
    account: AccountId,
    credential: Uuid,
) -> Result<(), Error> {
    let found = context.tx.list_webhooks_by(account, credential).await?;
    end(context, found).await
}

/// Disables those of a member who may have none any more, and those of their keys and apps.
pub(in crate::service) async fn end_webhooks_of_member(
    context: &mut Context,
    account: AccountId,
    person: PersonId,
) -> Result<(), Error> {
    let found = context.tx.list_webhooks_of_member(account, person).await?;
    end(context, found).await
}

/// Disables those that someone changed since then in the name of a person.
pub(in crate::service) async fn end_webhooks_since(
    context: &mut Context,
    person: PersonId,
    since: Instant,
) -> Result<(), Error> {
    let found = context.tx.list_webhooks_since(person, since).await?;
    end(context, found).await
}

/// Disables webhooks, which are in the order of their accounts.
async fn end(context: &mut Context, found: Vec<Webhook>) -> Result<(), Error> {
    for before in found {
        context.tx.lock_webhook_stream(before.account_id).await?;
        // It may have changed before it was locked.
        let webhook = context.tx.lock_webhook(before.id).await?;
        let is_same = |one: &Webhook| {
            one.state != WebhookState::Disabled && one.created_by == before.created_by
        };
        let Some(webhook) = webhook.filter(is_same) else {
            continue;
        };
        let webhook = webhook.disabled(DisabledReason::Revoked, context.now);
        context.tx.update_webhook(&webhook).await?;
        context.tx.park_deliveries(&webhook).await?;
        let fact = Fact::WebhookChanged {
            webhook: &webhook,
            change: WebhookChange::Disabled,
        };
        context.record_by(Actor::System, fact).await?;
    }
    Ok(())
}
