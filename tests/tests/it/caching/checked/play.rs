//! The writers, the readers, and who cuts the line.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use core_service::service::Policy;
use domain::{entropy::Entropy, plan::Plan};
use futures_util::future::join_all;
use http_kit::{CacheOptions, ResponseCache};
use rpc_client::Changes;
use serde_json::{Value, json};
use server::CancellationToken;
use tests::{Account, Http, Line, Reply, TestApp, core_at, new_event};
use tokio::{
    sync::RwLock,
    time::{Instant, sleep},
};

use super::{
    super::{Edge, TIMEOUT},
    history::{History, Seen, Shown, shown},
};

/// Events of each writer, and events that only end.
const EVENTS: usize = 2;
const WRITERS: usize = 3;
const ENDING: usize = 6;

/// The edge whose line is cut.
const CUT: usize = 1;

/// No change is seen later than this. The longest time in which this machine did nothing for a task is added.
const BOUND: Duration = Duration::from_secs(1);

/// What the caches of the edges count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    Changes,
    Nothing,
}

pub(super) struct Play {
    app: Arc<TestApp>,
    edges: [Edge; 2],
    line: Line,
    /// Nobody writes over the line while it is cut: the outcome would not be known.
    uncut: RwLock<()>,
    /// When it was cut, and when its edge could reach core again.
    cuts: Mutex<Vec<(Instant, Instant)>>,
    owner: Account,
    events: Vec<Event>,
    stop: CancellationToken,
    seen: Mutex<Vec<Seen>>,
}

struct Event {
    id: String,
    slug: String,
    history: History,
}

/// What came of it.
pub(super) struct Outcome {
    pub(super) wrong: Vec<String>,
    pub(super) seen: usize,
    pub(super) hits: u64,
    pub(super) bound: Duration,
}

/// An event as its writer knows it.
#[derive(Debug, Clone)]
struct Known {
    title: String,
    left: i64,
    is_listed: bool,
    is_hidden: bool,
}

impl Known {
    fn shown(&self) -> Shown {
        let is_shown = self.is_listed && !self.is_hidden;
        is_shown.then(|| (self.title.clone(), self.left))
    }
}

async fn edge(app: &TestApp, url: &str, counting: Counting) -> Edge {
    let core = core_at(url).edge().unwrap();
    let changes = match counting {
        Counting::Changes => core.changes().clone(),
        Counting::Nothing => Changes::default(),
    };
    let cache = ResponseCache::new(CacheOptions::default(), changes);
    Edge::with(app, core, cache).await
}

impl Play {
    pub(super) async fn begin(app: &Arc<TestApp>, counting: Counting) -> Arc<Self> {
        let second = app.another_core(Policy::default()).await;
        let line = Line::to(second).await;
        let first = format!("http://{}", app.grpc.address());
        let edges = [
            edge(app, &first, counting).await,
            edge(app, &line.url(), counting).await,
        ];
        let owner = app.account(Plan::Business).await;
        let mut events = Vec::new();
        for number in 0..WRITERS * EVENTS + ENDING {
            let start = if number < WRITERS * EVENTS {
                "2028-01-01T00:00:00Z".to_owned()
            } else {
                // They end at half past each hour from now on.
                format!("2027-01-15T{:02}:30:00Z", 12 + number - WRITERS * EVENTS)
            };
            let fields = json!({
                "is_public": true, "title": "Title 0", "max_capacity": 1000, "start_date": start,
            });
            let created = app.http.post("/events").bearer(&owner.key);
            let created = created.json(&new_event(fields)).send().await.ok();
            let text = |field: &str| created[field].as_str().unwrap().to_owned();
            events.push(Event {
                id: text("id"),
                slug: text("slug"),
                history: History::of(Some(("Title 0".to_owned(), 1000))),
            });
        }
        for edge in &edges {
            edge.hit("/events?limit=100").await;
        }
        Arc::new(Self {
            app: Arc::clone(app),
            edges,
            line,
            uncut: RwLock::new(()),
            cuts: Mutex::default(),
            owner,
            events,
            stop: CancellationToken::new(),
            seen: Mutex::default(),
        })
    }

    pub(super) async fn run(self: Arc<Self>, time: Duration) -> Outcome {
        let mut tasks = Vec::new();
        let mut start = |task: std::pin::Pin<Box<dyn Future<Output = ()> + Send>>| {
            tasks.push(tokio::spawn(task));
        };
        for number in 0..WRITERS {
            let play = Arc::clone(&self);
            start(Box::pin(async move { play.write(number).await }));
        }
        for number in 0..4 {
            let play = Arc::clone(&self);
            start(Box::pin(async move { play.read(number).await }));
        }
        let play = Arc::clone(&self);
        start(Box::pin(async move { play.cut().await }));
        let play = Arc::clone(&self);
        start(Box::pin(async move { play.let_time_pass().await }));
        let stall = self.longest_stall(time).await;
        self.stop.cancel();
        for done in join_all(tasks).await {
            done.unwrap();
        }
        let bound = BOUND + stall;
        let seen = self.seen.lock().unwrap();
        let cuts = self.cuts.lock().unwrap();
        let is_wrong = |seen: &&Seen| {
            let cuts = if seen.edge == CUT { &cuts[..] } else { &[] };
            !self.events[seen.event].history.allows(seen, bound, cuts)
        };
        let wrong = seen.iter().filter(is_wrong);
        let wrong = wrong.map(|seen| format!("{seen:?}: {:?}", self.events[seen.event].history));
        Outcome {
            wrong: wrong.take(3).collect(),
            seen: seen.len(),
            hits: self.edges.iter().map(|edge| edge.cache.counts().hits).sum(),
            bound,
        }
    }

    /// The longest time that a task had to wait although it could run.
    async fn longest_stall(&self, time: Duration) -> Duration {
        const PAUSE: Duration = Duration::from_millis(5);
        let (start, mut longest) = (Instant::now(), Duration::ZERO);
        while start.elapsed() < time {
            let before = Instant::now();
            sleep(PAUSE).await;
            longest = longest.max(before.elapsed().saturating_sub(PAUSE));
        }
        longest
    }

    /// Changes events of its own.
    async fn write(&self, number: usize) {
        let chance = Entropy::seeded(number as u64);
        let mut known = vec![
            Known {
                title: "Title 0".to_owned(),
                left: 1000,
                is_listed: true,
                is_hidden: false,
            };
            EVENTS
        ];
        for step in 1.. {
            if self.stop.is_cancelled() {
                return;
            }
            let own = usize::try_from(chance.below(EVENTS as u64)).unwrap();
            let event = &self.events[number * EVENTS + own];
            self.change(event, &mut known[own], &chance, step).await;
            sleep(Duration::from_millis(chance.below(150))).await;
        }
    }

    async fn change(&self, event: &Event, known: &mut Known, chance: &Entropy, step: u64) {
        let path = format!("/me/events/{}", event.id);
        let (gateway, through) = self.gateway(chance);
        let _uncut = self.uncut.read().await;
        let send = async |known: &Known, body: Value| {
            event.history.begin(known.shown(), through);
            let request = gateway.patch(&path).bearer(&self.owner.key);
            request.json(&body).send().await.ok();
        };
        match chance.below(8) {
            0..=2 => {
                known.title = format!("Title {step}");
                send(known, json!({"title": known.title})).await;
            }
            3 => {
                known.is_listed = !known.is_listed;
                send(known, json!({"is_listed": known.is_listed})).await;
            }
            4 => {
                known.is_hidden = !known.is_hidden;
                event.history.begin(known.shown(), None);
                let suspensions = &self.app.core.use_cases().suspensions;
                let hidden = suspensions.hide(&event.slug, known.is_hidden, None);
                hidden.await.unwrap();
            }
            // Nobody can register for what is taken down.
            _ if known.is_hidden => return,
            _ => {
                known.left -= 1;
                event.history.begin_seats(known.shown(), through);
                let path = format!("/events/{}/registrations", event.slug);
                let email = format!("{}@example.org", chance.base62(12));
                let guest = json!({"name": "Grace", "email": email});
                let reply = gateway.post(&path).json(&guest).send().await;
                assert!(reply.status.is_success(), "{reply:?}");
            }
        }
        event.history.done();
    }

    /// One of the edges, or a gateway without a cache.
    fn gateway(&self, chance: &Entropy) -> (&Http, Option<usize>) {
        match chance.below(3) {
            0 => (&self.edges[0].http, Some(0)),
            1 => (&self.edges[1].http, Some(1)),
            _ => (&self.app.http, None),
        }
    }

    /// Reads lists and details on one of the edges.
    async fn read(&self, number: usize) {
        let (edge, chance) = (number % 2, Entropy::seeded(100 + number as u64));
        while !self.stop.is_cancelled() {
            let is_list = chance.below(2) == 0;
            let chosen = usize::try_from(chance.below(self.events.len() as u64)).unwrap();
            let path = if is_list {
                "/events?limit=100".to_owned()
            } else {
                format!("/events/{}", self.events[chosen].slug)
            };
            let asked = Instant::now();
            let reply = self.edges[edge].get(&path).await;
            let answered = Instant::now();
            self.note(edge, (!is_list).then_some(chosen), &reply, asked, answered);
            sleep(Duration::from_millis(chance.below(10))).await;
        }
    }

    /// What a list, or the detail of one event, shows.
    fn note(
        &self,
        edge: usize,
        one: Option<usize>,
        reply: &Reply,
        asked: Instant,
        answered: Instant,
    ) {
        // Core is away, and nothing is known.
        if reply.status == 503 {
            return;
        }
        let age = reply
            .header("age")
            .map_or(0, |age| age.parse::<u64>().unwrap() + 1);
        let age = Duration::from_secs(age);
        let mut all = self.seen.lock().unwrap();
        let mut note = |event, shown| {
            all.push(Seen {
                event,
                edge,
                is_list: one.is_none(),
                shown,
                asked,
                answered,
                age,
            });
        };
        match one {
            Some(event) if reply.status == 404 => note(event, None),
            Some(event) => note(event, Some(shown(&reply.ok()))),
            None => {
                let list = reply.ok();
                let items = list["items"].as_array().unwrap().iter();
                let items: HashMap<_, _> = items
                    .map(|item| (item["slug"].as_str().unwrap(), item))
                    .collect();
                for (index, event) in self.events.iter().enumerate() {
                    note(index, items.get(&*event.slug).map(|item| shown(item)));
                }
            }
        }
    }

    /// Cuts the line of the second edge now and then.
    async fn cut(&self) {
        let chance = Entropy::seeded(200);
        while !self.stop.is_cancelled() {
            sleep(Duration::from_millis(500 + chance.below(500))).await;
            let uncut = self.uncut.write().await;
            let begun = Instant::now();
            self.line.cut();
            sleep(Duration::from_millis(100 + chance.below(1_200))).await;
            self.line.mend();
            self.is_back().await;
            self.cuts.lock().unwrap().push((begun, Instant::now()));
            drop(uncut);
        }
    }

    /// Waits until the second edge can reach its core again.
    async fn is_back(&self) {
        let start = Instant::now();
        while self.edges[CUT]
            .http
            .request(http::Method::GET, "/readyz")
            .send()
            .await
            .status
            != 200
        {
            assert!(start.elapsed() < TIMEOUT);
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Lets one event after the other end.
    async fn let_time_pass(&self) {
        for event in self.events.iter().skip(WRITERS * EVENTS) {
            sleep(Duration::from_millis(700)).await;
            if self.stop.is_cancelled() {
                return;
            }
            event.history.begin(None, None);
            self.app.advance(Duration::from_hours(1));
            event.history.done();
        }
    }
}
