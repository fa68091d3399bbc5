//! What the door sees of guests, and what `account:read` shows of events: less than the rest of an account does.

use core_service::service::{
    ActivityFilter, DoorPlace, Error, KeyTerms, NewRegistration, Principal, RegistrationFilter,
    Separator,
};
use domain::{
    event::{CustomField, Event, FieldType, NewEvent},
    person::Role,
    plan::Plan,
    registration::{Answer, Registration},
    scope::{Scope, Scopes},
};
use test_postgres::Database;

use super::{
    Instance,
    guests::{guest, seats},
};
use crate::fixtures::migrate;

/// Ada is registered with an answer; the owner, and who stands at the door.
async fn scene(instance: &Instance) -> (Principal, Principal, Event, Registration) {
    let olga = instance.someone("olga@example.org", 1).await;
    let mut dora = instance.someone("dora@example.org", 2).await;
    instance
        .join(&olga, &mut dora, "dora@example.org", Role::Door)
        .await;
    let owner = instance.standing_of(&olga).await;
    let set = instance.accounts.set_plan(owner.account, Plan::Pro).await;
    set.unwrap();
    let question = CustomField {
        id: None,
        label: "Diet".to_owned(),
        field_type: FieldType::Text,
        required: false,
        options: Vec::new(),
    };
    let new = NewEvent {
        custom_fields: vec![question],
        ..seats(5)
    };
    let event = instance.create(&owner, new).await;
    let ada = NewRegistration {
        answers: vec![Answer {
            field_id: None,
            label: "Diet".to_owned(),
            values: vec!["vegan".to_owned()],
        }],
        email: "secret@hidden.example".to_owned(),
        ..guest("Ada Lovelace")
    };
    let ada = instance.asked(&event, ada).await;
    (owner, instance.standing_of(&dora).await, event, ada)
}

const COMMA: Separator = Separator::Comma;

fn is_name_only(one: &Registration) -> bool {
    assert_eq!(one.name, "Ada Lovelace");
    one.email.is_empty() && one.answers.is_empty()
}

async fn the_door_sees_names_and_finds_by_them_or_by_the_code(database: Database) {
    let instance = Instance::open(&database).await;
    let (owner, door, event, ada) = scene(&instance).await;
    let registrations = &instance.registrations;
    let found = async |by: &Principal, text: Option<&str>| {
        let filter = RegistrationFilter {
            text: text.map(str::to_owned),
            ..RegistrationFilter::default()
        };
        let page = registrations.list(by, event.id, &filter, 10, 0).await;
        let page = page.unwrap();
        assert_eq!(usize::try_from(page.count), Ok(page.registrations.len()));
        page.registrations
    };
    for text in [None, Some("LOVE"), Some("ada l"), Some("lovelace, ada")] {
        let page = found(&door, text).await;
        assert_eq!(page.len(), 1, "{text:?}");
        assert!(is_name_only(&page[0]));
    }
    for text in ["ada love lace a d zzz", "a d l o v e ada lovelace zzz"] {
        assert!(found(&door, Some(text)).await.is_empty(), "{text}");
    }
    let eight = found(&door, Some("lovelace ada l o v e a d")).await;
    assert_eq!(eight.len(), 1, "eight words in any order");
    for text in ["secret", "hidden.example", "@"] {
        assert!(found(&door, Some(text)).await.is_empty(), "{text}");
        assert_eq!(found(&owner, Some(text)).await.len(), 1, "{text}");
    }
    let (one, _) = registrations.get(&door, event.id, ada.id).await.unwrap();
    assert!(is_name_only(&one));
    let all = registrations.get_all(&door, event.id, &[ada.id]).await;
    assert!(is_name_only(&all.unwrap()[0]));
    let code = ada.check_in_code.as_str();
    let by_code = registrations.get_by_code(&door, code, DoorPlace::Anywhere);
    assert!(is_name_only(&by_code.await.unwrap().0));
    let arrival = registrations.check_in_by_code(&door, code, DoorPlace::At(event.id), None);
    assert!(is_name_only(&arrival.await.unwrap().registration));
    let undone = registrations.undo_check_in(&door, event.id, ada.id).await;
    assert!(is_name_only(&undone.unwrap()));
    for was_checked_in in [false, true] {
        let arrival = registrations.check_in(&door, event.id, ada.id, None).await;
        let arrival = arrival.unwrap();
        assert!(is_name_only(&arrival.registration));
        assert_eq!(arrival.was_checked_in, was_checked_in);
    }
    let of_address = async |address: &str| {
        let page = registrations.list_of_address(&door, event.id, address, None);
        page.await.unwrap().registrations
    };
    let whole = of_address("Secret@hidden.example").await;
    assert!(is_name_only(&whole[0]));
    assert!(of_address("cret@hidden.example").await.is_empty());
    let export = registrations.export(&door, event.id, COMMA).await;
    assert!(matches!(export, Err(Error::InsufficientScope { .. })));

    let all = found(&owner, None).await;
    assert_eq!(all[0].email, "secret@hidden.example");
    assert_eq!(all[0].answers.len(), 1);
    assert!(all[0].checked_in_at.is_some());
    registrations.export(&owner, event.id, COMMA).await.unwrap();
}

async fn account_read_by_itself_shows_no_text_of_events(database: Database) {
    let instance = Instance::open(&database).await;
    let (owner, _, event, _) = scene(&instance).await;
    let limited = async |scopes: &[Scope]| {
        let terms = KeyTerms {
            scopes: Scopes::named(scopes.iter().copied()),
            ..KeyTerms::named("limited")
        };
        let made = instance.keys.create_on("olga@example.org", terms).await;
        let header = format!("Bearer {}", made.unwrap().plain.expose());
        let key = instance.authenticator.authenticate(Some(&header)).await;
        key.unwrap()
    };
    let about_events = async |by: &Principal| {
        let filter = ActivityFilter::default();
        let all = instance.activity.list(by, &filter, None, 50);
        let entries = all.await.unwrap().entries;
        assert!(!entries.is_empty());
        let about = entries.iter().filter(|entry| entry.event_id.is_some());
        about.count()
    };
    let account_only = limited(&[Scope::AccountRead]).await;
    let both = limited(&[Scope::AccountRead, Scope::EventsRead]).await;
    assert_eq!(about_events(&account_only).await, 0);
    assert!(about_events(&both).await > 0);
    assert!(about_events(&owner).await > 0);
    let of_event = ActivityFilter {
        event: Some(event.id),
        ..ActivityFilter::default()
    };
    let refused = instance.activity.list(&account_only, &of_event, None, 50);
    let refused = refused.await;
    assert!(matches!(refused, Err(Error::InsufficientScope { .. })));
}

test_postgres::on_both_engines!(prepare: migrate;
    the_door_sees_names_and_finds_by_them_or_by_the_code,
    account_read_by_itself_shows_no_text_of_events,
);
