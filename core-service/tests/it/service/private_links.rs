//! The links that mails carry, each to one registration.

use core_service::service::Error;
use test_postgres::Database;

use super::{Instance, guests::seats};
use crate::fixtures::migrate;

async fn a_private_link_leads_to_one_registration_only(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(1)).await;
    instance.ask(&event, "ada").await;
    instance.ask(&event, "bob").await;
    let stored = instance.store.list_registrations(event.id, 0, 10).await;
    let bob = stored.unwrap()[1].id;
    let links = [
        instance.private_link(bob).await,
        instance.private_link(bob).await,
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
    a_private_link_leads_to_one_registration_only,
);
