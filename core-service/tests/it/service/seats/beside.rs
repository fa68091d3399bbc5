//! What happens beside a crowd, and to it.

use std::time::Duration;

use core_service::service::{Error, Principal};
use domain::{event::NewEvent, job::JobKind};
use test_postgres::Database;
use tokio::{sync::mpsc, time::Instant};

use super::crowd::{AT_A_TIME, SEATS, cores, rush};
use crate::{
    fixtures::{NOW, migrate},
    service::{
        Instance,
        guests::{guest, seats},
        public_event,
    },
};

/// The counters' lock makes an order of the cancellation and each registration, whichever core has either.
async fn a_cancellation_among_registrations_tells_exactly_who_is_registered(database: Database) {
    /// Without the lock most rounds go wrong, but not each.
    const ROUNDS: usize = 8;
    let cores = cores(&database).await;
    let olga = cores[0].olga().await;
    for _ in 0..ROUNDS {
        cancel_among_registrations(&cores, &olga).await;
    }
}

/// The first core registers, the last one cancels. Who asks comes again under other names until the event is cancelled.
async fn cancel_among_registrations(cores: &[Instance], olga: &Principal) {
    const ASKING: usize = 40;
    const BEFORE: usize = 60;
    let asked = &cores[0];
    let cancelling = cores.last().unwrap();
    let event = asked.create(olga, seats(SEATS)).await;
    let (tell, mut told) = mpsc::unbounded_channel();
    let asking = rush(&cores[..1], ASKING, ASKING, |core, number| {
        let (use_cases, slug, tell) = (core.use_cases.clone(), event.slug.clone(), tell.clone());
        async move {
            for registered in 0.. {
                let new = guest(&format!("person-{number}-{registered}"));
                match use_cases.registrations.register(&slug, new, None).await {
                    Ok(_) => tell.send(()).unwrap(),
                    Err(Error::EventCancelled) => return registered,
                    Err(error) => panic!("{error:?}"),
                }
            }
            unreachable!("who comes often enough finds the event cancelled")
        }
    });
    for _ in 0..BEFORE {
        told.recv().await.unwrap();
    }
    let cancelled = cancelling.events.cancel(olga, event.id, None).await;
    let notified = usize::try_from(cancelled.unwrap().registrants_notified).unwrap();
    let registered: usize = asking.join_all().await.into_iter().sum();

    assert_eq!(asked.standing(event.id).await.len(), registered);
    assert_eq!(notified, registered);
    let mailed = asked.mailed(event.id, JobKind::CancellationMail).await;
    assert_eq!(mailed.len(), registered);
}

async fn one_who_cannot_be_written_does_not_take_the_others_along(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(50)).await;
    let asking = rush(std::slice::from_ref(&instance), 20, 20, |core, number| {
        let (use_cases, slug) = (core.use_cases.clone(), event.slug.clone());
        let mut new = guest(&format!("person-{number}"));
        // PostgreSQL takes no text with NUL. The proto's limits, which are applied before, let none in.
        if number == 7 && database.is_postgres() {
            new.name.push('\0');
        }
        async move {
            use_cases
                .registrations
                .register(&slug, new, None)
                .await
                .is_ok()
        }
    });
    let registered = asking.join_all().await;
    let registered = registered.into_iter().filter(|registered| *registered);
    let expected = if database.is_postgres() { 19 } else { 20 };
    assert_eq!(registered.count(), expected);
    assert_eq!(instance.standing(event.id).await.len(), expected);
}

async fn other_requests_are_answered_while_an_event_is_hot(database: Database) {
    const HOT: usize = 5_000;
    /// Far above what it takes, and far below what waiting for the crowd would: CI machines are slow.
    const SLOWEST: Duration = Duration::from_secs(2);
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let hot = instance.create(&olga, seats(SEATS)).await;
    let mut asking = rush(
        std::slice::from_ref(&instance),
        HOT,
        AT_A_TIME,
        |core, number| {
            let (use_cases, slug) = (core.use_cases.clone(), hot.slug.clone());
            async move {
                let new = guest(&format!("person-{number}"));
                use_cases
                    .registrations
                    .register(&slug, new, None)
                    .await
                    .unwrap();
            }
        },
    );
    let mut times = Vec::new();
    while asking.len() > HOT / 10 {
        let began = Instant::now();
        let other = NewEvent {
            is_public: false,
            ..public_event("Other")
        };
        let other = instance.create(&olga, other).await;
        instance.events.get(&olga, other.id).await.unwrap();
        instance.catalogue.list(50, 0).await.unwrap();
        times.push(began.elapsed());
        while asking.try_join_next().is_some() {}
    }
    asking.join_all().await;
    times.sort_unstable();
    let slowest = times.last().copied().unwrap_or_default();
    assert!(slowest < SLOWEST, "{slowest:?} of {}", times.len());
    assert_eq!(instance.clock.now(), NOW);
}

test_postgres::on_both_engines!(prepare: migrate;
    a_cancellation_among_registrations_tells_exactly_who_is_registered,
    one_who_cannot_be_written_does_not_take_the_others_along,
    other_requests_are_answered_while_an_event_is_hot,
);
