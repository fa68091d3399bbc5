//! The command seam: [`Commands::run`] begins a transaction, calls the use case's decision, writes what follows from the
//! recorded facts, and commits. Nothing else in `service/`, `demo/` and `admin/` begins a transaction.
//!
//! A transaction that the database ended in favour of others is done anew, from its beginning: the decision is made again, on what the
//! others left. So a decision has no effect but on its [`Context`].

mod programs;
mod schedule;
mod trail;
mod waiting_calls;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use domain::{
    audit::{Actor, AuditEntry},
    clock::Clock,
    entropy::Entropy,
    fact::Fact,
    ids::AccountId,
    instant::Instant,
    job::Job,
    organizer_mail::Collection,
    rate::{LimitSettings, MailboxLimits},
    webhook::WebhookMessage,
};
use server::traces;
use storage::{self, Store, Tx};
use tokio::{
    sync::Notify,
    time::{Instant as Moment, sleep},
};
use tracing::Span;
use uuid::Uuid;

use super::{Error, idempotency::UnderWay};

pub(super) use waiting_calls::TooManyWaiting;
pub(crate) use waiting_calls::WaitingCall;
use waiting_calls::WaitingCalls;

/// How often a command is done at most that collides with others.
const MAX_TRIES: u32 = 8;

/// No command is done again later than this after its first collision. Callers that wait for less give up before.
const RETRY_TIMEOUT: Duration = Duration::from_secs(1);

/// The pause after the first collision. It doubles each time, and is up to as much longer at random, so that those that collided do not
/// meet again.
const INITIAL_PAUSE: Duration = Duration::from_millis(2);

/// Runs commands on a database. Clones share it.
#[derive(Debug, Clone)]
pub struct Commands {
    store: Store,
    clock: Clock,
    entropy: Entropy,
    fetches_covers: bool,
    mailbox_limits: MailboxLimits,
    under_way: UnderWay,
    /// Wakes whoever posts to webhooks.
    posted: Arc<Notify>,
    /// The calls that wait, which are woken once a command has recorded a message.
    waiting_calls: WaitingCalls,
}

impl Commands {
    /// Commands on a database, without a provider of photographs.
    pub fn new(store: Store, clock: Clock, entropy: Entropy) -> Self {
        Self {
            store,
            clock,
            entropy,
            fetches_covers: false,
            mailbox_limits: LimitSettings::default().mailboxes,
            under_way: UnderWay::default(),
            posted: Arc::default(),
            waiting_calls: WaitingCalls::default(),
        }
    }

    /// The same commands; `fetches_covers` says whether there is a provider of photographs.
    #[must_use]
    pub fn with_covers(self, fetches_covers: bool) -> Self {
        Self {
            fetches_covers,
            ..self
        }
    }

    /// The same commands with other limits on the mails to one mailbox.
    #[must_use]
    pub fn with_mailbox_limits(self, mailbox_limits: MailboxLimits) -> Self {
        Self {
            mailbox_limits,
            ..self
        }
    }

    /// Decides one or several commands in one transaction. The transaction is committed if `decide` recorded at least one fact;
    /// without a fact or after an error it is rolled back. If it collides with others, it is done anew, by a copy of `decide` that
    /// knows nothing of the try before. Calls that may have an idempotency key use `run_for`.
    pub async fn run<A>(
        &self,
        by: impl Into<Actor>,
        decide: impl AsyncFnOnce(&mut Context) -> Result<A, Error> + Clone,
    ) -> Result<A, Error> {
        let (actor, mut until, mut tries) = (by.into(), None, 0);
        loop {
            // Boxed, since all of a decision is in it, and each future around it would be moved with as much.
            let outcome = Box::pin(self.run_once(actor, decide.clone())).await;
            let Err(Error::Unavailable(storage::Error::Collision(why))) = &outcome else {
                return outcome;
            };
            tries += 1;
            let now = Moment::now();
            if tries >= MAX_TRIES || now > *until.get_or_insert(now + RETRY_TIMEOUT) {
                return outcome;
            }
            tracing::debug!(why, "a command collided with others and is done anew");
            sleep(self.pause_after(tries)).await;
        }
    }

    /// The pause after so many tries that collided.
    fn pause_after(&self, tries: u32) -> Duration {
        let pause = INITIAL_PAUSE * 2_u32.saturating_pow(tries.saturating_sub(1));
        let max = u64::try_from(pause.as_micros()).unwrap_or(u64::MAX);
        pause + Duration::from_micros(self.entropy.below(max))
    }

    async fn run_once<A>(
        &self,
        actor: Actor,
        decide: impl AsyncFnOnce(&mut Context) -> Result<A, Error>,
    ) -> Result<A, Error> {
        let tx = self.store.begin().await?;
        let mut context = Context {
            tx,
            now: self.clock.now(),
            clock: self.clock.clone(),
            actor,
            entropy: self.entropy.clone(),
            fetches_covers: self.fetches_covers,
            mailbox_limits: self.mailbox_limits,
            consequences: Consequences::default(),
            posted: Arc::clone(&self.posted),
            waiting_calls: self.waiting_calls.clone(),
        };
        let answer = Box::pin(decide(&mut context)).await?;
        Box::pin(context.commit()).await?;
        Ok(answer)
    }

    /// The database, for reads.
    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }

    /// The running calls with an idempotency key.
    pub(super) const fn under_way(&self) -> &UnderWay {
        &self.under_way
    }

    /// What wakes whoever posts to webhooks, once a command has left something to post.
    pub(crate) fn posted(&self) -> Arc<Notify> {
        Arc::clone(&self.posted)
    }

    /// The calls that wait.
    pub(super) const fn waiting_calls(&self) -> &WaitingCalls {
        &self.waiting_calls
    }

    /// The clock.
    pub(crate) const fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// The source of ids, keys, tokens and slug endings.
    pub(crate) const fn entropy(&self) -> &Entropy {
        &self.entropy
    }
}

/// A running command: its transaction, its time, and the consequences of its facts.
#[derive(Debug)]
pub struct Context {
    /// The transaction. Use cases read, lock and write their own rows with it. They do not write rows that follow from facts.
    pub(crate) tx: Tx,
    /// The time of everything in this command.
    pub(crate) now: Instant,
    clock: Clock,
    actor: Actor,
    entropy: Entropy,
    fetches_covers: bool,
    mailbox_limits: MailboxLimits,
    consequences: Consequences,
    posted: Arc<Notify>,
    waiting_calls: WaitingCalls,
}

/// Rows that follow from the facts. They are written before the commit, with one statement for each table.
#[derive(Debug, Default)]
struct Consequences {
    any: bool,
    /// Whether jobs are due that nobody should wait for.
    wakes_runner: bool,
    audit: Vec<AuditEntry>,
    jobs: Vec<Job>,
    /// Accounts whose members may want to know of registrations, in the order in which their jobs are locked.
    organizers: BTreeSet<AccountId>,
    /// Messages to programs, by the account whose stream they are in, in the order in which streams are locked.
    outgoing: BTreeMap<AccountId, Vec<WebhookMessage>>,
}

impl Context {
    /// Takes the time again, under the locks that were waited for: times of commands that waited for each other are then in the
    /// order of their effects.
    pub(crate) fn renew_time(&mut self) -> Instant {
        self.now = self.clock.now();
        self.now
    }

    /// A new identifier, which sorts by this command's time.
    pub(crate) fn new_id(&self) -> Uuid {
        self.entropy.uuid_v7(self.now)
    }

    /// Records a fact. Returns the number of mails that were scheduled to other registrants of the event, or withdrawn.
    pub(crate) async fn record(&mut self, fact: Fact<'_>) -> Result<u64, storage::Error> {
        self.record_by(self.actor, fact).await
    }

    /// The same for another actor.
    pub(crate) async fn record_by(
        &mut self,
        actor: Actor,
        fact: Fact<'_>,
    ) -> Result<u64, storage::Error> {
        self.record_for(&traces::current(), actor, fact).await
    }

    /// The same for a batch with several actors: the fact's job leads back to this span.
    pub(crate) async fn record_for(
        &mut self,
        span: &Span,
        actor: Actor,
        fact: Fact<'_>,
    ) -> Result<u64, storage::Error> {
        let entry = fact.audit(self.new_id(), self.now, actor);
        if let (Some(person), Some(entry)) = (fact.person(), &entry) {
            self.add_to_accounts(person, entry).await?;
        }
        if let Some(notice) = fact.notice() {
            self.notify(span, notice).await?;
        }
        let consequences = &mut self.consequences;
        consequences.audit.extend(entry);
        consequences.any = true;
        let job = fact.job(self.now, self.fetches_covers);
        consequences.jobs.extend(job.map(|job| Job {
            trace_parent: traces::named(span),
            ..job
        }));
        consequences
            .organizers
            .extend(fact.updates_for_organizers(actor));
        self.announce_to_programs(actor, &fact);
        if let Some(plan) = fact.reminders() {
            self.plan_reminders(&plan).await?;
        }
        if let Some(effect) = fact.message_effect() {
            self.change_messages(effect).await?;
        }
        match fact.mailing(self.now) {
            Some(mailing) => self.schedule(mailing).await,
            None => Ok(0),
        }
    }

    /// Has nothing of this command committed: it only asked what would become of it.
    pub(super) fn discard(&mut self) {
        self.consequences = Consequences::default();
    }

    /// Notes that something was written that must be committed although there is no fact.
    pub(super) const fn note_write(&mut self) {
        self.consequences.any = true;
    }

    /// Lets the runner look for due jobs once this is committed, not with its next poll.
    pub(super) const fn wake_runner(&mut self) {
        self.consequences.wakes_runner = true;
    }

    pub(super) const fn entropy(&self) -> &Entropy {
        &self.entropy
    }

    /// The limits on the mails to one mailbox.
    pub(super) const fn mailbox_limits(&self) -> MailboxLimits {
        self.mailbox_limits
    }

    async fn commit(mut self) -> Result<(), storage::Error> {
        let Consequences {
            any,
            wakes_runner,
            audit,
            jobs,
            organizers,
            outgoing,
        } = self.consequences;
        if !any {
            return Ok(());
        }
        if !jobs.is_empty() {
            self.tx.insert_jobs(&jobs, self.now).await?;
        }
        if !organizers.is_empty() {
            let organizers: Vec<AccountId> = organizers.into_iter().collect();
            let collection = Collection::begun(self.now);
            let trace_parent = traces::named(&traces::current());
            self.tx
                .collect_for_organizers(&organizers, collection, self.now, trace_parent.as_deref())
                .await?;
        }
        if !audit.is_empty() {
            self.tx.insert_audits(&audit).await?;
        }
        let recorded = programs::write(&mut self.tx, outgoing, self.now).await?;
        self.tx.commit().await?;
        if wakes_runner || !recorded.is_empty() {
            self.posted.notify_one();
        }
        self.waiting_calls.wake(&recorded);
        Ok(())
    }
}
