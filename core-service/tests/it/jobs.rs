//! The runner: leases, failures, kinds without a handler, several runners, stopping.

mod destinations;
mod leases;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use core_service::jobs::{Attempt, AttemptError, Done, Handler, LaneLimits, Limits, Runner};
use domain::{
    clock::Clock,
    job::{ClaimedJob, Destination, Job, JobKind, Task},
    registration::Status,
};
use server::CancellationToken;
use storage::{JobRecord, Store};
use test_postgres::Database;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::fixtures::{
    HOUR, NOW, Rows, add_account, add_event, add_registrations, execute, migrate, open,
};

/// What a [`Scripted`] handler does with a job.
#[derive(Debug, Clone, Copy)]
enum Behaviour {
    Succeed,
    Fail,
    Refuse,
    Panic,
    Hang,
    FindNobody,
}

/// A handler that follows a script, and counts.
struct Scripted {
    behaviour: Mutex<Behaviour>,
    /// For subjects from this one on another, where destinations differ.
    other: Option<(Uuid, Behaviour)>,
    /// Tries by subject.
    tries: Mutex<HashMap<Uuid, u32>>,
    started: Semaphore,
    released: Semaphore,
}

impl Scripted {
    fn new(behaviour: Behaviour) -> Arc<Self> {
        Arc::new(Self {
            behaviour: Mutex::new(behaviour),
            other: None,
            tries: Mutex::default(),
            started: Semaphore::new(0),
            released: Semaphore::new(0),
        })
    }

    /// Treats the jobs from a number on in another way.
    fn with_other(behaviour: Behaviour, from: u128, other: Behaviour) -> Arc<Self> {
        let mut scripted = Arc::into_inner(Self::new(behaviour)).unwrap();
        scripted.other = Some((job(from, &Destination::COVERS).subject_id, other));
        Arc::new(scripted)
    }

    fn now_does(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }

    fn tries(&self) -> u32 {
        self.tries.lock().unwrap().values().sum()
    }
}

impl Handler for Scripted {
    fn kinds(&self) -> &'static [JobKind] {
        &[JobKind::StockCover]
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        let subject = job.key.subject_id;
        *self.tries.lock().unwrap().entry(subject).or_default() += 1;
        let behaviour = match self.other {
            Some((from, other)) if subject >= from => other,
            _ => *self.behaviour.lock().unwrap(),
        };
        Box::pin(async move {
            self.started.add_permits(1);
            match behaviour {
                Behaviour::Succeed => Ok(Done::Plainly),
                Behaviour::Fail => Err(AttemptError::Temporary("greylisted".to_owned())),
                Behaviour::Refuse => Err(AttemptError::Permanent("no such mailbox".to_owned())),
                Behaviour::FindNobody => {
                    Err(AttemptError::Unreachable("connection refused".to_owned()))
                }
                Behaviour::Panic => panic!("a bug"),
                Behaviour::Hang => {
                    self.released.acquire().await.unwrap().forget();
                    Ok(Done::Plainly)
                }
            }
        })
    }
}

/// A job with a subject of its own: a number below 65,536.
fn job(number: u128, destination: &Destination) -> Job {
    Job {
        task: Task::StockCover,
        subject_id: Uuid::from_u128(number << 16),
        occasion: 0,
        destination: destination.clone(),
        trace_parent: None,
    }
}

async fn add_jobs(store: &Store, numbers: std::ops::Range<u128>, destination: &Destination) {
    let jobs: Vec<Job> = numbers.map(|number| job(number, destination)).collect();
    let mut tx = store.begin().await.unwrap();
    let added = tx.insert_jobs(&jobs, NOW).await.unwrap();
    assert_eq!(usize::try_from(added).unwrap(), jobs.len());
    tx.commit().await.unwrap();
}

async fn claim(store: &Store, clock: &Clock) -> Vec<ClaimedJob> {
    let (now, lease_end) = (clock.now(), clock.now().plus_seconds(60));
    let (destination, kind) = (Destination::COVERS, JobKind::StockCover);
    let mut tx = store.begin().await.unwrap();
    let claimed = tx.claim_jobs(&destination, kind, now, lease_end, 10).await;
    tx.commit().await.unwrap();
    claimed.unwrap()
}

async fn jobs(store: &Store) -> Vec<JobRecord> {
    store.list_jobs(JobKind::StockCover, 1_000).await.unwrap()
}

fn runner(store: &Store, clock: &Clock, handler: &Arc<Scripted>) -> Runner {
    let handler: Arc<dyn Handler> = handler.clone();
    Runner::new(store.clone(), clock.clone(), vec![handler])
}

async fn done_jobs_are_gone_and_a_key_names_one_job(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..40, &Destination::COVERS).await;
    let mut tx = store.begin().await.unwrap();
    let again = [job(39, &Destination::MAIL), job(40, &Destination::MAIL)];
    assert_eq!(tx.insert_jobs(&again, NOW).await.unwrap(), 1);
    assert_eq!(tx.insert_jobs(&[], NOW).await.unwrap(), 0);
    drop(tx);

    let handler = Scripted::new(Behaviour::Succeed);
    assert_eq!(runner(&store, &clock, &handler).drain().await.unwrap(), 40);
    assert_eq!(handler.tries(), 40);
    assert!(jobs(&store).await.is_empty());
}

async fn a_job_keeps_what_made_it_beside_others_that_are_not_traced(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let trace_parent = Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned());
    let traced = Job {
        trace_parent: trace_parent.clone(),
        ..job(0, &Destination::COVERS)
    };
    let mut tx = store.begin().await.unwrap();
    let both = [traced, job(1, &Destination::COVERS)];
    assert_eq!(tx.insert_jobs(&both, NOW).await.unwrap(), 2);
    tx.commit().await.unwrap();
    let mut claimed = claim(&store, &clock).await;
    claimed.sort_by_key(|job| job.key.subject_id);
    let kept: Vec<_> = claimed.into_iter().map(|job| job.trace_parent).collect();
    assert_eq!(kept, [trace_parent, None]);
}

async fn a_kind_without_a_handler_waits(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let rows = Rows::new();
    let event = rows.event(add_account(&store, &rows).await.id, 1);
    add_event(&store, &event).await;
    let statuses = [
        Status::Confirmed,
        Status::Pending,
        Status::Cancelled,
        Status::Waitlisted,
    ];
    let guests = add_registrations(&store, &rows, event.id, &statuses).await;
    let mut tx = store.begin().await.unwrap();
    assert_eq!(
        tx.schedule_cancellation_mails(event.id, None, NOW, None)
            .await
            .unwrap(),
        3
    );
    tx.commit().await.unwrap();
    add_jobs(&store, 0..1, &Destination::COVERS).await;

    clock.advance_seconds(1_000 * HOUR);
    let handler = Scripted::new(Behaviour::Succeed);
    assert_eq!(runner(&store, &clock, &handler).drain().await.unwrap(), 1);
    let waiting = store
        .list_jobs(JobKind::CancellationMail, 10)
        .await
        .unwrap();
    let mut subjects: Vec<_> = waiting.iter().map(|job| job.key.subject_id).collect();
    subjects.sort_unstable();
    let mut active = [&guests[0], &guests[1], &guests[3]].map(|guest| guest.id.uuid());
    active.sort_unstable();
    assert_eq!(subjects, active);
    assert!(
        waiting
            .iter()
            .all(|job| job.attempts == 0 && job.failed_at.is_none())
    );
}

async fn a_job_is_tried_nine_times_ever_later_and_then_has_failed(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..1, &Destination::COVERS).await;
    let handler = Scripted::new(Behaviour::Fail);
    let runner = runner(&store, &clock, &handler);

    let mut waits = Vec::new();
    loop {
        assert_eq!(runner.drain().await.unwrap(), 1);
        let job = jobs(&store).await.pop().unwrap();
        assert_eq!(job.last_error.as_deref(), Some("greylisted"));
        if job.failed_at.is_some() {
            assert_eq!((job.attempts, job.failed_at), (9, Some(clock.now())));
            break;
        }
        let wait = (job.due_at.micros() - clock.now().micros()) / 1_000_000;
        waits.push(wait);
        clock.advance_seconds(wait - 1);
        assert_eq!(runner.drain().await.unwrap(), 0);
        clock.advance_seconds(1);
    }
    assert_eq!(waits, [30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400]);
    clock.advance_seconds(1_000 * HOUR);
    assert_eq!(runner.drain().await.unwrap(), 0);
}

async fn while_a_destination_is_away_one_job_at_a_time_is_tried_and_none_fails(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..40, &Destination::COVERS).await;
    let handler = Scripted::new(Behaviour::FindNobody);
    let runner = runner(&store, &clock, &handler);
    // All slots were taken when it was noticed; then nothing is started until the first pause, at most 6 s, is over.
    assert_eq!(runner.drain().await.unwrap(), 16);
    assert_eq!(runner.drain().await.unwrap(), 0);
    clock.advance_seconds(6);
    assert_eq!(runner.drain().await.unwrap(), 1);
    // A week of it: a knock every five to six minutes.
    let mut knocks = 0;
    for _ in 0..7 * 24 * 6 {
        clock.advance_seconds(600);
        knocks += runner.drain().await.unwrap();
    }
    assert_eq!(knocks, 7 * 24 * 6);
    let left = jobs(&store).await;
    assert_eq!(left.len(), 40);
    assert!(
        left.iter()
            .all(|job| job.tries == 0 && job.failed_at.is_none())
    );
    assert!(left.iter().any(|job| job.attempts > 9));

    handler.now_does(Behaviour::Succeed);
    clock.advance_seconds(360);
    assert_eq!(runner.drain().await.unwrap(), 40);
    assert!(jobs(&store).await.is_empty());
}

async fn a_job_that_fails_by_itself_does_not_stop_the_others(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..40, &Destination::COVERS).await;
    let handler = Scripted::new(Behaviour::Fail);
    assert_eq!(runner(&store, &clock, &handler).drain().await.unwrap(), 40);
    assert!(jobs(&store).await.iter().all(|job| job.tries == 1));
}

/// On SQLite alone: what PostgreSQL stores is always a text or a number of this size.
async fn a_job_that_cannot_be_read_fails_and_stops_no_other(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..40, &Destination::COVERS).await;
    let broken = "UPDATE jobs SET trace_parent = CAST(x'ff' AS TEXT) WHERE subject_id < x'00000000000000000000000000050000'; \
        UPDATE jobs SET occasion = 5000000000 WHERE subject_id = x'00000000000000000000000000050000'";
    execute(&database, broken).await;
    let handler = Scripted::new(Behaviour::Succeed);
    let runner = runner(&store, &clock, &handler);
    assert_eq!(runner.drain().await.unwrap(), 34);
    assert_eq!(runner.drain().await.unwrap(), 0);
    let repaired = "UPDATE jobs SET trace_parent = NULL, occasion = 0";
    execute(&database, repaired).await;
    let left = jobs(&store).await;
    // Not even the key of the last one can be read: it comes again when its lease ends.
    let failed = left.iter().filter(|job| job.failed_at == Some(NOW));
    assert_eq!((left.len(), failed.count()), (6, 5));
    assert!(left.iter().all(|job| job.tries == 1));
}

async fn a_refused_job_fails_at_once(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..1, &Destination::COVERS).await;
    let handler = Scripted::new(Behaviour::Refuse);
    assert_eq!(runner(&store, &clock, &handler).drain().await.unwrap(), 1);
    let job = jobs(&store).await.pop().unwrap();
    assert_eq!(job.failed_at, Some(NOW));
    assert_eq!(job.last_error.as_deref(), Some("no such mailbox"));
}

async fn a_panic_sets_its_job_apart_and_no_other(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..3, &Destination::COVERS).await;
    let handler = Scripted::new(Behaviour::Panic);
    let runner = runner(&store, &clock, &handler);
    assert_eq!(runner.drain().await.unwrap(), 3);
    for job in jobs(&store).await {
        assert_eq!(job.failed_at, Some(NOW));
        assert_eq!(job.last_error.as_deref(), Some("panicked: a bug"));
    }
}

async fn a_try_that_takes_too_long_is_dropped_and_comes_again(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..1, &Destination::COVERS).await;
    let handler = Scripted::new(Behaviour::Hang);
    let runner = runner(&store, &clock, &handler).with_limits(Limits {
        other: LaneLimits {
            timeout: Duration::from_millis(1),
            ..LaneLimits::OTHER
        },
        ..Limits::default()
    });
    assert_eq!(runner.drain().await.unwrap(), 1);
    clock.advance_seconds(30);
    handler.released.add_permits(1);
    assert_eq!(runner.drain().await.unwrap(), 1);
    assert!(jobs(&store).await.is_empty());
}

async fn a_runner_that_is_told_to_stop_finishes_what_is_under_way(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..3, &Destination::COVERS).await;
    let handler = Scripted::new(Behaviour::Hang);
    let stop = CancellationToken::new();
    let limits = Limits {
        other: LaneLimits {
            slots: 2,
            ..LaneLimits::OTHER
        },
        ..Limits::default()
    };
    let runner = runner(&store, &clock, &handler).with_limits(limits);
    let running = tokio::spawn(runner.run(stop.clone()));
    handler.started.acquire_many(2).await.unwrap().forget();

    stop.cancel();
    assert!(!running.is_finished());
    handler.released.add_permits(2);
    running.await.unwrap();
    assert_eq!(handler.tries(), 2);
    let left = jobs(&store).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].attempts, 0);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    done_jobs_are_gone_and_a_key_names_one_job,
    a_job_keeps_what_made_it_beside_others_that_are_not_traced,
    a_kind_without_a_handler_waits,
    a_job_is_tried_nine_times_ever_later_and_then_has_failed,
    while_a_destination_is_away_one_job_at_a_time_is_tried_and_none_fails,
    a_job_that_fails_by_itself_does_not_stop_the_others,
    a_refused_job_fails_at_once,
    a_panic_sets_its_job_apart_and_no_other,
    a_try_that_takes_too_long_is_dropped_and_comes_again,
    a_runner_that_is_told_to_stop_finishes_what_is_under_way;
    on_sqlite: a_job_that_cannot_be_read_fails_and_stops_no_other,
);
