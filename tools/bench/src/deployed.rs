//! The shape that is deployed: `core-service` and `http-gateway` as processes of their own, core on a TCP port and on a Unix
//! socket, and clients that call the gateway over HTTP. Envoy transcodes the same requests for the same core. Beside it all of it in one
//! process, and one hot event over gRPC.

mod client;
mod deployment;
mod envoy;
mod hot;
mod load;
mod operation;
mod running;
mod sequence;
mod surface;

use std::time::Duration;

use self::load::{Load, Outcome};
pub(crate) use self::{
    deployment::{Deployment, OWNER, Transport},
    hot::Crowd,
    operation::{Operation, create, get, post},
    running::{EDGE_TOKEN, READY, Running, without_limits},
    sequence::{Sequence, Turn, ask},
    surface::Surface,
};
use crate::{
    latency::percentile,
    report::{Figure, Row},
    run::{Engine, Run, Size},
};

/// Events in the catalogue: a page.
const EVENTS: Size<usize> = Size { full: 50, quick: 5 };

/// Turns of the client that calls in sequence, between both transports: what else the machine does meets them alike.
const TURNS: Size<usize> = Size { full: 4, quick: 1 };

/// How long each turn takes, and each crowd.
const TURN: Size<Duration> = Size {
    full: Duration::from_secs(1),
    quick: Duration::from_millis(20),
};
const CROWD: Size<Duration> = Size {
    full: Duration::from_secs(2),
    quick: Duration::from_millis(50),
};

/// Clients of the crowd.
const MANY: Size<usize> = Size { full: 64, quick: 4 };

/// Mails wait for a server that is away. How many core writes meanwhile depends on how busy the machine is, and each costs more than the
/// registration that it follows from.
const WITHOUT_MAILS: [(&str, &str); 1] = [("MUSTER_SMTP_URL", "smtp://127.0.0.1:1")];

/// How much longer a call may take over TCP than over a Unix socket.
const AIM: f64 = 1.5;

/// How much of the processor gateway and core may take, beside Envoy's transcoder and the same core.
const ENVOY: f64 = 1.0;

/// How much memory each may use after the load.
const CORE_MEMORY: Figure = Figure::megabytes(40.0);
const EDGE_MEMORY: Figure = Figure::megabytes(20.0);

/// Measures each operation over a Unix socket and over TCP, side by side. The gateway keeps no answers, so that each asks core.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let programs = run.programs()?;
    for engine in run.engines() {
        let events = run.of(EVENTS);
        let start = async |transport| {
            Deployment::start_with(programs, engine.1, transport, events, &WITHOUT_MAILS).await
        };
        let unix = start(Transport::Unix).await?;
        let tcp = start(Transport::Tcp).await?;
        let envoy = envoy::start(&tcp).await?;
        for operation in Operation::ALL {
            one_by_one(run, engine, operation, [&unix, &tcp]).await?;
            in_a_crowd(run, engine, operation, [&unix, &tcp], envoy.as_ref()).await?;
        }
        let core = Figure::megabytes(tcp.core.memory_megabytes()?);
        run.add(Row::new("memory of core after all these", engine.0, core).at_most(CORE_MEMORY));
        let gateway = Figure::megabytes(tcp.gateway.memory_megabytes()?);
        let row = Row::new("memory of the gateway after all these", engine.0, gateway);
        run.add(row.at_most(EDGE_MEMORY));
        drop((unix, tcp, envoy));
        in_one_process(run, engine, &start(Transport::Within).await?).await?;
        hot::measure(run, engine).await?;
    }
    Ok(())
}

/// One client that asks in sequence, in turns.
async fn one_by_one(
    run: &Run,
    (engine, _): Engine<'_>,
    operation: Operation,
    both: [&Deployment; 2],
) -> anyhow::Result<()> {
    let mut alone = [Outcome::default(), Outcome::default()];
    let load = Load::new(1, run.of(TURN));
    for _ in 0..run.of(TURNS) {
        for (deployment, outcome) in both.into_iter().zip(&mut alone) {
            let gateway = &deployment.gateway;
            outcome.add(load::run(deployment, gateway, operation, load).await?);
        }
    }
    let [unix, tcp] = alone;
    for (percent, name) in [(50, "median"), (99, "99 % below")] {
        let [unix, tcp] = [&unix, &tcp].map(|o| Figure::from(percentile(&o.took, percent)));
        let measure = format!("{}, one client, {name}", operation.name());
        let row = Row::new(measure, engine, tcp).beside("over a Unix socket", unix);
        run.add(if percent == 50 {
            row.at_most_times(AIM)
        } else {
            row
        });
    }
    Ok(())
}

/// Many clients at a time.
async fn in_a_crowd(
    run: &Run,
    (engine, _): Engine<'_>,
    operation: Operation,
    [unix, tcp]: [&Deployment; 2],
    envoy: Option<&Surface>,
) -> anyhow::Result<()> {
    let load = Load::new(run.of(MANY), run.of(CROWD));
    let over_unix = load::run(unix, &unix.gateway, operation, load).await?;
    let over_tcp = load::run(tcp, &tcp.gateway, operation, load).await?;
    let by_envoy = match envoy {
        Some(envoy) => Some(load::run(tcp, envoy, operation, load).await?),
        None => None,
    };
    let name = operation.name();
    let row = Row::new(format!("{name}, 64 clients"), engine, over_tcp.rate())
        .beside("over a Unix socket", over_unix.rate())
        .beside("by Envoy", by_envoy.as_ref().map(Outcome::rate));
    run.add(row);
    let row = Row::new(
        format!("{name}, processor of gateway and core"),
        engine,
        over_tcp.both(),
    )
    .note(format!(
        "gateway {}, core {}",
        over_tcp.gateway(),
        over_tcp.core()
    ))
    .beside("of Envoy and core", by_envoy.as_ref().map(Outcome::both));
    run.add(row.at_most_times(ENVOY));
    let measure = format!("{name}, processor of the gateway alone");
    let row = Row::new(measure, engine, over_tcp.gateway());
    run.add(row.beside("of Envoy", by_envoy.as_ref().map(Outcome::gateway)));
    Ok(())
}

/// The same crowd in front of `muster`, which calls core without sockets.
async fn in_one_process(
    run: &Run,
    (engine, _): Engine<'_>,
    muster: &Deployment,
) -> anyhow::Result<()> {
    for operation in Operation::ALL {
        let load = Load::new(run.of(MANY), run.of(CROWD));
        let outcome = load::run(muster, &muster.gateway, operation, load).await?;
        let measure = format!("{}, in one process, processor", operation.name());
        let row = Row::new(measure, engine, outcome.both());
        let rate = format!("{} with 64 clients", outcome.rate());
        run.add(row.note(rate));
    }
    Ok(())
}
