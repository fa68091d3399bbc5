//! Single reads, and beginning a transaction.

use std::{collections::HashMap, ops::Deref, path::Path, pin::pin, sync::Arc, time::Duration};

use process::traces;
use secrecy::ExposeSecret;
use tokio::{sync::watch, time::Instant as Moment};
use uuid::Uuid;

use super::{
    Addition, AuditRecord, CatalogueMatches, Error, FailedMail, FirstEvents, JobQueue, JobRecord,
    KeptAnswer, MailQueue, MyEventsFilter, Options, Reads, RegistrationFilter, StoredClient,
    StoredConnection, StoredCover, Tx, catalogue_reads::Current, postgres, sqlite, tx::Inner,
};
use crate::domain::{
    account::{Account, AccountContents, ApiKey},
    activity::Activity,
    catalogue::{
        CatalogueFilter, CatalogueState, CatalogueVersion, EventAddress, ShardVersion, Sitemap,
    },
    check_in_code::CheckInCode,
    cursor::Place,
    event::{
        Event, EventChange, EventsVersion, ListedEvent, SearchedEvent, TimeAndPlace, WhenAndWhere,
    },
    ids::{
        AccountId, AuthorizationId, ClientId, CodeId, EventId, GrantId, InvitationId, KeyId,
        PersonId, RegistrationId, SessionId,
    },
    instant::Instant,
    invitation::SentInvitation,
    job::{Destination, JobKind},
    keyed_call::KeyedCall,
    mail_quota::MailCount,
    oauth::{AccessToken, Authorization, Grant, Hash},
    organizer_mail::{EventNews, Organizer, Span},
    period::Period,
    person::{Member, MemberKey, Membership, Person, Role, Standing},
    registration::{Counters, Details, Registrant, Registration},
    session::Session,
    sign_in_code::Code,
};

/// The database in spans.
pub(super) const DATABASE: &str = "database";

/// Changes when the database goes away, and when it is there again. Its value says since when it is away, if it is.
pub type Outages = watch::Receiver<Option<Moment>>;

/// An open database. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Store {
    reads: Arc<Reads>,
    engine: Arc<Engine>,
    current: Arc<Current>,
}

#[derive(Debug)]
pub(super) enum Engine {
    Sqlite(sqlite::Engine),
    Postgres(postgres::Engine),
}

impl Store {
    /// Opens a database and checks that it answers. It does not change the schema.
    pub async fn open(options: &Options) -> Result<Self, Error> {
        let url = options.url.expose_secret();
        let engine = if url.starts_with("sqlite:") {
            Engine::Sqlite(sqlite::Engine::open(options).await?)
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Engine::Postgres(postgres::Engine::open(options).await?)
        } else {
            let text = "the database URL must begin with sqlite:// or postgres://";
            return Err(Error::Configuration(text.to_owned()));
        };
        let engine = Arc::new(engine);
        let store = Self {
            reads: Arc::new(Reads::in_pool(Arc::clone(&engine))),
            engine,
            current: Arc::default(),
        };
        if options.is_pooled {
            let lacking = store.lacking_settings().await?;
            if !lacking.is_empty() {
                tracing::warn!(
                    statements = lacking.join(" "),
                    "the database's role lacks settings that core cannot make through a pooler"
                );
            }
        }
        Ok(store)
    }

    /// The replica, if there is one, and what it is compared with.
    pub(super) fn standby(&self) -> Option<(&postgres::Standby, &Current)> {
        match &*self.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(engine) => Some((engine.standby()?, &self.current)),
        }
    }

    /// Runs the migrations that are missing.
    pub async fn migrate(&self) -> Result<(), Error> {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.migrate().await,
            Engine::Postgres(engine) => engine.migrate().await,
        }
    }

    /// Fails if the database lacks migrations.
    pub async fn require_schema(&self) -> Result<(), Error> {
        let pending = self.pending_migrations().await?;
        let which = match &pending[..] {
            [] => return Ok(()),
            [first, .., last] => format!("{} migrations, {first} to {last}", pending.len()),
            [only] => format!("migration {only}"),
        };
        let text = format!("the database lacks {which}: run the command migrate first");
        Err(Error::Configuration(text))
    }

    /// Begins a transaction. Dropping it without [`Tx::commit`] rolls it back. On SQLite there is one at a time.
    pub async fn begin(&self) -> Result<Tx, Error> {
        let began = traces::now();
        let inner = match &*self.engine {
            Engine::Sqlite(engine) => engine.begin().await.map(Inner::Sqlite),
            Engine::Postgres(engine) => engine.begin().await.map(Inner::Postgres),
        };
        traces::ended(began, DATABASE, "begin", inner.is_ok());
        inner.map(|inner| Tx {
            reads: Reads::in_transaction(inner),
        })
    }

    /// Begins several reads on one connection, for settings and plans that last as long as a transaction. On SQLite they are as any others.
    pub(super) async fn begin_read(&self) -> Result<Reads, Error> {
        Ok(match &*self.engine {
            Engine::Sqlite(_) => Reads::in_pool(Arc::clone(&self.engine)),
            Engine::Postgres(engine) => {
                Reads::in_transaction(Inner::Postgres(engine.begin_read().await?))
            }
        })
    }

    /// Whether each statement is a way to a server and back. A transaction on SQLite takes none.
    pub fn is_on_server(&self) -> bool {
        matches!(&*self.engine, Engine::Postgres(_))
    }

    /// Adds an event, as [`Tx::insert_event`] does, without a transaction around it, and answers its slug. `None`, and nothing written, if both
    /// its slugs are taken, or if the account has changed in what decides; on SQLite always. After [`Error::UnknownOutcome`] it must not be
    /// repeated blindly.
    pub async fn add_event(&self, addition: &Addition<'_>) -> Result<Option<String>, Error> {
        let Engine::Postgres(engine) = &*self.engine else {
            return Ok(None);
        };
        let began = traces::now();
        let added = engine.add_event(addition).await;
        traces::ended(began, DATABASE, "add_event", added.is_ok());
        added
    }

    /// How many concurrent transactions are useful: one on SQLite, which has one writer.
    pub fn parallel_writers(&self) -> usize {
        match &*self.engine {
            Engine::Sqlite(_) => 1,
            // More gained nothing on two processors, and most of the pool must stay free for requests.
            Engine::Postgres(_) => 4,
        }
    }

    /// Removes deleted data from the database's files. On PostgreSQL, autovacuum does this.
    pub async fn forget_deleted(&self) -> Result<(), Error> {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.forget_deleted().await,
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// Copies a SQLite database to a new file, as it is at one moment, and returns the copy's size in bytes. Others may write
    /// meanwhile.
    pub async fn back_up(&self, file: &Path) -> Result<u64, Error> {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.back_up(file).await,
            Engine::Postgres(_) => {
                let text = "PostgreSQL has programs of its own for this: pg_dump, pg_basebackup";
                Err(Error::Configuration(text.to_owned()))
            }
        }
    }

    /// Tells of outages as soon as they are noticed.
    pub fn outages(&self) -> Outages {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.outages(),
            Engine::Postgres(engine) => engine.outages(),
        }
    }

    /// How long the replica, if there is one, takes to have what the primary has now; or what is wrong with it.
    pub async fn replica_lag(&self) -> Option<Result<Duration, String>> {
        match &*self.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(engine) => engine.replica_lag().await,
        }
    }

    /// Closes the connections, waiting for those in use.
    pub async fn close(&self) {
        match &*self.engine {
            Engine::Sqlite(engine) => engine.close().await,
            Engine::Postgres(engine) => engine.close().await,
        }
    }
}

impl Deref for Store {
    type Target = Reads;

    fn deref(&self) -> &Reads {
        &self.reads
    }
}

/// How often a read is done at most that collides with transactions, as it may where they are serializable.
pub(super) const MOST_TRIES: u8 = 5;

/// Gives `Store` a method for each statement that reads, on a connection of its own.
macro_rules! reads {
    ($($(#[$doc:meta])* $queries:ident::$name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Store {$(
            $(#[$doc])*
            pub async fn $name(&self, $($argument: $type),*) -> Result<$answer, Error> {
                let began = traces::now();
                let answer = match &*self.engine {
                    Engine::Sqlite(engine) => loop {
                        let mut reader = engine.reader().await?;
                        let answer = sqlite::$queries::$name(&mut reader, $($argument),*).await;
                        if reader.give_back(answer.as_ref().err()).await {
                            break answer;
                        }
                    },
                    Engine::Postgres(engine) => {
                        let mut tries = 1;
                        loop {
                            let mut reader = engine.reader().await?;
                            let watch = reader.watch();
                            let watched = watch.over(pin!(postgres::$queries::$name(&mut reader, $($argument),*))).await;
                            if watched.is_given_up {
                                reader.forsake();
                                break watched.answer;
                            }
                            let answer = watched.answer;
                            let is_final = reader.give_back(answer.as_ref().err()).await;
                            if matches!(answer, Err(Error::Collision(_))) && tries < MOST_TRIES {
                                tries += 1;
                            } else if is_final {
                                break answer;
                            }
                        }
                    }
                };
                traces::ended(began, DATABASE, stringify!($name), answer.is_ok());
                answer
            }
        )*}
    };
}

reads! {
    /// Whether the database answers.
    schema::ping() -> ();
    /// The time of the database server's clock; `None` without a server.
    schema::server_time() -> Option<Instant>;
    /// What a role lacks that connects through a pooler, as statements that set it. Without a pooler, core sets it itself.
    schema::lacking_settings() -> Vec<String>;
    /// The names of missing migrations; a core must not serve while there are any.
    schema::pending_migrations() -> Vec<String>;

    /// A page of the catalogue: live events that have not ended, by start, then id. The offset counts from a place, or from the first.
    catalogue::list_live_events(now: Instant, after: Option<Place>, limit: i64, offset: i64) -> Vec<(Event, Counters)>;
    /// The place of the `step`th event of the catalogue after a place, or from the first.
    catalogue::find_mark(now: Instant, after: Option<Place>, step: i64) -> Option<Place>;
    /// The number of events in the catalogue.
    catalogue::count_live_events(now: Instant) -> i64;
    /// A page of the events in the catalogue that match a filter, by start, then id. There are pages of the first
    /// [`crate::domain::catalogue::MOST_MATCHES`] only.
    search::search_catalogue(filter: &CatalogueFilter, now: Instant, limit: i64, offset: i64) -> CatalogueMatches;
    /// Whether events wait for [`Tx::index_events`], so that searches may miss some.
    search::has_events_to_index() -> bool;
    /// A number that increases with every committed change of the catalogue. Registrations do not change it, nor does the end
    /// of an event, which is known before.
    catalogue::catalogue_version() -> i64;
    /// The same, how many changes of seats there were, and when the next event ends.
    news::catalogue_state(now: Instant) -> CatalogueState;
    /// What [`Store::catalogue_reads`] compares a replica with.
    news::catalogue_shards() -> CatalogueVersion;
    /// The slugs of at most `limit` events of which another number of seats is left than at these versions.
    news::list_seat_changes(known: &[ShardVersion], limit: i64) -> Vec<String>;
    /// The event with this slug, in any state.
    catalogue::find_event_by_slug(slug: &str) -> Option<Event>;
    /// The same with its counters.
    catalogue::find_event_and_counters(slug: &str) -> Option<(Event, Counters)>;

    /// An account's events after a place: active ones with the next start first, others with the latest first.
    my_events::list_account_events(account: AccountId, filter: &MyEventsFilter, now: Instant, after: Option<Place>, limit: i64)
        -> Vec<ListedEvent>;
    /// All of an account's events with everything that is stored of them, after a place, the latest first.
    my_events::list_whole_events(account: AccountId, now: Instant, after: Option<Place>, limit: i64) -> Vec<(Event, Counters)>;
    /// The first of an account's events, and the number of all that match the filter, up to `most`.
    my_events::list_and_count_account_events(account: AccountId, filter: &MyEventsFilter, now: Instant, limit: i64, most: i64)
        -> FirstEvents;
    /// How many changes of events and of seats there were.
    event_changes::events_version() -> EventsVersion;
    /// The number of an account's events that match the filter, up to `most`.
    my_events::count_account_events(account: AccountId, filter: &MyEventsFilter, now: Instant, most: i64) -> i64;
    /// Those of these events that are there, in no order.
    my_events::list_these_events(ids: &[EventId]) -> Vec<ListedEvent>;
    /// The number of the latest change of events of each shard: who has seen it sees all changes with lower ones.
    event_changes::list_latest_changes() -> Vec<i64>;
    /// What searches look at of an account's events after a place, by start, then id.
    event_changes::list_searched_events(account: AccountId, after: Option<Place>, limit: i64) -> Vec<SearchedEvent>;
    /// The changes of an account's events since these numbers, in no order: of each event the last one. If there are more than
    /// [`crate::domain::event::MOST_CHANGES`], some are missing.
    event_changes::list_event_changes(account: AccountId, since: &[i64]) -> Vec<EventChange>;
    /// The number of an account's events that are neither cancelled nor ended, up to `most`.
    my_events::count_active_events(account: AccountId, now: Instant, most: i64) -> i64;
    /// An event, if it is the account's.
    events::find_account_event(account: AccountId, event: EventId) -> Option<(Event, Counters)>;

    /// An event of any account.
    events::find_event(event: EventId) -> Option<Event>;

    /// The audit log of a subject, oldest first.
    audit::list_audit(subject: Uuid, limit: i64) -> Vec<AuditRecord>;
}
