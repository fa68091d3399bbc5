//! Pages deep in the catalogue.

use test_postgres::Database;

use super::{Instance, public_event};
use crate::{
    fixtures::{NOW, migrate},
    storage::search::add_by_an_older_version,
};

const EVENTS: i64 = 5_600;
const OFFSETS: [i32; 5] = [4_999, 5_000, 5_321, 5_570, 5_600];

async fn deep_pages_are_exact_whatever_changes(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    add_by_an_older_version(&database, olga.account, EVENTS).await;
    for _ in 0..3 {
        let all = instance.store.list_live_events(NOW, 2 * EVENTS, 0).await;
        let all: Vec<_> = all.unwrap().into_iter().map(|(event, _)| event).collect();
        for offset in OFFSETS {
            let page = instance.catalogue.list(50, offset).await.unwrap();
            let expected = all.iter().skip(usize::try_from(offset).unwrap());
            assert!(
                expected
                    .take(50)
                    .eq(page.events.iter().map(|one| &one.event)),
                "{offset}"
            );
        }
        instance.create(&olga, public_event("Before them")).await;
    }
}

test_postgres::on_both_engines!(prepare: migrate;
    deep_pages_are_exact_whatever_changes,
);
