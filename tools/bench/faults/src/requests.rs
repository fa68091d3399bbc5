//! What the clients ask for next, and what is noted when it was done.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::{
    asked::Asked,
    balancer::Called,
    load::{Call, Kind, Record, Surface},
    target::{Callers, Target},
};

/// What there is afterwards if it was done.
enum Effect {
    Nothing,
    Event,
    /// A registration with this address.
    Guest(String),
}

/// The next request of a client, and what to note if it is acknowledged.
pub(crate) struct Next {
    kind: Kind,
    surface: Surface,
    asked: Asked,
    /// The number of the account.
    place: usize,
    effect: Effect,
}

impl Next {
    /// A read, through each surface by turns.
    pub(crate) fn read(target: &Target, number: u64) -> Self {
        let (place, event) = target.event(number / 8);
        let (slug, key) = (&event.slug, &event.key);
        let (surface, asked) = match number % 8 {
            0 => (
                Surface::Api,
                Asked::get(format!("/api/v1/events/{slug}"), None),
            ),
            1 => (
                Surface::Site,
                Asked::page(format!("/events/{slug}/register")),
            ),
            2 => (
                Surface::Tools,
                Asked::tool("list_my_events", key, &json!({"limit": 5})).that_reads(),
            ),
            3 => (
                Surface::Api,
                Asked::get("/api/v1/me/events?limit=5".to_owned(), Some(key)),
            ),
            4 => (Surface::Site, Asked::page("/events".to_owned())),
            5 => (
                Surface::Tools,
                Asked::tool("get_public_event", key, &json!({"slug": slug})).that_reads(),
            ),
            6 => (
                Surface::Api,
                Asked::get("/api/v1/events?limit=10".to_owned(), None),
            ),
            _ => (Surface::Site, Asked::page(format!("/events/{slug}"))),
        };
        let read = Self {
            kind: Kind::Read,
            surface,
            asked,
            place,
            effect: Effect::Nothing,
        };
        if target.site.is_some() && target.tools.is_some() {
            return read;
        }
        Self {
            surface: Surface::Api,
            asked: Asked::get("/api/v1/me/events?limit=5".to_owned(), Some(key)),
            ..read
        }
    }

    /// A write: of four, three are registrations, by the API or the form of the site, and one is a new event, by the API or a tool.
    pub(crate) fn write(target: &Target) -> Self {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let (place, event) = target.event(number / 4);
        let is_odd = (number / 4) % 2 == 1;
        let write = |surface, asked, effect| Self {
            kind: Kind::Write,
            surface,
            asked,
            place,
            effect,
        };
        if number.is_multiple_of(4) {
            let once = format!("event-{}-{number}", std::process::id());
            if is_odd && target.tools.is_some() {
                let asked = Asked::tool("create_event", &event.key, &description(false));
                return write(Surface::Tools, asked.once(&once), Effect::Event);
            }
            let asked = create(&event.key, false).once(&once);
            return write(Surface::Api, asked, Effect::Event);
        }
        let email = format!("guest-{number}@example.org");
        if number % 4 == 2 && target.site.is_some() {
            let path = format!("/events/{}/register", event.slug);
            let fields = format!("name=Guest+{number}&email=guest-{number}%40example.org");
            return write(
                Surface::Site,
                Asked::form(path, fields),
                Effect::Guest(email),
            );
        }
        let body = json!({"name": format!("Guest {number}"), "email": email});
        let path = format!("/api/v1/events/{}/registrations", event.slug);
        write(
            Surface::Api,
            Asked::post(path, None, &body),
            Effect::Guest(email),
        )
    }

    /// Asks, and records what came of it.
    pub(crate) async fn ask(
        self,
        callers: &mut Callers,
        record: &mut Record,
    ) -> anyhow::Result<()> {
        let way = match self.surface {
            Surface::Api => Some(&mut callers.api),
            Surface::Tools => callers.tools.as_mut(),
            Surface::Site => callers.site.as_mut(),
        };
        let way = way.context("the system has this surface")?;
        let called = way.call(&self.asked).await;
        self.note(&called, record)
    }

    fn note(self, called: &Called, record: &mut Record) -> anyhow::Result<()> {
        let is_done = self.asked.is_done(&called.answer);
        record.calls.push(Call {
            kind: self.kind,
            surface: self.surface,
            is_done,
            failed_at_first: called.failed_at_first || !is_done,
            status: self.asked.status(&called.answer),
            began: called.began,
            took: called.took,
        });
        if !is_done {
            return Ok(());
        }
        match self.effect {
            Effect::Nothing => {}
            Effect::Guest(email) => record.registered.push((self.place, email)),
            Effect::Event => {
                let answered = self.asked.content(&called.answer);
                let id = text(&answered.context("a new event is told")?, "id")?;
                record.created.push((self.place, id));
            }
        }
        Ok(())
    }
}

fn description(is_public: bool) -> Value {
    json!({
        "title": "An event", "description": "Everyone wants to come.", "location": "Here",
        "start_date": "2040-05-14T19:00:00Z", "max_capacity": 10_000, "is_public": is_public,
    })
}

/// A new event of the account, published or as a draft.
pub(crate) fn create(key: &str, is_public: bool) -> Asked {
    Asked::post(
        "/api/v1/events".to_owned(),
        Some(key),
        &description(is_public),
    )
}

/// A field of an answer.
pub(crate) fn text(answer: &Value, field: &str) -> anyhow::Result<String> {
    let text = answer.get(field).and_then(Value::as_str);
    Ok(text
        .with_context(|| format!("{answer} has no {field}"))?
        .to_owned())
}
