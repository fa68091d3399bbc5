//! What grows with the number of events, accounts and registrations: each figure at 1,000 events and at many more, in the shape that is
//! deployed.

pub(crate) mod load;

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use test_postgres::Server;

use self::load::Numbers;
use crate::{
    agents::{MCP, ensure_result, tool_call},
    deployed::{Deployment, Sequence, Surface, Transport, Turn, ask, create, get},
    latency::percentile,
    report::{Figure, Row},
    run::{Run, Size},
    settled,
};

/// What others are compared with.
const FEW: u32 = 1_000;

const TURN: Size<Turn> = Size {
    full: Turn {
        warm_up: 3,
        times: 10,
        // Ten short ones would be over in some milliseconds, which whatever else runs then can spoil.
        time: Duration::from_millis(100),
    },
    quick: Turn {
        warm_up: 0,
        times: 1,
        time: Duration::ZERO,
    },
};

/// Turns of each size with each request.
const TURNS: Size<usize> = Size { full: 4, quick: 1 };

/// How often core is started.
const STARTS: Size<usize> = Size { full: 3, quick: 1 };

/// Registrations of the owner's event that has many.
const GUESTS: Size<u32> = Size {
    full: 10_000,
    quick: 300,
};

/// What a request may take.
#[derive(Debug, Clone, Copy)]
enum Aim {
    Milliseconds(f64),
    /// Of what it takes with 1,000 events.
    Growth,
}

use Aim::{Growth, Milliseconds};

/// A request, by its path. `{id}` is the owner's event with many registrations, `{half}` and `{last}` are offsets.
type Read = (&'static str, Aim);

const READS: [Read; 23] = [
    ("/api/v1/events", Growth),
    ("/api/v1/events?offset={half}", Milliseconds(150.0)),
    ("/api/v1/events?offset={last}", Milliseconds(150.0)),
    ("/api/v1/events/event-10", Growth),
    ("/api/v1/events?q=robotics", Milliseconds(50.0)),
    ("/api/v1/events?q=evening&city=city+78", Milliseconds(50.0)),
    (
        "/api/v1/events?from=2040-06-01&to=2040-06-07",
        Milliseconds(50.0),
    ),
    ("/api/v1/events?q=e", Milliseconds(250.0)),
    ("/api/v1/me/events", Growth),
    ("/api/v1/me/events?status=all", Milliseconds(10.0)),
    ("/api/v1/me/events?status=all&limit=100", Milliseconds(10.0)),
    (
        "/api/v1/me/events?from=2041-01-01&to=2041-01-31",
        Milliseconds(10.0),
    ),
    ("/api/v1/me/events?status=all&q=event", Milliseconds(50.0)),
    ("/api/v1/me/events?status=all&q=nobody", Milliseconds(50.0)),
    (
        "/api/v1/me/events?status=all&q=street+70&from=2041-01-01",
        Milliseconds(50.0),
    ),
    ("/api/v1/me/events?status=past", Milliseconds(10.0)),
    ("/api/v1/me/events/{id}", Growth),
    ("/api/v1/me", Milliseconds(10.0)),
    ("/api/v1/me/events/{id}/registrations", Milliseconds(10.0)),
    (
        "/api/v1/me/events/{id}/registrations?offset=9900",
        Milliseconds(10.0),
    ),
    (
        "/api/v1/me/events/{id}/registrations?q=guest-77",
        Milliseconds(10.0),
    ),
    (
        "/api/v1/me/events/{id}/registrations?q=nobody",
        Milliseconds(10.0),
    ),
    (
        "/api/v1/me/events/{id}/registrations.csv",
        Milliseconds(300.0),
    ),
];

/// How much more may be needed than with 1,000 events: of time where it should not grow, and of memory.
const MAX_GROWTH: f64 = 1.5;
const MAX_MORE_MEGABYTES: f64 = 100.0;

/// How long core may take to start.
const START: f64 = 1_000.0;

/// Measures on each engine. What both sizes take is measured in turns, so that what else the machine does meets them alike.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    for (engine, server) in run.engines() {
        let few = Loaded::start(run, server, FEW.min(run.events / 2)).await?;
        let many = Loaded::start(run, server, run.events).await?;
        let both = [&few, &many];
        let add = |name: &str, aim, [few, many]: [Vec<Duration>; 2]| {
            let [median, beside] = [&many, &few].map(|took| Figure::from(percentile(took, 50)));
            let row = Row::new(format!("a million: {name}"), engine, median)
                .beside("at 1,000 events", beside)
                .note(format!(
                    "99 % below {}",
                    Figure::from(percentile(&many, 99))
                ));
            run.add(match aim {
                Milliseconds(most) => row.at_most(Figure::seconds(most / 1e3)),
                Growth => row.at_most_times(MAX_GROWTH),
            });
        };
        let starts = both.map(|loaded| loaded.starts.clone());
        add("start of core", Milliseconds(START), starts);
        for (template, aim) in READS {
            let took = in_turns(run, both, async |loaded: &Loaded| {
                loaded.read(run, template).await
            });
            add(&format!("GET {template}"), aim, took.await?);
        }
        let took = in_turns(run, both, async |loaded: &Loaded| loaded.create(run).await);
        add("POST /api/v1/events", Growth, took.await?);
        let [few, many] = [few.megabytes(run).await?, many.megabytes(run).await?];
        for ((name, few), (_, many)) in few.into_iter().zip(many) {
            let measure = format!("a million: memory of {name}");
            let row = Row::new(measure, engine, Figure::megabytes(many))
                .beside("at 1,000 events", Figure::megabytes(few));
            run.add(row.at_most(Figure::megabytes(few + MAX_MORE_MEGABYTES)));
        }
    }
    Ok(())
}

/// How long answers took at each size, in all turns.
async fn in_turns(
    run: &Run,
    both: [&Loaded; 2],
    ask: impl AsyncFn(&Loaded) -> anyhow::Result<Vec<Duration>>,
) -> anyhow::Result<[Vec<Duration>; 2]> {
    let mut took = [Vec::new(), Vec::new()];
    for _turn in 0..run.of(TURNS) {
        for (loaded, took) in both.iter().zip(&mut took) {
            took.extend(ask(loaded).await?);
        }
    }
    Ok(took)
}

/// A deployed system with so many events.
struct Loaded {
    deployment: Deployment,
    events: u32,
    /// How long core took to start.
    starts: Vec<Duration>,
}

impl Loaded {
    async fn start(run: &Run, postgres: Option<&Server>, events: u32) -> anyhow::Result<Self> {
        let programs = run.programs()?;
        let mut deployment = Deployment::start(programs, postgres, Transport::Tcp, 1).await?;
        deployment.core.stop();
        let guests = run.of(GUESTS);
        load::load(
            deployment.database_url(),
            Numbers::of_all(events, guests),
            postgres,
        )
        .await?;
        let mut starts = Vec::new();
        for _ in 0..run.of(STARTS) {
            deployment.core.stop();
            starts.push(deployment.start_core(programs).await?);
        }
        deployment.reached().await?;
        // What core does after its start would be measured, too.
        if !run.is_quick {
            settled::rest(&deployment.core).await?;
        }
        Ok(Self {
            deployment,
            events,
            starts,
        })
    }

    fn path(&self, template: &str) -> anyhow::Result<String> {
        let path = template.replace("{id}", &load::hot_event()?);
        let path = path.replace("{half}", &(self.events / 2).to_string());
        Ok(path.replace("{last}", &(self.events / 20 * 19 - 50).to_string()))
    }

    async fn read(&self, run: &Run, template: &str) -> anyhow::Result<Vec<Duration>> {
        let path = self.path(template)?;
        let gateway = &self.deployment.gateway;
        let request = || get(&path, Some(&self.deployment.key));
        Ok(self.ask(run, gateway, request).await?.took)
    }

    async fn create(&self, run: &Run) -> anyhow::Result<Vec<Duration>> {
        let request = || create(&self.deployment.key, true);
        let asked = self.ask(run, &self.deployment.gateway, request).await?;
        Ok(asked.took)
    }

    /// The memory of each program, of the other edges after they have served a list of the catalogue.
    async fn megabytes(&self, run: &Run) -> anyhow::Result<[(&'static str, f64); 4]> {
        let (deployment, programs) = (&self.deployment, run.programs()?);
        let bridge = deployment.surface(programs, "mcp-bridge").await?;
        let credential = format!("Bearer {}", deployment.key);
        let list = || tool_call(MCP, &credential, "list_public_events", "{}");
        let asked = self.ask(run, &bridge, list).await?;
        ensure_result(&asked.last.body)?;
        let site = deployment.surface(programs, "website").await?;
        self.ask(run, &site, || get("/events", None)).await?;
        Ok([
            ("core-service", deployment.core.memory_megabytes()?),
            ("http-gateway", deployment.gateway.memory_megabytes()?),
            ("mcp-bridge", bridge.memory_megabytes()?),
            ("website", site.memory_megabytes()?),
        ])
    }

    async fn ask(
        &self,
        run: &Run,
        surface: &Surface,
        request: impl Fn() -> http::Result<Request<Full<Bytes>>>,
    ) -> anyhow::Result<Sequence> {
        ask(surface, &self.deployment.core, run.of(TURN), request).await
    }
}
