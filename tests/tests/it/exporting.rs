//! The export of an account.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read as _},
    sync::Arc,
    time::Duration,
};

use core_service::service::Browser;
use domain::{plan::Plan, registration::Status, scope::Scope};
use http::StatusCode;
use muster_api::{
    Reason,
    http_body::HttpBody,
    metadata::{EDGE_TOKEN, SURFACE},
    v1::{
        ExportAccountRequest,
        account_service_client::AccountServiceClient,
        bindings::{
            CancelEvent, CreateMessage, CreateWebhook, GetMyEvent, ListActivity, RegisterAttendee,
        },
    },
};
use serde_json::{Value, json};
use tests::{Account, Bearer, Refusal, Surface, TestApp};
use tokio::time::timeout;
use tonic::{Request, Streaming, transport::Endpoint};

/// The files of an archive, by name.
pub(crate) type Files = BTreeMap<String, String>;

pub(crate) fn unpacked(archive: &[u8]) -> Files {
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut files = Files::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert!(
            files
                .insert(file.name().unwrap().into_owned(), text)
                .is_none()
        );
    }
    files
}

async fn exported(app: &TestApp, key: &str) -> Files {
    let answer = app.http.get("/me/export").bearer(key).send().await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), Some("application/zip"));
    assert_eq!(
        answer.header("content-disposition"),
        Some("attachment; filename=\"muster-2027-01-15.zip\"")
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    unpacked(&answer.body)
}

fn names(files: &Files) -> Vec<&str> {
    files.keys().map(String::as_str).collect()
}

/// The rows of a part, which its two files have alike.
fn rows(files: &Files, part: &str) -> Vec<Value> {
    let rows: Vec<Value> = serde_json::from_str(&files[&format!("{part}.json")]).unwrap();
    let table = files[&format!("{part}.csv")]
        .strip_prefix('\u{feff}')
        .unwrap();
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let columns = table.headers().unwrap().clone();
    let lines: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    assert_eq!(lines.len(), rows.len(), "{part}");
    for (line, row) in lines.iter().zip(&rows) {
        let fields: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(fields, columns.iter().collect::<Vec<_>>(), "{part}");
        for (cell, value) in line.iter().zip(row.as_object().unwrap().values()) {
            let text = match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(cell.replace('\'', ""), text.replace('\'', ""), "{part}");
        }
    }
    rows
}

async fn everything_of_the_account_is_in_it_as_json_and_as_tables(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let stranger = app.account(Plan::Premium).await;
    let api = app.over(Surface::Http);
    let owner = api.as_owner(&account);
    let other = api.as_owner(&stranger);
    let foreign = other.publish_new(json!({"title": "Foreign"})).await;
    app.register(&foreign.id, &[Status::Confirmed]).await;

    let event = owner.publish_new(json!({"max_capacity": 400})).await;
    let asked =
        json!({"slug": event.slug, "name": "=cmd|' /C calc'!A0", "email": "zoe@example.org"});
    api.anyone().ok::<RegisterAttendee>(asked).await;
    app.register(&event.id, &[Status::Confirmed; 450]).await;
    for number in 0..60 {
        let title = format!("Empty {number}");
        owner.create(json!({"title": title})).await;
    }
    let small = owner.publish_new(json!({"title": "Small"})).await;
    app.register(&small.id, &[Status::Pending, Status::Cancelled])
        .await;
    owner
        .ok::<CancelEvent>(json!({"id": small.id, "reason": "Rain"}))
        .await;

    let message =
        json!({"id": event.id, "subject": "=Bring this", "text": "A *lamp*", "hours_after_end": 1});
    owner.ok::<CreateMessage>(message).await;

    let files = exported(&app, &account.key).await;
    let parts = [
        "activity",
        "events",
        "invitations",
        "keys",
        "members",
        "messages",
        "registrations",
        "webhooks",
    ];
    let mut expected: Vec<String> = parts
        .iter()
        .flat_map(|part| [format!("{part}.csv"), format!("{part}.json")])
        .collect();
    expected.extend(["README.txt".to_owned(), "account.json".to_owned()]);
    expected.sort();
    assert_eq!(names(&files), expected);
    let all = format!("{files:?}");
    assert!(!all.contains(&account.key) && !all.contains("Foreign"));

    let shown: Value = serde_json::from_str(&files["account.json"]).unwrap();
    assert_eq!(
        (&shown["id"], &shown["plan"]),
        (&json!(account.id.to_string()), &json!("business"))
    );
    let members = rows(&files, "members");
    assert_eq!(
        (&members[0]["email"], &members[0]["role"]),
        (&json!(account.email), &json!("owner"))
    );
    assert_eq!(rows(&files, "keys")[0]["name"], "laptop");
    assert_eq!(rows(&files, "invitations"), [json!(null); 0]);

    let events = rows(&files, "events");
    assert_eq!(events.len(), 62);
    let of = |id: &str| events.iter().find(|row| row["id"] == id).unwrap().clone();
    let mut detail = owner.ok::<GetMyEvent>(json!({"id": small.id})).await;
    for of_now in [
        "registrants_notified",
        "events_updated",
        "is_ended",
        "is_registration_ahead",
        "is_registration_closed",
    ] {
        detail.as_object_mut().unwrap().remove(of_now);
    }
    detail["cancel_reason"] = json!("Rain");
    detail["created_at"] = json!("2027-01-15T12:00:00Z");
    assert_eq!(of(&small.id), detail);

    let registrations = rows(&files, "registrations");
    assert_eq!(registrations.len(), 453);
    let at = |id: &str| {
        registrations
            .iter()
            .filter(|row| row["event_id"] == id)
            .count()
    };
    assert_eq!((at(&event.id), at(&small.id)), (451, 2));
    let zoe = registrations
        .iter()
        .find(|row| row["email"] == "zoe@example.org");
    assert_eq!(zoe.unwrap()["name"], "=cmd|' /C calc'!A0");
    assert!(files["registrations.csv"].contains("\"'=cmd|"));

    let messages = rows(&files, "messages");
    assert_eq!(
        (&messages[0]["subject"], &messages[0]["event_id"]),
        (&json!("=Bring this"), &json!(event.id))
    );

    let activity = rows(&files, "activity");
    let page = owner.ok::<ListActivity>(json!({"limit": 5})).await;
    assert_eq!(json!(activity[..5]), page["items"]);
}

async fn webhooks_are_in_it_without_their_secrets(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let subscription = json!({"url": "https://example.org/hooks", "types": ["event.created"]});
    let mut webhook = owner.ok::<CreateWebhook>(subscription).await;
    let files = exported(&app, &account.key).await;
    let secret = webhook.as_object_mut().unwrap().remove("secret").unwrap();
    assert!(!format!("{files:?}").contains(secret.as_str().unwrap()));
    assert_eq!(rows(&files, "webhooks"), [webhook]);
}

async fn what_the_credential_may_not_read_is_left_out(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let api = app.over(Surface::Http);
    let event = api.as_owner(&account).publish_new(json!({})).await;
    let asked = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    api.anyone().ok::<RegisterAttendee>(asked).await;
    let files = exported(&app, &account.key).await;
    assert!(!files.contains_key("registrations.json") && files.contains_key("events.csv"));
    assert!(!format!("{files:?}").to_lowercase().contains("grace"));
    assert!(files["README.txt"].contains("Not in it: registrations, since they need a paid plan"));

    let accounts = &app.core.use_cases().accounts;
    accounts.set_plan(account.id, Plan::Pro).await.unwrap();
    let reader = app.key_for(&account, &[Scope::AccountRead]).await;
    let files = exported(&app, &reader).await;
    assert!(!files.contains_key("registrations.csv") && !files.contains_key("events.json"));
    assert!(!files.contains_key("webhooks.json"));
    assert!(files["README.txt"].contains("lacks the scope webhooks:read"));
    assert!(!format!("{files:?}").to_lowercase().contains("grace"));
    assert!(files["README.txt"].contains("lacks the scope events:read"));
    assert!(files["README.txt"].contains("lacks the scope registrations:read"));
    let door = app.key_for(&account, &[Scope::RegistrationsRead]).await;
    let refused = app.http.get("/me/export").bearer(&door).send().await;
    assert_eq!(refused.refusal().reason, Reason::InsufficientScope);
    let anyone = app.http.get("/me/export").send().await;
    assert_eq!(anyone.refusal().reason, Reason::Unauthorized);
}

/// How much of an answer a client has room for before it reads.
const ROOM: u32 = 16 * 1024;

/// Far more than a piece of an archive takes.
const MAX_PIECE_BYTES: usize = 256 * 1024;

/// How long a core may take to notice that a client is gone.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Begins an export over a connection of its own, which takes what is read and little more.
async fn begun(app: &TestApp, key: &str) -> Result<Streaming<HttpBody>, tonic::Status> {
    let address = format!("http://{}", app.grpc.address());
    let endpoint = Endpoint::from_shared(address).unwrap();
    let channel = endpoint.initial_stream_window_size(ROOM).connect_lazy();
    let mut client = AccountServiceClient::with_interceptor(channel, Bearer::new(Some(key)));
    let begun = client.export_account(ExportAccountRequest {}).await;
    begun.map(tonic::Response::into_inner)
}

async fn an_export_waits_for_its_client_and_ends_with_it(app: Arc<TestApp>) {
    let account = app.account(Plan::Premium).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    app.register(&event.id, &[Status::Confirmed; 2_000]).await;
    let mut first = begun(&app, &account.key).await.unwrap();
    let mut archive = first.message().await.unwrap().unwrap().data.to_vec();
    let second = begun(&app, &account.key).await.unwrap_err();
    assert_eq!(Refusal::from_grpc(&second).reason, Reason::RateLimited);
    let over_http = app.http.get("/me/export").bearer(&account.key).send().await;
    assert_eq!(over_http.refusal().reason, Reason::RateLimited);
    assert_eq!(over_http.header("retry-after"), Some("30"));
    let others = app.account(Plan::Free).await;
    exported(&app, &others.key).await;
    while let Some(piece) = first.message().await.unwrap() {
        assert!(piece.data.len() < MAX_PIECE_BYTES, "{}", piece.data.len());
        archive.extend_from_slice(&piece.data);
    }
    assert_eq!(rows(&unpacked(&archive), "registrations").len(), 2_000);

    let mut unread = begun(&app, &account.key).await.unwrap();
    unread.message().await.unwrap().unwrap();
    drop(unread);
    let until_it_ends = async {
        while let Err(refused) = begun(&app, &account.key).await {
            assert_eq!(Refusal::from_grpc(&refused).reason, Reason::RateLimited);
        }
    };
    timeout(TIMEOUT, until_it_ends).await.unwrap();
}

async fn an_export_that_is_read_too_slowly_ends_and_leaves_its_place(app: Arc<TestApp>) {
    let account = app.account(Plan::Premium).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    app.register(&event.id, &[Status::Confirmed; 2_000]).await;
    let mut slow = begun(&app, &account.key).await.unwrap();
    slow.message().await.unwrap().unwrap();
    let broken_off = loop {
        app.advance(Duration::from_mins(10));
        match slow.message().await {
            Ok(piece) => assert!(piece.is_some(), "it was read to its end"),
            Err(status) => break status,
        }
    };
    let refusal = Refusal::from_grpc(&broken_off);
    assert_eq!(refusal.reason, Reason::Unavailable, "{refusal:?}");
    let mut steady = begun(&app, &account.key).await.unwrap();
    while steady.message().await.unwrap().is_some() {
        app.advance(Duration::from_secs(1));
    }
}

/// An export for the owner, who is signed in on the site.
async fn exported_by_session(app: &TestApp, account: &Account) -> Files {
    let sign_in = &app.core.use_cases().sign_in;
    let link = sign_in.new_link(&account.email).await.unwrap();
    let browser = Browser::new("a-secret-of-a-browser-in-tests-00", None, "Firefox");
    let new = sign_in.use_link(link.expose(), &browser).await.unwrap();
    let mut request = Request::new(ExportAccountRequest {});
    let bearer = format!("Bearer {}", new.token.expose());
    for (name, value) in [
        ("authorization", &*bearer),
        (SURFACE, "site"),
        (EDGE_TOKEN, TestApp::EDGE_TOKEN),
    ] {
        let metadata = request.metadata_mut();
        metadata.insert(name, value.parse().unwrap());
    }
    let mut client = AccountServiceClient::new(app.grpc.channel());
    let mut stream = client.export_account(request).await.unwrap().into_inner();
    let mut archive = Vec::new();
    while let Some(piece) = stream.message().await.unwrap() {
        archive.extend_from_slice(&piece.data);
    }
    assert!(!String::from_utf8_lossy(&archive).contains(new.token.expose()));
    unpacked(&archive)
}

async fn who_is_signed_in_gets_what_is_known_of_them(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let files = exported_by_session(&app, &account).await;
    let person: Value = serde_json::from_str(&files["person.json"]).unwrap();
    assert_eq!(person["email"], account.email);
    assert_eq!(rows(&files, "memberships")[0]["role"], "owner");
    assert_eq!(rows(&files, "sessions")[0]["device"], "Firefox");
    assert!(rows(&files, "connected_apps").is_empty());
}

tests::on_both_engines!(
    everything_of_the_account_is_in_it_as_json_and_as_tables,
    webhooks_are_in_it_without_their_secrets,
    what_the_credential_may_not_read_is_left_out,
    an_export_waits_for_its_client_and_ends_with_it,
    an_export_that_is_read_too_slowly_ends_and_leaves_its_place,
    who_is_signed_in_gets_what_is_known_of_them,
);
