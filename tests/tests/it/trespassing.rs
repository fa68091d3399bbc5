//! People who try what is not theirs to do, on every rpc, every route and every tool.

use std::sync::Arc;

use domain::{
    person::{Position, Role},
    plan::Plan,
    registration::Status::{Confirmed, Pending, Waitlisted},
};
use muster_api::{
    Reason,
    v1::bindings::{
        CancelEvent, CreateWebhook, GetMyEvent, ListMyEvents, RepeatEvent, UpdateEvent,
    },
};
use serde_json::json;
use tests::{Account, CallOutcome, Created, Refusal, Surface, TestApp};

use crate::every_rpc::{Fields, RpcCase, operations, rpcs, tools};

/// What nobody but the account's members may read.
const SECRET: &str = "Lovelace";

/// The fields that name something of an account.
const NAMES: [&str; 6] = [
    "id",
    "registration_id",
    "registration_ids",
    "event_id",
    "code",
    "webhook_id",
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
    // Nothing listens on this port, and nothing is posted before jobs are done.
    let webhook = json!({"url": "http://127.0.0.1:9/hook"});
    let webhook = owner.ok::<CreateWebhook>(webhook).await["id"].take();
    let (code, webhook) = (people[1].check_in_code.as_str(), webhook.as_str().unwrap());
    let fields = with_ids(&event.id, &ids[0], code, webhook);
    Owned {
        account,
        event,
        fields,
    }
}

/// Fields that change something wherever they are taken.
fn with_ids(event: &str, registration: &str, code: &str, webhook: &str) -> Fields {
    let fields = json!({
        "id": event, "registration_id": registration, "registration_ids": [registration], "event_id": event, "code": code, "webhook_id": webhook,
        "title": "Mine", "name": "Mine", "email": "mallory@example.org", "reason": "Mine", "change": "cancel", "every": "week", "count": 1,
        "description": "Mine", "location": "Mine", "start_date": "2030-05-01T18:00:00Z", "subject": "Mine", "text": "Mine", "failed_since": "2030-01-01T00:00:00Z",
    });
    fields.as_object().unwrap().clone()
}

impl Owned {
    async fn state(&self, app: &Arc<TestApp>) -> String {
        let id = self.event.id.parse::<uuid::Uuid>().unwrap();
        let event = app.store.find_event(domain::ids::EventId::new(id));
        let registrations = app.registrations(&self.event.id).await;
        let members = app.store.list_members(self.account.id, 100).await;
        let webhooks = app.store.list_webhooks(self.account.id, 100).await;
        format!(
            "{:?} {registrations:?} {members:?} {webhooks:?}",
            event.await
        )
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
    let nothing = with_ids(MISSING, MISSING, "aaaaaaaaaaaaaaaaaaaa", MISSING);
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
        let mut names = NAMES.to_vec();
        names.retain(|name| !is_mixed || (*name != "id" && foreign.contains_key(*name)));
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

/// Rpcs for members of some events that name none.
const OF_NO_EVENT: [&str; 2] = [
    "/muster.v1.EventService/ListMyEvents",
    "/muster.v1.EventService/PreviewCover",
];

/// Makes the owner of an account an organizer of this event alone.
async fn limit(app: &Arc<TestApp>, account: &Account, event: &str) {
    let person = app.store.find_person_by_email(&account.email).await;
    let person = person.unwrap().unwrap().id;
    let event = domain::ids::EventId::new(event.parse().unwrap());
    let position = Position {
        role: Role::Organizer,
        events: Some(&[event]),
    };
    let mut tx = app.store.begin().await.unwrap();
    let limited = tx.put_membership(account.id, person, position, TestApp::START);
    limited.await.unwrap();
    tx.commit().await.unwrap();
    app.clock.advance_seconds(5);
}

/// Every rpc, route and tool either says that a member for some events may call it, and then another event is not there, or refuses it.
async fn a_member_for_some_events_reaches_no_other_by_any_surface(app: Arc<TestApp>) {
    let world = owned(&app, SECRET).await;
    let owner = app.over(Surface::Http).as_owner(&world.account);
    let own = owner.create(json!({"title": "Own"})).await;
    limit(&app, &world.account, &own.id).await;
    let key = &world.account.key;
    let nothing = with_ids(MISSING, MISSING, "aaaaaaaaaaaaaaaaaaaa", MISSING);
    let before = world.state(&app).await;
    let names = |taken: &dyn Fn(&str) -> bool| NAMES.iter().any(|name| taken(name));
    let is_allowed = |operation: &str| {
        let name = operation.trim_end_matches(|last: char| last.is_ascii_digit());
        let is_it = |rpc: &&RpcCase| {
            let own = rpc.path.rsplit('/').next().unwrap();
            own.eq_ignore_ascii_case(name)
        };
        let rpcs = rpcs();
        rpcs.iter().find(is_it).expect(operation).rule.some_events
    };
    let (mut refused, mut allowed) = ([0; 3], [0; 3]);
    for rpc in rpcs().into_iter().filter(|rpc| rpc.rule.scope.is_some()) {
        let path = rpc.path;
        let answer = rpc.call(&app, Some(key), &world.fields).await;
        if !rpc.rule.some_events {
            let refusal = Refusal::from_grpc(&answer.unwrap_err());
            assert_eq!(refusal.reason, Reason::InsufficientScope, "{path}");
            assert!(refusal.message.contains("for some events only"), "{path}");
            assert!(refusal.message.contains("list your events"), "{path}");
            refused[0] += 1;
            continue;
        }
        let taken = rpc.takes(&world.fields);
        if names(&|name| taken.contains_key(name)) {
            let expected = rpc.call(&app, Some(key), &nothing).await;
            let refusal =
                |answer: Result<Vec<u8>, _>| answer.map_err(|one| Refusal::from_grpc(&one));
            assert_eq!(refusal(answer), refusal(expected), "{path} {taken:?}");
        } else {
            assert!(OF_NO_EVENT.contains(&path), "{path} names no event");
            let shown = String::from_utf8_lossy(&answer.unwrap()).into_owned();
            assert!(!shown.contains(SECRET), "{path}");
        }
        allowed[0] += 1;
    }
    for operation in operations().iter().filter(|one| one.scope.is_some()) {
        let reply = operation.call(&app, key, &world.fields).await;
        if !is_allowed(&operation.id) {
            assert_eq!(reply.status, 403, "{operation:?}");
            assert_eq!(reply.refusal().reason, Reason::InsufficientScope);
            refused[1] += 1;
            continue;
        }
        let answer = said(&reply);
        if names(&|name| operation.takes(name)) {
            let expected = said(&operation.call(&app, key, &nothing).await);
            assert_eq!(answer, expected, "{operation:?}");
        }
        assert!(!answer.contains(SECRET), "{operation:?}: {answer}");
        allowed[1] += 1;
    }
    let mcp = app.mcp.with_key(key);
    for tool in tools() {
        let rule = muster_api::access(&tool.grpc_path).unwrap();
        if rule.scope.is_none() {
            continue;
        }
        let answer = tool.call(&mcp, &world.fields).await;
        let shown = format!("{answer:?}");
        assert!(!shown.contains(SECRET), "{}", tool.name);
        if rule.some_events {
            if names(&|name| tool.takes(name)) {
                let expected = tool.call(&mcp, &nothing).await;
                assert_eq!(answer, expected, "{}", tool.name);
            }
            allowed[2] += 1;
        } else {
            assert!(
                shown.contains("INSUFFICIENT_SCOPE: "),
                "{}: {shown}",
                tool.name
            );
            refused[2] += 1;
        }
    }
    assert!(refused.iter().all(|count| *count >= 4), "{refused:?}");
    assert!(allowed.iter().all(|count| *count >= 15), "{allowed:?}");
    assert_eq!(world.state(&app).await, before);
    // Their own event is there.
    owner.ok::<GetMyEvent>(json!({"id": own.id})).await;
    let listed = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(listed["count"], 1);
    assert_eq!(listed["items"][0]["title"], "Own");
}

async fn later_dates_of_others_are_not_changed_by_a_member_for_some(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let first = owner.publish_new(json!({})).await;
    let request = json!({"id": first.id, "every": "week", "count": 2, "is_public": true});
    let repeated = owner.ok::<RepeatEvent>(request).await;
    let last = repeated["items"][1]["id"].as_str().unwrap().to_owned();
    limit(&app, &account, &first.id).await;
    let following = |id: &str| json!({"id": id, "scope": "following", "title": "Moved"});
    let refusal = owner.refused::<UpdateEvent>(following(&first.id)).await;
    assert_eq!(refusal.reason, Reason::InvalidRequest);
    assert_eq!(refusal.fields()[0], "scope");
    let cancel = json!({"id": first.id, "scope": "following"});
    let refusal = owner.refused::<CancelEvent>(cancel).await;
    assert_eq!(refusal.fields()[0], "scope");
    let series = json!({"series": repeated["series_id"]});
    let mine = owner.ok::<ListMyEvents>(series).await;
    assert_eq!(mine["count"], 1);
    // After the last one there is none that is not theirs.
    limit(&app, &account, &last).await;
    owner.ok::<UpdateEvent>(following(&last)).await;
}

tests::on_both_engines!(
    what_is_anothers_is_as_if_it_were_not_there,
    door_staff_do_nothing_of_an_organizers_by_any_surface,
    a_member_for_some_events_reaches_no_other_by_any_surface,
    later_dates_of_others_are_not_changed_by_a_member_for_some,
);
