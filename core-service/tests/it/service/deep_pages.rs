//! Pages deep in the catalogue, which are read from a place in memory.

use std::time::Duration;

use core_service::domain::ids::EventId;
use test_postgres::Database;
use tokio::time::{Instant, sleep};

use super::{Instance, public_event};
use crate::{
    fixtures::{NOW, migrate},
    storage::search::add_by_an_older_version,
};

/// Beyond 5,000 a page is a deep one.
const EVENTS: i64 = 5_600;
const OFFSETS: [i32; 5] = [4_999, 5_000, 5_321, 5_570, 5_600];

const LONGEST: Duration = Duration::from_secs(30);

impl Instance {
    async fn all(&self) -> Vec<EventId> {
        let all = self.store.list_live_events(NOW, None, 2 * EVENTS, 0).await;
        let all = all.unwrap().into_iter();
        all.map(|(event, _)| event.id).collect()
    }
}

async fn deep_pages_are_exact_until_the_catalogue_changes_and_then_off_by_as_many_events_at_most(
    database: Database,
) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    add_by_an_older_version(&database, olga.account, EVENTS).await;
    let mut changes = 0;
    let until = Instant::now() + LONGEST;
    loop {
        let all = instance.all().await;
        let mut are_exact = true;
        for offset in OFFSETS {
            let page = instance.catalogue.list(50, offset).await.unwrap();
            let ids: Vec<_> = page.events.iter().map(|event| event.id).collect();
            let offset = usize::try_from(offset).unwrap();
            are_exact &= page.place_is_exact;
            let most = if page.place_is_exact { 0 } else { changes };
            let is_page = |first: &usize| all.iter().skip(*first).take(50).eq(&ids);
            let first = (offset..=offset + most).find(is_page);
            assert!(first.is_some(), "{offset} after {changes} changes");
        }
        // Places from memory are in use, and some changes old.
        if !are_exact && changes > 2 {
            break;
        }
        assert!(Instant::now() < until, "no place is from memory");
        sleep(Duration::from_millis(1)).await;
        instance.create(&olga, public_event("Before them")).await;
        changes += 1;
    }
}

test_postgres::on_both_engines!(prepare: migrate;
    deep_pages_are_exact_until_the_catalogue_changes_and_then_off_by_as_many_events_at_most,
);
