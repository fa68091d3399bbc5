//! What operators withdraw from the public: accounts with all their events, and single events.

use domain::{
    audit::Actor,
    event::Event,
    fact::{AccountChange, Fact},
    ids::{AccountId, EventId},
    instant::Instant,
};

use super::{Commands, Context, Error, mails::release_mails, webhooks::resume_webhooks};

/// Events whose counters one statement locks.
const PAGE: i64 = 500;

/// Use cases of operators against abuse.
#[derive(Debug, Clone)]
pub struct Suspensions {
    commands: Commands,
}

impl Suspensions {
    /// Suspensions in the database.
    pub const fn new(commands: Commands) -> Self {
        Self { commands }
    }

    /// Suspends an account: its keys and sessions are refused within [`super::credentials::TRUST_SECONDS`], its events leave the public at
    /// once, and its queued mails are held. Returns false if it was suspended already.
    pub async fn suspend(&self, account: AccountId, reason: Option<&str>) -> Result<bool, Error> {
        let change = AccountChange::Suspended(reason);
        self.set(account, true, change).await
    }

    /// Ends a suspension, and sends those held mails that are still true; returns false if there was none.
    pub async fn resume(&self, account: AccountId) -> Result<bool, Error> {
        self.set(account, false, AccountChange::Resumed).await
    }

    async fn set(
        &self,
        account: AccountId,
        is_suspended: bool,
        change: AccountChange<'_>,
    ) -> Result<bool, Error> {
        let decide = async |context: &mut Context| {
            let before = context.tx.lock_account(account).await?;
            let before = before.ok_or(Error::NotFound { what: "account" })?;
            if before.is_suspended == is_suspended {
                return Ok(false);
            }
            let now = context.renew_time();
            withdraw_events(context, account, is_suspended.then_some(now)).await?;
            if is_suspended {
                context.tx.hold_mails_of(account, now).await?;
            } else {
                release_mails(context).await?;
                resume_webhooks(context, account).await?;
            }
            context
                .record(Fact::AccountChanged { account, change })
                .await?;
            Ok(true)
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// Takes an event down and holds its queued mails, or shows it again and releases them; returns it, and whether that changed something.
    pub async fn hide(
        &self,
        slug: &str,
        is_hidden: bool,
        reason: Option<&str>,
    ) -> Result<(Event, bool), Error> {
        let found = self.commands.store().find_event_by_slug(slug).await?;
        let id = found.ok_or(Error::NO_EVENT)?.id;
        let decide = async |context: &mut Context| {
            context.tx.lock_counters(id).await?.ok_or(Error::NO_EVENT)?;
            context.renew_time();
            let before = context.tx.find_event(id).await?.ok_or(Error::NO_EVENT)?;
            if before.is_hidden == is_hidden {
                return Ok((before, false));
            }
            let after = Event {
                is_hidden,
                ..before
            };
            context.tx.set_hidden(id, is_hidden).await?;
            if is_hidden {
                context.tx.hold_mails_about(id, context.now).await?;
            } else {
                release_mails(context).await?;
            }
            context
                .tx
                .update_event(&after, after.is_live(context.now))
                .await?;
            let fact = Fact::EventTakenDown {
                event: &after,
                reason,
            };
            context.record(fact).await?;
            Ok((after, true))
        };
        self.commands.run(Actor::Admin, decide).await
    }
}

/// Withdraws the events of an account, which is locked, from the public since a moment, or shows them again. The locks on their
/// counters last until the end of the transaction, so that nobody registers meanwhile. They come first, as everywhere.
pub(super) async fn withdraw_events(
    context: &mut Context,
    account: AccountId,
    since: Option<Instant>,
) -> Result<(), Error> {
    let (mut pages, mut last) = (Vec::new(), None);
    loop {
        let ids = context.tx.list_event_ids_of(account, last, PAGE).await?;
        last = ids.last().copied();
        if last.is_none() {
            break;
        }
        context.tx.lock_seats(&ids).await?;
        pages.push(ids);
    }
    context.renew_time();
    context.tx.set_account_suspended(account, since).await?;
    for ids in pages {
        update_listing(context, &ids).await?;
    }
    Ok(())
}

/// Moves events out of the catalogue or back, as their account is now.
async fn update_listing(context: &mut Context, ids: &[EventId]) -> Result<(), Error> {
    for event in context.tx.list_events(ids).await? {
        let resumed = Event {
            is_account_suspended: false,
            ..event.clone()
        };
        if resumed.is_live(context.now) {
            context
                .tx
                .update_event(&event, event.is_live(context.now))
                .await?;
        }
        if resumed.is_shown() && resumed.is_ahead(context.now) {
            context
                .record(Fact::EventWithdrawn { event: &event })
                .await?;
        }
    }
    Ok(())
}
