//! What people type and what clients send, on every surface, where it goes well and where it fails.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{GetEvent, ListEvents, ListRegistrations, RegisterAttendee};
use serde_json::{Value, json};
use tests::{Http, Surface, TestApp, core_at};

use super::Scene;

/// A guest, and the words of a search.
struct Planted {
    agent: String,
    cookie: String,
    query: String,
    name: String,
    email: String,
}

impl Planted {
    fn new(scene: &mut Scene) -> Self {
        let id = scene.state.replace("the-state-of-", "");
        let mut canary = |what: &'static str| {
            let text = format!("canary-{what}-{id}");
            scene.secrets.add(what, &*text);
            text
        };
        let email = format!("{}@example.org", canary("address"));
        Self {
            agent: canary("agent"),
            cookie: canary("cookie"),
            query: canary("query"),
            name: canary("name"),
            email,
        }
    }

    fn guest(&self, slug: &str, email: &str) -> Value {
        json!({"slug": slug, "name": self.name, "email": email})
    }

    /// Asks for a path with all that a browser sends.
    async fn ask(&self, http: &Http, path: &str) {
        let asked = http.page(path).header("user-agent", &self.agent);
        let asked = asked.header("cookie", format!("__Host-muster={}", self.cookie));
        let asked = asked.header("referer", format!("https://x.example/?q={}", self.query));
        asked.send().await;
    }
}

pub(crate) async fn plant(scene: &mut Scene) {
    let app = Arc::clone(&scene.app);
    let planted = Planted::new(scene);
    for surface in [Surface::Http, Surface::Grpc, Surface::Mcp] {
        let api = app.over(surface);
        let owner = api.owner(Plan::Pro).await;
        let event = owner.publish_new(json!({})).await;
        let anyone = api.anyone();
        owner
            .call::<ListEvents>(json!({"q": planted.query}))
            .await
            .unwrap();
        anyone
            .call::<ListEvents>(json!({"q": planted.query}))
            .await
            .unwrap();
        let guest = planted.guest(&event.slug, &planted.email);
        // New, again, with an address that is none, and for an event that is not there.
        anyone.ok::<RegisterAttendee>(guest.clone()).await;
        anyone.ok::<RegisterAttendee>(guest).await;
        let wrong = planted.guest(&event.slug, &planted.name);
        anyone.refused::<RegisterAttendee>(wrong).await;
        let nowhere = planted.guest("nothing-there", &planted.email);
        anyone.refused::<RegisterAttendee>(nowhere).await;
        owner
            .refused::<GetEvent>(json!({"slug": planted.name}))
            .await;
        owner
            .ok::<ListRegistrations>(json!({"id": event.id, "q": planted.name}))
            .await;
        app.drain_jobs().await;
    }
    ask_everywhere(&app, &planted).await;
}

/// The edges, also those whose core is away.
async fn ask_everywhere(app: &TestApp, planted: &Planted) {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let away = core_at(&format!("http://{}", closed.local_addr().unwrap()));
    drop(closed);
    let sites = [app.site.clone(), app.serve_site(&away).await];
    for site in &sites {
        for path in ["/events", "/nothing", "/dashboard", "/sign-in"] {
            planted
                .ask(site, &format!("{path}?q={}", planted.query))
                .await;
        }
        planted
            .ask(site, &format!("/registrations/{}", planted.query))
            .await;
        planted
            .ask(site, &format!("/check-in/{}", planted.query))
            .await;
        let sign_in = [("email", &*planted.email)];
        site.form("/sign-in", &sign_in).send().await;
    }
    app.drain_jobs().await;
}
