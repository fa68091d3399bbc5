//! Creating an event.

use domain::{
    account::Account,
    event::{Event, EventDefaults, EventIdentity, NewEvent},
    fact::Fact,
    ids::EventId,
    plan::Plan,
    slug,
    violation::Checked,
    zone::Zone,
};

use super::{not_suspended, quota};
use crate::service::{Context, Error, Events, Invocation, Principal, judgement::Judgement};

/// With 36^6 endings, this many taken ones in a row have another cause.
const SLUG_ATTEMPTS: usize = 8;

impl Events {
    /// Creates an event for the caller: a draft, or published at once.
    pub async fn create(
        &self,
        by: impl Into<Invocation<'_, Event>>,
        new: impl Into<Checked<NewEvent>>,
    ) -> Result<Event, Error> {
        let by = by.into();
        let caller = by.caller;
        let Checked {
            message: new,
            mistakes,
        } = new.into();
        let decide = async |context: &mut Context| {
            let (account, identity) = self
                .begin_event(context, caller, &new.title, new.is_listed)
                .await?;
            let now = context.now;
            let mut judgement = Judgement::of(mistakes);
            let asks_for_approval = new.requires_approval;
            let event = Event::create(new, identity, &self.defaults_of(&account), now);
            let event = judgement.note(event)?;
            let approval = quota::check_approval(&account, asks_for_approval);
            judgement.note_of("requires_approval", approval)?;
            // What has no valid times yet will most likely be in the future.
            if event.as_ref().is_none_or(|event| event.is_active(now)) {
                judgement.note(quota::check(context, &self.plans, &account).await)?;
            }
            let event = judgement.conclude(event)?;
            self.add_with_free_slug(context, event, false).await
        };
        self.commands.run_for(by, decide).await
    }

    /// Locks the caller's account until the transaction ends, takes the time, and chooses what a new event of this title is known by. Where
    /// events are not limited, several may be created at the same time: nothing is counted then that another could change.
    pub(super) async fn begin_event(
        &self,
        context: &mut Context,
        caller: &Principal,
        title: &str,
        is_listed: bool,
    ) -> Result<(Account, EventIdentity), Error> {
        let quotas = self.plans.active_events;
        let unlimited = Plan::ALL
            .into_iter()
            .filter(|plan| quotas.of(*plan).is_none());
        let unlimited: Vec<Plan> = unlimited.collect();
        let slug = slug::from_title(title);
        let locked = context
            .tx
            .lock_account_for_slug(caller.account, &slug, &unlimited);
        let (account, is_taken) = locked.await?.ok_or(Error::Unauthorized)?;
        let account = not_suspended(account)?;
        context.renew_time();
        let slug = if is_taken || !is_listed {
            slug::from_title_with_suffix(title, self.commands.entropy())
        } else {
            slug
        };
        let identity = EventIdentity {
            id: EventId::new(context.new_id()),
            account_id: account.id,
            slug,
        };
        Ok((account, identity))
    }

    /// The defaults of the account.
    fn defaults_of(&self, account: &Account) -> EventDefaults {
        let own = account.timezone.as_deref().map(Zone::find);
        let mut defaults = self.defaults.clone();
        // A zone that was removed from the database since then must not prevent new events.
        if let Some(Ok(timezone)) = own {
            defaults.timezone = timezone;
        }
        defaults
    }

    /// Adds an event under its slug, or under one with an ending if that is taken, and records that it was created.
    pub(super) async fn add_with_free_slug(
        &self,
        context: &mut Context,
        mut event: Event,
        is_copy: bool,
    ) -> Result<Event, Error> {
        let is_live = event.is_live(context.now);
        for _ in 0..SLUG_ATTEMPTS {
            if context.tx.insert_event(&event, is_live).await? {
                if event.is_hidden {
                    // What it is a copy of was taken down.
                    context.tx.set_hidden(event.id, true).await?;
                }
                let event_created = Fact::EventCreated {
                    event: &event,
                    is_copy,
                };
                context.record(event_created).await?;
                return Ok(event);
            }
            event.slug = slug::from_title_with_suffix(&event.title, self.commands.entropy());
        }
        Err(Error::Conflict(
            "found no free slug for this title: try again or change the title".to_owned(),
        ))
    }
}
