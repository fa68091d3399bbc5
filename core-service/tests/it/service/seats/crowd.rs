//! A crowd that comes for few seats, at two cores.

use std::sync::Arc;

use domain::{event::NewEvent, job::JobKind, registration::Status};
use test_postgres::Database;
use tokio::{
    sync::{Barrier, Semaphore},
    task::JoinSet,
};

use crate::{
    fixtures::{Rows, migrate},
    service::{
        Instance,
        guests::{guest, party, seats},
        until_served,
    },
};

/// The seats that everyone comes for.
pub(super) const SEATS: i32 = 100;
/// How many ask at a time, as a front with many connections does.
pub(super) const AT_A_TIME: usize = 1_000;

/// Two cores on one PostgreSQL; SQLite has one.
pub(super) async fn cores(database: &Database) -> Vec<Instance> {
    let mut cores = vec![Instance::open(database).await];
    if database.is_postgres() {
        cores.push(Instance::open_beside(database).await);
    }
    cores
}

/// Has that many ask, numbered from 0, so many of them at a time, each at the next core.
pub(super) fn rush<Asking>(
    cores: &[Instance],
    crowd: usize,
    at_a_time: usize,
    ask: impl Fn(&Instance, usize) -> Asking,
) -> JoinSet<Asking::Output>
where
    Asking: Future<Output: Send + 'static> + Send + 'static,
{
    let open = Arc::new(Semaphore::new(at_a_time));
    let mut asking = JoinSet::new();
    for (number, core) in (0..crowd).zip(cores.iter().cycle()) {
        let (asked, open) = (ask(core, number), Arc::clone(&open));
        asking.spawn(async move {
            let _turn = open.acquire().await.unwrap();
            asked.await
        });
    }
    asking
}

async fn ten_thousand_registrants_on_a_hundred_seats_leave_exactly_a_hundred(database: Database) {
    const CROWD: usize = 10_000;
    let cores = cores(&database).await;
    let olga = cores[0].olga().await;
    let event = cores[0].create(&olga, seats(SEATS)).await;
    let asking = rush(&cores, CROWD, AT_A_TIME, |core, number| {
        let (use_cases, slug) = (core.use_cases.clone(), event.slug.clone());
        // Every tenth comes twice, by both cores.
        let person = if number % 10 == 9 { number - 1 } else { number };
        async move {
            let new = guest(&format!("person-{person}"));
            use_cases
                .registrations
                .register(&slug, new, None)
                .await
                .unwrap();
        }
    });
    asking.join_all().await;

    // `standing` compares the counters with the rows.
    let standing = cores[0].standing(event.id).await;
    assert_eq!(standing.len(), CROWD - CROWD / 10);
    let (seated, waiting) = standing.split_at(usize::try_from(SEATS).unwrap());
    assert_eq!(confirmed(seated), seated.len());
    assert!(
        waiting
            .iter()
            .all(|(_, status)| *status == Status::Waitlisted)
    );
    for (kind, told) in [
        (JobKind::RegisteredMail, seated),
        (JobKind::WaitlistedMail, waiting),
    ] {
        let mails = cores[0].store.list_jobs(kind, 100_000).await;
        assert_eq!(mails.unwrap().len(), told.len());
    }
}

async fn parties_that_rush_in_take_exactly_the_seats_there_are(database: Database) {
    const CROWD: usize = 1_000;
    let cores = cores(&database).await;
    let olga = cores[0].olga().await;
    let admitting = NewEvent {
        max_party: 3,
        ..seats(SEATS)
    };
    let event = cores[0].create(&olga, admitting).await;
    let asking = rush(&cores, CROWD, AT_A_TIME, |core, number| {
        let (use_cases, slug) = (core.use_cases.clone(), event.slug.clone());
        let size = i32::try_from(number % 3 + 1).unwrap();
        let new = party(&format!("person-{number}"), size);
        async move {
            let asked = use_cases.registrations.register(&slug, new, None);
            asked.await.unwrap();
        }
    });
    asking.join_all().await;

    // `standing` compares the counters with the rows.
    assert_eq!(cores[0].standing(event.id).await.len(), CROWD);
    let everyone = cores[0].store.list_registrations(event.id, 0, 100_000);
    let everyone = everyone.await.unwrap().into_iter();
    let seated = everyone.filter(|one| one.status == Status::Confirmed);
    // Some come alone, so the last seats are taken, too.
    assert_eq!(seated.map(|one| one.party.size).sum::<i32>(), SEATS);
}

/// The control: people take seats by what the counters said without their lock. Nobody takes one before all who ask at the
/// same time have looked, so that nothing depends on luck: the last dozen see at most 96 taken.
async fn a_crowd_that_only_looks_at_the_counters_oversells(database: Database) {
    const LOOKING: usize = 12;
    const CROWD: usize = 9 * LOOKING;
    let cores = cores(&database).await;
    let olga = cores[0].olga().await;
    let event = cores[0].create(&olga, seats(SEATS)).await;
    let rows = Rows::new();
    let looked = Arc::new(Barrier::new(LOOKING));
    let asking = rush(&cores, CROWD, LOOKING, |core, number| {
        let (use_cases, store) = (core.use_cases.clone(), core.store.clone());
        let looked = Arc::clone(&looked);
        // Everyone has a place in line already: that it is one person's only would give the race away.
        let seq = i64::try_from(number + 1).unwrap();
        let mut registration = rows.registration(event.id, seq, Status::Pending);
        async move {
            let look = || use_cases.events.get(&olga, event.id);
            let (event, counters) = until_served(look).await.unwrap();
            registration.status = counters.place(event.max_capacity, 1);
            looked.wait().await;
            let take = || async {
                let mut tx = store.begin().await?;
                tx.insert_registration(&registration).await?;
                Ok(tx.commit().await?)
            };
            until_served(take).await.unwrap();
        }
    });
    asking.join_all().await;

    let standing = cores[0].standing(event.id).await;
    assert_eq!(confirmed(&standing), CROWD, "more than there are seats");
}

fn confirmed(standing: &[(String, Status)]) -> usize {
    let confirmed = |one: &&(String, Status)| one.1 == Status::Confirmed;
    standing.iter().filter(confirmed).count()
}

test_postgres::on_both_engines!(prepare: migrate;
    ten_thousand_registrants_on_a_hundred_seats_leave_exactly_a_hundred,
    parties_that_rush_in_take_exactly_the_seats_there_are,
    a_crowd_that_only_looks_at_the_counters_oversells,
);
