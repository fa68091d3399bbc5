//! Limits with two cores: what each counts in its memory holds within their number.

use core_service::service::{Error, Policy};
use domain::{
    clock::Clock,
    rate::{Limit, LimitSettings, Period},
};
use test_postgres::Database;

use super::{Instance, policy};
use crate::fixtures::{NOW, migrate, open};

/// Two cores on one database, with the same limits.
async fn two_cores(database: &Database) -> [Instance; 2] {
    let (store, clock) = (open(database).await, Clock::manual(NOW));
    [7, 8].map(|seed| {
        let limits = LimitSettings {
            account_writes: Limit::new(4, Period::Minute),
            ..LimitSettings::OFF
        };
        let limited = Policy { limits, ..policy() };
        Instance::under(store.clone(), seed, clock.clone(), false, limited)
    })
}

fn is_allowed<T>(answer: Result<T, Error>) -> bool {
    match answer {
        Ok(_) => true,
        Err(Error::RateLimited { wait, .. }) => {
            assert!(wait.as_secs() <= 3_600, "{wait:?}");
            false
        }
        Err(error) => panic!("{error:?}"),
    }
}

async fn limits_in_memory_hold_within_the_number_of_cores(database: Database) {
    let cores = two_cores(&database).await;
    let olga = cores[0].olga().await;
    let calls = (0..20).filter(|number| {
        let core = &cores[number % cores.len()];
        is_allowed(core.call_limits.count(olga.account, false))
    });
    assert_eq!(calls.count(), 4 * cores.len());
}

test_postgres::on_both_engines!(
    prepare: migrate;
    limits_in_memory_hold_within_the_number_of_cores,
);
