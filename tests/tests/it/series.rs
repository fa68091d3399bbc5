//! Events that are repeated on other dates (rule 55).

mod following;
mod repeating;

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, CancelEvent, CloneEvent, GetEvent, GetMyEvent, ListEvents, ListMyEvents,
        RegisterAttendee, RepeatEvent, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Surface, TestApp};

fn starts(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items
        .map(|one| one["start_date"].as_str().unwrap())
        .collect()
}

async fn berlin(owner: &Client, more: Value) -> Created {
    let mut fields = json!({"start_date": "2027-03-16T18:00", "timezone": "Europe/Berlin"});
    let others = more.as_object().unwrap().clone();
    fields.as_object_mut().unwrap().extend(others);
    owner.publish_new(fields).await
}

async fn a_series_is_found_by_its_id_and_each_date_has_its_own_seats(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let anyone = api.anyone();
    let fields = json!({
        "end_date": "2027-03-16T21:00", "max_capacity": 1,
        "registration_opens": "2027-03-02T09:00", "registration_closes": "2027-03-15T20:00",
    });
    let event = berlin(&owner, fields).await;
    let other = owner.publish_new(json!({"title": "Another"})).await;
    let request = json!({"id": event.id, "every": "week", "count": 2, "is_public": true});
    let repeated = owner.ok::<RepeatEvent>(request.clone()).await;
    // The clocks go forward on 28 March.
    let expected = ["2027-03-23T18:00:00+01:00", "2027-03-30T18:00:00+02:00"];
    assert_eq!(starts(&repeated), expected);
    assert_eq!(repeated["left_out"], json!([]));

    let series = json!({"series": repeated["series_id"]});
    let listed = anyone.ok::<ListEvents>(series.clone()).await;
    let all = [&["2027-03-16T18:00:00+01:00"], &expected[..]].concat();
    assert_eq!(starts(&listed), all);
    let mine = owner.ok::<ListMyEvents>(series).await;
    assert_eq!(starts(&mine), all);
    let shown = anyone.ok::<GetEvent>(json!({"slug": other.slug})).await;
    assert_eq!(shown["series_id"], json!(null));

    let last = &listed["items"][2];
    assert_eq!(last["series_id"], repeated["series_id"]);
    assert_eq!(last["end_date"], "2027-03-30T21:00:00+02:00");
    assert_eq!(last["registration_opens"], "2027-03-16T09:00:00+01:00");
    assert_eq!(last["registration_closes"], "2027-03-29T20:00:00+02:00");
    let opened = json!({"id": event.id, "registration_opens": null});
    owner.ok::<UpdateEvent>(opened).await;
    let someone = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    anyone.ok::<RegisterAttendee>(someone).await;
    let seats = async |slug: &Value| {
        let event = anyone.ok::<GetEvent>(json!({"slug": slug})).await;
        event["seats_left"].clone()
    };
    assert_eq!(seats(&json!(event.slug)).await, 0);
    assert_eq!(seats(&last["slug"]).await, 1);

    // The same again adds nothing, and says so.
    let again = owner.ok::<RepeatEvent>(request).await;
    assert_eq!(again["series_id"], repeated["series_id"]);
    assert_eq!(starts(&again), Vec::<&str>::new());
    let left_out = json!([
        {"date": "2027-03-23", "reason": "EXISTS"},
        {"date": "2027-03-30", "reason": "EXISTS"},
    ]);
    assert_eq!(again["left_out"], left_out);
}

async fn a_repetition_is_all_or_nothing(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({})).await;
    let many = json!({"id": event.id, "every": "week", "count": 52});
    let refusal = owner.refused::<RepeatEvent>(many).await;
    assert_eq!(refusal.reason, Reason::QuotaExceeded);
    let mine = owner.ok::<ListMyEvents>(json!({"status": "all"})).await;
    assert_eq!(mine["count"], 1);
    assert_eq!(owner.detail(&event).await["series_id"], json!(null));

    let refused = async |fields: Value| {
        let mut request = json!({"id": event.id, "every": "month"});
        let fields = fields.as_object().unwrap().clone();
        request.as_object_mut().unwrap().extend(fields);
        owner.refused::<RepeatEvent>(request).await
    };
    refused(json!({})).await.blames(&["count"]);
    let both = json!({"count": 2, "until": "2027-12-31"});
    refused(both).await.blames(&["until"]);
    let unreal = json!({"until": "2027-02-31", "except": ["soon"]});
    refused(unreal).await.blames(&["until", "except[0]"]);
    let twice = json!({"count": 1, "month_day": 3, "nth_weekday": 1});
    refused(twice).await.blames(&["nth_weekday"]);
    refused(json!({"count": 53})).await.blames(&["count"]);
    let before = json!({"until": "2027-04-30"});
    refused(before).await.blames(&["until"]);

    let stranger = api.owner(Plan::Pro).await;
    let request = json!({"id": event.id, "every": "week", "count": 1});
    let refusal = stranger.refused::<RepeatEvent>(request).await;
    assert_eq!(refusal.reason, Reason::NotFound);
}

async fn days_that_a_month_lacks_are_named(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .create(json!({"start_date": "2027-01-31T18:00:00Z"}))
        .await;
    let request = json!({
        "id": event.id, "every": "month", "until": "2027-05-31", "except": ["2027-03-31"],
    });
    let repeated = owner.ok::<RepeatEvent>(request).await;
    assert_eq!(starts(&repeated), ["2027-05-31T18:00:00Z"]);
    let left_out = json!([
        {"date": "2027-02-31", "reason": "NO_SUCH_DAY"},
        {"date": "2027-04-31", "reason": "NO_SUCH_DAY"},
    ]);
    assert_eq!(repeated["left_out"], left_out);
    // Drafts are not in the catalogue.
    let series = json!({"series": repeated["series_id"]});
    let listed = api.anyone().ok::<ListEvents>(series).await;
    assert_eq!(listed["count"], 0);
}

async fn a_copy_has_the_date_that_it_is_given(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = berlin(&owner, json!({"end_date": "2027-03-16T21:00"})).await;
    let request = json!({"id": event.id, "start_date": "2027-06-01T10:00"});
    let copy = owner.ok::<CloneEvent>(request).await;
    let copy = Created {
        id: copy["id"].as_str().unwrap().to_owned(),
        slug: copy["slug"].as_str().unwrap().to_owned(),
    };
    let detail = owner.detail(&copy).await;
    assert_eq!(
        (
            &detail["start_date"],
            &detail["end_date"],
            &detail["series_id"]
        ),
        (
            &json!("2027-06-01T10:00:00+02:00"),
            &json!("2027-06-01T13:00:00+02:00"),
            &json!(null)
        )
    );
    let wrong = json!({"id": event.id, "start_date": "tomorrow"});
    owner
        .refused::<CloneEvent>(wrong)
        .await
        .blames(&["start_date"]);
}

async fn later_dates_change_with_one_and_keep_their_days(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = berlin(&owner, json!({"end_date": "2027-03-16T21:00"})).await;
    let request = json!({"id": event.id, "every": "week", "count": 3, "is_public": true});
    let repeated = owner.ok::<RepeatEvent>(request).await;
    let id = |index: usize| repeated["items"][index]["id"].clone();
    let guest = json!({"id": id(1), "name": "Ada", "email": "ada@example.org"});
    owner.ok::<AddRegistration>(guest).await;

    let later = json!({
        "id": id(0), "scope": "following", "title": "Rust Night",
        "start_date": "2027-03-24T19:30", "end_date": "2027-03-24T22:00", "location": "xHain",
    });
    let updated = owner.ok::<UpdateEvent>(later.clone()).await;
    // One is registered for a later date.
    assert_eq!(updated["registrants_notified"], 1);
    assert_eq!(updated["events_updated"], 3);
    let again = owner.ok::<UpdateEvent>(later).await;
    assert_eq!(again["events_updated"], 0);
    let series = json!({"series": repeated["series_id"]});
    let listed = api.anyone().ok::<ListEvents>(series.clone()).await;
    let expected = [
        "2027-03-16T18:00:00+01:00",
        "2027-03-24T19:30:00+01:00",
        "2027-03-31T19:30:00+02:00",
        "2027-04-07T19:30:00+02:00",
    ];
    assert_eq!(starts(&listed), expected);
    let items = listed["items"].as_array().unwrap();
    let of = |field: &str| -> Vec<&str> {
        let texts = items.iter().map(|one| one[field].as_str().unwrap());
        texts.collect()
    };
    assert_eq!(of("location"), ["c-base", "xHain", "xHain", "xHain"]);
    assert_eq!(of("title")[1..], ["Rust Night", "Rust Night", "Rust Night"]);
    assert_eq!(of("end_date")[2], "2027-03-31T22:00:00+02:00");

    // All or none: two people do not fit into one date.
    let crowd = json!({"id": id(1), "name": "Bo", "email": "bo@example.org"});
    owner.ok::<AddRegistration>(crowd).await;
    let small = json!({"id": id(0), "scope": "following", "max_capacity": 1});
    let refusal = owner.refused::<UpdateEvent>(small).await;
    assert_eq!(refusal.reason, Reason::CapacityTooLow);
    let first = owner.ok::<GetMyEvent>(json!({"id": id(0)})).await;
    assert_eq!(first["max_capacity"], 100);

    let alone = json!({"id": id(2), "scope": "this", "city": "Potsdam"});
    owner.ok::<UpdateEvent>(alone).await;
    let wrong = json!({"id": id(0), "scope": "all", "city": "Potsdam"});
    owner.refused::<UpdateEvent>(wrong).await.blames(&["scope"]);

    let cancel = json!({"id": id(1), "scope": "following", "reason": "We move."});
    let cancelled = owner.ok::<CancelEvent>(cancel.clone()).await;
    assert_eq!(
        (
            &cancelled["events_cancelled"],
            &cancelled["registrants_notified"]
        ),
        (&json!(2), &json!(2))
    );
    let listed = api.anyone().ok::<ListEvents>(series).await;
    assert_eq!(starts(&listed), expected[..2]);
    let again = owner.ok::<CancelEvent>(cancel).await;
    assert_eq!(
        (&again["events_cancelled"], &again["reason"]),
        (&json!(0), &json!("We move."))
    );
}

async fn what_the_operator_took_down_is_not_published_again(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let suspensions = &app.core.use_cases().suspensions;
    suspensions.hide(&event.slug, true, None).await.unwrap();
    let mut request = json!({"id": event.id, "every": "week", "count": 1, "is_public": true});
    let refusal = owner.refused::<RepeatEvent>(request.clone()).await;
    refusal.blames(&["is_public"]);
    request["is_public"] = json!(false);
    owner.ok::<RepeatEvent>(request).await;
}

tests::on_every_surface!(
    later_dates_change_with_one_and_keep_their_days,
    a_series_is_found_by_its_id_and_each_date_has_its_own_seats,
    a_repetition_is_all_or_nothing,
    days_that_a_month_lacks_are_named,
    a_copy_has_the_date_that_it_is_given,
);
tests::on_both_engines!(what_the_operator_took_down_is_not_published_again);
