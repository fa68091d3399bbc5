//! People who try what is not theirs to do, on every rpc, every route and every tool.

use std::sync::Arc;

use domain::{
    person::Role,
    plan::Plan,
    registration::Status::{Confirmed, Pending, Waitlisted},
};
use muster_api::Reason;
use serde_json::json;
use tests::{Account, CallOutcome, Created, Refusal, Surface, TestApp};

use crate::every_rpc::{Fields, operations, rpcs, tools};

/// What nobody but the account's members may read.
const SECRET: &str = "Lovelace";

/// The fields that name something of an account.
const NAMES: [&str; 5] = [
    "id",
    "registration_id",
    "registration_ids",
    "event_id",
    "code",
];

const MISSING: &str = "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";

/// An account with an event and registrations, and the fields that name them.
struct Owned {
    account: Account,
    event: Created,
    fields: Fields,
}

async fn owned(app: &Arc<TestApp>, title: &str) -> Owned {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = json!({"title": title, "requires_approval": true});
    let event = owner.create(event).await;
    let people = app
        .register(&event.id, &[Pending, Confirmed, Waitlisted])
        .await;
    let ids: Vec<_> = people.iter().map(|one| one.id.to_string()).collect();
    let fields = with_ids(&event.id, &ids[0], people[1].check_in_code.as_str());
    Owned {
        account,
        event,
        fields,
    }
}

/// Fields that change something wherever they are taken.
fn with_ids(event: &str, registration: &str, code: &str) -> Fields {
    let fields = json!({
        "id": event, "registration_id": registration, "registration_ids": [registration], "event_id": event, "code": code,
        "title": "Mine", "name": "Mine", "email": "mallory@example.org", "reason": "Mine", "change": "cancel", "every": "week", "count": 1,
        "description": "Mine", "location": "Mine", "start_date": "2030-05-01T18:00:00Z", "subject": "Mine", "text": "Mine",
    });
    fields.as_object().unwrap().clone()
}

impl Owned {
    async fn state(&self, app: &Arc<TestApp>) -> String {
        let id = self.event.id.parse::<uuid::Uuid>().unwrap();
        let event = app.store.find_event(domain::ids::EventId::new(id));
        let registrations = app.registrations(&self.event.id).await;
        let members = app.store.list_members(self.account.id, 100).await;
        format!("{:?} {registrations:?} {members:?}", event.await)
    }
}

/// What it says, but for the identifier of the request.
fn said(reply: &tests::Reply) -> String {
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    let id = reply.header("x-request-id").unwrap_or("-");
    format!("{} {}", reply.status, text.replace(id, ""))
}

async fn what_is_anothers_is_as_if_it_were_not_there(app: Arc<TestApp>) {
    let ada = owned(&app, SECRET).await;
    let mallory = owned(&app, "Mallory").await;
    let nothing = with_ids(MISSING, MISSING, "aaaaaaaaaaaaaaaaaaaa");
    // Also a registration of Ada's at an event of her own.
    let mixed = |registration: &Fields| {
        let mut fields = registration.clone();
        fields.insert("id".to_owned(), json!(mallory.event.id));
        fields.remove("event_id");
        fields
    };
    let before = ada.state(&app).await;
    let key = &mallory.account.key;
    let (mut calls, mut routes, mut called_tools) = (0, 0, 0);
    for (foreign, missing) in [
        (ada.fields.clone(), nothing.clone()),
        (mixed(&ada.fields), mixed(&nothing)),
    ] {
        let is_mixed = foreign.get("event_id").is_none();
        // A mixed call without a registration is about Mallory's own event.
        let names = if is_mixed { &NAMES[1..] } else { &NAMES[..] };
        for rpc in rpcs().into_iter().filter(|rpc| rpc.rule.scope.is_some()) {
            let taken = rpc.takes(&foreign);
            if !names.iter().any(|name| taken.contains_key(*name)) {
                continue;
            }
            let answer = rpc.call(&app, Some(key), &foreign).await;
            let expected = rpc.call(&app, Some(key), &missing).await;
            let refusal =
                |answer: Result<Vec<u8>, _>| answer.map_err(|one| Refusal::from_grpc(&one));
            let (answer, expected) = (refusal(answer), refusal(expected));
            assert_eq!(answer, expected, "{} {taken:?}", rpc.path);
            if let Ok(bytes) = answer {
                assert!(
                    !String::from_utf8_lossy(&bytes).contains(SECRET),
                    "{}",
                    rpc.path
                );
            }
            calls += 1;
        }
        for operation in operations().iter().filter(|one| one.scope.is_some()) {
            if !names.iter().any(|name| operation.takes(name)) {
                continue;
            }
            // Each download of the activity is in the next one.
            let said = |reply: &tests::Reply| {
                let text = said(reply);
                let lines = text
                    .lines()
                    .filter(|line| !line.contains("account.export_activity"));
                lines.collect::<Vec<_>>().join("\n")
            };
            let answer = said(&operation.call(&app, key, &foreign).await);
            let expected = said(&operation.call(&app, key, &missing).await);
            assert_eq!(answer, expected, "{operation:?}");
            assert!(!answer.contains(SECRET), "{operation:?}: {answer}");
            routes += 1;
        }
        let mcp = app.mcp.with_key(key);
        for tool in tools()
            .iter()
            .filter(|one| names.iter().any(|name| one.takes(name)))
        {
            let answer = tool.call(&mcp, &foreign).await;
            let expected = tool.call(&mcp, &missing).await;
            assert_eq!(answer, expected, "{}", tool.name);
            assert!(!format!("{answer:?}").contains(SECRET), "{}", tool.name);
            called_tools += 1;
        }
    }
    assert!(
        calls >= 30 && routes >= 25 && called_tools >= 18,
        "{calls} {routes} {called_tools}"
    );
    assert_eq!(ada.state(&app).await, before);
}

/// A key is worth what the role of its person is. Door staff make none; this one was made before.
async fn door_staff_do_nothing_of_an_organizers_by_any_surface(app: Arc<TestApp>) {
    let world = owned(&app, "Ada").await;
    let person = app.store.find_person_by_email(&world.account.email).await;
    let person = person.unwrap().unwrap().id;
    let mut tx = app.store.begin().await.unwrap();
    let demoted = tx.put_membership(world.account.id, person, Role::Door, TestApp::START);
    demoted.await.unwrap();
    tx.commit().await.unwrap();
    app.clock.advance_seconds(5);
    let scopes = Role::Door.scopes();
    let mays: Vec<_> = scopes.iter().map(domain::scope::Scope::name).collect();
    let before = world.state(&app).await;
    let key = &world.account.key;
    let mut refused = [0; 3];
    for operation in operations() {
        let Some(scope) = &operation.scope else {
            continue;
        };
        if mays.contains(&&**scope) {
            continue;
        }
        let reply = operation.call(&app, key, &world.fields).await;
        assert_eq!(reply.status, 403, "{operation:?}: {reply:?}");
        assert_eq!(
            reply.refusal().reason,
            Reason::InsufficientScope,
            "{operation:?}"
        );
        refused[0] += 1;
    }
    let organizers: Vec<_> = rpcs()
        .into_iter()
        .filter(|rpc| {
            rpc.rule
                .scope
                .is_some_and(|scope| !mays.contains(&scope.name()))
        })
        .collect();
    for rpc in &organizers {
        let status = rpc.call(&app, Some(key), &world.fields).await.unwrap_err();
        let reason = Refusal::from_grpc(&status).reason;
        assert_eq!(reason, Reason::InsufficientScope, "{}", rpc.path);
        refused[1] += 1;
    }
    let mcp = app.mcp.with_key(key);
    for tool in tools() {
        if !organizers.iter().any(|rpc| rpc.path == tool.grpc_path) {
            continue;
        }
        let answer = tool.call(&mcp, &world.fields).await;
        let CallOutcome::Error(text) = &answer else {
            panic!("{}: {answer:?}", tool.name);
        };
        assert!(
            text.starts_with("INSUFFICIENT_SCOPE: "),
            "{}: {text}",
            tool.name
        );
        refused[2] += 1;
    }
    assert!(refused.iter().all(|count| *count >= 11), "{refused:?}");
    assert_eq!(world.state(&app).await, before);
}

tests::on_both_engines!(
    what_is_anothers_is_as_if_it_were_not_there,
    door_staff_do_nothing_of_an_organizers_by_any_surface,
);
