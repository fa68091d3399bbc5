//! Erasing a person, for an administrator.

mod owner;

pub(super) use owner::{erase_person, solely_owned};

use domain::{
    audit::Actor,
    email::{self, Email, InvalidEmail},
    fact::{EventChange, Fact},
    ids::{AccountId, EventId},
    registration::{Counters, Seats},
    violation::Violations,
};

use super::{Commands, Context, Error, registrations::promote, removal};

/// Registrations or events per query.
const PAGE: i64 = 500;

/// The result of erasing a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
    /// Removed registrations, in any status.
    pub registrations: u64,
    /// Removed mails that were waiting or had failed: to registrants, members and those who were invited or signed in.
    pub mails: u64,
    /// Removed private links.
    pub links: u64,
    /// Registrations that got a seat from the waitlist.
    pub promoted: u64,
    /// Events from which the name and the address of the organizer were removed.
    pub events: u64,
    /// Whether someone signed in with the address. They are no member of any account any more.
    pub person: bool,
    /// Their keys that were revoked.
    pub keys: u64,
    /// Accounts that have the named owner now.
    pub passed_on: u64,
    /// Accounts that were removed, since nobody else owned them.
    pub removed_accounts: u64,
}

/// What erasing a person would touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Registrations, in any status.
    pub registrations: i64,
    /// The events that they are for.
    pub events: i64,
    /// Whether someone signs in with the address.
    pub person: bool,
    /// The names of the accounts that nobody else owns.
    pub solely_owned: Vec<String>,
}

/// What becomes of accounts that nobody but the erased person owns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LastOwner {
    /// Nothing is erased while there are any.
    #[default]
    Refuse,
    /// The person with this address becomes their owner.
    Named(String),
    /// They are removed.
    Remove,
}

/// Use cases about personal data.
#[derive(Debug, Clone)]
pub struct People {
    commands: Commands,
}

impl People {
    /// Personal data in the database.
    pub const fn new(commands: Commands) -> Self {
        Self { commands }
    }

    /// What [`Self::erase`] would touch. It refuses what that refuses.
    pub async fn preview(&self, address: &str, last_owner: &LastOwner) -> Result<Outlook, Error> {
        let email_norm = checked(address, last_owner)?;
        let (person, owned) = self.look(&email_norm, last_owner).await?;
        let counted = self.commands.store().count_registrations_of(&email_norm);
        let (registrations, events) = counted.await?;
        Ok(Outlook {
            registrations,
            events,
            person,
            solely_owned: owned.into_iter().map(|one| one.account_name).collect(),
        })
    }

    /// Removes the registrations of an email address with their mails and links, the person who signs in with it, and their name and
    /// address from events that name them as the organizer. The audit log contains neither. Each event is a transaction of its own, so
    /// that no event waits for the others. An interrupted run is completed by repeating it.
    pub async fn erase(&self, address: &str, last_owner: &LastOwner) -> Result<Erasure, Error> {
        let email_norm = checked(address, last_owner)?;
        // First, so that a refusal leaves everything as it is.
        let (_, owned) = self.look(&email_norm, last_owner).await?;
        let owned = match last_owner {
            LastOwner::Remove => Vec::new(),
            _ => owned.into_iter().map(|one| one.account_id).collect(),
        };
        let mut done = Erasure::default();
        loop {
            let store = self.commands.store();
            let found = store.list_registrations_of(&email_norm, PAGE).await?;
            let mut events: Vec<EventId> = found.iter().map(|one| one.event_id).collect();
            events.sort_unstable();
            events.dedup();
            if events.is_empty() {
                break;
            }
            for event in events {
                self.erase_from_event(event, &email_norm, &mut done).await?;
            }
        }
        let passes_on = !owned.is_empty();
        self.erase_contacts(owned, &email_norm, &mut done).await?;
        let heir = match last_owner {
            LastOwner::Named(address) if passes_on => Some(&**address),
            _ => None,
        };
        let removes = *last_owner == LastOwner::Remove;
        self.erase_person(&email_norm, heir, removes, &mut done)
            .await?;
        while removal::purge(&self.commands).await? {}
        self.commands.store().purge_deleted().await?;
        Ok(done)
    }

    async fn erase_from_event(
        &self,
        event: EventId,
        email_norm: &str,
        done: &mut Erasure,
    ) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let held = context.tx.lock_seats(&[event]).await?;
            let (_, mut counters, next_seq) = held.into_iter().next().ok_or(Error::NO_EVENT)?;
            context.renew_time();
            let event = context.tx.find_event(event).await?.ok_or(Error::NO_EVENT)?;
            let found = context
                .tx
                .list_registrations_at(event.id, email_norm)
                .await?;
            let mut erased = Erasure::default();
            for registration in found {
                let id = registration.id;
                erased.mails += context.tx.delete_mails_of(id).await?;
                erased.links += context.tx.delete_links(id).await?;
                context.tx.delete_sent_mails_of(id).await?;
                context.tx.delete_answers_about(id).await?;
                context.tx.delete_new_details(id).await?;
                context.tx.delete_registration(id).await?;
                context.tx.delete_webhook_answers_about(id).await?;
                erased.registrations += 1;
                counters = counters - registration.counted();
                let fact = Fact::RegistrationErased {
                    account: event.account_id,
                    event: event.id,
                    registration: id,
                };
                context.record(fact).await?;
            }
            let seats = Seats {
                event,
                counters,
                next_seq,
            };
            context.tx.update_counters(&[&seats]).await?;
            let after = promote(context, &seats.event, counters).await?;
            erased.promoted = promoted(counters, after);
            Ok(erased)
        };
        // Only committed changes are counted.
        let erased = self.commands.run(Actor::Admin, decide).await?;
        done.registrations += erased.registrations;
        done.mails += erased.mails;
        done.links += erased.links;
        done.promoted += erased.promoted;
        Ok(())
    }

    /// From all events of accounts that were the person's alone, and from those of others that have the address.
    async fn erase_contacts(
        &self,
        accounts: Vec<AccountId>,
        email_norm: &str,
        done: &mut Erasure,
    ) -> Result<(), Error> {
        let store = self.commands.store();
        for account in accounts.into_iter().map(Some).chain([None]) {
            loop {
                let found = store.list_events_with_contact(account, email_norm, PAGE);
                let found = found.await?;
                if found.is_empty() {
                    break;
                }
                for event in found {
                    self.erase_contact(event).await?;
                    done.events += 1;
                }
            }
        }
        Ok(())
    }

    async fn erase_contact(&self, event: EventId) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let counters = context.tx.lock_counters(event).await?;
            counters.ok_or(Error::NO_EVENT)?;
            context.renew_time();
            let before = context.tx.find_event(event).await?.ok_or(Error::NO_EVENT)?;
            let after = before.without_contact(context.now);
            context
                .tx
                .update_event(&after, after.is_live(context.now))
                .await?;
            let fact = Fact::EventChanged {
                change: EventChange::Updated,
                before: &before,
                after: &after,
            };
            context.record(fact).await?;
            Ok(())
        };
        self.commands.run(Actor::Admin, decide).await
    }
}

/// The normalised address. It need not keep the API's rules, which are stricter now than they were when some addresses were stored.
fn checked(address: &str, last_owner: &LastOwner) -> Result<String, Error> {
    let mut violations = Violations::default();
    if !address.contains('@') {
        violations.add("email", InvalidEmail.to_string());
    }
    let email_norm = email::normalised(address);
    if let LastOwner::Named(new) = last_owner {
        violations.check("new-owner", new.parse::<Email>());
        if email::normalised(new) == email_norm {
            violations.add("new-owner", "must be another person");
        }
    }
    violations
        .unless_any(Some(email_norm))
        .map_err(Error::Invalid)
}

fn promoted(before: Counters, after: Counters) -> u64 {
    u64::try_from(after.confirmed - before.confirmed).unwrap_or(0)
}
