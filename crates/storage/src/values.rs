//! How single values are stored, the same on both engines.

use domain::{
    catalogue::{Starts, search_words},
    event::{Event, ListedEvent},
    ids::{AccountId, ClientId, EventId, GrantId, KeyId, PersonId, RegistrationId, SeriesId},
    instant::Instant,
    job::{Destination, JobKey},
    mail::GuestMail,
    oauth::Grant,
    period::Period,
    person::{Reach, Rights},
    registration::{Counters, Status},
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Error;

/// Someone who gets a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// Their place in the order of registering.
    pub seq: i64,
    /// Their name.
    pub name: String,
    /// Their address.
    pub email: String,
    /// Whether an organizer added them.
    pub is_added: bool,
}

/// Which of an account's events to list (rule 6 of docs/rules.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventFilter {
    /// Not cancelled and not ended.
    Active,
    /// Ended.
    Past,
    /// All events.
    All,
}

/// Which of an account's events to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyEventsFilter {
    /// Only those with this status.
    pub status: EventFilter,
    /// Only those whose title, location or city contains this text, without regard to case and accents.
    pub text: Option<String>,
    /// Only those that start then.
    pub starts: Starts,
    /// Only the dates of this series.
    pub series: Option<SeriesId>,
    /// Only those in reach.
    pub reach: Reach,
}

impl From<EventFilter> for MyEventsFilter {
    fn from(status: EventFilter) -> Self {
        Self {
            status,
            text: None,
            starts: Starts::default(),
            series: None,
            reach: Reach::Account,
        }
    }
}

impl MyEventsFilter {
    pub(crate) fn folded_text(&self) -> Option<String> {
        self.text.as_deref().map(search_words::folded)
    }
}

/// The first of an account's events, by [`Reads::list_and_count_account_events`](super::Reads::list_and_count_account_events).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstEvents {
    /// The events.
    pub events: Vec<ListedEvent>,
    /// The number of all that match, up to the most that are counted.
    pub count: i64,
}

/// How many words of a search may be in any order. Names have fewer, and a statement names each.
const MAX_FREE_WORDS: usize = 8;

/// Which of an event's registrations to list; all by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegistrationFilter {
    /// Only those with this status.
    pub status: Option<Status>,
    /// Only those whose name or email address contains each word of this text, in any order and without regard to case and accents. Those
    /// come first in whom the words begin so.
    pub text: Option<String>,
    /// Whether the text is looked for in names alone.
    pub is_by_name: bool,
    /// Whether those that await the organizer's approval come first.
    pub approval_first: bool,
    /// Only those that were made then.
    pub registered: Period,
}

impl RegistrationFilter {
    /// Whether it matches every registration, or every one with a status: as many as the event's counters say.
    pub fn is_counted(&self) -> bool {
        self.text.is_none() && self.registered == Period::default()
    }

    /// Whether they are in another order than that of registering.
    pub fn is_ranked(&self) -> bool {
        self.text.is_some() || self.approval_first
    }

    /// The words that are looked for, folded; unused ones are empty, and in every text. Those from [`MAX_FREE_WORDS`] on are one: they must
    /// stand in this order.
    pub(super) fn words(&self) -> [String; MAX_FREE_WORDS] {
        let folded = search_words::folded(self.text.as_deref().unwrap_or_default());
        let mut given = folded.split([' ', ',']).filter(|word| !word.is_empty());
        let mut words = [(); MAX_FREE_WORDS].map(|()| given.next().unwrap_or_default().to_owned());
        if let Some(last) = words.last_mut() {
            for word in given {
                last.push(' ');
                last.push_str(word);
            }
        }
        words
    }
}

/// A page of what a search of the catalogue matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueMatches {
    /// The events, by start, then id, with their counters of the same moment.
    pub events: Vec<(Event, Counters)>,
    /// The number of matches. If it is above [`domain::catalogue::MAX_MATCHES`], there may be more.
    pub matches: i64,
}

/// The same before the events are read.
#[derive(Debug, Default)]
pub(super) struct MatchPage {
    pub(super) events: Vec<EventId>,
    pub(super) matches: i64,
}

/// The stored answer for an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Whether the request is the same.
    pub is_of_this_request: bool,
    /// The encrypted answer.
    pub sealed: Vec<u8>,
}

/// A row of the audit log, as read; [`domain::audit::AuditEntry`] is written.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// When.
    pub at: Instant,
    /// On whose account.
    pub account_id: Option<AccountId>,
    /// Who: `key`, `person`, `app`, `admin`, `attendee` or `system`.
    pub actor: String,
    /// By which key, when by a key.
    pub key_id: Option<KeyId>,
    /// By whom, when by a person who had signed in; for whom, when by an app.
    pub person_id: Option<PersonId>,
    /// By which app, when by an app.
    pub grant_id: Option<GrantId>,
    /// What, for example `event.cancel`.
    pub action: String,
    /// To what.
    pub subject_id: Uuid,
    /// The changed fields before.
    pub before: Option<serde_json::Value>,
    /// The changed fields after.
    pub after: Option<serde_json::Value>,
    /// Why.
    pub reason: Option<String>,
}

/// What is read of the audit log of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivityView {
    /// Only what is about this event.
    pub event: Option<EventId>,
    /// When it happened.
    pub period: Period,
    /// Whether what happened to events is among it.
    pub has_events: bool,
    /// Whether what happened to members as people is among it.
    pub has_people: bool,
}

/// A job that is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRecord {
    /// Its key.
    pub key: JobKey,
    /// Its stored payload.
    pub payload: Option<String>,
    /// How many times it was started.
    pub attempts: i32,
    /// How many of those count against it.
    pub tries: i32,
    /// When it may be started next; the end of the lease while it runs.
    pub due_at: Instant,
    /// When it failed.
    pub failed_at: Option<Instant>,
    /// Since when it is held; not due until it is released.
    pub held_at: Option<Instant>,
    /// Why the last try failed.
    pub last_error: Option<String>,
    /// When it was scheduled.
    pub created_at: Instant,
}

/// The jobs of one kind for one destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobQueue {
    /// The destination.
    pub destination: Destination,
    /// The name of their kind, which may be a kind of a newer version.
    pub kind: String,
    /// When the first of them is due.
    pub first_due_at: Instant,
}

/// A mail that was not sent: it waits, is held, or failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsentMail {
    /// The job; its subject is a registration, a code or an invitation.
    pub job: JobRecord,
    /// The recipient, and the event; unknown for mails to members.
    pub recipient: Option<MailRecipient>,
}

/// Whether a claimed mail may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clearance {
    /// It may.
    Granted,
    /// It is held, or its account or its event is, so that it is to be held, too.
    Held,
    /// It was dropped meanwhile, or its lease was lost.
    Withdrawn,
}

/// The state of the mail queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailQueue {
    /// Mails that wait for a try or are being sent.
    pub waiting: i64,
    /// When the oldest of those was scheduled.
    pub oldest: Option<Instant>,
    /// Mails that are held.
    pub held: i64,
    /// Failed mails.
    pub failed: i64,
}

/// The recipient of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRecipient {
    /// The registrant's address.
    pub email: String,
    /// The event's account.
    pub account_id: AccountId,
    /// The event's title.
    pub title: String,
    /// The event's slug.
    pub slug: String,
    /// Whether the event is cancelled.
    pub is_cancelled: bool,
}

/// A mail whose job ended, as a report finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMail {
    /// The key of its job.
    pub key: JobKey,
    /// The hash of the mailbox that it was for.
    pub mailbox: [u8; 32],
    /// The address that its registration has now.
    pub email: Option<String>,
}

/// A mail that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndeliveredMail {
    /// The registration that it was for.
    pub registration: RegistrationId,
    /// The address that the registration has now.
    pub email: String,
    /// What became of it.
    pub mail: GuestMail,
}

/// A mailbox that gets no mails, or none of some kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedMailbox {
    /// The SHA-256 of the mailbox.
    pub mailbox: [u8; 32],
    /// Whose mails it does not get, where a person refused those of one account; nil where the operator decided for all.
    pub account_id: Option<AccountId>,
    /// The name of a [`StopReason`](domain::mail::StopReason), or `suppressed`.
    pub reason: String,
    /// Since when.
    pub created_at: Instant,
    /// An address of the mailbox, if one is known.
    pub email: Option<String>,
}

/// A client of OAuth, with what it says of itself as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredClient {
    /// Its identifier here.
    pub id: ClientId,
    /// Its identifier in OAuth.
    pub client_id: String,
    /// What it says of itself, as JSON.
    pub metadata: String,
    /// Its name for people.
    pub name: String,
    /// When it was first seen.
    pub created_at: Instant,
    /// Until when its document counts as it was read.
    pub fresh_until: Option<Instant>,
}

/// A grant with its client, its account, and the rights of its person there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredConnection {
    /// The grant.
    pub grant: Grant,
    /// The client.
    pub client: StoredClient,
    /// The name of the account.
    pub account_name: String,
    /// The rights.
    pub rights: Rights,
}

/// A stock cover's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCover {
    /// The image.
    pub jpeg: Vec<u8>,
    /// Its SHA-256.
    pub digest: [u8; 32],
}

impl StoredCover {
    /// The file with its digest.
    pub fn new(jpeg: Vec<u8>) -> Self {
        let digest = Sha256::digest(&jpeg).into();
        Self { jpeg, digest }
    }
}

/// The text of a registration that the organizer's search looks through.
pub(super) fn search_text(name: &str, email: &str, companions: &[String]) -> String {
    let texts = [name, email].into_iter();
    let texts = texts.chain(companions.iter().map(String::as_str));
    texts
        .map(search_words::folded)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The longest text that the owner's search looks through, in bytes: an entry of an index on PostgreSQL has room for it. Only texts of
/// hundreds of rare characters are longer.
const MAX_SEARCH_TEXT_LENGTH: usize = 2_400;

/// The text of an event that its owner's search looks through.
pub(super) fn event_search_text(event: &Event) -> String {
    let city = event.city.as_deref().unwrap_or_default();
    let mut text = [&*event.title, city, &*event.location]
        .map(search_words::folded)
        .join(" ");
    text.truncate(text.floor_char_boundary(MAX_SEARCH_TEXT_LENGTH));
    text
}

/// A folded city as a word of the search index, in which no other word begins like it.
pub(super) fn city_word(name: &str) -> String {
    format!("={name}")
}

/// The account of an event as a word of the search index. No other word begins like it.
pub(super) fn organizer_word(account: AccountId) -> String {
    format!("_{}", account.uuid().simple())
}

/// The series of an event as a word of the search index. It begins like that of an account, and no id is both.
pub(super) fn series_word(series: SeriesId) -> String {
    format!("_{}", series.uuid().simple())
}

/// The counter row of an event. UUIDv7 ends in random bits, so events spread evenly.
pub(super) const fn shard(event: Uuid) -> u8 {
    let [.., last] = *event.as_bytes();
    last % SHARDS
}

/// No id that was made at that moment or later is less.
pub(super) fn first_id_at(moment: Instant) -> Uuid {
    let millis = u64::try_from(moment.micros().div_euclid(1_000)).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid()
}

/// Rows of `catalogue_totals`, created by the first migration: enough that concurrent creates seldom use the same one.
pub(super) const SHARDS: u8 = 16;

pub(super) fn corrupt(what: &'static str, text: &str) -> Error {
    Error::Corrupt {
        what,
        text: format!("{text:?}"),
    }
}
