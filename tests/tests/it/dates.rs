//! Start and end as clients may write them, and what the answers make of them.

use domain::plan::Plan;
use muster_api::v1::bindings::CreateEvent;
use serde_json::{Value, json};
use tests::{Api, new_event};

async fn a_date_time_may_be_written_in_the_ways_of_iso_8601(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (written, answered) in [
        ("2027-05-01T18:00:00Z", "2027-05-01T18:00:00Z"),
        ("2027-05-01T18:00:00z", "2027-05-01T18:00:00Z"),
        ("2027-05-01t18:00:00Z", "2027-05-01T18:00:00Z"),
        ("2027-05-01 18:00:00Z", "2027-05-01T18:00:00Z"),
        ("2027-05-01T18:00:00+02:00", "2027-05-01T16:00:00Z"),
        ("2027-05-01T18:00:00-0330", "2027-05-01T21:30:00Z"),
        ("2027-05-01T18:00:00+02", "2027-05-01T16:00:00Z"),
        ("20270501T180000Z", "2027-05-01T18:00:00Z"),
        ("2027-05-01T18:00", "2027-05-01T18:00:00Z"),
        ("2027-05-01T18:00:00.5Z", "2027-05-01T18:00:00.5Z"),
        ("2027-05-01T18:00:00.123456Z", "2027-05-01T18:00:00.123456Z"),
        // Finer than a microsecond is cut.
        (
            "2027-05-01T18:00:00.123456789Z",
            "2027-05-01T18:00:00.123456Z",
        ),
        ("2028-02-29T12:00:00Z", "2028-02-29T12:00:00Z"),
    ] {
        let event = owner
            .create(json!({ "start_date": written, "end_date": written }))
            .await;
        let detail = owner.detail(&event).await;
        assert_eq!(detail["start_date"], answered, "{written}");
        assert_eq!(detail["end_date"], answered, "{written}");
    }
}

async fn what_is_no_date_time_is_refused(api: Api) {
    let owner = api.owner(Plan::Free).await;
    for wrong in [
        "",
        " ",
        "tomorrow",
        "2027-05-01",
        "18:00",
        "1809194400",
        "01.05.2027 18:00",
        "05/01/2027 18:00",
        "2027-02-29T10:00:00Z",
        "2027-04-31T10:00:00Z",
        "2100-02-29T10:00:00Z",
        "2027-13-01T10:00:00Z",
        "2027-00-10T10:00:00Z",
        "2027-01-00T10:00:00Z",
        "2027-01-32T10:00:00Z",
        "2027-01-01T24:00:00Z",
        "2027-01-01T25:00:00Z",
        "2027-01-01T10:60:00Z",
        "2027-01-01T10:00:61Z",
        "2027-01-01T10:00:00+25:00",
        "2027-01-01T10:00:00+02:60",
        "2027-01-01T10:00:00 Europe/Berlin",
        "2027-01-01T10:00:00+01:00[Europe/Berlin]",
        "2027-01-01T10:00:00Z trailing",
        "2027-W01-1T10:00:00Z",
        "2027-001T10:00:00Z",
        "２０２７-01-01T10:00:00Z",
        "2027-01-01T10:00:00Z\u{0}",
        &"2".repeat(64),
        &"2".repeat(65),
    ] {
        for field in ["start_date", "end_date"] {
            let refusal = owner
                .refused::<CreateEvent>(new_event(json!({ field: wrong })))
                .await;
            refusal.blames(&[field]);
        }
    }
}

async fn years_are_1_to_9999_also_in_utc(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (written, answered) in [
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00-01:00", "0001-01-01T01:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
    ] {
        let event = owner.create(json!({ "start_date": written })).await;
        assert_eq!(owner.detail(&event).await["start_date"], answered);
    }
    for wrong in [
        "0000-01-01T00:00:00Z",
        "0000-12-31T23:59:59Z",
        "-000001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-00:01",
        "10000-01-01T00:00:00Z",
        "+010000-01-01T00:00:00Z",
    ] {
        let refusal = owner
            .refused::<CreateEvent>(new_event(json!({ "start_date": wrong })))
            .await;
        refusal.blames(&["start_date"]);
    }
}

async fn the_end_is_not_before_the_start(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let start = "2027-05-01T18:00:00Z";
    for end in [
        "2027-05-01T18:00:00Z",
        "2027-05-01T18:00:00.000001Z",
        "2027-05-01T20:00:00+02:00",
    ] {
        owner
            .create(json!({"start_date": start, "end_date": end}))
            .await;
    }
    for end in ["2027-05-01T17:59:59.999999Z", "2027-05-01T18:00:00+02:00"] {
        let reversed = new_event(json!({"start_date": start, "end_date": end}));
        owner
            .refused::<CreateEvent>(reversed)
            .await
            .blames(&["end_date"]);
    }
}

async fn a_past_start_is_for_drafts_and_for_events_that_are_under_way(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let (past, now) = ("2027-01-15T10:00:00Z", "2027-01-15T12:00:00Z");
    owner.create(json!({"start_date": past})).await;
    owner
        .create(json!({"start_date": past, "end_date": now}))
        .await;
    owner
        .publish_new(json!({"start_date": past, "end_date": "2027-01-15T12:00:00.000001Z"}))
        .await;

    let over = new_event(json!({"start_date": past, "end_date": now, "is_public": true}));
    owner
        .refused::<CreateEvent>(over)
        .await
        .blames(&["end_date"]);
    let over = new_event(json!({"start_date": now, "is_public": true}));
    owner
        .refused::<CreateEvent>(over)
        .await
        .blames(&["start_date"]);
}

async fn without_an_end_the_event_ends_when_it_starts(api: Api) {
    let owner = api.owner(Plan::Free).await;
    for end in [json!({}), json!({"end_date": Value::Null})] {
        let event = owner.create(end).await;
        assert_eq!(
            owner.detail(&event).await["end_date"],
            "2027-05-01T18:00:00Z"
        );
    }
}

tests::on_every_surface!(
    a_date_time_may_be_written_in_the_ways_of_iso_8601,
    what_is_no_date_time_is_refused,
    years_are_1_to_9999_also_in_utc,
    the_end_is_not_before_the_start,
    a_past_start_is_for_drafts_and_for_events_that_are_under_way,
    without_an_end_the_event_ends_when_it_starts,
);
