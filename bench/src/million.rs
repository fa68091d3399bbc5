//! What grows with the number of events, accounts and registrations: each figure at 1,000 events and at many more, in the shape that is
//! deployed.

pub(crate) mod load;

use std::time::Duration;

use anyhow::ensure;
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use test_postgres::Server;

use self::load::Numbers;
use crate::{
    agents::{MCP, ensure_result, tool_call},
    deployed::{
        Deployment, Running, Sequence, Surface, Transport, Turn, ask, ask_after_changes, create,
        get,
    },
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
        times: 20,
        // Twenty short ones would be over in ten milliseconds, which whatever else runs then can spoil.
        time: Duration::from_millis(300),
    },
    quick: Turn {
        warm_up: 0,
        times: 1,
        time: Duration::ZERO,
    },
};

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

/// What core answers from its memory until something changes. It is also measured after a change each time.
const KEPT: [Read; 15] = [
    ("/api/v1/events", Growth),
    ("/api/v1/events?offset={half}", Milliseconds(10.0)),
    ("/api/v1/events?offset={last}", Milliseconds(10.0)),
    ("/api/v1/events/event-10", Growth),
    ("/api/v1/events?q=robotics", Milliseconds(50.0)),
    ("/api/v1/events?q=evening&city=city+78", Milliseconds(50.0)),
    (
        "/api/v1/events?from=2040-06-01&to=2040-06-07",
        Milliseconds(50.0),
    ),
    ("/api/v1/events?q=e", Milliseconds(250.0)),
    ("/api/v1/me/events", Milliseconds(10.0)),
    ("/api/v1/me/events?status=all", Milliseconds(10.0)),
    ("/api/v1/me/events?status=all&limit=100", Milliseconds(10.0)),
    (
        "/api/v1/me/events?from=2041-01-01&to=2041-01-31",
        Milliseconds(10.0),
    ),
    ("/api/v1/me/events?status=all&q=event", Milliseconds(10.0)),
    ("/api/v1/me/events?status=all&q=nobody", Milliseconds(10.0)),
    (
        "/api/v1/me/events?status=all&q=street+70&from=2041-01-01",
        Milliseconds(10.0),
    ),
];

const READS: [Read; 8] = [
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
const MOST_GROWTH: f64 = 1.3;
const MOST_MORE_MEGABYTES: f64 = 100.0;

/// How long core may take to start.
const START: f64 = 1_000.0;

/// Measures on each engine.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    for (engine, server) in run.engines() {
        let few = at(run, server, FEW.min(run.events / 2)).await?;
        let many = at(run, server, run.events).await?;
        for (few, many) in few.times.iter().zip(&many.times) {
            let row = Row::new(format!("a million: {}", many.name), engine, many.median)
                .beside("at 1,000 events", few.median)
                .note(format!("99 % below {}", many.slowest));
            run.add(match many.aim {
                Milliseconds(most) => row.at_most(Figure::seconds(most / 1e3)),
                Growth => row.at_most_times(MOST_GROWTH),
            });
        }
        for ((name, few), (_, many)) in few.megabytes.iter().zip(&many.megabytes) {
            let measure = format!("a million: memory of {name}");
            let row = Row::new(measure, engine, Figure::megabytes(*many))
                .beside("at 1,000 events", Figure::megabytes(*few));
            run.add(row.at_most(Figure::megabytes(few + MOST_MORE_MEGABYTES)));
        }
    }
    Ok(())
}

/// What was measured at one size.
struct Measured {
    times: Vec<Time>,
    megabytes: Vec<(&'static str, f64)>,
}

/// How long something takes.
struct Time {
    name: String,
    median: Figure,
    slowest: Figure,
    aim: Aim,
}

async fn at(run: &Run, postgres: Option<&Server>, events: u32) -> anyhow::Result<Measured> {
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
    let mut times = vec![time(
        "start of core".to_owned(),
        &starts,
        Milliseconds(START),
    )];
    let path = |template: &str| -> anyhow::Result<String> {
        let path = template.replace("{id}", &load::hot_event()?);
        let path = path.replace("{half}", &(events / 2).to_string());
        Ok(path.replace("{last}", &(events / 20 * 19 - 50).to_string()))
    };
    let (gateway, core, key) = (&deployment.gateway, &deployment.core, &deployment.key);
    for (template, aim) in KEPT.into_iter().chain(READS) {
        let path = path(template)?;
        let asked = repeat(run, gateway, core, || get(&path, Some(key))).await?;
        times.push(time(format!("GET {template}"), &asked.took, aim));
    }
    for (template, aim) in KEPT {
        let path = path(template)?;
        let change = || create(key, true);
        let request = || get(&path, Some(key));
        let asked = ask_after_changes(gateway, core, run.of(TURN), change, request).await?;
        let name = format!("GET {template}, after a change");
        times.push(time(name, &asked.answers, aim));
    }
    let asked = repeat(run, gateway, core, || create(key, true)).await?;
    times.push(time("POST /api/v1/events".to_owned(), &asked.took, Growth));
    let bridge = deployment.surface(programs, "mcp-bridge").await?;
    let credential = format!("Bearer {key}");
    let list = || tool_call(MCP, &credential, "list_public_events", "{}");
    let asked = repeat(run, &bridge, core, list).await?;
    ensure_result(&asked.last.body)?;
    let site = deployment.surface(programs, "website").await?;
    repeat(run, &site, core, || get("/events", None)).await?;
    let megabytes = vec![
        ("core-service", core.memory_megabytes()?),
        ("http-gateway", gateway.memory_megabytes()?),
        ("mcp-bridge", bridge.memory_megabytes()?),
        ("website", site.memory_megabytes()?),
    ];
    Ok(Measured { times, megabytes })
}

async fn repeat(
    run: &Run,
    surface: &Surface,
    core: &Running,
    request: impl Fn() -> http::Result<Request<Full<Bytes>>>,
) -> anyhow::Result<Sequence> {
    let asked = ask(surface, core, run.of(TURN), request).await?;
    ensure!(asked.last.status.is_success(), "{:?}", asked.last);
    Ok(asked)
}

fn time(name: String, took: &[Duration], aim: Aim) -> Time {
    Time {
        name,
        median: percentile(took, 50).into(),
        slowest: percentile(took, 99).into(),
        aim,
    }
}
