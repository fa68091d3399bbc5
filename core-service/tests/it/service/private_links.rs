//! The links that mails carry, each to one registration.

use core_service::service::Error;
use domain::ids::RegistrationId;
use test_postgres::Database;
use tokio::task::JoinSet;

use super::{Instance, guests::seats};
use crate::fixtures::migrate;

async fn links_that_are_written_together_fail_apart(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(1)).await;
    instance.ask(&event, "ada").await;
    let stored = instance.store.list_registrations(event.id, 0, 10).await;
    let ada = stored.unwrap()[0].id;
    let erased = RegistrationId::new(event.id.uuid());
    let mut links = JoinSet::new();
    for number in 0..32 {
        let use_cases = instance.use_cases.clone();
        let is_erased = number % 8 == 3;
        let id = if is_erased { erased } else { ada };
        links.spawn(async move {
            (
                is_erased,
                use_cases.own_registrations.new_link(id, None).await,
            )
        });
    }
    for (is_erased, link) in links.join_all().await {
        assert_eq!(is_erased, link.is_err(), "{link:?}");
        let Ok(link) = link else { continue };
        let token = link.rsplit('/').next().unwrap();
        let own = instance.own_registrations.get(token).await.unwrap();
        assert_eq!(own.registration.id, ada);
    }
}

async fn a_private_link_leads_to_one_registration_only(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(1)).await;
    instance.ask(&event, "ada").await;
    instance.ask(&event, "bob").await;
    let stored = instance.store.list_registrations(event.id, 0, 10).await;
    let bob = stored.unwrap()[1].id;
    let links = [
        instance
            .own_registrations
            .new_link(bob, None)
            .await
            .unwrap(),
        instance
            .own_registrations
            .new_link(bob, None)
            .await
            .unwrap(),
    ];
    assert_ne!(links[0], links[1]);
    for link in links {
        let token = link.rsplit('/').next().unwrap();
        let own = instance.own_registrations.get(token).await.unwrap();
        assert_eq!(own.registration.id, bob);
        assert_eq!((own.waitlist_position, own.is_cancellable), (Some(1), true));
    }
    for token in ["", "short", &"a".repeat(32), &"é".repeat(16)] {
        let refused = instance.own_registrations.get(token).await;
        assert!(
            matches!(
                refused,
                Err(Error::NotFound {
                    what: "registration"
                })
            ),
            "{refused:?}"
        );
        let refused = instance.own_registrations.cancel(token).await;
        assert!(matches!(refused, Err(Error::NotFound { .. })));
    }
}

test_postgres::on_both_engines!(prepare: migrate;
    links_that_are_written_together_fail_apart,
    a_private_link_leads_to_one_registration_only,
);
