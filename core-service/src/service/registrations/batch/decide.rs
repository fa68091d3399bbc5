//! One batch: lock, read, let `domain` decide on each in turn, write everything at once, commit.

use std::collections::HashMap;

use domain::{
    audit::Actor,
    email,
    fact::Fact,
    ids::{EventId, RegistrationId},
    instant::Instant,
    job,
    registration::{
        Admission, CheckInCode, Details, NewDetails, Registration, Requester, Seats, Status,
    },
};
use storage::{self, Tx};
use tracing::Span;

use super::{
    Batcher,
    organizers::Organizers,
    request::{Placed, Request},
};
use crate::service::{
    Context, Error, Invocation, Storable, mailboxes::Allowance, registrations::settle::settle,
};

/// Decides on all requests in one transaction, in their order.
pub(super) async fn decide(
    batcher: &Batcher,
    requests: &[Request],
) -> Result<Vec<Result<Placed, Error>>, Error> {
    let decide = async |context: &mut Context| {
        let mut batch = Batch::read(context, batcher, requests).await?;
        let outcomes = requests
            .iter()
            .map(|request| batch.decide(request))
            .collect();
        batch.write(context).await?;
        Ok(outcomes)
    };
    // Each fact of a batch has the actor of its own request.
    batcher.commands.run(Actor::System, decide).await
}

/// Decides on one request in a transaction that stores its answer.
pub(super) async fn decide_one<A: Storable>(
    batcher: &Batcher,
    by: Invocation<'_, A>,
    request: &Request,
    answer: impl FnOnce(Placed) -> Result<A, Error> + Clone,
) -> Result<A, Error> {
    let decide = async |context: &mut Context| {
        let mut batch = Batch::read(context, batcher, std::slice::from_ref(request)).await?;
        let answer = answer(batch.decide(request)?)?;
        batch.write(context).await?;
        Ok(answer)
    };
    batcher.commands.run_for(by, decide).await
}

/// Decides on a list of an organizer's requests in a transaction that stores the answer. If nothing is to be changed, nothing is.
pub(super) async fn decide_list<A: Storable>(
    batcher: &Batcher,
    by: Invocation<'_, A>,
    requests: &[Request],
    is_dry_run: bool,
    answer: impl FnOnce(Vec<Result<Placed, Error>>, Result<(), Error>) -> Result<A, Error> + Clone,
) -> Result<A, Error> {
    let decide = async |context: &mut Context| {
        // There are no empty lists of rows.
        if requests.is_empty() {
            return answer(Vec::new(), Ok(()));
        }
        let mut batch = Batch::read(context, batcher, requests).await?;
        let mut outcomes = Vec::with_capacity(requests.len());
        for part in requests.chunks(storage::FULL_BATCH) {
            outcomes.extend(part.iter().map(|request| batch.decide_of_list(request)));
            // PostgreSQL ends a transaction of which it hears nothing for long.
            if !is_dry_run {
                batch.write_people(context).await?;
            }
        }
        let quota = batch.organizers.check_list(batcher, batch.now);
        let answer = answer(outcomes, quota)?;
        if is_dry_run {
            context.discard();
        } else {
            batch.write_counts(context).await?;
        }
        Ok(answer)
    };
    batcher.commands.run_for(by, decide).await
}

/// The data that a batch has read, and the changes that it will write.
struct Batch<'a> {
    batcher: &'a Batcher,
    now: Instant,
    /// The events by their slugs; their counters are locked.
    seats: HashMap<String, Seats>,
    /// Registrations by event and normalised address, from before the batch or by it.
    registered: HashMap<(EventId, String), RegistrationId>,
    new: Vec<Registration>,
    repeated: Vec<NewDetails>,
    facts: Vec<(Span, Actor, Fact<'static>)>,
    links: Vec<([u8; 32], RegistrationId)>,
    mails: Allowance,
    organizers: Organizers,
}

impl<'a> Batch<'a> {
    async fn read(
        context: &mut Context,
        batcher: &'a Batcher,
        requests: &[Request],
    ) -> Result<Self, Error> {
        let organizers = Organizers::lock(context, requests).await?;
        let mut seats = hold_seats(&mut context.tx, requests).await?;
        // Otherwise a registration with a higher number could have an earlier time.
        let now = context.renew_time();
        for Seats {
            event, counters, ..
        } in seats.values_mut()
        {
            if event.confirm_by_email || counters.held > 0 {
                *counters = settle(context, event, *counters).await?;
            }
        }
        let asked = requests.iter().filter_map(|request| {
            let seats = seats.get(&request.slug)?;
            Some((seats.event.id, email::normalised(request.email.as_str())))
        });
        let mut asked: Vec<_> = asked.collect();
        asked.sort_unstable();
        asked.dedup();
        let mut registered = HashMap::new();
        if !asked.is_empty() {
            let asked: Vec<_> = asked.iter().map(|(id, email)| (*id, &**email)).collect();
            let found = context.tx.find_active_registrations(&asked).await?;
            registered.extend(
                found
                    .into_iter()
                    .map(|(event, email, id)| ((event, email), id)),
            );
        }
        let is_mailed = |request: &&Request| {
            let Some(seats) = seats.get(&request.slug) else {
                return false;
            };
            // Only the public is mailed about a repetition.
            let person = || (seats.event.id, email::normalised(request.email.as_str()));
            request.mail.is_sent()
                && (request.requester == Requester::Public || !registered.contains_key(&person()))
        };
        let limits = context.mailbox_limits();
        let mailed = requests.iter().filter(is_mailed);
        let budgets = mailed.flat_map(|request| request.budgets(limits));
        let mails = Allowance::of_budgets(context, budgets.collect()).await?;
        Ok(Self {
            batcher,
            now,
            seats,
            registered,
            new: Vec::new(),
            repeated: Vec::new(),
            facts: Vec::new(),
            links: Vec::new(),
            mails,
            organizers,
        })
    }

    /// Decides on one request of a list. Who is registered is so whatever else the line says.
    fn decide_of_list(&mut self, request: &Request) -> Result<Placed, Error> {
        let decided = self.decide(request);
        let is_registered = || {
            let seats = self.seats.get(&request.slug)?;
            let person = (seats.event.id, email::normalised(request.email.as_str()));
            self.registered.get(&person)
        };
        match decided {
            Err(Error::AlreadyRegistered) => Ok(Placed::Before),
            Err(Error::Invalid(_)) if is_registered().is_some() => Ok(Placed::Before),
            decided => decided,
        }
    }

    /// Decides on one request, after those before it.
    fn decide(&mut self, request: &Request) -> Result<Placed, Error> {
        let seats = self.seats.get_mut(&request.slug).ok_or(Error::NO_EVENT)?;
        let (event, account) = (seats.event.id, seats.event.account_id);
        let person = (event, email::normalised(request.email.as_str()));
        let before = self.registered.get(&person).copied();
        let answers = request.answers.clone();
        let untaken = (seats.counters, seats.next_seq);
        let admission = seats.admit(
            request.requester,
            (&request.party, answers),
            before.is_some(),
            self.now,
        )?;
        // A refused request sends no mail and does not count. New and repeated registrations count alike, otherwise the limit
        // would reveal the difference.
        let mails = (&mut self.organizers, &mut self.mails);
        if let Err(limited) = request.count_mails(self.batcher, mails, self.now) {
            (seats.counters, seats.next_seq) = untaken;
            return Err(limited);
        }
        let is_mailed = request.mail.is_sent();
        let waiting = seats.counters.waitlisted;
        let new_id = || RegistrationId::new(self.batcher.commands.entropy().uuid_v7(self.now));
        let id = before.unwrap_or_else(new_id);
        let (fact, placed) = match admission {
            Admission::Repeated { answers } => {
                let details = Details {
                    name: request.name.clone(),
                    answers,
                };
                let occasion = job::minute(self.now);
                let details = NewDetails::offered(id, occasion, details, self.now);
                self.repeated.push(details);
                let fact = Fact::RegistrationRepeated {
                    account,
                    event,
                    registration: id,
                };
                (fact, Placed::Before)
            }
            Admission::New {
                status,
                confirmation,
                seq,
                answers,
            } => {
                self.registered.insert(person, id);
                self.new.push(Registration {
                    id,
                    event_id: event,
                    seq,
                    name: request.name.clone(),
                    email: request.email.to_string(),
                    status,
                    confirmation,
                    answers,
                    check_in_code: CheckInCode::generate(self.batcher.commands.entropy()),
                    is_added: matches!(request.requester, Requester::Owner(_)),
                    party: request.party.clone(),
                    arrived: 0,
                    checked_in_at: None,
                    checked_in_by: None,
                    checked_in_by_name: None,
                    refuses_reminders: false,
                    registered_at: self.now,
                    updated_at: self.now,
                });
                let fact = Fact::RegistrationMade {
                    account,
                    event,
                    registration: id,
                    status,
                    awaits_confirmation: confirmation.is_some(),
                    is_mailed,
                };
                let waitlist_position = (status == Status::Waitlisted).then_some(waiting);
                let placed = Placed::Now {
                    id,
                    status,
                    waitlist_position,
                };
                (fact, placed)
            }
        };
        self.facts.push((request.span.clone(), request.actor, fact));
        self.links.extend(request.link.map(|hash| (hash, id)));
        Ok(placed)
    }

    /// Writes all decisions, if any. A repeated registration costs the same statements as a new one, so that the time reveals
    /// nothing.
    async fn write(&mut self, context: &mut Context) -> Result<(), storage::Error> {
        if self.facts.is_empty() {
            return Ok(());
        }
        self.write_people(context).await?;
        self.write_counts(context).await
    }

    /// Writes what was decided since it was last called, but for the counts.
    async fn write_people(&mut self, context: &mut Context) -> Result<(), storage::Error> {
        if !self.new.is_empty() {
            context.tx.insert_registrations(&self.new).await?;
        }
        if !self.repeated.is_empty() {
            context.tx.insert_new_details(&self.repeated).await?;
        }
        for (hash, registration) in &self.links {
            context
                .tx
                .insert_link(hash, *registration, None, self.now)
                .await?;
        }
        for (span, actor, fact) in &self.facts {
            context.record_for(span, *actor, *fact).await?;
        }
        self.new.clear();
        self.repeated.clear();
        self.links.clear();
        self.facts.clear();
        Ok(())
    }

    /// Writes what is counted, once all are decided.
    async fn write_counts(&self, context: &mut Context) -> Result<(), storage::Error> {
        self.organizers.write(context).await?;
        self.mails.give_back(context).await?;
        let seats: Vec<&Seats> = self.seats.values().collect();
        context.tx.update_counters(&seats).await
    }
}

/// Locks the counters of the events, then reads them and the events.
async fn hold_seats(
    tx: &mut Tx,
    requests: &[Request],
) -> Result<HashMap<String, Seats>, storage::Error> {
    let mut slugs: Vec<&str> = requests.iter().map(|request| &*request.slug).collect();
    slugs.sort_unstable();
    slugs.dedup();
    let held = tx.lock_seats_by_slug(&slugs).await?;
    if held.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<EventId> = held.iter().map(|(id, ..)| *id).collect();
    let mut events: HashMap<_, _> = tx
        .list_events(&ids)
        .await?
        .into_iter()
        .map(|event| (event.id, event))
        .collect();
    let seats = held.into_iter().filter_map(|(id, counters, next_seq)| {
        let event = events.remove(&id)?;
        let seats = Seats {
            event,
            counters,
            next_seq,
        };
        Some((seats.event.slug.clone(), seats))
    });
    Ok(seats.collect())
}
