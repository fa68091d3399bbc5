//! Filling an empty database in one transaction, so that it has all demo data or none, also when a first start is interrupted
//! or several run at once.

use domain::{
    account::Account,
    audit::Actor,
    entropy::Entropy,
    event::{Event, EventDefaults, EventIdentity},
    fact::{EventChange, Fact},
    handle::Handle,
    ids::{AccountId, EventId},
    instant::{DAY_SECONDS, Instant},
    plan::Plan,
    slug,
};
use serde::de::DeserializeOwned;

use super::{
    EMAIL,
    events::{self, DemoEvent},
    guests::{self, Guests},
};
use crate::service::{Context, Error, UseCases, add_account};

/// The public page of the demo's account.
const HANDLE: &str = "demo-organizer";
const ABOUT: &str = "We bring people together: to learn, to make things, to run, to sing.\n\nEvery event here is made up, and so are its guests.";

/// Older than the oldest event, which takes place about 80 days ago.
const ACCOUNT_AGE_DAYS: i64 = 180;

/// Events are created from about three to ten weeks before they take place, or before today.
const LEAD_DAYS: i64 = 20;
const LEAD_SPREAD_DAYS: i64 = 50;

/// Adds the demo's account, events and registrations; false, and nothing added, when the database has an account already.
pub(super) async fn fill_if_empty(use_cases: &UseCases) -> Result<bool, Error> {
    let commands = &use_cases.commands;
    let defaults = use_cases.events.defaults();
    let fill = async |context: &mut Context| {
        if context.tx.has_accounts().await? {
            return Ok(false);
        }
        let account = account(commands.entropy(), context.now);
        match add_account(context, &account, &account.name).await {
            // Another process has filled this database meanwhile.
            Err(Error::Conflict(_)) => return Ok(false),
            added => added?,
        };
        if let Ok(handle) = Handle::parse(HANDLE) {
            context
                .tx
                .take_handle(account.id, &handle, context.now)
                .await?;
        }
        add_events(commands.entropy(), context, account.id, defaults).await?;
        Ok(true)
    };
    commands.run(Actor::System, fill).await
}

async fn add_events(
    entropy: &Entropy,
    context: &mut Context,
    owner: AccountId,
    defaults: &EventDefaults,
) -> Result<(), Error> {
    let guests: Guests = read(guests::JSON)?;
    let events: Vec<DemoEvent> = read(events::JSON)?;
    // The same seeds, and so the same people, on every machine.
    for (seed, planned) in (0..).zip(events) {
        let chance = Entropy::seeded(seed);
        let event = add_event(entropy, context, owner, defaults, &planned, &chance).await?;
        let turnout = &planned.registrations;
        for registration in guests.registrations(&event, turnout, context.now, &chance, entropy) {
            context.tx.insert_registration(&registration).await?;
        }
    }
    Ok(())
}

fn account(entropy: &Entropy, now: Instant) -> Account {
    let created_at = now.plus_seconds(-ACCOUNT_AGE_DAYS * DAY_SECONDS);
    Account {
        id: AccountId::new(entropy.uuid_v7(created_at)),
        email: EMAIL.to_owned(),
        name: "Demo Organizer".to_owned(),
        plan: Plan::Pro,
        timezone: None,
        is_suspended: false,
        is_trusted: true,
        handle: None,
        about: Some(ABOUT.to_owned()),
        website: None,
        created_at,
    }
}

/// Creates an event by the rules of its own creation day, so that an event that has ended can be published.
async fn add_event(
    entropy: &Entropy,
    context: &mut Context,
    owner: AccountId,
    defaults: &EventDefaults,
    planned: &DemoEvent,
    chance: &Entropy,
) -> Result<Event, Error> {
    let now = context.now;
    let created_at = created_at(planned, chance, now);
    let new = planned.request(now);
    let identity = EventIdentity {
        id: EventId::new(entropy.uuid_v7(created_at)),
        account_id: owner,
        slug: slug::from_title(&new.title),
    };
    let created = Event::create(new, identity, defaults, created_at)?;
    context
        .record(Fact::EventCreated {
            event: &created,
            is_copy: false,
        })
        .await?;
    let event = match &planned.cancel_reason {
        Some(reason) => cancelled(context, created, reason).await?,
        None => created,
    };
    if context.tx.insert_event(&event, event.is_live(now)).await? {
        return Ok(event);
    }
    let text = format!("two demo events have the slug {}", event.slug);
    Err(Error::Conflict(text))
}

fn created_at(planned: &DemoEvent, chance: &Entropy, now: Instant) -> Instant {
    let spread = LEAD_SPREAD_DAYS * DAY_SECONDS;
    let lead = LEAD_DAYS * DAY_SECONDS + chance.below(spread.unsigned_abs()).cast_signed();
    now.plus_seconds(i64::from(planned.in_days.min(0)) * DAY_SECONDS - lead)
}

/// Cancels the event, the day before it takes place or yesterday. This sends no mail, since there are no registrations yet.
async fn cancelled(context: &mut Context, event: Event, reason: &str) -> Result<Event, Error> {
    let at = context
        .now
        .min(event.schedule.start.at)
        .plus_seconds(-DAY_SECONDS);
    let Some(cancelled) = event.cancelled(Some(reason.to_owned()), at) else {
        return Ok(event);
    };
    let fact = Fact::EventChanged {
        change: EventChange::Cancelled { max_added: None },
        before: &event,
        after: &cancelled,
    };
    context.record(fact).await?;
    Ok(cancelled)
}

/// Reads one of the embedded files.
fn read<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| {
        Error::Internal(storage::Error::Corrupt {
            what: "demo data",
            text: error.to_string(),
        })
    })
}

#[cfg(test)]
mod tests {
    use domain::registration::check_answers;

    use super::*;

    #[test]
    fn guests_answer_what_they_are_asked() {
        let guests: Guests = read(guests::JSON).unwrap();
        let events: Vec<DemoEvent> = read(events::JSON).unwrap();
        let now = Instant::from_micros(1_893_456_000_000_000);
        let mut answered = 0;
        for planned in &events {
            let identity = EventIdentity {
                id: EventId::new(uuid::Uuid::nil()),
                account_id: AccountId::new(uuid::Uuid::nil()),
                slug: String::new(),
            };
            let chance = Entropy::seeded(1);
            let created_at = created_at(planned, &chance, now);
            let new = planned.request(now);
            let event =
                Event::create(new, identity, &EventDefaults::default(), created_at).unwrap();
            let turnout = &planned.registrations;
            for guest in guests.registrations(&event, turnout, now, &chance, &chance) {
                let checked = check_answers(&event.custom_fields, guest.answers.clone());
                assert_eq!(checked.as_ref(), Ok(&guest.answers), "{planned:?}");
                answered += guest.answers.len();
            }
        }
        assert!(answered > 100, "{answered}");
    }

    #[test]
    fn on_every_day_of_the_year_thirty_events_are_ahead() {
        let events: Vec<DemoEvent> = read(events::JSON).unwrap();
        let nil = uuid::Uuid::nil();
        for day in 0..366 {
            // 2030-01-01T00:00:00Z, moving through the hours as well.
            let now = Instant::from_micros(1_893_456_000_000_000)
                .plus_seconds(day * (DAY_SECONDS + 3_601));
            let mut live = 0;
            for planned in &events {
                let identity = EventIdentity {
                    id: EventId::new(nil),
                    account_id: AccountId::new(nil),
                    slug: String::new(),
                };
                let created_at = created_at(planned, &Entropy::seeded(1), now);
                let created = Event::create(
                    planned.request(now),
                    identity,
                    &EventDefaults::default(),
                    created_at,
                );
                let event = created.unwrap_or_else(|error| panic!("{planned:?}: {error:?}"));
                assert!(event.schedule.start.at > created_at, "{planned:?}");
                assert_eq!(
                    event.schedule.start.at > now,
                    planned.in_days > 0,
                    "{planned:?}"
                );
                live += i32::from(event.is_live(now) && planned.cancel_reason.is_none());
            }
            assert_eq!(live, 30, "on {now}");
        }
    }
}
