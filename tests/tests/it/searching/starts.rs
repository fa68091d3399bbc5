//! Searching by start: dates and date-times.

use std::time::Duration;

use domain::plan::Plan;
use serde_json::json;
use tests::Api;

use super::found;

async fn dates_count_in_the_events_own_zone(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let mut slugs = Vec::new();
    for (start, timezone) in [
        // At the same moment it is the second of May in the east.
        ("2027-05-02T00:30:00", "Pacific/Auckland"),
        ("2027-05-01T23:30:00", "Pacific/Auckland"),
        ("2027-05-01T00:00:00", "America/Los_Angeles"),
        ("2027-05-01T23:59:59", "America/Los_Angeles"),
        ("2027-05-02T00:00:00", "America/Los_Angeles"),
    ] {
        let fields = json!({"title": "Round the world", "start_date": start, "timezone": timezone});
        slugs.push(owner.publish_new(fields).await.slug);
    }
    for (query, expected) in [
        (
            json!({"from": "2027-05-01", "to": "2027-05-01"}),
            vec![1, 2, 3],
        ),
        (
            json!({"q": "world", "from": "2027-05-01", "to": "2027-05-01"}),
            vec![1, 2, 3],
        ),
        (json!({"from": "2027-05-02"}), vec![0, 4]),
        (json!({"to": "20270501"}), vec![1, 2, 3]),
        (json!({"from": "2027-05-01T12:30:00Z"}), vec![0, 3, 4]),
        // The start itself is in, the end is not.
        (
            json!({"from": "2027-05-01T00:00:00-07:00", "to": "2027-05-02T00:00:00-07:00"}),
            vec![0, 1, 2, 3],
        ),
        (json!({"to": "2027-05-01T11:30:00Z"}), vec![2]),
        (
            json!({"from": "2027-05-01T12:00:00+00:00", "to": "2027-05-01T12:00:00+00:00"}),
            vec![],
        ),
    ] {
        let mut expected: Vec<&String> = expected
            .into_iter()
            .map(|index: usize| &slugs[index])
            .collect();
        expected.sort();
        let found = found(&api, query.clone()).await;
        let mut sorted: Vec<&String> = found.iter().collect();
        sorted.sort();
        assert_eq!(sorted, expected, "{query}");
    }
}

async fn what_is_going_on_is_found_with_todays_date(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let mut slugs = Vec::new();
    for (start, end) in [
        ("2027-01-20T10:00:00", "2027-01-23T18:00:00"),
        ("2027-01-21T19:00:00", "2027-01-21T22:00:00"),
        ("2027-01-22T19:00:00", "2027-01-22T22:00:00"),
    ] {
        let fields = json!({"title": "Fair of all", "start_date": start, "end_date": end, "timezone": "Europe/Berlin"});
        slugs.push(owner.publish_new(fields).await.slug);
    }
    // It is noon of the 21st in Berlin.
    api.advance(Duration::from_hours(5 * 24 + 23));
    for (query, expected) in [
        (json!({"from": "2027-01-21", "to": "2027-01-21"}), vec![1]),
        (
            json!({"from": "2027-01-21", "to": "2027-01-21", "running": true}),
            vec![0, 1],
        ),
        (
            json!({"q": "fair", "from": "2027-01-21", "running": true}),
            vec![0, 1, 2],
        ),
        (json!({"from": "2027-01-22", "running": true}), vec![2]),
        (
            json!({"from": "2027-01-21T11:00:00Z", "running": true}),
            vec![0, 1, 2],
        ),
        (
            json!({"from": "2027-01-21T11:00:01Z", "running": true}),
            vec![1, 2],
        ),
        (json!({"running": true}), vec![0, 1, 2]),
    ] {
        let expected: Vec<_> = expected
            .into_iter()
            .map(|index: usize| slugs[index].clone())
            .collect();
        assert_eq!(found(&api, query.clone()).await, expected, "{query}");
    }
}

tests::on_every_surface!(
    dates_count_in_the_events_own_zone,
    what_is_going_on_is_found_with_todays_date,
);
