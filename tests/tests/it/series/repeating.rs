//! Which days a repetition finds, and what a copy at another time is.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        CancelEvent, CloneEvent, GetEvent, GetMyEvent, PublishEvent, RepeatEvent, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Created, Surface, TestApp};

use super::{berlin, starts};

fn left_out(repeated: &Value) -> Vec<(&str, &str)> {
    let dates = repeated["left_out"].as_array().unwrap().iter();
    dates
        .map(|one| {
            (
                one["date"].as_str().unwrap(),
                one["reason"].as_str().unwrap(),
            )
        })
        .collect()
}

async fn a_day_of_the_series_is_free_only_once_its_event_is_cancelled(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = berlin(&owner, json!({})).await;
    let request = json!({"id": event.id, "every": "week", "count": 2});
    let repeated = owner.ok::<RepeatEvent>(request.clone()).await;
    // All of them are later by the clocks from now on.
    let later = json!({"id": event.id, "scope": "following", "start_date": "2027-03-16T19:00"});
    owner.ok::<UpdateEvent>(later).await;
    let again = owner.ok::<RepeatEvent>(request.clone()).await;
    assert_eq!(starts(&again), Vec::<&str>::new());
    let exist = [("2027-03-23", "EXISTS"), ("2027-03-30", "EXISTS")];
    assert_eq!(left_out(&again), exist);
    // One that begins at another time alone.
    let alone = json!({"id": repeated["items"][0]["id"], "start_date": "2027-03-23T09:00"});
    owner.ok::<UpdateEvent>(alone).await;
    let again = owner.ok::<RepeatEvent>(request.clone()).await;
    assert_eq!(left_out(&again), exist);

    let cancelled = json!({"id": repeated["items"][1]["id"]});
    owner.ok::<CancelEvent>(cancelled).await;
    let again = owner.ok::<RepeatEvent>(request).await;
    assert_eq!(starts(&again), ["2027-03-30T19:00:00+02:00"]);
    assert_eq!(left_out(&again), exist[..1]);
}

async fn a_long_series_grows_from_its_first_date(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = berlin(&owner, json!({})).await;
    let year = json!({"id": event.id, "every": "week", "count": 52});
    let repeated = owner.ok::<RepeatEvent>(year.clone()).await;
    assert_eq!(starts(&repeated).len(), 52);
    // The last one is on 14 March 2028.
    let more = json!({"id": event.id, "every": "week", "until": "2028-03-28"});
    let more = owner.ok::<RepeatEvent>(more).await;
    assert_eq!(
        starts(&more),
        ["2028-03-21T18:00:00+01:00", "2028-03-28T18:00:00+02:00"]
    );
    assert_eq!(left_out(&more).len(), 52);
    // By their number they are the same ones.
    let again = owner.ok::<RepeatEvent>(year).await;
    assert_eq!(starts(&again), Vec::<&str>::new());
}

async fn a_day_to_leave_out_that_is_no_date_is_named(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = berlin(&owner, json!({})).await;
    let request = json!({
        "id": event.id, "every": "week", "count": 2, "except": ["2027-03-23", "2027-03-24"],
    });
    let repeated = owner.ok::<RepeatEvent>(request).await;
    assert_eq!(starts(&repeated), ["2027-03-30T18:00:00+02:00"]);
    assert_eq!(left_out(&repeated), [("2027-03-24", "NOT_IN_RULE")]);
    let wrong = json!({
        "id": event.id, "every": "week", "count": 2, "except": ["2027-03-23", "2027-02-29"],
    });
    let refusal = owner.refused::<RepeatEvent>(wrong).await;
    refusal.blames(&["except[1]"]);
}

async fn the_times_of_a_copy_move_as_its_start_does(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let fields = json!({
        "end_date": "2027-03-17T02:00",
        "registration_opens": "2027-03-02T09:00", "registration_closes": "2027-03-16T17:00",
    });
    let event = berlin(&owner, fields).await;
    let copied = async |start: &str| {
        let request = json!({"id": event.id, "start_date": start});
        let copy = owner.ok::<CloneEvent>(request).await;
        let copy = owner.ok::<GetMyEvent>(json!({"id": copy["id"]})).await;
        ["end_date", "registration_opens", "registration_closes"].map(|field| copy[field].clone())
    };
    // The clocks go forward on 28 March: it takes as long by them.
    let expected = [
        "2027-03-28T08:00:00+02:00",
        "2027-03-13T15:00:00+01:00",
        "2027-03-27T23:00:00+01:00",
    ];
    assert_eq!(
        copied("2027-03-28T00:00").await,
        expected.map(|text| json!(text))
    );
    for start in ["9999-12-31T20:00", "2027-03-27T18:30"] {
        let request = json!({"id": event.id, "start_date": start});
        let refusal = owner.refused::<CloneEvent>(request).await;
        refusal.blames(&["start_date"]);
    }
}

async fn the_refusal_of_the_plan_says_how_many_are_left(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = berlin(&owner, json!({})).await;
    let request = json!({"id": event.id, "every": "week", "count": 5});
    let refusal = owner.refused::<RepeatEvent>(request).await;
    assert_eq!(refusal.reason, Reason::QuotaExceeded);
    assert!(
        refusal
            .message
            .contains("of which 2 are left, and this needs 5"),
        "{refusal:?}"
    );
}

async fn a_copy_of_what_was_taken_down_stays_down(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let anyone = app.over(Surface::Http).anyone();
    let event = berlin(&owner, json!({})).await;
    let suspensions = &app.core.use_cases().suspensions;
    suspensions.hide(&event.slug, true, None).await.unwrap();
    let copy = owner.ok::<CloneEvent>(json!({"id": event.id})).await;
    let request = json!({"id": event.id, "every": "week", "count": 1});
    let repeated = owner.ok::<RepeatEvent>(request).await;
    for made in [&copy, &repeated["items"][0]] {
        let id = json!({"id": made["id"]});
        owner.ok::<PublishEvent>(id.clone()).await;
        assert_eq!(owner.ok::<GetMyEvent>(id).await["is_hidden"], true);
        let shown = json!({"slug": made["slug"]});
        let refusal = anyone.refused::<GetEvent>(shown).await;
        assert_eq!(refusal.reason, Reason::NotFound);
    }
    let slug = copy["slug"].as_str().unwrap();
    suspensions.hide(slug, false, None).await.unwrap();
    let copy = Created {
        id: copy["id"].as_str().unwrap().to_owned(),
        slug: slug.to_owned(),
    };
    assert_eq!(owner.detail(&copy).await["is_hidden"], false);
    anyone.ok::<GetEvent>(json!({"slug": slug})).await;
}

tests::on_every_surface!(
    a_day_of_the_series_is_free_only_once_its_event_is_cancelled,
    a_long_series_grows_from_its_first_date,
    a_day_to_leave_out_that_is_no_date_is_named,
    the_times_of_a_copy_move_as_its_start_does,
    the_refusal_of_the_plan_says_how_many_are_left,
);
tests::on_both_engines!(a_copy_of_what_was_taken_down_stays_down);
