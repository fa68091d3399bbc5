//! How often a page asks core.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use domain::registration::Status::{Cancelled, Pending, Waitlisted};
use serde_json::json;
use tests::{Browser, Reply, TestApp};
use tower::ServiceExt as _;

use super::{
    crawl::crawl,
    own_registrations::{organizer, path},
    world::World,
};

/// The most calls for a page or a form, however much is in it: who it is by, the event, what happens to it or is in its list, and its numbers.
const MAX_CALLS: usize = 4;

const REQUEST_ID: &str = "x-request-id";

/// The calls of a website, by the request that they are for.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<BTreeMap<String, usize>>>);

impl Calls {
    /// The same browser at a website whose calls are counted.
    async fn counted(app: &TestApp, browser: &Browser) -> (Self, Browser) {
        let calls = Self::default();
        let counted = Arc::clone(&calls.0);
        let core = app.core.in_process().map_request(move |request| {
            let request: http::Request<tonic::body::Body> = request;
            let id = request.headers()[REQUEST_ID].to_str().unwrap().to_owned();
            *counted.lock().unwrap().entry(id).or_default() += 1;
            request
        });
        let site = app
            .serve_site_with(rpc_client::Core::in_process(core), None)
            .await;
        (calls, browser.at(&site))
    }

    fn of(&self, reply: &Reply) -> usize {
        let calls = self.0.lock().unwrap();
        let id = reply.header(REQUEST_ID).unwrap();
        calls.get(id).copied().unwrap_or_default()
    }
}

async fn no_page_of_the_dashboard_asks_core_for_each_of_its_rows(app: Arc<TestApp>) {
    let world = World::new(&app, "ada", "Ada").await;
    let (calls, browser) = Calls::counted(&app, &world.owner).await;
    let found = crawl(&browser).await;
    assert!(found.pages.len() >= 30, "{}", found.pages.len());
    let counts: Vec<usize> = found.pages.values().map(|page| calls.of(page)).collect();
    for ((path, _), count) in found.pages.iter().zip(&counts) {
        assert!(*count <= MAX_CALLS, "{path}: {count} calls");
    }
    assert!(counts.contains(&MAX_CALLS), "{counts:?}");
}

async fn fifty_people_are_declined_with_as_many_calls_as_one(app: Arc<TestApp>) {
    let (browser, _owner, event) = organizer(&app, json!({}), &[]).await;
    let statuses = [[Pending; 25], [Waitlisted; 25]].concat();
    let people = app.register(&event.id, &statuses).await;
    let (calls, browser) = Calls::counted(&app, &browser).await;
    let ids: Vec<String> = people.iter().map(|one| one.id.to_string()).collect();
    let query: Vec<_> = ids
        .iter()
        .map(|id| format!("registration_ids={id}"))
        .collect();
    let decline = path(&event, "/registrations/decline");

    let page = browser
        .page(&format!("{decline}?{}", query.join("&")))
        .await;
    assert!(page.html(200).contains("Decline 50 people?"));
    assert!(calls.of(&page) <= MAX_CALLS, "{} calls", calls.of(&page));

    let fields: Vec<_> = ids.iter().map(|id| ("registration_ids", &**id)).collect();
    let declined = browser.send(&decline, &fields).await;
    assert_eq!(declined.status, 303, "{declined:?}");
    let count = calls.of(&declined);
    assert!(count <= MAX_CALLS, "{count} calls");
    let after = app.registrations(&event.id).await;
    assert!(after.iter().all(|one| one.status == Cancelled), "{after:?}");
}

tests::on_both_engines!(
    no_page_of_the_dashboard_asks_core_for_each_of_its_rows,
    fifty_people_are_declined_with_as_many_calls_as_one,
);
