//! Removing accounts. Members, keys and what the public sees go at once; registrations and events, of which there may be very many, in
//! short transactions afterwards.

use std::collections::HashSet;

use domain::{
    account::AccountContents,
    audit::Actor,
    fact::{AccountChange, Fact},
    ids::AccountId,
};
use server::telemetry::chain;

use super::{Commands, Context, Error, suspension::withdraw_events};

/// Registrations or events that one transaction deletes, so that its locks are short.
const BATCH: i64 = 200;

/// Transactions per call of [`purge`]: maintenance has other work, too.
const BATCHES: usize = 50;

/// Begins to remove an account, which is locked, and drops its queued mails; returns what goes.
///
/// # Errors
/// [`Error::Conflict`] while people are registered for an event to come, or have not been told yet that one is cancelled; but not if the
/// account is suspended, so that an operator can end abuse.
pub(super) async fn begin(
    context: &mut Context,
    account: AccountId,
) -> Result<AccountContents, Error> {
    let found = context.tx.lock_account(account).await?;
    let is_suspended = found.as_ref().is_some_and(|account| account.is_suspended);
    withdraw_events(context, account, Some(context.now)).await?;
    let contents = context.tx.account_contents(account, context.now).await?;
    check(contents, is_suspended)?;
    context.tx.drop_mails_of(account).await?;
    let name = found.map_or_else(String::new, |account| account.name);
    let change = AccountChange::Removed(&name);
    // Before its members go, who get a mail.
    context
        .record(Fact::AccountChanged { account, change })
        .await?;
    context.tx.begin_removal(account, context.now).await?;
    Ok(contents)
}

/// Refuses to remove an account of whose events people have to hear, unless it is suspended.
pub(super) fn check(contents: AccountContents, is_suspended: bool) -> Result<(), Error> {
    if is_suspended {
        return Ok(());
    }
    let AccountContents {
        awaited_events,
        waiting_mails,
        ..
    } = contents;
    if awaited_events > 0 {
        return Err(Error::Conflict(format!(
            "people are registered for {awaited_events} events that are neither cancelled nor over: cancel them first, so that \
             everyone gets an email"
        )));
    }
    if waiting_mails > 0 {
        return Err(Error::Conflict(format!(
            "{waiting_mails} mails about cancelled events are still to be sent: try again when they are"
        )));
    }
    Ok(())
}

/// Deletes what is left of removed accounts, as far as one call may; returns whether another should follow at once. Accounts that fail have
/// time until the next one.
pub(crate) async fn purge(commands: &Commands) -> Result<bool, Error> {
    let mut failed = HashSet::new();
    for _ in 0..BATCHES {
        let limit = 1_i64.saturating_add_unsigned(failed.len() as u64);
        let mut removed = commands.store().list_removed_accounts(limit).await?;
        removed.retain(|account| !failed.contains(account));
        let Some(account) = removed.pop() else {
            return Ok(false);
        };
        let decide = async |context: &mut Context| purge_some(context, account).await;
        match commands.run(Actor::System, decide).await {
            Err(error) if error.is_outage() => return Err(error),
            Err(error) => {
                tracing::error!(account_id = %account, error = %chain(&error), "a removed account could not be deleted");
                failed.insert(account);
            }
            Ok(true) => commands.store().purge_deleted().await?,
            Ok(false) => {}
        }
    }
    Ok(failed.is_empty())
}

/// Returns whether nothing is left.
async fn purge_some(context: &mut Context, account: AccountId) -> Result<bool, Error> {
    // Of two cores the second waits here and then finds less.
    if !context.tx.lock_removed_account(account).await? {
        return Ok(true);
    }
    context.note_write();
    let registrations = context.tx.list_registration_ids_of(account, BATCH).await?;
    for id in &registrations {
        context.tx.delete_mails_of(*id).await?;
        context.tx.delete_links(*id).await?;
        context.tx.delete_sent_mails_of(*id).await?;
        context.tx.delete_answers_about(*id).await?;
        context.tx.delete_new_details(*id).await?;
        context.tx.delete_registration(*id).await?;
    }
    if !registrations.is_empty() {
        return Ok(false);
    }
    let events = context.tx.list_event_ids_of(account, None, BATCH).await?;
    for id in &events {
        context.tx.delete_event(*id).await?;
    }
    if !events.is_empty() {
        return Ok(false);
    }
    let messages = context.tx.delete_webhook_messages_of(account, BATCH);
    if messages.await? > 0 {
        return Ok(false);
    }
    context.tx.delete_account(account).await?;
    Ok(true)
}
