//! One transaction: reads under its locks, and every write.

use std::{pin::pin, time::Duration};

use process::traces;

use super::{Error, FailedMail, StoredClient, StoredCover, postgres, sqlite, store::DATABASE};
use crate::domain::{
    account::{Account, AccountContents, ApiKey},
    announcement::Announcement,
    audit::AuditEntry,
    budget::{BrowserHash, Budget},
    event::{Event, TimeAndPlace, WhenAndWhere},
    ids::{
        AccountId, AuthorizationId, ClientId, CodeId, EventId, GrantId, InvitationId, KeyId,
        PersonId, RegistrationId, SessionId,
    },
    image_credit::ImageCredit,
    instant::Instant,
    invitation::{Invitation, SentInvitation},
    job::{ClaimedJob, Destination, Job, JobKey, JobKind},
    keyed_call::KeyedCall,
    mail_quota::MailCount,
    oauth::{
        AccessToken, Authorization, AuthorizationCode, Grant, Hash, RefreshToken,
        rotation::Successor,
    },
    organizer_mail::{Collection, MailChoice, Span},
    person::{Member, MemberKey, Membership, Person, Role, Standing},
    plan::Plan,
    registration::{Counters, Details, NewDetails, Registration, Seats},
    session::Session,
    sign_in_code::{Code, Holder, Purpose},
};

/// A transaction. Take locks in the order idempotency key, person, account, grant, counters, event. Dropping it without a commit rolls it
/// back.
///
/// It cannot be used after an error: PostgreSQL has aborted it.
#[derive(Debug)]
pub struct Tx(pub(super) Inner);

#[derive(Debug)]
pub(super) enum Inner {
    Sqlite(sqlite::Transaction),
    Postgres(postgres::Transaction),
}

impl Tx {
    /// Commits the changes. After [`Error::UnknownOutcome`] they must not be repeated blindly.
    pub async fn commit(self) -> Result<(), Error> {
        let began = traces::now();
        let committed = match self.0 {
            Inner::Sqlite(transaction) => transaction.commit().await,
            Inner::Postgres(transaction) => transaction.commit().await,
        };
        traces::ended(began, DATABASE, "commit", committed.is_ok());
        committed.map_err(Error::of_commit)
    }
}

/// Gives `Tx` a method for each statement.
macro_rules! statements {
    ($($(#[$doc:meta])* $queries:ident::$name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Tx {$(
            $(#[$doc])*
            pub async fn $name(&mut self, $($argument: $type),*) -> Result<$answer, Error> {
                let began = traces::now();
                let answer = match &mut self.0 {
                    Inner::Sqlite(transaction) => {
                        let watch = transaction.watch();
                        let statement = sqlite::$queries::$name(transaction.statement(), $($argument),*);
                        let watched = watch.over(pin!(statement)).await;
                        transaction.ended(watched)
                    }
                    Inner::Postgres(transaction) => {
                        let watch = transaction.watch();
                        let statement = postgres::$queries::$name(transaction.statement(), $($argument),*);
                        let watched = watch.over(pin!(statement)).await;
                        transaction.ended(watched)
                    }
                };
                traces::ended(began, DATABASE, stringify!($name), answer.is_ok());
                answer
            }
        )*}
    };
}

statements! {
    /// Adds an account, without its owner.
    accounts::insert_account(account: &Account) -> ();
    /// Whether there is any account.
    accounts::has_accounts() -> bool;
    /// Changes an account's plan; false when there is no such account.
    accounts::set_plan(account: AccountId, plan: Plan) -> bool;
    /// Reads and locks an account until the end. Commands that may add an active event take this lock before they count.
    accounts::lock_account(account: AccountId) -> Option<Account>;
    /// The same, and whether an event has this slug; only [`Tx::insert_event`] decides. Accounts on the `shared` plans are kept as they are, but
    /// several transactions may do so at the same time.
    accounts::lock_account_for_slug(account: AccountId, slug: &str, shared: &[Plan]) -> Option<(Account, bool)>;
    /// The mails that count against an account's daily quota. Commands that change them lock the account first.
    accounts::find_mail_count(account: AccountId) -> Option<MailCount>;
    /// Sets the mails that count against an account's daily quota.
    accounts::set_mail_count(account: AccountId, count: MailCount) -> ();
    /// The account of which the person with this address, in any case, is an owner; the one that they own for longest.
    accounts::find_account_by_email(email: &str) -> Option<Account>;

    /// Adds a person; false, and nothing written, if another one has the address.
    people::insert_person(person: &Person) -> bool;
    /// Locks the person with this address, in any case, until the end. It comes before the lock of an account.
    people::lock_person_by_email(email: &str) -> Option<Person>;
    /// The person with this address, in any case.
    people::find_person_by_email(email: &str) -> Option<Person>;
    /// Removes a person from their accounts and for good. Their keys act for nobody then.
    people::delete_person(person: PersonId) -> ();
    /// A person.
    people::find_person(person: PersonId) -> Option<Person>;
    /// Makes a person a member with this role, or changes the role of a member.
    memberships::put_membership(account: AccountId, person: PersonId, role: Role, now: Instant) -> ();
    /// The role of a member.
    memberships::find_role(account: AccountId, person: PersonId) -> Option<Role>;
    /// Sets what a member wants to be mailed; false if there is no such member.
    organizer_mails::set_mail_choice(account: AccountId, person: PersonId, choice: MailChoice) -> bool;
    /// Begins to collect registrations of these accounts for mails to their members, unless that goes on already.
    organizer_mails::collect_for_organizers(accounts: &[AccountId], collection: Collection, now: Instant, trace_parent: Option<&str>) -> ();
    /// Goes on collecting; false, and nothing written, if the job is no longer the runner's.
    organizer_mails::go_on_collecting(job: &ClaimedJob, collection: Collection) -> bool;
    /// Ends what [`Tx::go_on_collecting`] went on with.
    organizer_mails::finish_collecting(account: AccountId) -> ();
    /// Whether anybody registered for an account's events in a time.
    organizer_mails::has_registrations_in(account: AccountId, span: Span) -> bool;
    /// The account that a person is a member of for longest.
    memberships::first_account_of(person: PersonId) -> Option<AccountId>;

    /// The members of an account, by name.
    memberships::list_members(account: AccountId, limit: i64) -> Vec<Member>;
    /// The number of an account's owners.
    memberships::count_owners(account: AccountId) -> i64;
    /// Removes a member.
    memberships::delete_membership(account: AccountId, person: PersonId) -> ();
    /// Writes name and address of a person.
    people::update_person(person: &Person) -> ();

    /// Adds an invitation, in place of an earlier one of the same account to the same address.
    invitations::put_invitation(invitation: &Invitation) -> ();
    /// The invitation with this id, if it has not lapsed.
    invitations::find_invitation(invitation: InvitationId, now: Instant) -> Option<SentInvitation>;
    /// The invitations of an account that wait, the newest first.
    invitations::list_invitations_of(account: AccountId, now: Instant, limit: i64) -> Vec<SentInvitation>;
    /// Removes an invitation; false if there is none.
    invitations::delete_invitation(invitation: InvitationId) -> bool;
    /// Whether an invitation waits for an address.
    invitations::is_invited(address: &str, now: Instant) -> bool;
    /// Removes the invitations to a normalised address; returns their number.
    invitations::delete_invitations_to(email_norm: &str) -> u64;
    /// Removes at most `limit` invitations that have lapsed; returns their number.
    invitations::delete_expired_invitations(now: Instant, limit: i64) -> u64;

    /// Adds a code, in place of an earlier one of the same holder for the same purpose.
    codes::put_code(code: &Code) -> ();
    /// Counts a try of a code and returns it; none if there is none that may be tried.
    codes::try_code(purpose: Purpose, holder: &Holder, now: Instant) -> Option<Code>;
    /// Removes a code.
    codes::delete_code(code: CodeId) -> ();
    /// Removes the codes for a normalised address; returns their number.
    codes::delete_codes_to(email_norm: &str) -> u64;
    /// Removes at most `limit` codes that are too old; returns their number.
    codes::delete_expired_codes(now: Instant, limit: i64) -> u64;
    /// Takes one of a budget; returns how many are taken with it, and when the budget begins anew.
    budgets::use_budget(budget: &Budget, now: Instant) -> (i64, Instant);
    /// Gives back what [`Tx::use_budget`] took.
    budgets::give_back(budget: &Budget) -> ();
    /// Removes at most `limit` budgets that begin anew; returns their number.
    budgets::delete_old_budgets(now: Instant, limit: i64) -> u64;

    /// Adds a session.
    sessions::insert_session(session: &Session) -> ();
    /// A session.
    sessions::find_session(session: SessionId) -> Option<Session>;
    /// A person's sessions that have not ended, the last used first.
    sessions::list_sessions(person: PersonId, now: Instant, limit: i64) -> Vec<Session>;
    /// Gives a session a new token; false if the old one is not the session's any more.
    sessions::replace_session_hash(session: SessionId, old: &[u8; 32], new: &[u8; 32]) -> bool;
    /// Notes that a session stepped up.
    sessions::step_up_session(session: SessionId, now: Instant) -> ();
    /// Makes a session about another account.
    sessions::set_account_of_session(session: SessionId, account: AccountId) -> ();
    /// Makes a person's sessions about this account be about another one.
    sessions::take_account_from_sessions(account: AccountId, person: PersonId) -> ();
    /// Ends a person's session; false if they have no such session.
    sessions::delete_session(person: PersonId, session: SessionId) -> bool;
    /// Ends a person's sessions but those that were used last; returns the number of ended ones.
    sessions::delete_sessions_of(person: PersonId, kept: i64) -> u64;
    /// Stores when sessions were last used, never moving back.
    sessions::touch_sessions(uses: &[(SessionId, Instant)]) -> ();
    /// Removes at most `limit` sessions that have ended; returns their number.
    sessions::delete_ended_sessions(now: Instant, limit: i64) -> u64;
    /// Notes that a person signed in in a browser.
    sessions::put_known_browser(browser: &BrowserHash, person: PersonId, now: Instant) -> ();
    /// Whether the person with this normalised address signed in in a browser before.
    sessions::knows_browser(browser: &BrowserHash, email_norm: &str) -> bool;
    /// Forgets at most `limit` browsers in which nobody signed in since; returns their number.
    sessions::delete_old_browsers(before: Instant, limit: i64) -> u64;
    /// Adds a link with which a person can sign in. Only the SHA-256 of its token is stored.
    sign_in_links::insert_sign_in_link(hash: &[u8; 32], person: PersonId, expires_at: Instant) -> ();
    /// Removes a link that is valid; returns the person who signs in with it.
    sign_in_links::use_sign_in_link(hash: &[u8; 32], now: Instant) -> Option<PersonId>;
    /// Removes at most `limit` links that are too old; returns their number.
    sign_in_links::delete_expired_links(now: Instant, limit: i64) -> u64;

    /// Adds a key.
    keys::insert_key(key: &ApiKey) -> ();
    /// Revokes a key; false when it is unknown or already revoked.
    keys::revoke_key(key: KeyId, now: Instant) -> bool;
    /// A key and its account.
    keys::find_key(key: KeyId) -> Option<(ApiKey, Account)>;
    /// The keys of an account that are not revoked, the newest first.
    keys::list_member_keys(account: AccountId, limit: i64) -> Vec<MemberKey>;
    /// Sets when a key expires.
    keys::expire_key(key: KeyId, at: Instant) -> ();
    /// Revokes the keys that act for a person in an account; returns their number.
    keys::revoke_keys_by(account: AccountId, person: PersonId, now: Instant) -> u64;
    /// Makes the keys that act for a person in an account act for another one.
    keys::pass_on_keys(account: AccountId, from: PersonId, to: PersonId) -> ();
    /// Stores when keys were last used, never moving back.
    keys::touch_keys(uses: &[(KeyId, Instant)]) -> ();

    /// Adds a client of OAuth, or writes what it says of itself now; returns it as it is stored.
    oauth_clients::put_client(client: &StoredClient, now: Instant) -> StoredClient;
    /// Keeps a client for good.
    oauth_clients::keep_client(client: ClientId) -> ();
    /// Removes clients that are not kept: at most `limit` that were last seen before a moment, and as many beyond the `most` that were seen
    /// last; returns their number.
    oauth_clients::delete_unused_clients(seen_before: Instant, most: i64, limit: i64) -> u64;
    /// Adds an authorization that waits for a decision.
    oauth_codes::insert_authorization(authorization: &Authorization) -> ();
    /// Removes a session's authorizations but those that were begun last.
    oauth_codes::delete_authorizations_of(session: SessionId, kept: i64) -> ();
    /// An authorization that was begun in a session and a browser after a moment, and is not decided.
    oauth_codes::find_authorization(id: AuthorizationId, session: SessionId, browser: &Hash, begun_after: Instant)
        -> Option<Authorization>;
    /// Removes an authorization; false if there is none.
    oauth_codes::delete_authorization(id: AuthorizationId) -> bool;
    /// Removes at most `limit` authorizations that were begun until a moment; returns their number.
    oauth_codes::delete_old_authorizations(begun_before: Instant, limit: i64) -> u64;
    /// Adds a code.
    oauth_codes::insert_authorization_code(code: &AuthorizationCode) -> ();
    /// Reads and locks a code until the end, also if it was used.
    oauth_codes::lock_authorization_code(hash: &Hash) -> Option<AuthorizationCode>;
    /// Notes what a code was exchanged for.
    oauth_codes::use_authorization_code(hash: &Hash, grant: GrantId) -> ();
    /// Removes at most `limit` codes that were made until a moment; returns their number.
    oauth_codes::delete_old_authorization_codes(made_before: Instant, limit: i64) -> u64;
    /// Adds a grant.
    oauth_grants::insert_grant(grant: &Grant) -> ();
    /// Reads and locks a grant until the end, also if it is revoked.
    oauth_grants::lock_grant(grant: GrantId) -> Option<Grant>;
    /// Moves the end of a grant, and notes that it was used.
    oauth_grants::prolong_grant(grant: GrantId, ends_at: Instant, used_at: Instant) -> ();
    /// Revokes a grant; false if it is unknown or already revoked. Its tokens remain: see [`Tx::delete_tokens_of`].
    oauth_grants::mark_grant_revoked(grant: GrantId, now: Instant) -> bool;
    /// At most `limit` of a person's grants for a client beyond those that were used last.
    oauth_grants::list_grants_beyond(person: PersonId, client: ClientId, kept: i64, limit: i64) -> Vec<GrantId>;
    /// A person's grants for an account that are not revoked.
    oauth_grants::list_grants_by(account: AccountId, person: PersonId, limit: i64) -> Vec<GrantId>;
    /// Stores when grants were last used, never moving back.
    oauth_grants::touch_grants(uses: &[(GrantId, Instant)]) -> ();
    /// Removes at most `limit` grants that ended before a moment, with all that belongs to them; returns their number.
    oauth_grants::delete_old_grants(ended_before: Instant, limit: i64) -> u64;
    /// Adds an access token.
    oauth_tokens::insert_access_token(token: &AccessToken) -> ();
    /// Adds a refresh token.
    oauth_tokens::insert_refresh_token(token: &RefreshToken) -> ();
    /// The access token with this SHA-256, also if it has expired, its grant, and the standing of the person for whom it acts.
    oauth_tokens::find_access_token(hash: &Hash) -> Option<(AccessToken, Grant, Standing)>;
    /// The refresh token with this SHA-256, also if it has expired or was exchanged.
    oauth_tokens::find_refresh_token(hash: &Hash) -> Option<RefreshToken>;
    /// What a refresh token was exchanged for, the latest first.
    oauth_tokens::list_successors(hash: &Hash, limit: i64) -> Vec<Successor>;
    /// Notes when a refresh token was exchanged.
    oauth_tokens::consume_refresh_token(hash: &Hash, at: Instant) -> ();
    /// Removes a refresh token.
    oauth_tokens::delete_refresh_token(hash: &Hash) -> ();
    /// Removes an access token.
    oauth_tokens::delete_access_token(hash: &Hash) -> ();
    /// Removes all tokens of a grant; returns the SHA-256 of its access tokens.
    oauth_tokens::delete_tokens_of(grant: GrantId) -> Vec<Hash>;
    /// Removes tokens of a grant beyond those that were made last.
    oauth_tokens::delete_tokens_beyond(grant: GrantId, kept: i64) -> ();
    /// Removes at most `limit` access tokens, and as many refresh tokens, that have expired; returns their number.
    oauth_tokens::delete_expired_tokens(now: Instant, limit: i64) -> u64;

    /// The number of an account's events that are neither cancelled nor ended, up to `most`.
    my_events::count_active_events(account: AccountId, now: Instant, most: i64) -> i64;
    /// Locks an event's counters, and with them the event, until the end. Cancel, update and every change of seats begin with
    /// it. It does not check the owner.
    events::lock_counters(event: EventId) -> Option<Counters>;
    /// An event, if it is the account's.
    events::find_account_event(account: AccountId, event: EventId) -> Option<(Event, Counters)>;
    /// An event of any account.
    events::find_event(event: EventId) -> Option<Event>;
    /// Whether an event has this slug; only [`Tx::insert_event`] decides.
    events::slug_taken(slug: &str) -> bool;
    /// Adds an event with empty counters, and counts it in the catalogue when it is `live`
    /// (published, listed, not cancelled, not ended). False, and nothing written, when its slug is taken: try another in the same
    /// transaction.
    events::insert_event(event: &Event, live: bool) -> bool;
    /// Writes all fields that may change, and `live` with the catalogue's total. Owner, slug and cancellation do not change.
    events::update_event(event: &Event, live: bool) -> ();
    /// Cancels an event and removes it from the catalogue; false, and nothing written, if it was already cancelled.
    events::mark_cancelled(event: EventId, reason: Option<&str>, now: Instant) -> bool;
    /// Removes a draft without registrations, with all that belongs to it. Its counters are locked.
    my_events::delete_event(event: EventId) -> ();
    /// Removes at most `limit` ended events from the catalogue and its total; returns their number.
    catalogue::unlist_ended_events(now: Instant, limit: i64) -> u64;
    /// Brings the search index up to date for at most `limit` events that other versions wrote; returns their number.
    search::index_events(limit: i64) -> u64;

    /// Folds the texts of at most `limit` events of other versions for searches; returns their number.
    lists::fold_events(limit: i64) -> u64;
    /// The same for registrations.
    lists::fold_registrations(limit: i64) -> u64;

    /// Adds a registration with its `seq`, and counts it.
    registrations::insert_registration(registration: &Registration) -> ();
    /// Gives seats to this many registrations on the waitlist, in order, and counts them. There must be as many.
    registrations::promote_waitlisted(event: EventId, seats: i32, now: Instant) -> ();
    /// One registration of an event.
    registrations::find_registration(event: EventId, registration: RegistrationId) -> Option<Registration>;
    /// Writes the fields of a registration that a change of its status changes, and counts it as it is after.
    registrations::update_registration(before: &Registration, after: &Registration) -> ();
    /// Releases at most `limit` seats of an event that unconfirmed registrations held until now; returns their number.
    confirmations::release_held_seats(event: EventId, now: Instant, limit: i64) -> i32;
    /// Cancels at most `limit` registrations of an event that could be confirmed until now and hold no seat; returns their number.
    confirmations::lapse_registrations(event: EventId, now: Instant, limit: i64) -> i32;
    /// Adds registrations without counting them: see [`Tx::update_counters`].
    registrations::insert_registrations(registrations: &[Registration]) -> ();

    /// The registrations of a normalised e-mail address at an event, in any status.
    registrations::list_registrations_at(event: EventId, email_norm: &str) -> Vec<Registration>;
    /// Removes a registration without changing the counters: see [`Tx::update_counters`]. Its links must be removed first.
    registrations::delete_registration(registration: RegistrationId) -> ();
    /// Removes the private links to a registration; returns their number.
    links::delete_links(registration: RegistrationId) -> u64;
    /// Removes the unsent mails of a registration, including failed ones; returns their number.
    mails::delete_mails_of(registration: RegistrationId) -> u64;
    /// Removes the unsent mails with codes and invitations to a normalised address and those to a member, including failed ones; returns
    /// their number. It comes before the codes and invitations are removed.
    mails::delete_mails_to(email_norm: &str, person: Option<PersonId>) -> u64;
    /// Removes at most `limit` jobs that failed before this time; returns their number.
    jobs::delete_failed_jobs(before: Instant, limit: i64) -> u64;
    /// Removes at most `limit` rows of the audit log from before this time; returns their number.
    audit::delete_audit(before: Instant, limit: i64) -> u64;
    /// Writes name and time zone of an account.
    owners::update_account(account: &Account) -> ();
    /// What goes with an account.
    owners::account_contents(account: AccountId, now: Instant) -> AccountContents;
    /// An account's events after one, by id.
    owners::list_event_ids_of(account: AccountId, after: Option<EventId>, limit: i64) -> Vec<EventId>;
    /// Removes the members, invitations and keys of an account, which is deleted from now on.
    owners::begin_removal(account: AccountId, now: Instant) -> ();
    /// Locks an account whose removal has begun; false if there is none.
    owners::lock_removed_account(account: AccountId) -> bool;
    /// At most `limit` registrations for events of an account.
    owners::list_registration_ids_of(account: AccountId, limit: i64) -> Vec<RegistrationId>;
    /// Deletes an account whose removal has begun and which has no events any more.
    owners::delete_account(account: AccountId) -> ();
    /// Revokes the keys that act for a person and removes their names; returns the number of valid ones.
    owners::erase_keys_of_person(person: PersonId, now: Instant) -> u64;
    /// The accounts of a person, by name.
    memberships::list_memberships_of(person: PersonId, limit: i64) -> Vec<Membership>;
    /// Suspends an account and its events, or resumes it.
    suspension::set_account_suspended(account: AccountId, since: Option<Instant>) -> ();
    /// Takes an event down, or shows it again. [`Tx::update_event`] changes the catalogue.
    suspension::set_hidden(event: EventId, is_hidden: bool) -> ();

    /// Locks the counters of events until the end, lowest id first; returns them and the next number in the order of
    /// registering.
    seats::lock_seats(ids: &[EventId]) -> Vec<(EventId, Counters, i64)>;
    /// The same for the existing events of these slugs.
    seats::lock_seats_by_slug(slugs: &[&str]) -> Vec<(EventId, Counters, i64)>;
    /// These events, in no order.
    seats::list_events(ids: &[EventId]) -> Vec<Event>;
    /// The registrations that are not cancelled of these normalised addresses at these events.
    seats::find_active_registrations(people: &[(EventId, &str)]) -> Vec<(EventId, String, RegistrationId)>;
    /// Those of these registrations that are for this event, in the order of registering.
    seats::find_registrations(event: EventId, ids: &[RegistrationId]) -> Vec<Registration>;
    /// Sets the counters of events whose counters are locked.
    seats::update_counters(seats: &[&Seats]) -> ();

    /// Adds a private link to a registration. Only the SHA-256 of its token is stored. `occasion` is that of the new details which
    /// the link offers.
    links::insert_link(hash: &[u8; 32], registration: RegistrationId, occasion: Option<i32>, now: Instant) -> ();
    /// Stores details of repeated registrations.
    details::insert_new_details(details: &[NewDetails]) -> ();
    /// The new details that a private link offers.
    details::find_new_details_by_link(hash: &[u8; 32], now: Instant) -> Option<Details>;
    /// Writes name and answers of a registration.
    details::update_details(registration: &Registration) -> ();
    /// Stores why a registration was declined.
    details::set_decline_reason(registration: RegistrationId, reason: &str) -> ();
    /// Removes the new details of a registration.
    details::delete_new_details(registration: RegistrationId) -> ();
    /// Removes at most `limit` expired details; returns their number.
    details::delete_expired_details(now: Instant, limit: i64) -> u64;
    /// The registration of a private link.
    links::find_registration_by_link(hash: &[u8; 32]) -> Option<Registration>;

    /// Adds a `cancellation_mail` job for each active registration of an event; returns their number.
    jobs::schedule_cancellation_mails(event: EventId, now: Instant, trace_parent: Option<&str>) -> u64;
    /// Adds a `promoted_mail` job for each of the first registrations on the waitlist, before they are promoted.
    jobs::schedule_promotion_mails(event: EventId, seats: i32, now: Instant, trace_parent: Option<&str>) -> ();
    /// The announcement of an event's new time or place that waits, if there is one.
    announcements::find_announcement(event: EventId) -> Option<Announcement>;
    /// How many active registrants know another time or place than `next`; those of whom nothing is noted know `known`.
    announcements::count_who_know_another(event: EventId, known: TimeAndPlace, next: TimeAndPlace) -> i32;
    /// Schedules the announcement of an event's new time or place, in place of one that waits.
    announcements::put_announcement(event: EventId, announcement: &Announcement, due_at: Instant, trace_parent: Option<&str>) -> ();
    /// Stores that the active registrants of an event know this time and place, unless they were last told something else. It
    /// must come before the event changes.
    announcements::note_known(event: EventId, known: TimeAndPlace) -> ();
    /// Remembers for some weeks when and where an event was to take place, for the mails about its change.
    announcements::put_former(event: EventId, known: TimeAndPlace, former: &WhenAndWhere, now: Instant) -> ();
    /// Stores which time and place registrants were told.
    announcements::note_told(told: &[(RegistrationId, TimeAndPlace)]) -> ();
    /// Adds an `event_changed_mail` job for each active registration of an event whose owner knows another time or place;
    /// returns their number. An event's sequence number is used once.
    announcements::schedule_event_changed_mails(event: EventId, current: TimeAndPlace, sequence: i32, now: Instant, trace_parent: Option<&str>) -> u64;
    /// Adds jobs that are due at once, except existing ones; returns the number of added jobs.
    jobs::insert_jobs(jobs: &[Job], now: Instant) -> u64;
    /// Claims at most `limit` due jobs of a kind for a destination.
    jobs::claim_jobs(destination: &Destination, kind: JobKind, now: Instant, leased_until: Instant, limit: usize)
        -> Vec<ClaimedJob>;
    /// Removes done jobs and returns their number. Jobs whose lease was lost stay.
    jobs::finish_jobs(jobs: &[&ClaimedJob]) -> u64;
    /// Puts a job back until `due_at`. The try counts only if `counts`. Returns false if the lease was lost.
    jobs::postpone_job(job: &ClaimedJob, due_at: Instant, counts: bool, error: &str) -> bool;
    /// Marks a job as failed and keeps it for operators; false if the lease was lost.
    jobs::fail_job(job: &ClaimedJob, now: Instant, error: &str) -> bool;
    /// Makes a failed job due again with all tries; false if there is none.
    jobs::retry_failed_job(key: &JobKey, now: Instant) -> bool;
    /// Failed mails, the latest first.
    mails::list_failed_mails(limit: i64) -> Vec<FailedMail>;
    /// The failed mail with this key.
    mails::find_failed_mail(key: &JobKey) -> Option<FailedMail>;

    /// Makes a photograph the event's cover, with its credit.
    stock_covers::put_stock_cover(event: EventId, cover: &StoredCover, credit: &ImageCredit, now: Instant) -> ();
    /// Removes the photograph of an event's cover. [`Tx::update_event`] removes its credit.
    stock_covers::delete_stock_cover(event: EventId) -> ();

    /// Claims an idempotency key for a call. False if it is claimed, or if another transaction has not decided within
    /// `longest_wait`; then the transaction cannot be used any more. It must come before every other lock.
    idempotency_keys::claim_idempotency_key(call: &KeyedCall, now: Instant, longest_wait: Duration) -> bool;
    /// Stores the encrypted answer to a call whose key was claimed. It is erased with the registration in it.
    idempotency_keys::keep_answer(call: &KeyedCall, sealed: &[u8], registration: Option<RegistrationId>) -> ();
    /// Removes at most `limit` old stored answers; returns their number.
    idempotency_keys::delete_old_answers(now: Instant, limit: i64) -> u64;
    /// Removes the stored answers with a registration; returns their number.
    idempotency_keys::delete_answers_about(registration: RegistrationId) -> u64;
    /// Removes the stored answers of an account; returns their number.
    idempotency_keys::delete_answers_of(account: AccountId) -> u64;

    /// Adds a row to the audit log.
    audit::insert_audit(entry: &AuditEntry) -> ();
    /// Adds rows to the audit log.
    audit::insert_audits(entries: &[AuditEntry]) -> ();
}
