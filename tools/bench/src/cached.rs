//! Answers from the gateway's cache beside nginx, which serves the same bytes as a file. Both log each request.

mod crowd;
mod nginx;

use std::{cell::Cell, convert::Infallible, net::SocketAddr, time::Duration};

use anyhow::{Context as _, bail};
use bytes::Bytes;
use http::{Method, Request, header::AUTHORIZATION};
use http_body_util::Full;
use tokio::{
    time::{Instant, interval},
    try_join,
};

use self::{
    crowd::{Asked, Crowd},
    nginx::Nginx,
};
use crate::{
    deployed::{Deployment, Surface, Transport},
    report::{Figure, Row},
    run::{Run, Size},
};

/// Events on the page.
const EVENTS: usize = 50;

/// How often each crowd comes, in turn with the others: the speed of a machine that is shared drifts.
const ROUNDS: Size<u32> = Size { full: 8, quick: 1 };

/// How long each crowd asks in a round, and asks before the clock runs.
const TIME: Size<Duration> = Size {
    full: Duration::from_secs(1),
    quick: Duration::from_millis(100),
};
const WARM_UP: Size<Duration> = Size {
    full: Duration::from_millis(200),
    quick: Duration::from_millis(20),
};

/// One change of each of four clients in this time: together 100 a second.
const CHANGE: Duration = Duration::from_millis(40);

/// The photograph that arrives, and the people of the list, which is looked at only: nobody is mailed.
const PHOTOGRAPH: Size<(u16, u16)> = Size {
    full: (4_000, 3_000),
    quick: (1_200, 900),
};
const PEOPLE: Size<i32> = Size {
    full: 10_000,
    quick: 100,
};

const PATH: &str = "/api/v1/events";

/// How much more of the processor than nginx a hit may take, and a 304.
const HIT: f64 = 2.0;
const KNOWN: f64 = 1.5;

/// What answers.
#[derive(Clone, Copy)]
struct Server<'s> {
    address: SocketAddr,
    worked: &'s dyn Fn() -> anyhow::Result<f64>,
}

/// A crowd, and whom it asks.
type Crowded<'s> = (Server<'s>, Asked);

/// Measures the same page from nginx and from the gateway.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let deployment = Deployment::start(run.programs()?, None, Transport::Tcp, EVENTS).await?;
    let gateway = deployment.surface(run.programs()?, "http-gateway").await?;
    let mut client = gateway.client().await?;
    let page = Request::get(PATH).body(Full::default())?;
    let answer = client.send(page).await?;
    let tag = answer.headers.get("etag").context("a list has a tag")?;
    let known = format!("if-none-match: {}", tag.to_str()?);
    let server = Server {
        address: gateway.address(),
        worked: &|| gateway.worked(),
    };
    let page = Asked::page(PATH);
    let mut crowds = vec![
        (server, page.clone()),
        (server, page.header("accept-encoding: gzip")),
        (server, page.header(&known)),
    ];
    let nginx = Nginx::start(&answer.body)?;
    let worked = || nginx.as_ref().map_or(Ok(0.0), Nginx::worked);
    if let Some(nginx) = &nginx {
        let server = Server {
            address: nginx.address,
            worked: &worked,
        };
        crowds.push((server, Asked::page("/page.json")));
    }
    let figures = ask(run, &crowds).await?;
    let [whole, gzip, known, file @ ..] = &*figures else {
        bail!("a crowd did not come");
    };
    let file = file.first();
    run.add(whole.each("page from the cache", file).at_most_times(HIT));
    run.add(whole.rate("page from the cache", file));
    run.add(gzip.each("page from the cache, gzip", file));
    run.add(gzip.rate("page from the cache, gzip", file));
    run.add(known.each("304 from the cache", file).at_most_times(KNOWN));
    run.add(known.rate("304 from the cache", file));
    changing(run, &deployment, server, file).await
}

/// What came of one crowd, in all rounds.
#[derive(Debug, Default)]
struct Figures {
    answers: f64,
    seconds: f64,
    /// Of one processor.
    worked: f64,
}

impl Figures {
    fn cost(&self) -> Figure {
        Figure::seconds(self.worked / self.answers)
    }

    fn per_second(&self) -> Figure {
        Figure::per_second(self.answers / self.seconds)
    }

    /// The processor time of each answer.
    fn each(&self, name: &str, file: Option<&Self>) -> Row {
        let row = Row::new(format!("{name}, processor"), "SQLite", self.cost());
        row.beside("nginx, a file", file.map(Self::cost))
    }

    /// Answers a second.
    fn rate(&self, name: &str, file: Option<&Self>) -> Row {
        let row = Row::new(format!("{name}, 32 clients"), "SQLite", self.per_second());
        row.beside("nginx, a file", file.map(Self::per_second))
    }
}

/// What each crowd got, one after the other in each round.
async fn ask(run: &Run, crowds: &[Crowded<'_>]) -> anyhow::Result<Vec<Figures>> {
    let mut figures: Vec<_> = crowds.iter().map(|_| Figures::default()).collect();
    for _round in 0..run.of(ROUNDS) {
        for ((server, asked), figures) in crowds.iter().zip(&mut figures) {
            Crowd::run(server.address, asked, run.of(WARM_UP)).await?;
            let (worked, start) = ((server.worked)()?, Instant::now());
            figures.answers += Crowd::run(server.address, asked, run.of(TIME)).await?;
            figures.seconds += start.elapsed().as_secs_f64();
            figures.worked += (server.worked)()? - worked;
        }
    }
    Ok(figures)
}

/// The same while titles change through another gateway.
async fn changing(
    run: &Run,
    deployment: &Deployment,
    server: Server<'_>,
    file: Option<&Figures>,
) -> anyhow::Result<()> {
    let other = deployment.surface(run.programs()?, "http-gateway").await?;
    let rpc = "CatalogueService/ListEvents";
    let before = deployment.core.said(rpc)?;
    let crowds = [(server, Asked::page(PATH))];
    let (start, changes) = (Instant::now(), Cell::new(0_u32));
    let one = || change(deployment, &other, &changes);
    let all = async { try_join!(one(), one(), one(), one()) };
    let figures = tokio::select! {
        figures = ask(run, &crowds) => figures?,
        failed = all => match failed?.0 {},
    };
    let figures = figures.first().context("the crowd did not come")?;
    let changes = f64::from(changes.get()) / start.elapsed().as_secs_f64();
    let calls = f64::from(u32::try_from(deployment.core.said(rpc)? - before)?);
    let name = "page from the cache at 100 changes a second";
    run.add(figures.each(name, file));
    run.add(figures.rate(name, file));
    let hits = Figure::percent(100.0 * (1.0 - calls / figures.answers));
    let row = Row::new("share of hits at 100 changes a second", "SQLite", hits);
    run.add(row.note(format!("{changes:.0} were made a second")));
    arriving(run, deployment, server, file).await
}

/// The same while a cover and a list arrive again and again through another gateway.
async fn arriving(
    run: &Run,
    deployment: &Deployment,
    server: Server<'_>,
    file: Option<&Figures>,
) -> anyhow::Result<()> {
    let other = deployment.surface(run.programs()?, "http-gateway").await?;
    let (width, height) = run.of(PHOTOGRAPH);
    let cover = Bytes::from(test_photos::photograph(width, height));
    let people = (0..run.of(PEOPLE)).map(|one| format!("Guest {one},guest-{one}@example.org\n"));
    let list = Bytes::from(format!("Name,Email\n{}", people.collect::<String>()));
    let crowds = [(server, Asked::page(PATH))];
    let uploads = async {
        try_join!(
            upload(
                deployment,
                &other,
                (Method::PUT, "cover", "image/jpeg"),
                &cover
            ),
            upload(
                deployment,
                &other,
                (
                    Method::POST,
                    "registrations/import?dry_run=true",
                    "text/csv"
                ),
                &list,
            ),
        )
    };
    let figures = tokio::select! {
        figures = ask(run, &crowds) => figures?,
        failed = uploads => match failed?.0 {},
    };
    let figures = figures.first().context("the crowd did not come")?;
    let name = "page from the cache while covers and lists arrive";
    run.add(figures.each(name, file));
    run.add(figures.rate(name, file));
    Ok(())
}

/// Sends a file to an operation of an event again and again.
async fn upload(
    deployment: &Deployment,
    gateway: &Surface,
    (method, operation, media_type): (Method, &str, &str),
    file: &Bytes,
) -> anyhow::Result<Infallible> {
    let mut client = gateway.client().await?;
    let path = format!("/api/v1/me/events/{}/{operation}", deployment.event.id);
    loop {
        let request = Request::builder().method(&method).uri(&path);
        let request = request
            .header(AUTHORIZATION, format!("Bearer {}", deployment.key.trim()))
            .header("content-type", media_type)
            .body(Full::new(file.clone()))?;
        client.ask(request).await?;
    }
}

/// Changes the title of an event again and again.
async fn change(
    deployment: &Deployment,
    gateway: &Surface,
    changes: &Cell<u32>,
) -> anyhow::Result<Infallible> {
    let mut client = gateway.client().await?;
    let mut ticks = interval(CHANGE);
    let path = format!("/api/v1/me/events/{}", deployment.event.id);
    loop {
        ticks.tick().await;
        changes.set(changes.get() + 1);
        let title = format!("Title {}", changes.get());
        let body = serde_json::json!({ "title": title }).to_string();
        let request = Request::patch(&path)
            .header(AUTHORIZATION, format!("Bearer {}", deployment.key.trim()))
            .header("content-type", "application/json")
            .body(Full::from(body))?;
        client.ask(request).await?;
    }
}
