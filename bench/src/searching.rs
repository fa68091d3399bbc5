//! Searches of a large catalogue.

pub(crate) mod fill;
mod sitemaps;
pub(crate) mod word_index;

use std::time::{Duration, Instant};

use anyhow::ensure;
use muster_api::v1::{ListEventsRequest, bindings::ListEvents};
use test_postgres::Server;

use crate::{
    report::{Report, Table},
    settled,
    system::System,
};

/// How often each search is made, after one that is not counted.
const TIMES: usize = 20;

/// The aim for searches with at most 10,000 matches, and for others.
const EXACT: Duration = Duration::from_millis(50);
const INEXACT: Duration = Duration::from_millis(250);

/// A search, by its name.
struct Search {
    name: &'static str,
    q: &'static str,
    city: &'static str,
    from: &'static str,
    to: &'static str,
    offset: i32,
}

const ANY: Search = Search {
    name: "",
    q: "",
    city: "",
    from: "",
    to: "",
    offset: 0,
};

/// Words and cities are those of `fill`, and numbers are those of 1,000,000 events, which start from 2040 to 2042.
const SEARCHES: [Search; 17] = [
    Search {
        name: "no filter",
        ..ANY
    },
    Search {
        name: "rare word",
        q: "zither",
        ..ANY
    },
    Search {
        name: "word of 9,000",
        q: "robotics",
        ..ANY
    },
    Search {
        name: "word of 9,000, last page",
        q: "robotics",
        offset: 8_950,
        ..ANY
    },
    Search {
        name: "frequent and rare word",
        q: "evening robotics",
        ..ANY
    },
    Search {
        name: "two frequent words, seldom together",
        q: "music opera",
        ..ANY
    },
    Search {
        name: "beginning of a rare word",
        q: "evening zith",
        ..ANY
    },
    Search {
        name: "city",
        city: "city 78",
        ..ANY
    },
    Search {
        name: "word and city",
        q: "evening",
        city: "city 78",
        ..ANY
    },
    Search {
        name: "one day",
        from: "2040-06-01",
        to: "2040-06-01",
        ..ANY
    },
    Search {
        name: "frequent word in a week",
        q: "evening",
        from: "2041-06-01",
        to: "2041-06-07",
        ..ANY
    },
    Search {
        name: "a year",
        from: "2041-01-01",
        to: "2041-12-31",
        offset: 9_950,
        ..ANY
    },
    Search {
        name: "word of 11,000, last page",
        q: "chess",
        offset: 9_950,
        ..ANY
    },
    Search {
        name: "word of 10 %, last page",
        q: "workshop",
        offset: 9_950,
        ..ANY
    },
    Search {
        name: "word of all events, last page",
        q: "event",
        offset: 9_950,
        ..ANY
    },
    Search {
        name: "one letter",
        q: "e",
        ..ANY
    },
    Search {
        name: "beginning of many words",
        q: "even",
        offset: 9_950,
        ..ANY
    },
];

/// Measures on one engine how long pages of searches take, and how long it takes to index events that an older version left.
pub(crate) async fn measure(
    engine: &str,
    postgres: Option<&Server>,
    events: u32,
    report: &mut Report,
) -> anyhow::Result<()> {
    let system = System::start(postgres).await?;
    fill::fill(&system, events, postgres).await?;
    let started = Instant::now();
    if postgres.is_some() {
        word_index::drop(system.database_url()).await?;
    }
    while system.core.maintenance().maintain_once().await? == core_service::jobs::Round::More {
        eprintln!(
            "{engine}: indexing for {:.0} s",
            started.elapsed().as_secs_f64()
        );
    }
    if postgres.is_some() {
        word_index::make(system.database_url()).await?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let rate = f64::from(events) / seconds;
    report.add(
        &format!("indexing {events} events of an older version"),
        engine,
        format!("{seconds:.0} s"),
        format!("{rate:.0}/s"),
    );
    settled::vacuum(system.database_url(), postgres).await?;
    let header = [
        "search",
        "engine",
        "matches",
        "median",
        "slowest of 20",
        "aim",
    ];
    let mut table = Table::new(header);
    eprintln!("{engine}: searching");
    for search in &SEARCHES {
        table.add(one(&system, engine, search).await?);
    }
    sitemaps::measure(&system, engine, report).await?;
    report.add_table(table);
    Ok(())
}

async fn one(system: &System, engine: &str, search: &Search) -> anyhow::Result<[String; 6]> {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let request = ListEventsRequest {
        limit: None,
        offset: Some(search.offset),
        q: text(search.q),
        city: text(search.city),
        from: text(search.from),
        to: text(search.to),
    };
    let first = system.call::<ListEvents>(request.clone()).await?;
    ensure!(first.count > 0, "{} finds nothing", search.name);
    let mut took = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let started = Instant::now();
        system.call::<ListEvents>(request.clone()).await?;
        took.push(started.elapsed());
    }
    took.sort_unstable();
    let millis = |time: Option<&Duration>| {
        let millis = time.map_or(0.0, Duration::as_secs_f64) * 1_000.0;
        format!("{millis:.1} ms")
    };
    let more = if first.count_is_exact {
        ""
    } else {
        "more than "
    };
    let aim = if first.count_is_exact { EXACT } else { INEXACT };
    Ok([
        search.name.to_owned(),
        engine.to_owned(),
        format!("{more}{}", first.count),
        millis(took.get(TIMES / 2)),
        millis(took.last()),
        format!("below {} ms", aim.as_millis()),
    ])
}
