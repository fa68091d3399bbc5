//! Creating a webhook, and giving it a new secret.

use domain::{
    account::Account,
    audit::Actor,
    fact::{Fact, WebhookChange},
    ids::{EventId, WebhookId},
    person::Role,
    scope::Scope,
    violation::Checked,
    webhook::{
        Content, OVERLAP_SECONDS, Scheme, SigningKey, Webhook, WebhookState, WebhookTypes, quota,
    },
};

use super::{MAX_WEBHOOKS, Webhooks, lock};
use crate::service::{
    Context, Error, Invocation, Lacking, Principal, events, judgement::Judgement,
};

/// A webhook to create.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// Where messages are posted.
    pub url: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The names of the types that it gets; none for all.
    pub types: Vec<String>,
    /// The only event that it is about.
    pub event: Option<EventId>,
    /// How much a message says.
    pub content: Content,
    /// How messages are signed.
    pub scheme: Scheme,
}

/// A webhook with its secret, which is shown once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeWebhook {
    /// The webhook.
    pub webhook: Webhook,
    /// The secret, if the receiver needs one.
    pub secret: Option<String>,
}

impl Webhooks {
    /// Creates a webhook.
    pub async fn create(
        &self,
        by: impl Into<Invocation<'_, MadeWebhook>>,
        new: impl Into<Checked<NewWebhook>>,
    ) -> Result<MadeWebhook, Error> {
        let by = by.into();
        let caller = by.caller;
        let Checked {
            message: new,
            mistakes,
        } = new.into();
        let types = WebhookTypes::named(&new.types);
        let url = new.url.as_deref().map(|url| self.checked_url(url));
        let url = url.transpose();
        let decide = async |context: &mut Context| {
            let account = events::lock_account(context, caller).await?;
            check_rights(caller, new.content)?;
            // A webhook is worth a key: what happens is sent to whoever made it.
            caller.require_step_up(context.now)?;
            let mut judgement = Judgement::of(mistakes);
            let url = judgement.note(url)?;
            let types = judgement.note(types)?;
            judgement.note_of("content", check_plan(&account, new.content))?;
            if let Some(event) = new.event {
                let found = context
                    .tx
                    .find_account_event(caller.account, caller.reach, event);
                found.await?.ok_or(Error::NO_EVENT)?;
            }
            let (types, url) = judgement.conclude(types.zip(url))?;
            let last = context.tx.lock_webhook_stream(caller.account).await?;
            let present = context
                .tx
                .list_webhooks(caller.account, MAX_WEBHOOKS)
                .await?;
            check_quota(&account, present.len())?;
            let now = context.renew_time();
            let id = WebhookId::new(context.new_id());
            let key = self.new_key(new.scheme)?;
            let webhook = Webhook {
                id,
                account_id: caller.account,
                number: last + 1,
                event_id: new.event,
                url,
                description: new.description,
                types,
                content: new.content,
                scheme: new.scheme,
                secret: self.seal(id, &key),
                former_secret: None,
                former_until: None,
                public_key: key.public_key(),
                state: WebhookState::Active,
                disabled_reason: None,
                last_success_at: None,
                failing_since: None,
                warned_at: None,
                created_by: caller.actor.credential(),
                created_at: now,
                updated_at: now,
            };
            context.tx.insert_webhook(&webhook).await?;
            let change = WebhookChange::Created {
                is_announced: webhook.url.is_some() || is_of_others(context, caller).await?,
            };
            record(context, &webhook, change).await?;
            let secret = key.secret();
            Ok(MadeWebhook { webhook, secret })
        };
        self.commands.run_for(by, decide).await
    }

    /// Gives a webhook a new secret. The former one signs as well for a while.
    pub async fn rotate(
        &self,
        by: impl Into<Invocation<'_, MadeWebhook>>,
        id: WebhookId,
    ) -> Result<MadeWebhook, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let webhook = lock(context, caller, id).await?;
            let now = context.now;
            if webhook.former_secret_at(now).is_some() {
                return Err(Error::Conflict(
                    "the former secret still signs: wait until former_secret_until, so that no receiver is left without one".to_owned(),
                ));
            }
            let key = self.new_key(webhook.scheme)?;
            let webhook = Webhook {
                former_secret: Some(webhook.secret),
                former_until: Some(now.plus_seconds(OVERLAP_SECONDS)),
                secret: self.seal(id, &key),
                public_key: key.public_key(),
                updated_at: now,
                ..webhook
            };
            context.tx.update_webhook(&webhook).await?;
            record(context, &webhook, WebhookChange::SecretRotated).await?;
            let secret = key.secret();
            Ok(MadeWebhook { webhook, secret })
        };
        self.commands.run_for(by, decide).await
    }

    fn new_key(&self, scheme: Scheme) -> Result<SigningKey, Error> {
        let key = SigningKey::generate(scheme, self.entropy());
        key.ok_or_else(|| Error::unreadable("webhook", "no key could be made".to_owned()))
    }
}

/// Refuses content that the caller does not see by themselves.
pub(super) fn check_rights(caller: &Principal, content: Content) -> Result<(), Error> {
    if content == Content::Thin || sees_registrations(caller) {
        return Ok(());
    }
    let (needed, lacking) = (Scope::RegistrationsRead, Lacking::Key);
    Err(Error::InsufficientScope { needed, lacking })
}

/// Whether the caller sees registrations with their addresses.
pub(super) fn sees_registrations(caller: &Principal) -> bool {
    caller.scopes.contain(Scope::RegistrationsRead) && caller.sees_addresses
}

/// Refuses content that the plan does not have.
pub(super) fn check_plan(account: &Account, content: Content) -> Result<(), Error> {
    if content == Content::Thin || account.plan.is_paid() {
        Ok(())
    } else {
        Err(Error::PlanRequired)
    }
}

fn check_quota(account: &Account, present: usize) -> Result<(), Error> {
    let (plan, limit) = (account.plan, quota(account.plan));
    if i64::try_from(present).unwrap_or(i64::MAX) < limit {
        return Ok(());
    }
    let larger = if plan.is_paid() {
        ""
    } else {
        ", or change the plan"
    };
    Err(Error::Conflict(format!(
        "the {plan} plan has {limit} webhooks: delete one{larger}"
    )))
}

/// Whether none of the owners does it by themselves.
pub(super) async fn is_of_others(context: &mut Context, caller: &Principal) -> Result<bool, Error> {
    let Actor::Person(person) = caller.actor else {
        return Ok(matches!(caller.actor, Actor::Key(_) | Actor::App(..)));
    };
    let rights = context.tx.find_rights(caller.account, person).await?;
    Ok(rights.is_none_or(|rights| rights.role != Role::Owner))
}

pub(super) async fn record(
    context: &mut Context,
    webhook: &Webhook,
    change: WebhookChange,
) -> Result<(), Error> {
    let fact = Fact::WebhookChanged { webhook, change };
    context.record(fact).await?;
    Ok(())
}
