//! Removing a person.

use core_service::service::{AccountPatch, Erasure, Error, LastOwner, NewRegistration};
use domain::{
    change::Change,
    event::{EventPatch, NewEvent},
    job::JobKind,
    person::Role,
    plan::Plan,
    registration::Status,
    schedule::ScheduleChange,
};
use test_postgres::Database;

use super::{
    Instance,
    guests::{guest, seats},
    people::to,
    signing_in::browser,
};
use crate::fixtures::{HOUR, migrate};

async fn a_person_is_gone_everywhere_and_their_seats_are_given_on(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let full = instance.create(&olga, seats(1)).await;
    let other = instance.create(&olga, seats(5)).await;
    let add = async |event, name| {
        let added = instance.registrations.add(&olga, event, guest(name));
        added.await.unwrap()
    };
    let ada = add(full.id, "ada").await;
    add(full.id, "bob").await;
    let gone = add(other.id, "ada").await;
    let cancel = instance.registrations.cancel(&olga, other.id, gone.id);
    cancel.await.unwrap();
    add(other.id, "ada").await;

    let stored = instance.store.list_registrations(full.id, 0, 1).await;
    let code = stored.unwrap()[0].check_in_code.as_str().to_owned();
    assert!(instance.own_registrations.ticket(&code).await.is_ok());

    let done = instance
        .people
        .erase("ADA@Example.org", &LastOwner::Refuse)
        .await
        .unwrap();
    let expected = Erasure {
        registrations: 3,
        // Registered three times, and one of them cancelled.
        mails: 4,
        links: 3,
        promoted: 1,
        ..Erasure::default()
    };
    assert_eq!(done, expected);
    assert_eq!(
        instance.standing(full.id).await,
        [("bob".to_owned(), Status::Confirmed)]
    );
    assert_eq!(instance.standing(other.id).await, []);
    assert_eq!(
        instance.mailed(full.id, JobKind::PromotedMail).await,
        ["bob"]
    );
    let shown = instance.own_registrations.ticket(&code).await;
    assert!(matches!(shown, Err(Error::NotFound { .. })), "{shown:?}");
    let token = ada.cancel_url.rsplit('/').next().unwrap();
    let followed = instance.own_registrations.get(token).await;
    assert!(matches!(followed, Err(Error::NotFound { .. })));
    let audit = instance.audit(ada.id.uuid()).await;
    let last = audit
        .iter()
        .find(|entry| entry["action"] == "registration.erase");
    assert_eq!(last.unwrap()["actor"], "admin");
    let again = instance
        .people
        .erase("ada@example.org", &LastOwner::Refuse)
        .await
        .unwrap();
    assert_eq!(again, Erasure::default());
}

/// In SQLite's files, which one can read. What PostgreSQL still has until its next vacuum is for it to clear.
async fn nothing_of_a_person_is_left_in_the_file(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(100)).await;
    for number in 0..50 {
        let name = format!("guest-{number}");
        let added = instance.registrations.add(&olga, event.id, guest(&name));
        added.await.unwrap();
    }
    let path = database.url().trim_start_matches("sqlite://").to_owned();
    let is_there = |text: &str| {
        let files = ["", "-wal"].map(|end| std::fs::read(format!("{path}{end}")));
        let mut files = files.into_iter().flatten();
        files.any(|file| file.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    let repeated = NewRegistration {
        name: "someone-else-7".to_owned(),
        ..guest("guest-7")
    };
    let register = instance.registrations.register(&event.slug, repeated, None);
    register.await.unwrap();
    let seven = "guest-7@example.org";
    let browser = browser(7);
    instance.sign_in.start(seven, &browser).await.unwrap();
    let link = instance.sign_in.new_link("olga@example.org").await.unwrap();
    let hers = instance.sign_in.use_link(link.expose(), &browser).await;
    let hers = instance.person_of(&hers.unwrap()).await;
    let invited = instance.members.invite(&olga, &hers, to(seven, Role::Door));
    invited.await.unwrap();
    assert!(is_there(seven));
    assert!(is_there("someone-else-7"));
    instance
        .people
        .erase(seven, &LastOwner::Refuse)
        .await
        .unwrap();
    assert!(!is_there(seven));
    assert!(!is_there("someone-else-7"));
    assert!(is_there("guest-8@example.org"));
}

async fn an_account_is_never_left_without_an_owner(database: Database) {
    let instance = Instance::open(&database).await;
    let fay = instance.caller("fay@example.org", Plan::Free).await;
    let event = instance.create(&fay, seats(1)).await;
    let added = instance.registrations.add(&fay, event.id, guest("fay"));
    added.await.unwrap();
    let page = AccountPatch {
        handle: Change::Set("fay-of-leeds".to_owned()),
        about: Change::Set("I am Fay.".to_owned()),
        website: Change::Set("https://fay.example".to_owned()),
        ..AccountPatch::default()
    };
    instance.own_accounts.update(&fay, page).await.unwrap();
    instance.catalogue.organizer("fay-of-leeds").await.unwrap();
    let erase = async |last_owner: LastOwner| {
        let people = &instance.people;
        people.erase("fay@example.org", &last_owner).await
    };
    let refused = erase(LastOwner::Refuse).await.unwrap_err().to_string();
    let ways = refused.contains("--new-owner") && refused.contains("--remove-accounts");
    assert!(ways && refused.contains("Olga Owner"), "{refused}");
    // People are registered for an event to come, who would not hear of its end.
    let refused = erase(LastOwner::Remove).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    for wrong in ["otto", "FAY@example.org"] {
        let refused = erase(LastOwner::Named(wrong.to_owned())).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
    assert_eq!(instance.standing(event.id).await.len(), 1);
    assert_eq!(instance.keys.list().await.unwrap()[0].0.revoked_at, None);

    let done = erase(LastOwner::Named("Otto@example.org".to_owned()));
    let done = done.await.unwrap();
    assert!(done.person);
    assert_eq!((done.registrations, done.keys, done.passed_on), (1, 1, 1));
    let account = instance.accounts.get(&fay).await.unwrap().account;
    assert_eq!(
        (&*account.name, &*account.email),
        ("Otto", "Otto@example.org")
    );
    assert_eq!(
        (account.handle, account.about, account.website),
        (None, None, None)
    );
    let page = instance.catalogue.organizer("fay-of-leeds").await;
    assert!(matches!(page, Err(Error::NotFound { .. })), "{page:?}");
    assert!(instance.catalogue.get(&event.slug).await.is_ok());
    let keys = instance.keys.list().await.unwrap();
    assert!(keys.iter().all(|(key, _)| key.revoked_at.is_some()));
    assert!(keys.iter().all(|(key, _)| key.label == "erased"));
    // The address is free again.
    instance.caller("fay@example.org", Plan::Free).await;
    let wrong = instance.people.erase("fay", &LastOwner::Refuse).await;
    assert!(matches!(wrong, Err(Error::Invalid(_))));
}

async fn what_only_an_erased_person_owned_goes_with_them_if_it_is_asked_for(database: Database) {
    let instance = Instance::open(&database).await;
    let fay = instance.caller("fay@example.org", Plan::Free).await;
    let event = instance.create(&fay, seats(1)).await;
    let erase = async || {
        let people = &instance.people;
        people.erase("fay@example.org", &LastOwner::Remove).await
    };
    let done = erase().await.unwrap();
    assert_eq!((done.removed_accounts, done.keys), (1, 1));
    assert!(instance.catalogue.page(&event.slug).await.is_err());
    assert_eq!(instance.store.find_event(event.id).await.unwrap(), None);
    let account = instance.store.find_account(fay.account).await.unwrap();
    assert_eq!(account, None);
    assert_eq!(erase().await.unwrap(), Erasure::default());
}

async fn an_account_with_another_owner_stays_theirs(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let account = instance
        .join(&olga, &mut otto, "otto@example.org", Role::Owner)
        .await;
    let theirs = instance.standing_of(&otto).await;
    assert_eq!(theirs.account, account);
    let named = NewEvent {
        organizer_name: Some("Rust Berlin".to_owned()),
        ..seats(1)
    };
    let event = instance.create(&theirs, named).await;
    let done = instance
        .people
        .erase("olga@example.org", &LastOwner::Refuse)
        .await
        .unwrap();
    assert_eq!((done.person, done.passed_on, done.events), (true, 0, 0));
    let overview = instance.accounts.get(&theirs).await.unwrap().account;
    assert_eq!(overview.email, "otto@example.org");
    assert_eq!(overview.name, "erased", "it was named after Olga");
    assert_eq!(
        instance.catalogue.get(&event.slug).await.unwrap().event,
        event
    );
    assert!(instance.caller_of(&otto.session).await.is_ok());
}

async fn a_person_is_not_named_as_an_organizer_any_more(database: Database) {
    let instance = Instance::open(&database).await;
    let (fay, olga) = (
        instance.caller("fay@example.org", Plan::Free).await,
        instance.olga().await,
    );
    let named = |name: &str, email: &str| NewEvent {
        organizer_name: Some(name.to_owned()),
        contact_email: Some(email.to_owned()),
        ..seats(1)
    };
    let own = named("Fay", "office@example.org");
    let own = instance.create(&fay, own).await;
    let shared = named("Fay & Friends", "Fay@Example.org");
    let shared = instance.create(&olga, shared).await;
    let other = named("Olga", "olga@example.org");
    let other = instance.create(&olga, other).await;

    let heir = LastOwner::Named("heir@example.org".to_owned());
    let done = instance.people.erase("fay@example.org", &heir).await;
    let done = done.unwrap();
    assert_eq!((done.person, done.events), (true, 2));
    for event in [own, shared] {
        let after = instance.catalogue.get(&event.slug).await.unwrap().event;
        assert_eq!((after.organizer_name, after.contact_email), (None, None));
        let audit = instance.audit(event.id.uuid()).await;
        let text = format!("{audit:?}");
        assert!(
            !text.contains("Fay") && !text.contains("example.org"),
            "{text}"
        );
    }
    assert_eq!(
        instance.catalogue.get(&other.slug).await.unwrap().event,
        other
    );
    let again = instance.people.erase("fay@example.org", &heir).await;
    let again = again.unwrap();
    assert_eq!(again, Erasure::default());
}

/// Nobody is promoted for what is over; when it is not over any more, whoever waits must not wait for ever.
async fn a_seat_that_came_free_too_late_is_given_on_when_the_event_moves(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(1)).await;
    for name in ["ada", "bob"] {
        let added = instance.registrations.add(&olga, event.id, guest(name));
        added.await.unwrap();
    }
    instance.clock.advance_seconds(2 * HOUR);
    let done = instance
        .people
        .erase("ada@example.org", &LastOwner::Refuse)
        .await
        .unwrap();
    assert_eq!((done.registrations, done.promoted), (1, 0));
    let later = ScheduleChange {
        start_date: Change::Set("2030-02-01T18:00:00Z".to_owned()),
        end_date: Change::Clear,
        ..ScheduleChange::default()
    };
    let moved = EventPatch {
        schedule: later,
        ..EventPatch::default()
    };
    let moved = instance.events.update(&olga, event.id, moved).await;
    let counters = moved.unwrap().counters;
    assert_eq!((counters.confirmed, counters.waitlisted), (1, 0));
    assert_eq!(
        instance.standing(event.id).await,
        [("bob".to_owned(), Status::Confirmed)]
    );
    assert_eq!(
        instance.mailed(event.id, JobKind::PromotedMail).await,
        ["bob"]
    );
}

test_postgres::on_both_engines!(prepare: migrate;
    a_person_is_gone_everywhere_and_their_seats_are_given_on,
    an_account_is_never_left_without_an_owner,
    what_only_an_erased_person_owned_goes_with_them_if_it_is_asked_for,
    an_account_with_another_owner_stays_theirs,
    a_person_is_not_named_as_an_organizer_any_more,
    a_seat_that_came_free_too_late_is_given_on_when_the_event_moves;
    on_sqlite: nothing_of_a_person_is_left_in_the_file,
);
