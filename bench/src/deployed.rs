//! The shape that is deployed: `core-service` and `http-gateway` as processes of their own, core on a TCP port and on a Unix
//! socket, and clients that call the gateway over HTTP.

mod client;
mod deployment;
mod load;
mod operation;
mod running;
mod sequence;
mod surface;

use std::time::Duration;

use test_postgres::Server;

use self::load::{Load, Outcome};
pub(crate) use self::{
    deployment::{Deployment, OWNER, Transport},
    operation::{Operation, create, get},
    running::{EDGE_TOKEN, Running, build, build_api, without_limits},
    sequence::{Turn, ask},
    surface::Surface,
};
use crate::{
    latency::percentile,
    report::{Report, Table},
    system::engines,
};

/// Events in the catalogue, more than one page.
const EVENTS: usize = 50;

/// Turns of the client that calls in sequence, between both transports: what else the machine does meets them alike.
const TURNS: usize = 4;

/// How long each turn takes, and each crowd.
const TURN: Duration = Duration::from_secs(1);
const CROWD: Duration = Duration::from_secs(2);

/// Clients at a time of the two crowds.
const FEW: usize = 8;
const MANY: usize = 64;

/// How much longer a call may take over TCP than over a Unix socket.
const AIM: &str = "aim: at most 1.5";

const HEADER: [&str; 10] = [
    "operation",
    "engine",
    "gateway to core",
    "p50",
    "p99",
    "8 clients",
    "64 clients",
    "core, each",
    "gateway, each",
    "p50, TCP to Unix",
];

/// Measures each operation over a Unix socket and over TCP, side by side.
pub(crate) async fn measure(postgres: Option<&Server>, report: &mut Report) -> anyhow::Result<()> {
    let programs = build()?;
    let mut table = Table::new(HEADER);
    for (engine, server) in engines(postgres) {
        let unix = Deployment::start(&programs, server, Transport::Unix, EVENTS).await?;
        let tcp = Deployment::start(&programs, server, Transport::Tcp, EVENTS).await?;
        for operation in Operation::ALL {
            let both = [&unix, &tcp];
            let mut alone = [Outcome::default(), Outcome::default()];
            for _ in 0..TURNS {
                for (deployment, outcome) in both.iter().zip(&mut alone) {
                    outcome.add(load::run(deployment, operation, Load::new(1, TURN)).await?);
                }
            }
            let [over_unix, over_tcp] = alone;
            let (few, many) = (Load::new(FEW, CROWD), Load::new(MANY, CROWD));
            for (deployment, outcome) in both.into_iter().zip([&over_unix, &over_tcp]) {
                let few = load::run(deployment, operation, few).await?;
                let many = load::run(deployment, operation, many).await?;
                let compared = match deployment.transport {
                    Transport::Unix => String::new(),
                    Transport::Tcp => {
                        let (tcp, unix) = (p50(outcome), p50(&over_unix));
                        format!("{:.2} ×; {AIM}", tcp.as_secs_f64() / unix.as_secs_f64())
                    }
                };
                table.add([
                    operation.name().to_owned(),
                    engine.to_owned(),
                    deployment.transport.name().to_owned(),
                    milliseconds(p50(outcome)),
                    milliseconds(percentile(&outcome.took, 99)),
                    format!("{:.0}/s", few.rate()),
                    format!("{:.0}/s", many.rate()),
                    format!("{:.0} µs", many.each(many.core_seconds)),
                    format!("{:.0} µs", many.each(many.gateway_seconds)),
                    compared,
                ]);
            }
        }
    }
    report.add_table(table);
    Ok(())
}

fn p50(outcome: &Outcome) -> Duration {
    percentile(&outcome.took, 50)
}

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}
