//! Time zones: which one an event has, and what daylight saving does to its wall time.

use domain::plan::Plan;
use muster_api::v1::bindings::{CreateEvent, GetAccount, GetEvent, UpdateEvent};
use serde_json::{Value, json};
use tests::{Api, new_event};

async fn the_zone_is_the_bodys_else_the_accounts_else_utc(api: Api) {
    let account = api.account_in(Plan::Free, Some("Asia/Tokyo")).await;
    let in_tokyo = api.as_owner(&account);
    let nowhere = api.owner(Plan::Free).await;
    let wall = "2027-05-01T18:00";
    for (owner, body, zone, start) in [
        (&nowhere, None, "UTC", "2027-05-01T18:00:00Z"),
        (&in_tokyo, None, "Asia/Tokyo", "2027-05-01T18:00:00+09:00"),
        (
            &in_tokyo,
            Some("Europe/Berlin"),
            "Europe/Berlin",
            "2027-05-01T18:00:00+02:00",
        ),
        (
            &nowhere,
            Some("asia/kathmandu"),
            "Asia/Kathmandu",
            "2027-05-01T18:00:00+05:45",
        ),
    ] {
        let mut fields = json!({ "start_date": wall, "is_public": true });
        if let Some(body) = body {
            fields["timezone"] = json!(body);
        }
        let event = owner.create(fields).await;
        let public = api
            .anyone()
            .ok::<GetEvent>(json!({"slug": event.slug}))
            .await;
        for answer in [owner.detail(&event).await, public] {
            assert_eq!(answer["timezone"], zone);
            assert_eq!(answer["start_date"], start);
        }
    }
    assert_eq!(
        in_tokyo.ok::<GetAccount>(json!({})).await["timezone"],
        "Asia/Tokyo"
    );
    assert_eq!(
        nowhere.ok::<GetAccount>(json!({})).await["timezone"],
        Value::Null
    );
}

async fn an_offset_fixes_the_moment_and_never_the_zone(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner
        .create(
            json!({"start_date": "2027-07-01T09:00:00-07:00", "end_date": "2027-12-24T18:00:00Z",
            "timezone": "Europe/Berlin"}),
        )
        .await;
    let detail = owner.detail(&event).await;
    // The event's own offset, at each of its times.
    assert_eq!(detail["start_date"], "2027-07-01T18:00:00+02:00");
    assert_eq!(detail["end_date"], "2027-12-24T19:00:00+01:00");
}

async fn a_wall_time_that_clocks_skip_is_refused(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (zone, skipped, kept) in [
        ("Europe/Berlin", "2027-03-28T02:30", "2027-03-28T03:00"),
        (
            "America/New_York",
            "2027-03-14T02:00",
            "2027-03-14T01:59:59.999999",
        ),
        // Half an hour.
        (
            "Australia/Lord_Howe",
            "2027-10-03T02:15",
            "2027-10-03T02:30",
        ),
    ] {
        let fields =
            json!({"timezone": zone, "start_date": skipped, "end_date": "2028-01-01T00:00"});
        let refusal = owner.refused::<CreateEvent>(new_event(fields)).await;
        refusal.blames(&["start_date"]);
        assert!(refusal.message.contains(zone), "{refusal:?}");
        let fields =
            json!({"timezone": zone, "start_date": "2027-01-01T00:00", "end_date": skipped});
        owner
            .refused::<CreateEvent>(new_event(fields))
            .await
            .blames(&["end_date"]);
        owner
            .create(json!({"timezone": zone, "start_date": kept}))
            .await;
    }
}

async fn of_a_wall_time_that_clocks_show_twice_the_earlier_is_meant(api: Api) {
    let owner = api.owner(Plan::Free).await;
    for (written, answered) in [
        ("2027-10-31T02:30", "2027-10-31T02:30:00+02:00"),
        ("2027-10-31T02:30:00+01:00", "2027-10-31T02:30:00+01:00"),
        ("2027-10-31T03:00", "2027-10-31T03:00:00+01:00"),
    ] {
        let event = owner
            .create(json!({"timezone": "Europe/Berlin", "start_date": written}))
            .await;
        assert_eq!(owner.detail(&event).await["start_date"], answered);
    }
}

async fn a_whole_day_may_be_missing(api: Api) {
    // Samoa went from the 29th to the 31st of December 2011.
    let owner = api.owner(Plan::Free).await;
    let fields = json!({"timezone": "Pacific/Apia", "start_date": "2011-12-30T12:00"});
    owner
        .refused::<CreateEvent>(new_event(fields))
        .await
        .blames(&["start_date"]);
    let event = owner
        .create(json!({"timezone": "Pacific/Apia", "start_date": "2011-12-31T00:00"}))
        .await;
    assert_eq!(
        owner.detail(&event).await["start_date"],
        "2011-12-31T00:00:00+14:00"
    );
}

async fn what_is_no_zones_name_is_refused(api: Api) {
    let owner = api.owner(Plan::Free).await;
    for wrong in [
        "",
        " ",
        "Europe",
        "Europe/Atlantis",
        "Mars/Base",
        "+02:00",
        "UTC+2",
        "CET-1CEST,M3.5.0,M10.5.0/3",
        "../../etc/passwd",
        "Etc/Unknown",
        "Europe/Berlin\n",
        &"x".repeat(65),
    ] {
        let fields = new_event(json!({ "timezone": wrong }));
        owner
            .refused::<CreateEvent>(fields)
            .await
            .blames(&["timezone"]);
    }
}

async fn another_zone_alone_keeps_the_wall_time(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner
        .create(json!({"timezone": "Europe/Berlin", "start_date": "2027-05-01T18:00", "end_date": "2027-05-01T20:00"}))
        .await;
    let moved = owner
        .ok::<UpdateEvent>(json!({"id": event.id, "timezone": "America/New_York"}))
        .await;
    assert_eq!(moved["timezone"], "America/New_York");
    assert_eq!(moved["start_date"], "2027-05-01T18:00:00-04:00");
    assert_eq!(moved["end_date"], "2027-05-01T20:00:00-04:00");

    let with_start =
        json!({"id": event.id, "timezone": "Asia/Tokyo", "start_date": "2027-05-01T08:00:00Z"});
    let moved = owner.ok::<UpdateEvent>(with_start).await;
    assert_eq!(moved["start_date"], "2027-05-01T17:00:00+09:00");
    assert_eq!(moved["end_date"], "2027-05-01T20:00:00+09:00");
}

async fn a_zone_whose_clocks_skip_the_wall_time_is_refused(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner
        .create(json!({"start_date": "2027-03-28T02:30"}))
        .await;
    let change = json!({"id": event.id, "timezone": "Europe/Berlin"});
    owner
        .refused::<UpdateEvent>(change)
        .await
        .blames(&["timezone"]);
}

tests::on_every_surface!(
    the_zone_is_the_bodys_else_the_accounts_else_utc,
    an_offset_fixes_the_moment_and_never_the_zone,
    a_wall_time_that_clocks_skip_is_refused,
    of_a_wall_time_that_clocks_show_twice_the_earlier_is_meant,
    a_whole_day_may_be_missing,
    what_is_no_zones_name_is_refused,
    another_zone_alone_keeps_the_wall_time,
    a_zone_whose_clocks_skip_the_wall_time_is_refused,
);
