//! Answers from the gateway's memory beside nginx, which serves the same bytes as a file. Both log each request.

mod crowd;
mod nginx;

use std::time::Duration;

use anyhow::Context as _;
use http::{Request, header::AUTHORIZATION};
use http_body_util::Full;
use programs::Programs;
use tokio::time::{Instant, MissedTickBehavior, interval};

use self::{
    crowd::{Asked, Crowd},
    nginx::Nginx,
};
use crate::{
    deployed::{Deployment, Surface, Transport, build},
    report::{Report, Table},
};

/// Events on the page.
const EVENTS: usize = 50;

/// How long each crowd asks, and asks before the clock runs.
const TIME: Duration = Duration::from_secs(4);
const WARM_UP: Duration = Duration::from_millis(500);

/// One change in this time: 100 a second.
const CHANGE: Duration = Duration::from_millis(10);

const PATH: &str = "/api/v1/events";

const HEADER: [&str; 5] = [
    "answer",
    "32 clients",
    "processor, each",
    "from memory",
    "aims",
];

/// What answers.
struct Server<'s> {
    address: std::net::SocketAddr,
    worked: &'s dyn Fn() -> anyhow::Result<f64>,
}

/// Measures the same page from nginx and from the gateway.
pub(crate) async fn measure(report: &mut Report) -> anyhow::Result<()> {
    let programs = build()?;
    let deployment = Deployment::start(&programs, None, Transport::Tcp, EVENTS).await?;
    let gateway = &deployment.gateway;
    let mut client = gateway.client().await?;
    let page = Request::get(PATH).body(Full::default())?;
    let answer = client.send(page).await?;
    let tag = answer.headers.get("etag").context("a list has a tag")?;
    let tag = tag.to_str()?.to_owned();
    let mut table = Table::new(HEADER);
    if let Some(nginx) = Nginx::start(&answer.body)? {
        let server = Server {
            address: nginx.address,
            worked: &|| nginx.worked(),
        };
        row(
            &mut table,
            &server,
            "nginx, a file",
            &Asked::page("/page.json"),
            "",
        )
        .await?;
    }
    let server = Server {
        address: gateway.address(),
        worked: &|| gateway.worked(),
    };
    let hit = "2 × nginx's processor; 30,000/s";
    row(&mut table, &server, "from memory", &Asked::page(PATH), hit).await?;
    let gzip = Asked::page(PATH).header("accept-encoding: gzip");
    row(&mut table, &server, "from memory, gzip", &gzip, "").await?;
    let known = Asked::page(PATH).header(&format!("if-none-match: {tag}"));
    row(
        &mut table,
        &server,
        "304",
        &known,
        "nginx's processor for the page",
    )
    .await?;
    changing(&mut table, &deployment, &programs, &server).await?;
    report.add_table(table);
    Ok(())
}

async fn row(
    table: &mut Table,
    server: &Server<'_>,
    name: &str,
    asked: &Asked,
    aims: &str,
) -> anyhow::Result<()> {
    let figures = ask(server, asked).await?;
    table.add([
        name.to_owned(),
        format!("{:.0}/s", figures.rate),
        format!("{:.1} µs", figures.each),
        String::new(),
        aims.to_owned(),
    ]);
    Ok(())
}

struct Figures {
    answers: f64,
    rate: f64,
    /// Microseconds of one processor.
    each: f64,
}

async fn ask(server: &Server<'_>, asked: &Asked) -> anyhow::Result<Figures> {
    Crowd::run(server.address, asked, WARM_UP).await?;
    let (worked, start) = ((server.worked)()?, Instant::now());
    let answers = Crowd::run(server.address, asked, TIME).await?;
    let (worked, seconds) = ((server.worked)()? - worked, start.elapsed().as_secs_f64());
    Ok(Figures {
        answers,
        rate: answers / seconds,
        each: worked * 1e6 / answers,
    })
}

/// The same while titles change through another gateway.
async fn changing(
    table: &mut Table,
    deployment: &Deployment,
    programs: &Programs,
    server: &Server<'_>,
) -> anyhow::Result<()> {
    let other = deployment.surface(programs, "http-gateway").await?;
    let rpc = "CatalogueService/ListEvents";
    let before = deployment.core.said(rpc)?;
    let asked = Asked::page(PATH);
    let (figures, changes) = tokio::select! {
        figures = ask(server, &asked) => (figures?, 0),
        changes = change(deployment, &other) => (Figures { answers: 0.0, rate: 0.0, each: 0.0 }, changes?),
    };
    anyhow::ensure!(changes == 0, "changes never end by themselves");
    let calls = f64::from(u32::try_from(deployment.core.said(rpc)? - before)?);
    table.add([
        "the same, at 100 changes a second".to_owned(),
        format!("{:.0}/s", figures.rate),
        format!("{:.1} µs", figures.each),
        format!("{:.2} %", 100.0 * (1.0 - calls / figures.answers)),
        String::new(),
    ]);
    Ok(())
}

/// Changes the title of an event again and again.
async fn change(deployment: &Deployment, gateway: &Surface) -> anyhow::Result<u32> {
    let mut client = gateway.client().await?;
    let mut ticks = interval(CHANGE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let path = format!("/api/v1/me/events/{}", deployment.event.id);
    let mut number = 0_u32;
    loop {
        ticks.tick().await;
        number += 1;
        let body = serde_json::json!({"title": format!("Title {number}")}).to_string();
        let request = Request::patch(&path)
            .header(AUTHORIZATION, format!("Bearer {}", deployment.key.trim()))
            .header("content-type", "application/json")
            .body(Full::from(body))?;
        client.ask(request).await?;
    }
}
