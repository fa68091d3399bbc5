//! Each kind of change, one after the other.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use serde_json::{Value, json};
use tests::{Account, Reply, TestApp, new_event};

use super::{Edge, slugs, two_edges};

/// An event on two edges that cache it.
struct Stage {
    app: Arc<TestApp>,
    edges: [Edge; 2],
    owner: Account,
    id: String,
    slug: String,
}

impl Stage {
    async fn set(app: Arc<TestApp>) -> Self {
        let edges = two_edges(&app).await;
        let owner = app.account(Plan::Pro).await;
        for edge in &edges {
            assert!(slugs(&edge.hit("/events").await).is_empty());
        }
        let event = new_event(json!({"is_public": true, "max_capacity": 5}));
        let create = edges[0].http.post("/events").bearer(&owner.key);
        let created = create.json(&event).send().await.ok();
        let text = |field: &str| created[field].as_str().unwrap().to_owned();
        Self {
            app,
            edges,
            owner,
            id: text("id"),
            slug: text("slug"),
        }
    }

    /// Whether it is listed and found, at once on one edge and soon on the other.
    async fn assert_public(&self, is_public: bool, at_once_on: Option<usize>, what: &str) {
        let detail = format!("/events/{}", self.slug);
        let is_listed = |list: &Reply| slugs(list).contains(&self.slug) == is_public;
        let is_found = |event: &Reply| (event.status == 200) == is_public;
        for (index, edge) in self.edges.iter().enumerate() {
            if at_once_on == Some(index) {
                assert!(is_listed(&edge.get("/events").await), "{what}");
                assert!(is_found(&edge.get(&detail).await), "{what}");
            }
            edge.await_right("/events", what, is_listed).await;
            edge.await_right(&detail, what, is_found).await;
            edge.hit("/events").await;
        }
    }

    async fn assert_seats(&self, left: i32, what: &str) {
        let detail = format!("/events/{}", self.slug);
        for edge in &self.edges {
            let is_listed = |list: &Reply| list.ok()["items"][0]["seats_left"] == left;
            edge.await_right("/events", what, is_listed).await;
            edge.await_right(&detail, what, |event| event.ok()["seats_left"] == left)
                .await;
        }
    }

    async fn post(&self, edge: usize, path: &str, body: &Value) {
        let path = format!("/me/events/{}{path}", self.id);
        let request = self.edges[edge].http.post(&path).bearer(&self.owner.key);
        request.json(body).send().await.ok();
    }

    async fn patch(&self, edge: usize, body: &Value) {
        let path = format!("/me/events/{}", self.id);
        let request = self.edges[edge].http.patch(&path).bearer(&self.owner.key);
        request.json(body).send().await.ok();
    }
}

async fn what_an_organizer_changes_is_seen_at_once_on_that_edge_and_soon_on_others(
    app: Arc<TestApp>,
) {
    let stage = Stage::set(app).await;
    stage.assert_public(true, Some(0), "created").await;
    stage.patch(1, &json!({"is_listed": false})).await;
    stage.assert_public(false, Some(1), "unlisted").await;
    stage.patch(0, &json!({"is_listed": true})).await;
    stage.assert_public(true, Some(0), "listed").await;
    stage.post(0, "/unpublish", &json!({})).await;
    stage.assert_public(false, Some(0), "unpublished").await;
    stage.post(1, "/publish", &json!({})).await;
    stage.assert_public(true, Some(1), "published").await;
    stage.patch(1, &json!({"title": "Another title"})).await;
    let list = stage.edges[1].get("/events").await.ok();
    assert_eq!(list["items"][0]["title"], "Another title");
    stage.post(1, "/cancel", &json!({})).await;
    stage.assert_public(false, Some(1), "cancelled").await;
}

async fn what_no_edge_had_a_part_in_is_seen_soon(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    stage.assert_public(true, Some(0), "created").await;
    let suspensions = &stage.app.core.use_cases().suspensions;
    suspensions.hide(&stage.slug, true, None).await.unwrap();
    stage.assert_public(false, None, "taken down").await;
    suspensions.hide(&stage.slug, false, None).await.unwrap();
    stage.assert_public(true, None, "shown again").await;
    suspensions.suspend(stage.owner.id, None).await.unwrap();
    stage.assert_public(false, None, "suspended").await;
    suspensions.resume(stage.owner.id).await.unwrap();
    stage.assert_public(true, None, "resumed").await;
    stage.app.advance(Duration::from_hours(10_000));
    stage.assert_public(false, None, "ended").await;
}

async fn seats_that_are_taken_and_come_free_are_seen_at_once_on_that_edge_and_soon_on_others(
    app: Arc<TestApp>,
) {
    let stage = Stage::set(app).await;
    stage.assert_public(true, Some(0), "created").await;
    stage.assert_seats(5, "at first").await;
    let detail = format!("/events/{}", stage.slug);
    let left = async |edge: usize| stage.edges[edge].get(&detail).await.ok()["seats_left"].clone();
    for edge in &stage.edges {
        edge.hit(&detail).await;
    }
    let path = format!("/events/{}/registrations", stage.slug);
    let guest = json!({"name": "Grace", "email": "grace@example.org"});
    let registered = stage.edges[1].http.post(&path).json(&guest).send().await;
    assert!(registered.status.is_success(), "{registered:?}");
    assert_eq!(left(1).await, 4);
    stage.assert_seats(4, "registered").await;
    stage.edges[0].hit(&detail).await;
    let first = stage.app.registrations(&stage.id).await.remove(0);
    let path = format!("/registrations/{}/cancel", first.id);
    stage.post(0, &path, &json!({})).await;
    assert_eq!(left(0).await, 5);
    stage.assert_seats(5, "cancelled").await;
    stage.patch(0, &json!({"max_capacity": 9})).await;
    stage.assert_seats(9, "enlarged").await;
}

tests::on_both_engines!(
    what_an_organizer_changes_is_seen_at_once_on_that_edge_and_soon_on_others,
    what_no_edge_had_a_part_in_is_seen_soon,
    seats_that_are_taken_and_come_free_are_seen_at_once_on_that_edge_and_soon_on_others,
);
