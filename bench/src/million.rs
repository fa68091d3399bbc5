//! What grows with the number of events, accounts and registrations: each figure at 1,000 events and at many more, in the shape that is
//! deployed.

mod load;

use std::time::Duration;

use anyhow::ensure;
use test_postgres::Server;

use crate::{
    deployed::{Deployment, Transport, Turn, ask, build_api, create, get, milliseconds},
    latency::percentile,
    report::{Report, Table},
};

/// What others are compared with.
const FEW: u32 = 1_000;

const TURN: Turn = Turn {
    warm_up: 3,
    times: 20,
    time: Duration::ZERO,
};

/// How often core is started.
const STARTS: usize = 3;

const HEADER: [&str; 7] = [
    "measure",
    "engine",
    "at 1,000 events",
    "at all",
    "slowest of 20",
    "growth",
    "aim",
];

/// How long a request may take, whatever the number of events.
const TEN: &str = "below 10 ms";
const FIFTY: &str = "below 50 ms";
const GROWTH: &str = "at most 1.3 times";

/// A request, by its path. `{id}` is the owner's event with many registrations, `{half}` and `{last}` are offsets.
const READS: [(&str, &str); 21] = [
    ("/api/v1/events", GROWTH),
    ("/api/v1/events?offset={half}", TEN),
    ("/api/v1/events?offset={last}", TEN),
    ("/api/v1/events/event-10", GROWTH),
    ("/api/v1/events?q=robotics", FIFTY),
    ("/api/v1/events?q=evening&city=city+78", FIFTY),
    ("/api/v1/events?from=2040-06-01&to=2040-06-07", FIFTY),
    ("/api/v1/me/events", TEN),
    ("/api/v1/me/events?status=past", TEN),
    ("/api/v1/me/events?status=all", TEN),
    ("/api/v1/me/events?status=all&limit=100", TEN),
    ("/api/v1/me/events?from=2041-01-01&to=2041-01-31", TEN),
    ("/api/v1/me/events?status=all&q=event", TEN),
    (
        "/api/v1/me/events?status=all&q=street+70&from=2041-01-01",
        TEN,
    ),
    ("/api/v1/me/events/{id}", GROWTH),
    ("/api/v1/me", TEN),
    ("/api/v1/me/events/{id}/registrations", TEN),
    ("/api/v1/me/events/{id}/registrations?offset=9900", TEN),
    ("/api/v1/me/events/{id}/registrations?q=guest-77", TEN),
    ("/api/v1/me/events/{id}/registrations?q=nobody", TEN),
    ("/api/v1/me/events/{id}/registrations.csv", "below 300 ms"),
];

/// How long something takes.
struct Figure {
    name: String,
    median: Duration,
    slowest: Duration,
    aim: &'static str,
}

/// Measures on one engine.
pub(crate) async fn measure(
    engine: &str,
    postgres: Option<&Server>,
    events: u32,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut table = Table::new(HEADER);
    let few = at(postgres, FEW).await?;
    let many = at(postgres, events).await?;
    for (few, many) in few.times.iter().zip(&many.times) {
        let growth = many.median.as_secs_f64() / few.median.as_secs_f64();
        table.add([
            few.name.clone(),
            engine.to_owned(),
            milliseconds(few.median),
            milliseconds(many.median),
            milliseconds(many.slowest),
            format!("{growth:.2} ×"),
            few.aim.to_owned(),
        ]);
    }
    for ((name, few), (_, many)) in few.memory.iter().zip(&many.memory) {
        table.add([
            format!("memory of {name}"),
            engine.to_owned(),
            format!("{few} MB"),
            format!("{many} MB"),
            String::new(),
            String::new(),
            "core: at most 100 MB more".to_owned(),
        ]);
    }
    report.add_table(table);
    Ok(())
}

/// What was measured at one size.
struct Measured {
    times: Vec<Figure>,
    memory: Vec<(&'static str, u64)>,
}

async fn at(postgres: Option<&Server>, events: u32) -> anyhow::Result<Measured> {
    let programs = build_api()?;
    let mut deployment = Deployment::start(&programs, postgres, Transport::Tcp, 1).await?;
    deployment.core.stop();
    load::load(deployment.database_url(), events, postgres).await?;
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        deployment.core.stop();
        starts.push(deployment.start_core(&programs).await?);
    }
    deployment.reached().await?;
    let mut times = vec![figure("start of core", &starts, "below 1 s")];
    for (path, aim) in READS {
        times.push(read(&deployment, path, events, aim).await?);
    }
    let key = deployment.key.clone();
    let asked = ask(&deployment.gateway, &deployment.core, TURN, || {
        create(&key, true)
    });
    let asked = asked.await?;
    ensure!(asked.last.status.is_success(), "{:?}", asked.last);
    times.push(figure("POST /api/v1/events", &asked.took, GROWTH));
    eprintln!("{events} events: measured");
    Ok(Measured {
        times,
        memory: vec![
            ("core-service", deployment.core.memory_megabytes()?),
            ("http-gateway", deployment.gateway.memory_megabytes()?),
        ],
    })
}

async fn read(
    deployment: &Deployment,
    template: &str,
    events: u32,
    aim: &'static str,
) -> anyhow::Result<Figure> {
    let path = template
        .replace("{id}", &load::hot_event()?)
        .replace("{half}", &(events / 2).to_string())
        .replace("{last}", &(events / 20 * 19 - 50).to_string());
    let key = deployment.key.clone();
    let asked = ask(&deployment.gateway, &deployment.core, TURN, || {
        get(&path, Some(&key))
    });
    let asked = asked.await?;
    ensure!(asked.last.status.is_success(), "{path}: {:?}", asked.last);
    Ok(figure(&format!("GET {template}"), &asked.took, aim))
}

fn figure(name: &str, took: &[Duration], aim: &'static str) -> Figure {
    Figure {
        name: name.to_owned(),
        median: percentile(took, 50),
        slowest: percentile(took, 99),
        aim,
    }
}
