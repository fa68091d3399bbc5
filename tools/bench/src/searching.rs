//! Searches of a large catalogue.

pub(crate) mod fill;
mod sitemaps;
pub(crate) mod word_index;

use std::time::Instant;

use anyhow::ensure;
use muster_api::v1::{ListEventsRequest, bindings::ListEvents};

use crate::{
    latency::percentile,
    report::{Figure, Row},
    run::{Engine, Run, Size},
    settled,
    system::System,
};

/// How often each search is made, after one that is not counted.
const TIMES: Size<usize> = Size { full: 20, quick: 1 };

/// The aim for searches with at most 10,000 matches, and for others.
const EXACT: Figure = Figure::seconds(0.05);
const INEXACT: Figure = Figure::seconds(0.25);

/// A search, by its name.
struct Search {
    name: &'static str,
    q: &'static str,
    city: &'static str,
    from: &'static str,
    to: &'static str,
    organizer: &'static str,
    offset: i32,
}

const ANY: Search = Search {
    name: "",
    q: "",
    city: "",
    from: "",
    to: "",
    organizer: "",
    offset: 0,
};

/// Words and cities are those of `fill`, and numbers are those of 1,000,000 events, which start from 2040 to 2042.
const SEARCHES: [Search; 18] = [
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
        name: "organizer, with the events of one city",
        organizer: fill::HANDLE,
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

/// Measures how long pages of searches take, and how long it takes to index events that an older version left.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    for engine in run.engines() {
        on(run, engine).await?;
    }
    Ok(())
}

async fn on(run: &Run, (engine, postgres): Engine<'_>) -> anyhow::Result<()> {
    let system = System::start(postgres).await?;
    fill::fill(&system, run.events, postgres).await?;
    let started = Instant::now();
    if postgres.is_some() {
        word_index::drop(system.database_url()).await?;
    }
    while system.core.maintenance().maintain_once().await? == core_service::jobs::Round::More {
        let seconds = started.elapsed().as_secs();
        eprintln!("{engine}: indexing for {seconds} s");
    }
    if postgres.is_some() {
        word_index::make(system.database_url()).await?;
    }
    let took = started.elapsed();
    let rate = Figure::per_second(f64::from(run.events) / took.as_secs_f64());
    let measure = "indexing events of an older version";
    run.add(Row::new(measure, engine, Figure::from(took)).note(rate.to_string()));
    settled::vacuum(system.database_url(), postgres).await?;
    for search in &SEARCHES {
        run.add(one(run, &system, engine, search).await?);
    }
    sitemaps::measure(run, &system, engine).await
}

async fn one(run: &Run, system: &System, engine: &str, search: &Search) -> anyhow::Result<Row> {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let request = ListEventsRequest {
        limit: None,
        offset: Some(search.offset),
        q: text(search.q),
        city: text(search.city),
        from: text(search.from),
        to: text(search.to),
        running: None,
        organizer: text(search.organizer),
        past: None,
        series: None,
    };
    let first = system.call::<ListEvents>(request.clone()).await?;
    ensure!(
        run.is_quick || first.count > 0,
        "{} finds nothing",
        search.name
    );
    let mut took = Vec::new();
    for _ in 0..run.of(TIMES) {
        let started = Instant::now();
        system.call::<ListEvents>(request.clone()).await?;
        took.push(started.elapsed());
    }
    let [median, slowest] = [50, 99].map(|share| Figure::from(percentile(&took, share)));
    let (more, aim) = if first.count_is_exact {
        ("", EXACT)
    } else {
        ("more than ", INEXACT)
    };
    let row = Row::new(format!("search: {}", search.name), engine, median)
        .note(format!("slowest of 20 {slowest}"))
        .note(format!("{more}{} matches", first.count));
    Ok(row.at_most(aim))
}
