//! PostgreSQL stops, crashes and recovers below running calls.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use core_service::service::{Error, Principal};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use sqlx::{Connection as _, PgConnection};
use storage::Error::{Unavailable, UnknownOutcome};
use test_postgres::{Database, Server};
use tokio::{task::JoinSet, time::timeout};

use super::{
    Instance,
    guests::{guest, seats},
    new_event,
};
use crate::fixtures::{migrate, open};

/// How often each way to end PostgreSQL is taken.
const ROUNDS: usize = 3;
/// How many callers there are at once.
const CALLERS: usize = 8;
/// Far above what recovering takes on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// More than it takes to give up, and less than a statement may take.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(9);

/// Calls everything until it is told to stop. Returns each answer that is neither a success nor `Unavailable`.
async fn call_on_and_on(
    instance: Arc<Instance>,
    olga: Principal,
    slug: String,
    caller: usize,
    stop: Arc<AtomicBool>,
) -> Vec<Error> {
    let mut unexpected = Vec::new();
    let mut see = |failed: Option<Error>| match failed {
        None | Some(Error::Unavailable(_)) => {}
        Some(other) => unexpected.push(other),
    };
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        let new = guest(&format!("person-{caller}-{number}"));
        let registered = instance.registrations.register(&slug, new, None).await;
        see(registered.err());
        let draft = format!("Draft {caller} {number}");
        match instance.events.create(&olga, new_event(&draft)).await {
            Ok(event) => {
                let published = instance.events.publish(&olga, event.id).await;
                see(published.err());
                see(instance.events.get(&olga, event.id).await.err());
            }
            Err(error) => see(Some(error)),
        }
        see(instance.catalogue.list(10, 0).await.err());
    }
    unexpected
}

/// Waits until an event can be created again.
async fn await_recovery(instance: &Instance, olga: &Principal) {
    let create = async || instance.events.create(olga, new_event("Back")).await;
    let back = timeout(TIMEOUT, async { while create().await.is_err() {} });
    back.await.expect("core finds its database again");
}

/// The server's first process, as it writes it into its folder.
pub(super) fn postmaster(url: &str) -> Pid {
    let (_, folder) = url.split_once("?host=").unwrap();
    let file = Path::new(folder).join("data/postmaster.pid");
    let text = fs::read_to_string(file).unwrap();
    Pid::from_raw(text.lines().next().unwrap().parse().unwrap()).unwrap()
}

/// Stops the server without letting it finish anything.
async fn stop_immediately(database: &Database) {
    let postmaster = postmaster(database.url());
    kill_process(postmaster, Signal::QUIT).unwrap();
    let gone = timeout(TIMEOUT, async {
        while test_kill_process(postmaster).is_ok() {
            tokio::task::yield_now().await;
        }
    });
    gone.await.expect("it stops");
}

/// Kills one of the server's processes, as the system does when memory is short. The server then ends all others and recovers.
async fn kill_a_backend(database: &Database) {
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let own = sqlx::query_scalar::<_, i32>("SELECT pg_backend_pid()");
    let own = own.fetch_one(&mut connection).await.unwrap();
    kill_process(Pid::from_raw(own).unwrap(), Signal::KILL).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_ends_postgresql_callers_are_told_to_come_back_and_nothing_else() {
    // Otherwise a crash would lose what was acknowledged.
    let Some(server) = Server::start_durable() else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    let instance = Arc::new(Instance::open(&database).await);
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(5)).await;
    let stop = Arc::new(AtomicBool::new(false));
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        callers.spawn(call_on_and_on(
            Arc::clone(&instance),
            olga,
            event.slug.clone(),
            caller,
            Arc::clone(&stop),
        ));
    }
    for _ in 0..ROUNDS {
        server.stop();
        server.start_again();
        await_recovery(&instance, &olga).await;
        stop_immediately(&database).await;
        server.start_again();
        await_recovery(&instance, &olga).await;
        kill_a_backend(&database).await;
        await_recovery(&instance, &olga).await;
    }
    stop.store(true, Ordering::Relaxed);
    let unexpected: Vec<_> = callers.join_all().await.into_iter().flatten().collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
}

/// Sends a signal to the server and to all its processes.
pub(super) fn signal_all(postmaster: Pid, signal: Signal) {
    let id = postmaster.as_raw_nonzero();
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let children = children.split_whitespace().map(str::parse);
    for process in children.map(|child| Pid::from_raw(child.unwrap()).unwrap()) {
        // One may have ended meanwhile.
        let _ended = kill_process(process, signal);
    }
    kill_process(postmaster, signal).unwrap();
}

/// As if the network lost all packets: no connection breaks, and new ones get no answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_do_not_wait_for_a_database_that_has_fallen_silent() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    let store = open(&database).await;
    store.ping().await.unwrap();
    let begun = store.begin().await.unwrap();
    let waiting = store.begin().await.unwrap();
    let postmaster = postmaster(database.url());
    signal_all(postmaster, Signal::STOP);
    let answers = timeout(MAX_RESPONSE_TIME, async {
        tokio::join!(
            store.ping(),
            begun.commit(),
            waiting.has_accounts(),
            store.begin()
        )
    });
    let answers = Box::pin(answers).await;
    signal_all(postmaster, Signal::CONT);
    let (read, committed, statement, further) = answers.expect("all of them give up");
    assert!(matches!(read, Err(Unavailable(_))), "{read:?}");
    assert!(matches!(committed, Err(UnknownOutcome(_))), "{committed:?}");
    assert!(matches!(statement, Err(Unavailable(_))), "{statement:?}");
    assert!(matches!(further, Err(Unavailable(_))), "{further:?}");
    let back = timeout(TIMEOUT, async {
        while store.ping().await.is_err() || store.begin().await.is_err() {}
    });
    back.await.expect("it is used again");
}
