//! Searches of an owner among many events of their own, in the shape that is deployed.

use std::time::Duration;

use anyhow::Context as _;
use test_postgres::Server;

use crate::{
    deployed::{Deployment, Transport, Turn, ask, get},
    latency::percentile,
    million::load::{self, Numbers},
    report::{Figure, Row},
    run::{Run, Size},
};

const TURN: Size<Turn> = Size {
    full: Turn {
        warm_up: 4,
        times: 40,
        time: Duration::ZERO,
    },
    quick: Turn {
        warm_up: 0,
        times: 2,
        time: Duration::ZERO,
    },
};

/// How many pages of 100 events lie before the deep one.
const PAGES: Size<usize> = Size {
    full: 100,
    quick: 1,
};

/// What each may take, in seconds.
const MAX_SECONDS: f64 = 0.05;

const LIST: &str = "/api/v1/me/events";

/// Every event has the first text, a tenth of the owner's the second, none the third and the fourth.
const SEARCHES: [(&str, &str); 9] = [
    ("a text of all", "status=all&q=event"),
    ("a text of a tenth", "status=all&q=street+70"),
    ("a text of a tenth, active", "q=street+70"),
    ("a text of a tenth, past", "status=past&q=street+70"),
    (
        "a text of a tenth, within a month",
        "status=all&q=street+70&from=2041-01-01&to=2041-01-31",
    ),
    ("a text of none", "status=all&q=nobody"),
    ("a text of none, past", "status=past&q=nobody"),
    ("two letters of none", "status=all&q=%21%21"),
    ("no text", "status=all"),
];

/// Measures on each engine.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    for (engine, server) in run.engines() {
        on(run, engine, server).await?;
    }
    Ok(())
}

async fn on(run: &Run, engine: &'static str, postgres: Option<&Server>) -> anyhow::Result<()> {
    let programs = run.programs()?;
    let mut deployment = Deployment::start(programs, postgres, Transport::Tcp, 1).await?;
    deployment.core.stop();
    let numbers = Numbers::of_the_owner(run.events / load::OWNED);
    load::load(deployment.database_url(), numbers, postgres).await?;
    deployment.start_core(programs).await?;
    deployment.reached().await?;
    let owner = Owner {
        run,
        engine,
        deployment: &deployment,
    };
    for (name, query) in SEARCHES {
        owner.time(name, &format!("{LIST}?{query}")).await?;
    }
    let deep = owner.deep("status=all&limit=100&q=event").await?;
    owner.time("page 100 of a text of all", &deep).await?;
    let megabytes = Figure::megabytes(deployment.core.memory_megabytes()?);
    run.add(Row::new(
        "an owner's searches: memory of core",
        engine,
        megabytes,
    ));
    Ok(())
}

struct Owner<'r> {
    run: &'r Run,
    engine: &'static str,
    deployment: &'r Deployment,
}

impl Owner<'_> {
    /// Adds how long answers take.
    async fn time(&self, name: &str, path: &str) -> anyhow::Result<()> {
        let Deployment {
            gateway, core, key, ..
        } = self.deployment;
        let turn = self.run.of(TURN);
        let took = ask(gateway, core, turn, || get(path, Some(key)))
            .await?
            .took;
        let [median, slowest] = [50, 99].map(|percent| Figure::from(percentile(&took, percent)));
        let row = Row::new(format!("an owner's searches: {name}"), self.engine, median);
        let row = row.note(format!("slowest {slowest}"));
        self.run.add(row.at_most(Figure::seconds(MAX_SECONDS)));
        Ok(())
    }

    /// The path of a deep page.
    async fn deep(&self, query: &str) -> anyhow::Result<String> {
        let mut client = self.deployment.gateway.client().await?;
        let mut path = format!("{LIST}?{query}");
        for _ in 0..self.run.of(PAGES) {
            let body = client.ask(get(&path, Some(&self.deployment.key))?).await?;
            let page: serde_json::Value = serde_json::from_slice(&body)?;
            let next = page.get("next_cursor").and_then(|cursor| cursor.as_str());
            path = format!("{LIST}?{query}&cursor={}", next.context("there are more")?);
        }
        Ok(path)
    }
}
