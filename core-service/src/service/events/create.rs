//! Creating an event.

use uuid::Uuid;

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
            let now = unit.now;
            let event = self.decide(&account, new, identity, now)?;
            if event.is_active(now) {
                quota::check(unit, &self.plans, &account).await?;
            }
            self.add_with_free_slug(unit, event).await
        };
        self.commands.run_for(by, decide).await
    }

    /// Creates it by one statement, which commits it if the account is as it was read. `None`, and nothing written, where more is to be
    /// written or counted, or something came in between.
    async fn create_at_once(
        &self,
        by: &By<'_, Event>,
        new: &NewEvent,
    ) -> Result<Option<Event>, Error> {
        let (commands, caller) = (&self.commands, by.caller);
        let is_counted = |plan| self.plans.active_events.of(plan).is_some();
        let has_cover = commands.fetches_covers() && new.image_query.is_some();
        if by.has_key() || has_cover || caller.plan.is_none_or(is_counted) {
            return Ok(None);
        }
        let slug = slug::from_title(&new.title);
        let addition = commands.store().begin_addition(caller.account, &slug);
        let Some(addition) = addition.await? else {
            return Ok(None);
        };
        let account = addition.account().ok_or(Error::Unauthorized)?;
        let account = not_suspended(account.clone())?;
        if is_counted(account.plan) {
            return Ok(None);
        }
        let now = commands.now();
        let id = commands.entropy().uuid_v7(now);
        let identity = self.identity(id, &account, &new.title, slug, addition.slug_is_taken());
        let event = self.decide(&account, new.clone(), identity, now)?;
        let is_created = commands.create_event(addition, caller, &event, now).await?;
        Ok(is_created.then_some(event))
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
        let identity = self.identity(unit.new_id(), &account, title, slug, is_taken);
        Ok((account, identity))
    }

    /// What a new event is known by: its slug has an ending if another has the slug of its title.
    fn identity(
        &self,
        id: Uuid,
        account: &Account,
        title: &str,
        slug: String,
        is_taken: bool,
    ) -> EventIdentity {
        EventIdentity {
            id: EventId::new(id),
            account_id: account.id,
            slug: if is_taken {
                slug::from_title_with_suffix(title, self.commands.entropy())
            } else {
                slug
            },
        }
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
