//! The command `event clocks`, and what `doctor` says of clocks.

use domain::instant::Instant;
use serde_json::json;
use test_postgres::Database;

use super::run;
use crate::{
    fixtures::{execute, migrate},
    service::{Instance, public_event},
};

async fn what_a_newer_database_changes_is_shown_before_it_is_changed(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.olga().await;
    let event = core.create(&olga, public_event("Moving")).await;
    core.create(&olga, public_event("Staying")).await;
    let answer = run(&database, "event clocks --dry-run").await.unwrap();
    assert!(
        answer.text.contains("all events follow time zone data"),
        "{}",
        answer.text
    );
    execute(
        &database,
        "UPDATE events SET start_at = start_at - 3600000000, zone_release = '2020a' WHERE title = 'Moving'",
    )
    .await;
    let doctor = run(&database, "doctor").await.unwrap();
    assert!(
        doctor.text.contains("that follow older time zone data"),
        "{}",
        doctor.text
    );
    assert!(doctor.succeeded, "{}", doctor.text);

    let start = |micros: i64| Instant::from_micros(micros).to_string();
    let right = event.schedule.start.at.micros();
    let answer = run(&database, "event clocks --dry-run").await.unwrap();
    let changed = &answer.json["changed"];
    assert_eq!(changed.as_array().unwrap().len(), 1, "{}", answer.text);
    assert_eq!(changed[0]["id"], event.id.to_string());
    let times = (&changed[0]["before"], &changed[0]["after"]);
    assert_eq!(
        times,
        (&json!(start(right - 3_600_000_000)), &json!(start(right)))
    );
    let (stored, _) = core.events.get(&olga, event.id).await.unwrap();
    assert_eq!(stored.schedule.start.at.micros(), right - 3_600_000_000);

    let answer = run(&database, "event clocks").await.unwrap();
    assert!(
        answer.text.contains("changed 1 event of 1"),
        "{}",
        answer.text
    );
    let (stored, _) = core.events.get(&olga, event.id).await.unwrap();
    assert_eq!(stored.schedule, event.schedule);
    let doctor = run(&database, "doctor").await.unwrap();
    assert!(
        doctor.text.contains("follow time zone data 20"),
        "{}",
        doctor.text
    );
}

test_postgres::on_both_engines!(prepare: migrate; what_a_newer_database_changes_is_shown_before_it_is_changed);
