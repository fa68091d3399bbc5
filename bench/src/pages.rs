//! What a page costs beside the same list as JSON: `muster` with its demo data, and in front of its gRPC port a gateway and a
//! website as processes of their own.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use http::{
    Request,
    header::{ACCEPT, ACCEPT_ENCODING},
};
use http_body_util::Full;
use programs::{Programs, free_port};
use tempfile::TempDir;

use crate::{
    deployed::{EDGE_TOKEN, Running, Surface, Turn, ask, build, milliseconds, without_limits},
    latency::percentile,
    report::{Report, Table},
};

/// Long enough to count ticks of 10 ms.
const TURN: Turn = Turn {
    warm_up: 50,
    times: 1,
    time: Duration::from_secs(4),
};

const HEADER: [&str; 8] = [
    "what",
    "first byte, p50",
    "p99",
    "one client",
    "edge, each",
    "core, each",
    "bytes, compressed",
    "aims",
];

const AIMS: &str = "first byte below 5 ms, below 1 ms in the edge";

/// `muster` with demo data, and the edges in front of its gRPC port.
struct Deployment {
    core: Running,
    gateway: Surface,
    site: Surface,
    _folder: TempDir,
}

/// Measures pages and JSON in turn.
pub(crate) async fn measure(report: &mut Report) -> anyhow::Result<()> {
    let programs = build()?;
    let deployment = Deployment::start(&programs).await?;
    let (core, gateway, site) = (&deployment.core, &deployment.gateway, &deployment.site);
    let slug = first_slug(gateway).await?;
    let mut table = Table::new(HEADER);
    for (surface, path, aims) in [
        (gateway, "/api/v1/events".to_owned(), ""),
        (site, "/".to_owned(), AIMS),
        (gateway, format!("/api/v1/events/{slug}"), ""),
        (site, format!("/events/{slug}"), ""),
        (site, format!("/events/{slug}/register"), ""),
        (site, "/guides/publish-your-first-event".to_owned(), ""),
    ] {
        let asked = ask(surface, core, TURN, || page(&path).body(Full::default())).await?;
        ensure!(asked.last.status.is_success(), "{path}: {:?}", asked.last);
        table.add([
            format!("GET {}", path.replace(&slug, "{slug}")),
            milliseconds(percentile(&asked.first_byte, 50)),
            milliseconds(percentile(&asked.first_byte, 99)),
            format!("{:.0}/s", asked.rate()),
            format!("{} µs", asked.in_surface().as_micros()),
            format!("{} µs", asked.in_core().as_micros()),
            asked.last.body.len().to_string(),
            aims.to_owned(),
        ]);
    }
    report.add_table(table);
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
        core.ready(own_http).await?;
        let core_url = format!("http://{grpc}");
        let edge =
            async |program| Surface::start(programs, program, &core_url, folder.path()).await;
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
