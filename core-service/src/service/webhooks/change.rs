//! Changing, pausing and deleting a webhook.

use domain::{
    change::Change,
    fact::WebhookChange,
    ids::{AccountId, WebhookId},
    violation::{FieldViolation, Violations},
    webhook::{Content, Webhook, WebhookState, WebhookTypes},
};

use super::{
    MAX_WEBHOOKS, Webhooks,
    create::{check_plan, check_rights, is_of_others, record},
    lock,
};
use crate::service::{Context, Error, Invocation, events, judgement::Judgement};

/// A change to a webhook.
#[derive(Debug, Clone, Default)]
pub struct WebhookPatch {
    /// Where messages are posted.
    pub url: Change<String>,
    /// What it is for.
    pub description: Change<String>,
    /// The names of the types that it gets.
    pub types: Change<Vec<String>>,
    /// How much a message says.
    pub content: Change<Content>,
    /// Whether messages wait.
    pub is_paused: Change<bool>,
    /// What is wrong with the request already.
    pub mistakes: Vec<FieldViolation>,
}

impl Webhooks {
    /// Changes a webhook. What waits is sent once it is active.
    pub async fn update(
        &self,
        by: impl Into<Invocation<'_, Webhook>>,
        id: WebhookId,
        patch: WebhookPatch,
    ) -> Result<Webhook, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let account = events::lock_account(context, caller).await?;
            let before = lock(context, caller, id).await?;
            let says_more =
                patch.content == Change::Set(Content::Full) && before.content != Content::Full;
            let mut judgement = Judgement::of(patch.mistakes.clone());
            let after = judgement.note(self.patched(&before, patch, context))?;
            if says_more {
                // Whoever decides what a message says must be allowed to see it.
                check_rights(caller, Content::Full)?;
                judgement.note_of("content", check_plan(&account, Content::Full))?;
            }
            let after = judgement.conclude(after)?;
            if after == before {
                return Ok(after);
            }
            let is_redirected = after.url.is_some() && after.url != before.url;
            let is_enabled =
                before.state == WebhookState::Disabled && after.state == WebhookState::Active;
            if is_redirected || is_enabled {
                // The same holds for whoever decides where it goes.
                check_rights(caller, after.content)?;
            }
            if is_redirected || says_more {
                caller.require_step_up(context.now)?;
            }
            let is_theirs = is_redirected || says_more || is_enabled;
            let after = Webhook {
                created_by: if is_theirs {
                    caller.actor.credential()
                } else {
                    before.created_by
                },
                // How the former URL fared says nothing of this one.
                failing_since: after.failing_since.filter(|_| !is_redirected),
                warned_at: after.warned_at.filter(|_| !is_redirected),
                ..after
            };
            context.tx.update_webhook(&after).await?;
            if !after.is_active() {
                context.tx.park_deliveries(&after).await?;
            } else if !before.is_active() {
                context
                    .tx
                    .schedule_waiting_deliveries(&after, context.now)
                    .await?;
                context.wake_runner();
            }
            let is_decided = is_redirected || says_more && after.url.is_some();
            let change = WebhookChange::Updated {
                is_announced: is_decided || is_theirs && is_of_others(context, caller).await?,
            };
            record(context, &after, change).await?;
            Ok(after)
        };
        self.commands.run_for(by, decide).await
    }

    fn patched(
        &self,
        before: &Webhook,
        patch: WebhookPatch,
        context: &Context,
    ) -> Result<Webhook, Error> {
        let (now, mut after) = (context.now, before.clone());
        let mut wrong = Vec::new();
        let url = match patch.url {
            Change::Set(url) => self.checked_url(&url).map_or_else(
                |violations| {
                    wrong.extend(violations);
                    Change::Keep
                },
                Change::Set,
            ),
            other => other,
        };
        match patch.types {
            Change::Keep => {}
            Change::Clear => after.types = WebhookTypes::default(),
            Change::Set(names) => match WebhookTypes::named(&names) {
                Ok(types) => after.types = types,
                Err(violations) => wrong.extend(violations),
            },
        }
        let mut violations = Violations::default();
        let mut is_paused = before.state != WebhookState::Active;
        url.write_optional(&mut after.url);
        patch.description.write_optional(&mut after.description);
        patch
            .content
            .write(&mut after.content, "content", &mut violations);
        let says_state = !patch.is_paused.is_keep();
        patch
            .is_paused
            .write(&mut is_paused, "is_paused", &mut violations);
        if let Err(more) = violations.unless_any(Some(())) {
            wrong.extend(more);
        }
        if !wrong.is_empty() {
            return Err(Error::Invalid(wrong));
        }
        let after = match (says_state, is_paused) {
            (true, true) if before.state == WebhookState::Active => Webhook {
                state: WebhookState::Paused,
                ..after
            },
            (true, false) if before.state != WebhookState::Active => after.enabled(now),
            _ => after,
        };
        if after == *before {
            return Ok(after);
        }
        Ok(Webhook {
            updated_at: now,
            ..after
        })
    }

    /// Deletes a webhook. What waits is not sent any more.
    pub async fn delete(
        &self,
        by: impl Into<Invocation<'_, WebhookId>>,
        id: WebhookId,
    ) -> Result<WebhookId, Error> {
        let by = by.into();
        let caller = by.caller;
        let decide = async |context: &mut Context| {
            let webhook = lock(context, caller, id).await?;
            context.tx.delete_webhook(&webhook).await?;
            record(context, &webhook, WebhookChange::Deleted).await?;
            Ok(id)
        };
        self.commands.run_for(by, decide).await
    }
}

/// Schedules what waited while an account was suspended.
pub(in crate::service) async fn resume_webhooks(
    context: &mut Context,
    account: AccountId,
) -> Result<(), Error> {
    if context.tx.find_webhook_stream(account).await?.is_none() {
        return Ok(());
    }
    context.tx.lock_webhook_stream(account).await?;
    for webhook in context.tx.list_webhooks(account, MAX_WEBHOOKS).await? {
        if webhook.is_active() {
            context
                .tx
                .schedule_waiting_deliveries(&webhook, context.now)
                .await?;
            context.wake_runner();
        }
    }
    Ok(())
}
