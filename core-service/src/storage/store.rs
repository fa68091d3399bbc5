//! Single reads, and beginning a transaction.

use std::{collections::HashMap, path::Path, pin::pin, sync::Arc};

use process::traces;
use secrecy::ExposeSecret;
use tokio::{sync::watch, time::Instant as Moment};
use uuid::Uuid;

use super::{
    AuditRecord, CatalogueMatches, Error, FailedMail, FirstEvents, JobQueue, JobRecord, KeptAnswer,
    MailQueue, MyEventsFilter, Options, RegistrationFilter, StoredClient, StoredConnection,
    StoredCover, Tx, postgres, sqlite, tx::Inner,
};
use crate::domain::{
    account::{Account, AccountContents, ApiKey},
    activity::Activity,
    catalogue::{CatalogueFilter, EventAddress, Sitemap},
    check_in_code::CheckInCode,
    cursor::Place,
    event::{Event, ListedEvent, TimeAndPlace, WhenAndWhere},
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
pub struct Store(Arc<Engine>);

#[derive(Debug)]
enum Engine {
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
        let store = Self(Arc::new(engine));
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

    /// Runs the migrations that are missing.
    pub async fn migrate(&self) -> Result<(), Error> {
        match &*self.0 {
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
        let inner = match &*self.0 {
            Engine::Sqlite(engine) => engine.begin().await.map(Inner::Sqlite),
            Engine::Postgres(engine) => engine.begin().await.map(Inner::Postgres),
        };
        traces::ended(began, DATABASE, "begin", inner.is_ok());
        inner.map(Tx)
    }

    /// How many concurrent transactions are useful: one on SQLite, which has one writer.
    pub fn parallel_writers(&self) -> usize {
        match &*self.0 {
            Engine::Sqlite(_) => 1,
            // More gained nothing on two processors, and most of the pool must stay free for requests.
            Engine::Postgres(_) => 4,
        }
    }

    /// Removes deleted data from the database's files. On PostgreSQL, autovacuum does this.
    pub async fn forget_deleted(&self) -> Result<(), Error> {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.forget_deleted().await,
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// Copies a SQLite database to a new file, as it is at one moment, and returns the copy's size in bytes. Others may write
    /// meanwhile.
    pub async fn back_up(&self, file: &Path) -> Result<u64, Error> {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.back_up(file).await,
            Engine::Postgres(_) => {
                let text = "PostgreSQL has programs of its own for this: pg_dump, pg_basebackup";
                Err(Error::Configuration(text.to_owned()))
            }
        }
    }

    /// Tells of outages as soon as they are noticed.
    pub fn outages(&self) -> Outages {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.outages(),
            Engine::Postgres(engine) => engine.outages(),
        }
    }

    /// Closes the connections, waiting for those in use.
    pub async fn close(&self) {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.close().await,
            Engine::Postgres(engine) => engine.close().await,
        }
    }
}

/// How often a read is done at most that collides with transactions, as it may where they are serializable.
const MOST_TRIES: u8 = 5;

/// Gives `Store` a method for each statement that reads, on a connection of its own.
macro_rules! reads {
    ($($(#[$doc:meta])* $queries:ident::$name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Store {$(
            $(#[$doc])*
            pub async fn $name(&self, $($argument: $type),*) -> Result<$answer, Error> {
                let began = traces::now();
                let answer = match &*self.0 {
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

    /// A page of the catalogue: live events that have not ended, by start, then id.
    catalogue::list_live_events(now: Instant, limit: i64, offset: i64) -> Vec<(Event, Counters)>;
    /// The number of events in the catalogue.
    catalogue::count_live_events(now: Instant) -> i64;
    /// A page of the events in the catalogue that match a filter, by start, then id. There are pages of the first
    /// [`crate::domain::catalogue::MOST_MATCHES`] only.
    search::search_catalogue(filter: &CatalogueFilter, now: Instant, limit: i64, offset: i64) -> CatalogueMatches;
    /// Whether events wait for [`Tx::index_events`], so that searches may miss some.
    search::has_events_to_index() -> bool;
    /// The sitemaps of the catalogue: its live events that have not ended, by id, in parts of
    /// [`crate::domain::catalogue::SITEMAP_EVENTS`].
    sitemaps::list_sitemaps(now: Instant) -> Vec<Sitemap>;
    /// Events of the catalogue by id: those after the one with this slug, or all.
    sitemaps::list_event_addresses(now: Instant, after: Option<&str>, limit: i64, offset: i64) -> Vec<EventAddress>;
    /// The counters of these events, in no order.
    seats::list_counters(ids: &[EventId]) -> Vec<(EventId, Counters)>;
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
    /// The number of an account's events that match the filter, up to `most`.
    my_events::count_account_events(account: AccountId, filter: &MyEventsFilter, now: Instant, most: i64) -> i64;
    /// Whether an account has events that wait for [`Tx::fold_events`], so that searches may miss some.
    lists::has_unfolded_events(account: AccountId) -> bool;
    /// Whether an event has registrations that wait for [`Tx::fold_registrations`], so that searches may miss some.
    lists::has_unfolded_registrations(event: EventId) -> bool;
    /// The number of an account's events that are neither cancelled nor ended, up to `most`.
    my_events::count_active_events(account: AccountId, now: Instant, most: i64) -> i64;
    /// An event, if it is the account's.
    events::find_account_event(account: AccountId, event: EventId) -> Option<(Event, Counters)>;

    /// At most `limit` events whose organizer is named, and which are the account's or have the address, which is normalised.
    accounts::list_events_with_contact(account: Option<AccountId>, email_norm: &str, limit: i64) -> Vec<EventId>;
    /// An event of any account.
    events::find_event(event: EventId) -> Option<Event>;

    /// The number of an event's active and confirmed registrants who know another time and place than `next`. Those who were told nothing
    /// else know `known`.
    announcements::count_who_know_another(event: EventId, known: TimeAndPlace, next: TimeAndPlace) -> i32;

    /// The photograph that is an event's cover.
    stock_covers::find_stock_cover(event: EventId) -> Option<StoredCover>;

    /// A page of an event's registrations after a number that match the filter, in the order of registering.
    lists::search_registrations(event: EventId, filter: &RegistrationFilter, after_seq: i64, limit: i64, offset: i64)
        -> Vec<Registration>;
    /// The number of an event's registrations that match the filter.
    lists::count_registrations(event: EventId, filter: &RegistrationFilter) -> i64;
    /// An event's registrations after a number in the order of registering; the first is 1.
    registrations::list_registrations(event: EventId, after_seq: i64, limit: i64) -> Vec<Registration>;
    /// When and where an event was to take place before a change, if that is remembered.
    announcements::find_former(event: EventId, known: TimeAndPlace) -> Option<WhenAndWhere>;
    /// One registration of an event.
    registrations::find_registration(event: EventId, registration: RegistrationId) -> Option<Registration>;
    /// Those of these registrations that are for an event, in the order of registering.
    seats::find_registrations(event: EventId, ids: &[RegistrationId]) -> Vec<Registration>;
    /// The registration with this check-in code.
    links::find_registration_by_code(code: &CheckInCode) -> Option<Registration>;
    /// A registration with the data for its mails.
    registrations::find_registrant(registration: RegistrationId) -> Option<Registrant>;
    /// Registrations of a normalised e-mail address, for all events and in any status.
    registrations::list_registrations_of(email_norm: &str, limit: i64) -> Vec<Registration>;
    /// How many registrations such an address has, and for how many events.
    registrations::count_registrations_of(email_norm: &str) -> (i64, i64);
    /// The position on the waitlist, from 1.
    seats::waitlist_position(event: EventId, seq: i64) -> i64;
    /// At most `limit` events with unconfirmed registrations whose time is over: see [`Tx::release_held_seats`] and
    /// [`Tx::lapse_registrations`].
    confirmations::list_events_to_settle(now: Instant, limit: i64) -> Vec<EventId>;
    /// The new details of a repeated registration, if they differ from those of the first one.
    details::find_new_details(registration: RegistrationId, occasion: i32, now: Instant) -> Option<Details>;
    /// The new details that a private link offers.
    details::find_new_details_by_link(hash: &[u8; 32], now: Instant) -> Option<Details>;
    /// The registration of a private link, by the SHA-256 of the link's token.
    links::find_registration_by_link(hash: &[u8; 32]) -> Option<Registration>;

    /// An account.
    accounts::find_account(account: AccountId) -> Option<Account>;
    /// What goes with an account.
    owners::account_contents(account: AccountId, now: Instant) -> AccountContents;
    /// All accounts, the oldest first.
    owners::list_accounts(limit: i64) -> Vec<Account>;
    /// At most `limit` accounts whose rows are to be deleted.
    owners::list_removed_accounts(limit: i64) -> Vec<AccountId>;
    /// The mails that count against an account's daily quota.
    accounts::find_mail_count(account: AccountId) -> Option<MailCount>;
    /// The account of which the person with this address, in any case, is an owner; the one that they own for longest.
    accounts::find_account_by_email(email: &str) -> Option<Account>;
    /// A person.
    people::find_person(person: PersonId) -> Option<Person>;
    /// The person with this address, in any case.
    people::find_person_by_email(email: &str) -> Option<Person>;
    /// The role of a member.
    memberships::find_role(account: AccountId, person: PersonId) -> Option<Role>;

    /// New registrations for an account's events in a time, for the events with the most.
    organizer_mails::list_event_news(account: AccountId, span: Span, now: Instant, limit: i64) -> Vec<EventNews>;
    /// The names of people who registered in a time, by event, of the `limit` latest.
    organizer_mails::list_new_names(account: AccountId, span: Span, limit: i64) -> HashMap<EventId, Vec<String>>;
    /// The members of an account, with what they want to be mailed; those of the longest standing first.
    organizer_mails::list_organizers(account: AccountId, limit: i64) -> Vec<(PersonId, Organizer)>;
    /// A member of an account, with what they want to be mailed.
    organizer_mails::find_organizer(account: AccountId, person: PersonId) -> Option<Organizer>;

    /// The accounts of a person, by name.
    memberships::list_memberships_of(person: PersonId, limit: i64) -> Vec<Membership>;
    /// The members of an account, by name.
    memberships::list_members(account: AccountId, limit: i64) -> Vec<Member>;
    /// The invitations of an account that wait, the newest first.
    invitations::list_invitations_of(account: AccountId, now: Instant, limit: i64) -> Vec<SentInvitation>;
    /// The keys of an account that are not revoked, the newest first.
    keys::list_member_keys(account: AccountId, limit: i64) -> Vec<MemberKey>;
    /// Whether an invitation waits for an address.
    invitations::is_invited(address: &str, now: Instant) -> bool;
    /// The invitation with this id, if it has not lapsed.
    invitations::find_invitation(invitation: InvitationId, now: Instant) -> Option<SentInvitation>;
    /// The invitations that wait for an address, the newest first.
    invitations::list_invitations_to(address: &str, now: Instant, limit: i64) -> Vec<SentInvitation>;
    /// A code.
    codes::find_code(code: CodeId) -> Option<Code>;
    /// The session with this SHA-256, also if it has ended, and the standing of its person in its account.
    sessions::find_session_by_hash(hash: &[u8; 32]) -> Option<(Session, Option<Standing>)>;
    /// A session.
    sessions::find_session(session: SessionId) -> Option<Session>;
    /// A person's sessions that have not ended, the last used first.
    sessions::list_sessions(person: PersonId, now: Instant, limit: i64) -> Vec<Session>;

    /// The key with this SHA-256, also if revoked or expired, and the standing of the person for whom it acts. None if that person is no
    /// member of its account any more.
    keys::find_key_by_hash(hash: &[u8; 32]) -> Option<(ApiKey, Standing)>;
    /// A key and its account.
    keys::find_key(key: KeyId) -> Option<(ApiKey, Account)>;
    /// All keys with their accounts, by account and age.
    keys::list_keys(limit: i64) -> Vec<(ApiKey, Account)>;

    /// The client of OAuth with this identifier.
    oauth_clients::find_client(client_id: &str) -> Option<StoredClient>;
    /// A client of OAuth.
    oauth_clients::get_client(client: ClientId) -> Option<StoredClient>;
    /// An authorization that was begun in a session and a browser after a moment, and is not decided.
    oauth_codes::find_authorization(id: AuthorizationId, session: SessionId, browser: &Hash, begun_after: Instant)
        -> Option<Authorization>;
    /// The access token with this SHA-256, also if it has expired, its grant, and the standing of the person for whom it acts. None if that
    /// person is no member of the account any more.
    oauth_tokens::find_access_token(hash: &Hash) -> Option<(AccessToken, Grant, Standing)>;
    /// A grant, also if it is revoked.
    oauth_grants::find_grant(grant: GrantId) -> Option<Grant>;
    /// A person's grants that have not ended, the last used first.
    oauth_grants::list_connections(person: PersonId, now: Instant, limit: i64) -> Vec<StoredConnection>;

    /// The stored answer for the key of a call, if it is not too old.
    idempotency_keys::find_kept_answer(call: &KeyedCall, now: Instant) -> Option<KeptAnswer>;

    /// The audit log of an account, or of one of its events, in a period and after a place, latest first, with names.
    activity::list_activity(account: AccountId, event: Option<EventId>, period: Period, after: Option<Place>, limit: i64)
        -> Vec<Activity>;
    /// The audit log of a subject, oldest first.
    audit::list_audit(subject: Uuid, limit: i64) -> Vec<AuditRecord>;
    /// The kinds of jobs that have not failed, for at most `limit` destinations after one in alphabetical order.
    jobs::list_job_queues(after: &str, limit: i64) -> Vec<JobQueue>;
    /// The number of jobs of a kind and destination that are due, up to `most`.
    jobs::count_due_jobs(destination: &Destination, kind: JobKind, now: Instant, most: i64) -> i64;
    /// The numbers of failed jobs by kind, of the `most` that failed first.
    jobs::count_failed_jobs(most: i64) -> Vec<(String, i64)>;
    /// The jobs of a kind, including failed ones.
    jobs::list_jobs(kind: JobKind, limit: i64) -> Vec<JobRecord>;
    /// Failed mails, the latest first.
    mails::list_failed_mails(limit: i64) -> Vec<FailedMail>;
    /// The state of the mail queue.
    mails::mail_queue() -> MailQueue;
    /// The number of failed mails.
    mails::count_failed_mails() -> i64;
}
