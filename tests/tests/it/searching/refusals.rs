//! What cannot be searched, and what a URL cannot have.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::ListEvents;
use serde_json::json;
use tests::{Api, Surface, TestApp};

async fn what_cannot_be_searched_is_refused_with_the_field(api: Api) {
    let anyone = api.anyone();
    let (long, many) = ("x".repeat(2_000), "w ".repeat(21));
    for (query, field, hint) in [
        (json!({"q": long}), "q", "200 characters"),
        (json!({"q": "ﷺ".repeat(201)}), "q", "200 characters"),
        (json!({"q": many}), "q", "at most 20 words"),
        (json!({"q": "… !? \" * - ()"}), "q", "a letter or a digit"),
        (json!({"q": "🎉\u{301}"}), "q", "a letter or a digit"),
        (json!({"city": "🌃"}), "city", "a letter or a digit"),
        (json!({"city": "x".repeat(121)}), "city", "120 characters"),
        (
            json!({"from": "tomorrow"}),
            "from",
            "for example 2027-05-01",
        ),
        (
            json!({"from": "2027-02-29"}),
            "from",
            "for example 2027-05-01",
        ),
        (
            json!({"to": "2027-05-01T18:00"}),
            "to",
            "must have an offset",
        ),
        (
            json!({"to": "2027-05-01T18:00:00 02:00"}),
            "to",
            "write + as %2B",
        ),
        (
            json!({"to": "2027-05-01T18:00:00+25:00"}),
            "to",
            "with an offset",
        ),
        (json!({"to": "2".repeat(65)}), "to", "64 characters"),
        (
            json!({"from": "2027-05-02", "to": "2027-05-01"}),
            "to",
            "must not be before from",
        ),
    ] {
        let refusal = anyone.refused::<ListEvents>(query.clone()).await;
        refusal.blames(&[field]);
        assert!(refusal.message.contains(hint), "{query}: {refusal:?}");
    }
    let all = json!({"q": "!", "city": "!", "from": "!", "to": "!"});
    let refusal = anyone.refused::<ListEvents>(all).await;
    refusal.blames(&["q", "city", "from", "to"]);
}

tests::on_every_surface!(what_cannot_be_searched_is_refused_with_the_field);

/// What only a URL can have.
mod in_a_url {
    use super::*;

    async fn parameters_are_given_once_and_known(app: Arc<TestApp>) {
        for (query, field) in [
            ("q=a&q=b", "q"),
            ("city=a&from=2027-05-01&city=b", "city"),
            ("Q=a", "Q"),
            ("query=a", "query"),
            ("q[]=a", "q[]"),
        ] {
            let answer = app.http.get(&format!("/events?{query}")).send().await;
            answer.refusal().blames(&[field]);
        }
        for query in ["q=%ff", "q=%zz", "q=100%"] {
            let answer = app.http.get(&format!("/events?{query}")).send().await;
            answer.refusal().blames(&["q"]);
        }
    }

    async fn a_plus_is_a_space_and_an_offset_needs_it_escaped(app: Arc<TestApp>) {
        let ok = app
            .http
            .get("/events?q=rust+meetup&from=2027-05-01T18:00:00%2B02:00");
        assert_eq!(ok.send().await.ok()["count"], 0);
        let unescaped = app.http.get("/events?from=2027-05-01T18:00:00+02:00");
        unescaped.send().await.refusal().blames(&["from"]);
    }

    async fn what_is_far_too_long_is_refused_everywhere(app: Arc<TestApp>) {
        let long = "x".repeat(10_000);
        let answer = app.http.get(&format!("/events?q={long}")).send().await;
        assert_eq!(answer.status, 414);
        for surface in [Surface::Grpc, Surface::Mcp] {
            let caller = app.over(surface).owner(Plan::Free).await;
            let refusal = caller.refused::<ListEvents>(json!({"q": long})).await;
            refusal.blames(&["q"]);
        }
    }

    tests::on_both_engines!(
        what_is_far_too_long_is_refused_everywhere,
        parameters_are_given_once_and_known,
        a_plus_is_a_space_and_an_offset_needs_it_escaped,
    );
}
