//! Leases: no job is done twice at a time, and none is lost with its core.

use domain::{
    clock::Clock,
    job::{Destination, JobKind},
};
use test_postgres::Database;

use super::{Behaviour, Scripted, add_jobs, claim, jobs, runner};
use crate::fixtures::{NOW, migrate, open};

async fn a_job_of_a_core_that_died_comes_again_when_its_lease_ends(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..1, &Destination::COVERS).await;
    assert_eq!(claim(&store, &clock).await.len(), 1);

    let handler = Scripted::new(Behaviour::Succeed);
    let runner = runner(&store, &clock, &handler);
    clock.advance_seconds(59);
    assert_eq!(runner.drain().await.unwrap(), 0);
    clock.advance_seconds(1);
    assert_eq!(runner.drain().await.unwrap(), 1);
    assert!(jobs(&store).await.is_empty());
}

async fn a_lost_lease_overwrites_nothing(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..1, &Destination::COVERS).await;
    let lost = claim(&store, &clock).await.pop().unwrap();
    clock.advance_seconds(60);
    let held = claim(&store, &clock).await.pop().unwrap();
    assert_eq!((lost.attempt, held.attempt), (1, 2));

    let before = jobs(&store).await;
    let mut tx = store.begin().await.unwrap();
    assert_eq!(tx.finish_jobs(&[&lost]).await.unwrap(), 0);
    for counts in [true, false] {
        let postponed = tx.postpone_job(&lost, NOW, counts, "late").await;
        assert!(!postponed.unwrap());
    }
    assert!(!tx.fail_job(&lost, NOW, "late").await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(jobs(&store).await, before);

    let mut tx = store.begin().await.unwrap();
    assert_eq!(tx.finish_jobs(&[&lost, &held]).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert!(jobs(&store).await.is_empty());
}

async fn runners_side_by_side_never_do_a_job_twice(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    add_jobs(&store, 0..200, &Destination::COVERS).await;
    let handler = Scripted::new(Behaviour::Succeed);
    let (one, two) = (
        runner(&store, &clock, &handler),
        runner(&store, &clock, &handler),
    );
    let (one, two) = tokio::join!(
        tokio::spawn(async move { one.drain().await.unwrap() }),
        tokio::spawn(async move { two.drain().await.unwrap() }),
    );
    assert_eq!(one.unwrap() + two.unwrap(), 200);
    assert_eq!(handler.tries.lock().unwrap().len(), 200);
    assert_eq!(handler.tries(), 200);
    assert!(jobs(&store).await.is_empty());
}

/// The negative control of the test above: it is the lease that keeps others away.
async fn without_a_lease_a_job_is_claimed_twice(database: Database) {
    let store = open(&database).await;
    add_jobs(&store, 0..1, &Destination::COVERS).await;
    for _ in 0..2 {
        let mut tx = store.begin().await.unwrap();
        assert_eq!(
            tx.claim_jobs(&Destination::COVERS, JobKind::StockCover, NOW, NOW, 10)
                .await
                .unwrap()
                .len(),
            1
        );
        tx.commit().await.unwrap();
    }
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_job_of_a_core_that_died_comes_again_when_its_lease_ends,
    a_lost_lease_overwrites_nothing,
    runners_side_by_side_never_do_a_job_twice,
    without_a_lease_a_job_is_claimed_twice,
);
