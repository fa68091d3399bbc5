//! Ending webhooks: with the power by which someone decided where they post, and when nothing gets through.

use domain::{
    audit::Actor,
    fact::{Fact, WebhookChange},
    ids::{AccountId, PersonId},
    instant::Instant,
    webhook::{
        DISABLED_AFTER_SECONDS, DisabledReason, WARNED_AFTER_SECONDS, Webhook, WebhookState,
        still_failing,
    },
};
use uuid::Uuid;

use super::deliver::change_of;
use crate::service::{Commands, Context, Error};

/// Failing webhooks that a round of maintenance decides, and expired ones.
const MAX_OF_ROUND: i64 = 200;

/// A delivery that is due within these seconds is tried soon, or at this moment: a lease lasts less. Its attempt decides what becomes of its
/// webhook. Otherwise, webhooks would be disabled after an outage of Muster, before their receivers got another chance.
const SOON_SECONDS: i64 = 120;

/// Mails the owners of webhooks of which every attempt has failed for a day, and disables them after five. Returns whether there are more.
pub(crate) async fn judge_failing_webhooks(commands: &Commands) -> Result<bool, Error> {
    let now = commands.now();
    let found = commands.store().list_failing_webhooks(
        now.plus_seconds(-WARNED_AFTER_SECONDS),
        now.plus_seconds(-DISABLED_AFTER_SECONDS),
        now.plus_seconds(SOON_SECONDS),
        MAX_OF_ROUND,
    );
    let (found, mut outcome) = (found.await?, Ok(()));
    for webhook in &found {
        // One that cannot be decided does not stop the others.
        outcome = outcome.and(judge_failing(commands, webhook).await);
    }
    outcome.map(|()| is_full(&found))
}

/// Whether maintenance may have found more.
fn is_full(found: &[Webhook]) -> bool {
    i64::try_from(found.len()).is_ok_and(|count| count == MAX_OF_ROUND)
}

async fn judge_failing(commands: &Commands, found: &Webhook) -> Result<(), Error> {
    let decide = async |context: &mut Context| {
        context.tx.lock_webhook_stream(found.account_id).await?;
        let before = context.tx.lock_webhook(found.id).await?;
        // A message may have got through before it was locked, and its owner may have paused it.
        let Some(before) = before.filter(Webhook::is_active) else {
            return Ok(());
        };
        // A change may have brought a delivery since it was found.
        let soon = context.now.plus_seconds(SOON_SECONDS);
        let destination = before.destination();
        if context.tx.has_delivery_due(&destination, soon).await? {
            return Ok(());
        }
        let after = still_failing(before.clone(), context.now);
        let Some(change) = change_of(&before, &after) else {
            return Ok(());
        };
        context.tx.update_webhook(&after).await?;
        if after.state == WebhookState::Disabled {
            context.tx.park_deliveries(&after).await?;
        }
        let fact = Fact::WebhookChanged {
            webhook: &after,
            change,
        };
        context.record(fact).await?;
        Ok(())
    };
    commands.run(Actor::System, decide).await
}

/// Disables the webhooks of keys and apps whose time is over. Returns whether there are more.
pub(crate) async fn end_expired_webhooks(commands: &Commands) -> Result<bool, Error> {
    let found = commands
        .store()
        .list_expired_webhooks(commands.now(), MAX_OF_ROUND);
    let (found, mut outcome) = (found.await?, Ok(()));
    for webhook in &found {
        let decide = async |context: &mut Context| end(context, vec![webhook.clone()]).await;
        outcome = outcome.and(commands.run(Actor::System, decide).await);
    }
    outcome.map(|()| is_full(&found))
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
