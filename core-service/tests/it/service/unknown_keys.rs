//! Keys that are made up cost few queries, and keep nobody's key from working.

use std::{net::IpAddr, time::Duration};

use core_service::service::{Error, Principal};
use domain::{api_key::PlainKey, entropy::Entropy};
use test_postgres::Database;

use super::{Instance, accounts::fay};
use crate::fixtures::migrate;

const CLIENT: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));
const OTHER: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2)));

/// How many unknown keys a client may try in a minute.
const MAX_TRIES: u64 = 300;

/// A key that was never made.
fn made_up(number: u64) -> String {
    let key = PlainKey::generate(&Entropy::seeded(1_000 + number));
    format!("Bearer {}", key.expose())
}

async fn authenticate(
    instance: &Instance,
    header: &str,
    client: Option<IpAddr>,
) -> Result<Principal, Error> {
    let authenticator = &instance.authenticator;
    authenticator
        .authenticate_client(Some(header), client)
        .await
}

async fn a_refused_key_is_looked_up_again_only_after_a_moment(database: Database) {
    let instance = Instance::open(&database).await;
    let refused = authenticate(&instance, &made_up(0), CLIENT).await;
    assert!(matches!(refused, Err(Error::Unauthorized)), "{refused:?}");
    // From here on, a look-up fails.
    instance.store.close().await;
    let refused = authenticate(&instance, &made_up(0), CLIENT).await;
    assert!(matches!(refused, Err(Error::Unauthorized)), "{refused:?}");
    instance.clock.advance_seconds(2);
    let looked_up = authenticate(&instance, &made_up(0), CLIENT).await;
    assert!(
        matches!(looked_up, Err(Error::Unavailable(_))),
        "{looked_up:?}"
    );
}

async fn who_tries_many_keys_has_to_wait_but_keys_that_are_valid_work(database: Database) {
    let instance = Instance::open(&database).await;
    instance.accounts.create(fay()).await.unwrap();
    let make = async |name: &str| {
        let made = instance.keys.create("fay@example.org", name).await.unwrap();
        format!("Bearer {}", made.plain.expose())
    };
    let known = make("laptop").await;
    authenticate(&instance, &known, CLIENT).await.unwrap();
    for number in 0..MAX_TRIES {
        let refused = authenticate(&instance, &made_up(number), CLIENT).await;
        assert!(matches!(refused, Err(Error::Unauthorized)), "{refused:?}");
    }
    let refused = authenticate(&instance, &made_up(MAX_TRIES), CLIENT).await;
    assert!(
        matches!(refused, Err(Error::TooManyUnknownKeys { .. })),
        "{refused:?}"
    );
    // The key's trust is over, and the allowance is used up again.
    instance.clock.advance_seconds(2);
    let mut number = MAX_TRIES;
    while !matches!(
        authenticate(&instance, &made_up(number), CLIENT).await,
        Err(Error::TooManyUnknownKeys { .. })
    ) {
        number += 1;
    }
    authenticate(&instance, &known, CLIENT).await.unwrap();
    let new = make("phone").await;
    authenticate(&instance, &new, OTHER).await.unwrap();
    instance.clock.advance_seconds(1);
    let newer = make("tablet").await;
    authenticate(&instance, &newer, CLIENT).await.unwrap();
}

async fn a_key_that_could_not_be_looked_up_does_not_count_as_unknown(database: Database) {
    let instance = Instance::open(&database).await;
    instance.store.close().await;
    for number in 0..=MAX_TRIES {
        let failed = authenticate(&instance, &made_up(number), CLIENT).await;
        assert!(matches!(failed, Err(Error::Unavailable(_))), "{failed:?}");
    }
}

async fn a_call_that_is_cancelled_counts_like_one_that_waits(database: Database) {
    let instance = Instance::open(&database).await;
    for number in 0..MAX_TRIES {
        let key = made_up(number);
        let call = authenticate(&instance, &key, CLIENT);
        // It is begun, and dropped before the database answers.
        let _ = tokio::time::timeout(Duration::ZERO, call).await;
    }
    let refused = authenticate(&instance, &made_up(MAX_TRIES), CLIENT).await;
    assert!(
        matches!(refused, Err(Error::TooManyUnknownKeys { .. })),
        "{refused:?}"
    );
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_call_that_is_cancelled_counts_like_one_that_waits,
    a_key_that_could_not_be_looked_up_does_not_count_as_unknown,
    a_refused_key_is_looked_up_again_only_after_a_moment,
    who_tries_many_keys_has_to_wait_but_keys_that_are_valid_work,
);
