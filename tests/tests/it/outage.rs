//! PostgreSQL stops and starts again below a running system.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{CreateEvent, GetMyEvent, ListEvents},
};
use serde_json::{Value, json};
use server::CancellationToken;
use test_postgres::Server;
use tests::{Client, Database, Surface, TestApp, migrate};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

/// Far above what it takes to notice, on a busy machine too.
const TIMEOUT: Duration = Duration::from_mins(1);

fn event() -> Value {
    json!({
        "title": "Rust Meetup", "description": "Talks.", "location": "Hall", "start_date": "2030-05-01T18:00:00Z",
        "is_public": true,
    })
}

/// Waits until core's health says this.
async fn await_health(app: &TestApp, expected: ServingStatus) {
    let mut health = HealthClient::new(app.grpc.channel());
    let service = "muster.v1.EventService".to_owned();
    let watched = health.watch(HealthCheckRequest { service }).await;
    let mut watched = watched.unwrap().into_inner();
    let reported = tokio::time::timeout(TIMEOUT, async {
        while let Some(answer) = watched.message().await.unwrap() {
            if answer.status() == expected {
                return;
            }
        }
        panic!("health is no longer told");
    });
    reported.await.expect("health changes in time");
}

/// Calls until it is no longer told that the database is away.
async fn create_once_possible(owner: &Client) -> Value {
    let possible = tokio::time::timeout(TIMEOUT, async {
        loop {
            match owner.call::<CreateEvent>(event()).await {
                Err(refusal) if refusal.reason == Reason::Unavailable => {}
                answer => return answer.unwrap(),
            }
        }
    });
    possible.await.expect("core finds its database again")
}

async fn assert_out_of_reach(app: &TestApp, key: &str) {
    let create = app.http.post("/events").bearer(key).json(&event());
    let list = app.http.get("/events");
    for request in [create, list] {
        let answer = request.send().await;
        assert_eq!(answer.status, 503, "{answer:?}");
        let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&seconds), "{seconds}");
        let refusal = answer.refusal();
        assert_eq!(refusal.reason, Reason::Unavailable);
        assert!(!refusal.message.contains("postgres"), "{refusal:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_postgresql_is_away_clients_are_told_to_come_back_and_then_all_is_well_again() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Arc::new(Database::on(&server, migrate).await);
    let app = TestApp::start(database).await;
    let stop = CancellationToken::new();
    let background = tokio::spawn({
        let (core, stop) = (app.core.clone(), stop.clone());
        async move { Box::pin(core.run_background(stop)).await }
    });
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let before = owner.ok::<CreateEvent>(event()).await;
    await_health(&app, ServingStatus::Serving).await;
    assert_eq!(
        app.http
            .request(http::Method::GET, "/readyz")
            .send()
            .await
            .status,
        200
    );

    server.stop();
    assert_out_of_reach(&app, &account.key).await;
    await_health(&app, ServingStatus::NotServing).await;
    let ready = app.http.request(http::Method::GET, "/readyz").send().await;
    assert_eq!(ready.status, 503, "{ready:?}");
    // Nobody is to start it again: that brings no database back.
    let live = HealthCheckRequest {
        service: "live".to_owned(),
    };
    let mut health = HealthClient::new(app.grpc.channel());
    let answer = health.check(live).await.unwrap().into_inner();
    assert_eq!(answer.status(), ServingStatus::Serving);
    // What needs no database goes on.
    assert_eq!(app.http.get("/guides").send().await.status, 200);
    let refused = app.http.get("/me").bearer("mus_live_nonsense").send().await;
    assert_eq!(refused.refusal().reason, Reason::Unauthorized);

    server.start_again();
    let after = create_once_possible(&owner).await;
    for id in [&before["id"], &after["id"]] {
        owner.ok::<GetMyEvent>(json!({ "id": id })).await;
    }
    let anyone = app.over(Surface::Grpc).anyone();
    let count = anyone.ok::<ListEvents>(json!({})).await["count"].as_i64();
    assert!(count >= Some(2), "{count:?}");
    await_health(&app, ServingStatus::Serving).await;
    stop.cancel();
    background.await.unwrap();
    app.stop().await;
}
