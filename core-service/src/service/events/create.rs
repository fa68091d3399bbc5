//! Creating an event.

use super::{not_suspended, quota};
use crate::{
    domain::{
        account::Account,
        event::{Event, EventDefaults, EventIdentity, NewEvent},
        ids::EventId,
        instant::Instant,
        plan::Plan,
        slug,
        zone::Zone,
    },
    service::{By, Error, Events, Principal, Unit},
    storage::Alone,
};

/// With 36^6 endings, this many taken ones in a row have another cause.
const SLUG_ATTEMPTS: usize = 8;

impl Events {
    /// Creates an event for the caller: a draft, or published at once.
    pub async fn create(
        &self,
        by: impl Into<By<'_, Event>>,
        new: NewEvent,
    ) -> Result<Event, Error> {
        let by = by.into();
        // Boxed, since others would carry it along.
        if let Some(event) = Box::pin(self.create_at_once(&by, &new)).await? {
            return Ok(event);
        }
        let caller = by.caller;
        let decide = async |unit: &mut Unit| {
            let (account, identity) = self.begin_event(unit, caller, &new.title).await?;
            if self.plans.active_events.of(account.plan).is_none() {
                self.accounts.note(&account);
            }
            let now = unit.now;
            let event = self.decide(&account, new, identity, now)?;
            if event.is_active(now) {
                quota::check(unit, &self.plans, &account).await?;
            }
            self.add_with_free_slug(unit, event).await
        };
        self.commands.run_for(by, decide).await
    }

    /// Creates it by one statement, which commits it if the account is as it was when it was read last. `None`, and nothing written, where
    /// more is to be written or counted, or something came in between.
    async fn create_at_once(
        &self,
        by: &By<'_, Event>,
        new: &NewEvent,
    ) -> Result<Option<Event>, Error> {
        let (commands, caller) = (&self.commands, by.caller);
        let has_cover = commands.fetches_covers() && new.image_query.is_some();
        if by.has_key() || has_cover {
            return Ok(None);
        }
        let Some(account) = self.accounts.find(caller.account) else {
            return Ok(None);
        };
        let now = commands.now();
        let identity = EventIdentity {
            id: EventId::new(commands.entropy().uuid_v7(now)),
            account_id: account.id,
            slug: slug::from_title(&new.title),
        };
        // It is refused by an account as it is, not as it was.
        let Ok(event) = self.decide(&account, new.clone(), identity, now) else {
            return Ok(None);
        };
        let alone = Alone {
            account: &account,
            other_slug: &slug::from_title_with_suffix(&new.title, commands.entropy()),
        };
        let slug = commands.create_event(caller, &event, alone, now).await?;
        if slug.is_none() {
            self.accounts.forget(account.id);
        }
        Ok(slug.map(|slug| Event { slug, ..event }))
    }

    /// The event that an account asks for. Quotas are apart.
    fn decide(
        &self,
        account: &Account,
        new: NewEvent,
        identity: EventIdentity,
        now: Instant,
    ) -> Result<Event, Error> {
        let event = Event::create(new, identity, &self.defaults_of(account), now)?;
        quota::check_approval(account, None, &event)?;
        Ok(event)
    }

    /// Locks the caller's account until the transaction ends, takes the time, and chooses what a new event of this title is known by. Where
    /// events are not limited, several may be created at the same time: nothing is counted then that another could change.
    pub(super) async fn begin_event(
        &self,
        unit: &mut Unit,
        caller: &Principal,
        title: &str,
    ) -> Result<(Account, EventIdentity), Error> {
        let quotas = self.plans.active_events;
        let unlimited = Plan::ALL
            .into_iter()
            .filter(|plan| quotas.of(*plan).is_none());
        let unlimited: Vec<Plan> = unlimited.collect();
        let slug = slug::from_title(title);
        let locked = unit
            .tx
            .lock_account_for_slug(caller.account, &slug, &unlimited);
        let (account, is_taken) = locked.await?.ok_or(Error::Unauthorized)?;
        let account = not_suspended(account)?;
        unit.renew_time();
        let slug = if is_taken {
            slug::from_title_with_suffix(title, self.commands.entropy())
        } else {
            slug
        };
        let identity = EventIdentity {
            id: EventId::new(unit.new_id()),
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
        unit: &mut Unit,
        mut event: Event,
    ) -> Result<Event, Error> {
        let is_live = event.is_live(unit.now);
        for _ in 0..SLUG_ATTEMPTS {
            if unit.create_event(&event, is_live).await? {
                return Ok(event);
            }
            event.slug = slug::from_title_with_suffix(&event.title, self.commands.entropy());
        }
        Err(Error::Conflict(
            "found no free slug for this title: try again or change the title".to_owned(),
        ))
    }
}
