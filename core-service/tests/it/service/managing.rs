//! What the organizer does with registrations, and sees of them.

use core_service::service::{Error, NewRegistration, RegistrationFilter, Separator};
use domain::{
    event::NewEvent, ids::RegistrationId, job::JobKind, plan::Plan, registration::Status,
};
use test_postgres::Database;

use super::{Instance, assert_no_event, guests::guest, public_event};
use crate::fixtures::{HOUR, migrate};

fn with_approval(max_capacity: i32) -> NewEvent {
    NewEvent {
        requires_approval: true,
        max_capacity,
        ..public_event("Dinner")
    }
}

async fn who_awaits_approval_gets_a_seat_or_a_place_in_line(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, with_approval(1)).await;
    let ada = instance.asked(&event, guest("ada")).await;
    let bob = instance.asked(&event, guest("bob")).await;
    assert_eq!(ada.status, Status::Pending);
    assert_eq!(
        instance.mailed(event.id, JobKind::PendingMail).await,
        ["ada", "bob"]
    );

    // Whoever is approved first has the seat, whoever asked first has not.
    let approve = async |id: RegistrationId| {
        let approved = instance.registrations.approve(&olga, event.id, id).await;
        approved.map(|registration| registration.status)
    };
    assert_eq!(approve(bob.id).await.unwrap(), Status::Confirmed);
    assert_eq!(approve(ada.id).await.unwrap(), Status::Waitlisted);
    assert_eq!(approve(ada.id).await.unwrap(), Status::Waitlisted);
    assert_eq!(
        instance.mailed(event.id, JobKind::ApprovedMail).await,
        ["ada", "bob"]
    );
    let cancel = instance.registrations.cancel(&olga, event.id, bob.id);
    cancel.await.unwrap();
    assert!(matches!(
        approve(bob.id).await,
        Err(Error::RegistrationCancelled)
    ));
    assert_eq!(
        instance.standing(event.id).await[0],
        ("ada".to_owned(), Status::Confirmed)
    );
}

async fn only_who_holds_a_seat_is_checked_in(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, with_approval(1)).await;
    let ada = instance.asked(&event, guest("ada")).await.id;
    let check_in = async || {
        instance
            .registrations
            .check_in(&olga, event.id, ada, None)
            .await
    };
    let refused = check_in().await;
    assert!(
        matches!(refused, Err(Error::NotConfirmed(Status::Pending))),
        "{refused:?}"
    );
    instance.clock.advance_seconds(1);
    let approve = instance.registrations.approve(&olga, event.id, ada);
    approve.await.unwrap();
    instance.clock.advance_seconds(1);
    let first = check_in().await.unwrap().at;
    assert_eq!(first, instance.clock.now());
    // Also when the event is over.
    instance.clock.advance_seconds(3 * HOUR);
    assert_eq!(check_in().await.unwrap().at, first);
    let undo = instance
        .registrations
        .undo_check_in(&olga, event.id, ada)
        .await;
    assert_eq!(undo.unwrap().checked_in_at, None);
    let actions: Vec<_> = instance.audit(ada.uuid()).await;
    let actions: Vec<_> = actions
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    let expected = ["create", "approve", "check_in", "undo_check_in"];
    assert_eq!(actions, expected.map(|name| format!("registration.{name}")));
    let cancel = instance.registrations.cancel(&olga, event.id, ada).await;
    assert!(matches!(cancel, Err(Error::EventEnded)), "{cancel:?}");
}

async fn ownership_is_decided_before_the_plan_and_the_plan_before_the_registration(
    database: Database,
) {
    let instance = Instance::open(&database).await;
    let fay = instance.caller("fay@example.org", Plan::Free).await;
    let otto = instance.caller("otto@example.org", Plan::Free).await;
    let event = instance.create(&fay, public_event("Meetup")).await;
    let ada = instance.asked(&event, guest("ada")).await.id;
    let nobody = RegistrationId::new(uuid::Uuid::nil());
    for id in [ada, nobody] {
        let use_cases = &instance.use_cases;
        assert_no_event(use_cases.registrations.get(&otto, event.id, id).await);
        assert_no_event(use_cases.registrations.approve(&otto, event.id, id).await);
        assert_no_event(use_cases.registrations.cancel(&otto, event.id, id).await);
        assert_no_event(
            use_cases
                .registrations
                .check_in(&otto, event.id, id, None)
                .await,
        );
        assert_no_event(use_cases.registrations.promote(&otto, event.id, id).await);
        assert_no_event(
            use_cases
                .registrations
                .send_mail_again(&otto, event.id, id)
                .await,
        );
        assert_no_event(
            use_cases
                .registrations
                .undo_check_in(&otto, event.id, id)
                .await,
        );
        for refused in [
            use_cases
                .registrations
                .get(&fay, event.id, id)
                .await
                .map(|(one, _)| one),
            use_cases.registrations.approve(&fay, event.id, id).await,
            use_cases.registrations.cancel(&fay, event.id, id).await,
            use_cases
                .registrations
                .check_in(&fay, event.id, id, None)
                .await
                .map(|arrival| arrival.registration),
            use_cases.registrations.promote(&fay, event.id, id).await,
            use_cases
                .registrations
                .send_mail_again(&fay, event.id, id)
                .await,
            use_cases
                .registrations
                .undo_check_in(&fay, event.id, id)
                .await,
        ] {
            assert!(matches!(refused, Err(Error::PlanRequired)), "{refused:?}");
        }
    }
    assert_no_event(
        instance
            .registrations
            .export(&otto, event.id, Separator::Comma)
            .await,
    );
    let refused = instance
        .registrations
        .export(&fay, event.id, Separator::Comma)
        .await;
    assert!(matches!(refused, Err(Error::PlanRequired)));
    instance
        .accounts
        .set_plan(fay.account, Plan::Pro)
        .await
        .unwrap();
    let found = instance.registrations.get(&fay, event.id, ada).await;
    assert_eq!(found.unwrap().0.name, "ada");
    // A registration is found at its own event only.
    let other = instance.create(&fay, public_event("Other")).await;
    for (event, id) in [(event.id, nobody), (other.id, ada)] {
        let refused = instance.registrations.get(&fay, event, id).await;
        let what = "registration";
        assert!(
            matches!(refused, Err(Error::NotFound { what: found }) if found == what),
            "{refused:?}"
        );
    }
}

async fn a_cancelled_event_keeps_statuses_and_lets_none_change(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, with_approval(1)).await;
    let ada = instance.asked(&event, guest("ada")).await.id;
    let link = instance.private_link(ada).await;
    instance.events.cancel(&olga, event.id, None).await.unwrap();
    assert_eq!(
        instance.standing(event.id).await,
        [("ada".to_owned(), Status::Pending)]
    );
    let use_cases = &instance.use_cases;
    for refused in [
        use_cases.registrations.approve(&olga, event.id, ada).await,
        use_cases.registrations.cancel(&olga, event.id, ada).await,
        use_cases
            .registrations
            .check_in(&olga, event.id, ada, None)
            .await
            .map(|arrival| arrival.registration),
    ] {
        assert!(matches!(refused, Err(Error::EventCancelled)), "{refused:?}");
    }
    let token = link.rsplit('/').next().unwrap();
    let own = use_cases.own_registrations.get(token).await.unwrap();
    assert!(own.event.is_cancelled && !own.is_cancellable);
    let refused = use_cases.own_registrations.cancel(token).await;
    assert!(matches!(refused, Err(Error::EventCancelled)));
}

async fn a_list_is_narrowed_by_status_and_text_and_paged(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, with_approval(9)).await;
    for name in ["Ämilie 100%", "Bob_1", "Bobby", "Cleo"] {
        let local = name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let new = NewRegistration {
            name: name.to_owned(),
            ..guest(&local)
        };
        instance.asked(&event, new).await;
    }
    let everyone = instance
        .store
        .list_registrations(event.id, 0, 9)
        .await
        .unwrap();
    let cleo = everyone[3].id;
    let approve = instance.registrations.approve(&olga, event.id, cleo);
    approve.await.unwrap();
    let list = async |status: Option<Status>, text: Option<&str>, limit, offset| {
        let filter = RegistrationFilter {
            status,
            text: text.map(str::to_owned),
            ..RegistrationFilter::default()
        };
        let list = instance
            .registrations
            .list(&olga, event.id, &filter, limit, offset)
            .await
            .unwrap();
        let names: Vec<String> = list.registrations.into_iter().map(|one| one.name).collect();
        (names.join(","), list.count)
    };
    let is = |names: &str, count| (names.to_owned(), count);
    assert_eq!(list(None, None, 2, 1).await, is("Bob_1,Bobby", 4));
    assert_eq!(list(None, None, 2, 9).await, is("", 4));
    assert_eq!(
        list(Some(Status::Confirmed), None, 9, 0).await,
        is("Cleo", 1)
    );
    assert_eq!(
        list(Some(Status::Pending), Some("BOB"), 1, 0).await,
        is("Bob_1", 2)
    );
    assert_eq!(list(None, Some("bob_"), 9, 0).await, is("Bob_1", 1));
    assert_eq!(list(None, Some("äMILIE"), 9, 0).await, is("Ämilie 100%", 1));
    assert_eq!(list(None, Some("0%"), 9, 0).await, is("Ämilie 100%", 1));
    assert_eq!(list(None, Some("cleo@EXAMPLE"), 9, 0).await, is("Cleo", 1));
    assert_eq!(list(None, Some("!"), 9, 0).await, is("", 0));
    assert_eq!(list(None, Some("ami"), 9, 0).await, is("Ämilie 100%", 1));
}

test_postgres::on_both_engines!(prepare: migrate;
    who_awaits_approval_gets_a_seat_or_a_place_in_line,
    only_who_holds_a_seat_is_checked_in,
    ownership_is_decided_before_the_plan_and_the_plan_before_the_registration,
    a_cancelled_event_keeps_statuses_and_lets_none_change,
    a_list_is_narrowed_by_status_and_text_and_paged,
);
