//! What a page costs beside the same list as JSON: `muster` with its demo data, and in front of its gRPC port a gateway and a
//! website as processes of their own.

use std::time::Duration;

use anyhow::Context as _;
use http::{
    Request,
    header::{ACCEPT, ACCEPT_ENCODING},
};
use http_body_util::Full;
use programs::{Programs, free_port};
use tempfile::TempDir;

use crate::{
    deployed::{EDGE_TOKEN, READY, Running, Surface, Turn, ask, without_limits},
    latency::percentile,
    report::{Figure, Row},
    run::{Run, Size},
};

/// Long enough to count ticks of 10 ms.
const TURN: Size<Turn> = Size {
    full: Turn {
        warm_up: 50,
        times: 1,
        time: Duration::from_secs(4),
    },
    quick: Turn {
        warm_up: 1,
        times: 3,
        time: Duration::ZERO,
    },
};

/// What the home page may take to its first byte, and of the processor in the website.
const FIRST_BYTE: Figure = Figure::seconds(5e-3);
const IN_THE_WEBSITE: Figure = Figure::seconds(1e-3);

/// A filtered list, and the page of an organizer, which should cost as much. It shows two lists.
const FILTERED: &str = "/events?city=Berlin";
const ORGANIZER: &str = "/o/demo-organizer";
const A_LIST: &str = "a filtered list";
const TIMES_A_LIST: f64 = 1.5;

/// `muster` with demo data, and the edges in front of its gRPC port.
struct Deployment {
    core: Running,
    gateway: Surface,
    site: Surface,
    _folder: TempDir,
}

/// Measures pages and JSON in turn.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let deployment = Deployment::start(run.programs()?).await?;
    let (core, gateway, site) = (&deployment.core, &deployment.gateway, &deployment.site);
    let slug = first_slug(gateway).await?;
    let mut filtered = None;
    for (surface, path) in [
        (gateway, "/api/v1/events".to_owned()),
        (site, "/".to_owned()),
        (site, FILTERED.to_owned()),
        (site, ORGANIZER.to_owned()),
        (gateway, format!("/api/v1/events/{slug}")),
        (site, format!("/events/{slug}")),
        (site, format!("/events/{slug}/register")),
        (site, "/guides/publish-your-first-event".to_owned()),
    ] {
        let turn = run.of(TURN);
        let asked = ask(surface, core, turn, || page(&path).body(Full::default())).await?;
        let name = format!("GET {}", path.replace(&slug, "{slug}"));
        let [median, most] =
            [50, 99].map(|share| Figure::from(percentile(&asked.first_byte, share)));
        let first = Row::new(format!("{name}, first byte"), "SQLite", median)
            .note(format!("99 % below {most}; {}", asked.rate()));
        let cost = Row::new(
            format!("{name}, processor of the edge"),
            "SQLite",
            asked.in_surface(),
        )
        .note(format!(
            "core {}; {} bytes",
            asked.in_core(),
            asked.last.body.len()
        ));
        let (first, cost) = match (&*path, filtered) {
            ("/", _) => (first.at_most(FIRST_BYTE), cost.at_most(IN_THE_WEBSITE)),
            (ORGANIZER, Some((list, of_list))) => (
                first.beside(A_LIST, list).at_most_times(TIMES_A_LIST),
                cost.beside(A_LIST, of_list).at_most_times(TIMES_A_LIST),
            ),
            _ => (first, cost),
        };
        if path == FILTERED {
            filtered = Some((median, asked.in_surface()));
        }
        run.add(first);
        run.add(cost);
    }
    Ok(())
}

impl Deployment {
    async fn start(programs: &Programs) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let grpc = free_port()?.to_string();
        let own_http = free_port()?;
        let data_dir = folder.path().display().to_string();
        let settings = [
            ("MUSTER_DATA_DIR", &*data_dir),
            ("MUSTER_DEMO", "on"),
            ("MUSTER_GRPC_ADDR", &grpc),
            ("MUSTER_HTTP_ADDR", &own_http.to_string()),
            ("MUSTER_EDGE_TOKEN", EDGE_TOKEN),
        ];
        let settings = [&settings[..], &without_limits()].concat();
        let muster = programs.command("muster", &settings);
        let mut core = Running::start(muster, &folder.path().join("muster.log"))?;
        core.ready(own_http, READY).await?;
        let core_url = format!("http://{grpc}");
        let edge =
            async |program| Surface::start(programs, program, &core_url, folder.path(), &[]).await;
        Ok(Self {
            gateway: edge("http-gateway").await?,
            site: edge("website").await?,
            core,
            _folder: folder,
        })
    }
}

/// The slug of the next event of the catalogue.
async fn first_slug(gateway: &Surface) -> anyhow::Result<String> {
    let asked = Request::get("/api/v1/events?limit=1").body(Full::default())?;
    let list = gateway.client().await?.ask(asked).await?;
    let list: serde_json::Value = serde_json::from_slice(&list)?;
    let slug = list["items"][0]["slug"].as_str();
    Ok(slug.context("the demo has events")?.to_owned())
}

/// A request as browsers send it.
pub(crate) fn page(path: &str) -> http::request::Builder {
    Request::get(path)
        .header(ACCEPT, "text/html, application/json;q=0.9")
        .header(ACCEPT_ENCODING, "gzip, deflate, br, zstd")
}
