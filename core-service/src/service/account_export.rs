//! Everything that an account holds, page by page, as far as the caller may read it.

mod pace;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{
    activity::Activity,
    cursor::Place,
    event::Event,
    fact::Export,
    ids::{AccountId, MessageId},
    instant::Instant,
    invitation::SentInvitation,
    message::Message,
    person::{Member, MemberKey, Membership, Person},
    registration::{Counters, Registration},
    scope::Scope,
    session::{MAX_SESSIONS, Session},
    webhook::Webhook,
};
use storage::{Store, StoredConnection};
use uuid::Uuid;

use self::pace::Pace;
use super::{
    AccountOverview, Accounts, ActivityFilter, ActivityLog, Commands, Error, MessageMails,
    Principal, SignedIn, activity::Readable, exports, messages,
};

/// Exports at the same time in one core: each has a page of rows in memory, and keeps a connection of its client.
const MAX_EXPORTS: usize = 16;

/// After how long another export of the account is worth a try.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Members, invitations, keys, webhooks and accounts of a person.
const MAX_ROWS: i64 = 10_000;

const EVENTS: i64 = 50;
const REGISTRATIONS: i64 = 200;
const MESSAGES: i64 = 100;
const ENTRIES: i32 = 500;

/// A part of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The account.
    Account,
    /// The person who is signed in.
    Person,
    /// Where that person is signed in.
    Sessions,
    /// The accounts of that person.
    Memberships,
    /// The apps that act for that person.
    Apps,
    /// The members.
    Members,
    /// The invitations that wait.
    Invitations,
    /// The keys that are not revoked.
    Keys,
    /// The webhooks.
    Webhooks,
    /// The events.
    Events,
    /// The registrations for all events.
    Registrations,
    /// The messages to registrants.
    Messages,
    /// The activity.
    Activity,
}

/// Rows of a part.
#[derive(Debug)]
pub enum Records {
    /// The account.
    Account(AccountOverview),
    /// The person who is signed in.
    Person(Person),
    /// Where that person is signed in.
    Sessions(Vec<Session>),
    /// The accounts of that person.
    Memberships(Vec<Membership>),
    /// The apps that act for that person.
    Apps(Vec<StoredConnection>),
    /// The members.
    Members(Vec<Member>),
    /// The invitations that wait.
    Invitations(Vec<SentInvitation>),
    /// The keys that are not revoked.
    Keys(Vec<MemberKey>),
    /// The webhooks.
    Webhooks(Vec<Webhook>),
    /// The events.
    Events(Vec<(Event, Counters)>),
    /// Registrations for one event; none at the end.
    Registrations(Option<Box<Event>>, Vec<Registration>),
    /// Messages to registrants.
    Messages(Vec<(Message, MessageMails)>),
    /// The activity.
    Activity(Vec<Activity>),
}

/// The place after a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// After an event, a message or an entry of the activity.
    Place(Place),
    /// After a registration in the order of registering, for the event after a place.
    Registration(Option<Place>, i64),
}

/// Exports of whole accounts.
#[derive(Debug, Clone)]
pub struct AccountExports {
    commands: Commands,
    accounts: Accounts,
    activity: ActivityLog,
    running: Arc<Mutex<HashSet<AccountId>>>,
}

/// A running export of an account. On each core there is one at a time.
#[derive(Debug)]
pub struct AccountExport {
    exports: AccountExports,
    caller: Principal,
    person: Option<SignedIn>,
    readable: Readable,
    /// Whether the account's plan shows registrations.
    is_paid: bool,
    pace: Pace,
    _running: Running,
}

/// Ends with the export.
#[derive(Debug)]
struct Running(AccountExports, AccountId);

impl Drop for Running {
    fn drop(&mut self) {
        let Self(exports, account) = self;
        exports.running().remove(account);
    }
}

impl AccountExports {
    /// Exports on the same database as `commands`.
    pub(super) fn new(commands: Commands, accounts: Accounts, activity: ActivityLog) -> Self {
        Self {
            commands,
            accounts,
            activity,
            running: Arc::default(),
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashSet<AccountId>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an export. `person` is who is signed in, if someone is.
    pub async fn start(
        &self,
        caller: &Principal,
        person: Option<SignedIn>,
    ) -> Result<AccountExport, Error> {
        let running = self.take_place(caller.account)?;
        let account = self.commands.store().find_account(caller.account).await?;
        let is_paid = account.ok_or(Error::Unauthorized)?.plan.is_paid();
        let filter = ActivityFilter::default();
        let readable = self.activity.readable(caller, filter).await?;
        exports::record(&self.commands, caller, Export::Account).await?;
        Ok(AccountExport {
            exports: self.clone(),
            caller: *caller,
            person,
            readable,
            is_paid,
            pace: Pace::begin(self.commands.now()),
            _running: running,
        })
    }

    fn take_place(&self, account: AccountId) -> Result<Running, Error> {
        let mut running = self.running();
        if running.contains(&account) {
            return Err(Error::ExportUnderWay { wait: READ_TIMEOUT });
        }
        if running.len() >= MAX_EXPORTS {
            return Err(Error::Busy);
        }
        running.insert(account);
        Ok(Running(self.clone(), account))
    }
}

impl AccountExport {
    /// The time.
    pub fn now(&self) -> Instant {
        self.exports.commands.now()
    }

    /// Whether the account's plan shows registrations.
    pub const fn is_paid(&self) -> bool {
        self.is_paid
    }

    /// The parts that the caller may read, in their order.
    pub fn parts(&self) -> Vec<Part> {
        let may = |scope| self.caller.scopes.contain(scope);
        let is_readable = |part: &Part| match part {
            Part::Person | Part::Sessions | Part::Memberships | Part::Apps => self.person.is_some(),
            Part::Events | Part::Messages => may(Scope::EventsRead),
            Part::Webhooks => may(Scope::WebhooksRead),
            Part::Registrations => self.is_paid && may(Scope::RegistrationsRead),
            Part::Account | Part::Members | Part::Invitations | Part::Keys | Part::Activity => true,
        };
        Part::ALL.into_iter().filter(is_readable).collect()
    }

    /// A piece of so many bytes is given to the client.
    pub fn read(&mut self, bytes: usize) {
        self.pace.read(bytes);
    }

    /// Whether the client gets another piece. One that reads too slowly gets none, so that others get its place.
    pub fn may_go_on(&self) -> Result<(), Error> {
        if self.pace.is_fast_enough(self.now()) {
            return Ok(());
        }
        Err(Error::ReadTooSlowly)
    }

    /// A page of a part, and where the next one begins, if there are more.
    pub async fn page(
        &self,
        part: Part,
        after: Option<After>,
    ) -> Result<(Records, Option<After>), Error> {
        let (store, now) = (self.store(), self.now());
        let account = self.caller.account;
        let person = || self.person.map(|person| person.person);
        let person = || person().ok_or(Error::Unauthorized);
        let records = match part {
            Part::Account => Records::Account(self.exports.accounts.get(&self.caller).await?),
            Part::Person => {
                let found = store.find_person(person()?).await?;
                Records::Person(found.ok_or(Error::Unauthorized)?)
            }
            Part::Sessions => {
                Records::Sessions(store.list_sessions(person()?, now, MAX_SESSIONS).await?)
            }
            Part::Memberships => {
                Records::Memberships(store.list_memberships_of(person()?, MAX_ROWS).await?)
            }
            Part::Apps => Records::Apps(store.list_connections(person()?, now, MAX_ROWS).await?),
            Part::Members => Records::Members(store.list_members(account, MAX_ROWS).await?),
            Part::Invitations => {
                Records::Invitations(store.list_invitations_of(account, now, MAX_ROWS).await?)
            }
            Part::Keys => Records::Keys(store.list_member_keys(account, MAX_ROWS).await?),
            Part::Webhooks => Records::Webhooks(store.list_webhooks(account, MAX_ROWS).await?),
            Part::Events => return self.events(place(after)).await,
            Part::Registrations => return self.registrations(after).await,
            Part::Messages => {
                let last = MessageId::new(place(after).map_or(Uuid::nil(), |place| place.id));
                let found = store.list_messages_of(account, last, MESSAGES).await?;
                let is_full = i64::try_from(found.len()).is_ok_and(|count| count >= MESSAGES);
                let next = found.last().filter(|_| is_full).map(|last| Place {
                    key: 0,
                    id: last.id.uuid(),
                });
                let counted = messages::counted(store, found).await?;
                return Ok((Records::Messages(counted), next.map(After::Place)));
            }
            Part::Activity => {
                let log = &self.exports.activity;
                let page = log.read(&self.readable, place(after), ENTRIES).await?;
                return Ok((Records::Activity(page.entries), page.next.map(After::Place)));
            }
        };
        Ok((records, None))
    }

    async fn events(&self, after: Option<Place>) -> Result<(Records, Option<After>), Error> {
        let events = self.list_events(after, EVENTS).await?;
        let is_full = i64::try_from(events.len()).is_ok_and(|count| count >= EVENTS);
        let next = events.last().filter(|_| is_full).map(|(last, _)| last);
        let next = next.map(|last| After::Place(place_of(last)));
        Ok((Records::Events(events), next))
    }

    /// Some registrations for the first event after a place that has any left.
    async fn registrations(&self, after: Option<After>) -> Result<(Records, Option<After>), Error> {
        let (mut before, mut seq) = match after {
            Some(After::Registration(event, seq)) => (event, seq),
            Some(After::Place(_)) | None => (None, 0),
        };
        loop {
            // Within an event, that event alone is read again.
            let limit = if seq > 0 { 1 } else { EVENTS };
            let events = self.list_events(before, limit).await?;
            if events.is_empty() {
                return Ok((Records::Registrations(None, Vec::new()), None));
            }
            for (event, counters) in events {
                let found = if counters.total() == 0 {
                    Vec::new()
                } else {
                    let store = self.store();
                    store
                        .list_registrations(event.id, seq, REGISTRATIONS)
                        .await?
                };
                let found = found.into_iter();
                let found: Vec<_> = found.map(|one| one.current(&event.custom_fields)).collect();
                if let Some(last) = found.last() {
                    let next = After::Registration(before, last.seq);
                    let event = Some(Box::new(event));
                    return Ok((Records::Registrations(event, found), Some(next)));
                }
                (before, seq) = (Some(place_of(&event)), 0);
            }
        }
    }

    async fn list_events(
        &self,
        after: Option<Place>,
        limit: i64,
    ) -> Result<Vec<(Event, Counters)>, Error> {
        let (account, now) = (self.caller.account, self.now());
        let found = self.store().list_whole_events(account, now, after, limit);
        Ok(found.await?)
    }

    fn store(&self) -> &Store {
        self.exports.commands.store()
    }
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 13] = [
        Self::Account,
        Self::Person,
        Self::Sessions,
        Self::Memberships,
        Self::Apps,
        Self::Members,
        Self::Invitations,
        Self::Keys,
        Self::Webhooks,
        Self::Events,
        Self::Registrations,
        Self::Messages,
        Self::Activity,
    ];
}

const fn place(after: Option<After>) -> Option<Place> {
    match after {
        Some(After::Place(place)) => Some(place),
        Some(After::Registration(..)) | None => None,
    }
}

fn place_of(event: &Event) -> Place {
    Place {
        key: event.schedule.start.at.micros(),
        id: event.id.uuid(),
    }
}
