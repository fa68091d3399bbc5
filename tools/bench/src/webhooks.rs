//! What webhooks cost registrations of a deployed core, how soon messages come, how many a second, and what dead receivers cost the others.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use muster_api::v1::{
    CreateWebhookRequest, UpdateWebhookRequest,
    bindings::{CreateWebhook, UpdateWebhook},
};
use serde_json::json;
use server::CancellationToken;
use test_receiver::Receiver;
use tokio::{task::JoinHandle, time::MissedTickBehavior};

use crate::{
    deployed::{Crowd, Deployment, Transport, post},
    latency::percentile,
    report::{Figure, Row},
    run::{Engine, Run, Size},
    settled::rest,
    system::System,
};

/// Guests who register before the clock runs, and in a round.
const WARM_UP: Size<usize> = Size {
    full: 2_000,
    quick: 10,
};
const GUESTS: Size<usize> = Size {
    full: 10_000,
    quick: 100,
};

/// Rounds without a webhook and with one, in alternation.
const ROUNDS: Size<usize> = Size { full: 3, quick: 1 };

/// A setting of a core that may post to receivers on this machine.
const TO_THIS_MACHINE: [(&str, &str); 1] = [("MUSTER_WEBHOOK_NETWORKS", "127.0.0.0/8")];

/// How much of the rate must be left with one thin webhook.
const LEFT: f64 = 0.85;

/// Changes one by one, and how far apart: 100 a second.
const CHANGES: Size<usize> = Size {
    full: 2_000,
    quick: 50,
};
const APART: Duration = Duration::from_millis(10);

const MEDIAN_AIM: Figure = Figure::seconds(0.05);
const SLOW_AIM: Figure = Figure::seconds(0.5);

/// Webhooks of an account: as many as a plan has.
const WEBHOOKS: usize = 10;

/// Messages that each of them gets in one go: so many that what beginnings cost does not decide.
const MESSAGES: Size<usize> = Size {
    full: 3_000,
    quick: 10,
};

const RATE_AIM: Figure = Figure::per_second(1_500.0);

/// Accounts with [`WEBHOOKS`] dead receivers each, and the messages of each.
const DEAD_ACCOUNTS: usize = 10;
const DEAD_MESSAGES: usize = 20;

/// How much of the rate must be left beside them.
const LEFT_BESIDE_DEAD: f64 = 0.9;

/// Far above what any of this takes.
const DEADLINE: Duration = Duration::from_mins(2);

const POLL: Duration = Duration::from_millis(2);

/// Measures webhooks on each engine. Receivers are in this process, too, so their work counts as ours.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    for engine in run.engines() {
        registrations(run, engine).await?;
        latency(run, engine).await?;
        rate(run, engine).await?;
    }
    Ok(())
}

/// Registrations for an account without a webhook, and with one. What is recorded is posted meanwhile, as mails are.
async fn registrations(run: &Run, (engine, server): Engine<'_>) -> anyhow::Result<()> {
    let start = async || {
        Deployment::start_with(run.programs()?, server, Transport::Tcp, 1, &TO_THIS_MACHINE).await
    };
    let both = [start().await?, start().await?];
    let [_plain, hooked] = &both;
    let receiver = Receiver::start().await;
    let webhook = json!({"url": receiver.url()}).to_string();
    let webhook = post("/api/v1/me/webhooks", Some(&hooked.key), webhook)?;
    hooked.gateway.client().await?.ask(webhook).await?;

    let guests = run.of(GUESTS);
    let mut crowds = Vec::new();
    for deployment in &both {
        let mut crowd = Crowd::of(deployment).await?;
        crowd.register(run, run.of(WARM_UP)).await?;
        rest(&deployment.core).await?;
        crowds.push(crowd);
    }
    let mut took = [Duration::ZERO; 2];
    for _ in 0..run.of(ROUNDS) {
        for ((deployment, crowd), took) in both.iter().zip(&mut crowds).zip(&mut took) {
            *took += crowd.register(run, guests).await?;
            // What follows from it is done before the other's turn.
            rest(&deployment.core).await?;
        }
    }
    let all = guests * run.of(ROUNDS);
    let [plain, hooked] = took.map(|took| per_second(all, took));
    let row = Row::new("registrations with one thin webhook", engine, hooked);
    run.add(row.beside("without", plain).at_least_times(LEFT));
    Ok(())
}

/// From the beginning of a call to the receipt of its message, so that the call's own time counts as well.
async fn latency(run: &Run, (engine, server): Engine<'_>) -> anyhow::Result<()> {
    let system = System::start(server).await?;
    let receiver = Receiver::start().await;
    subscribe(&system, &receiver.url()).await?;
    let background = Background::of(&system);
    let mut ticks = tokio::time::interval(APART);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let changes = run.of(CHANGES);
    let mut calls = Vec::with_capacity(changes);
    for _ in 0..changes {
        ticks.tick().await;
        let system = Arc::clone(&system);
        calls.push(tokio::spawn(async move {
            let began = Instant::now();
            let event = system.publish(100).await?;
            anyhow::Ok((event.id, began))
        }));
    }
    let mut began = HashMap::new();
    for call in calls {
        began.extend([call.await??]);
    }
    received(&receiver, changes).await?;
    background.stop().await?;
    let mut took = Vec::with_capacity(changes);
    for one in receiver.taken() {
        let message = one.json();
        let id = message["data"]["event_id"].as_str().context("no event")?;
        let began = began.get(id).context("another event")?;
        took.push(one.at.saturating_duration_since(*began));
    }
    for (percent, aim) in [(50, MEDIAN_AIM), (99, SLOW_AIM)] {
        let measure = format!("call to receipt of its message, 100 a second, {percent} %");
        let row = Row::new(measure, engine, Figure::from(percentile(&took, percent)));
        run.add(row.at_most(aim));
    }
    Ok(())
}

/// Deliveries a second of what waited, alone and beside dead receivers.
async fn rate(run: &Run, (engine, server): Engine<'_>) -> anyhow::Result<()> {
    let all = run.of(MESSAGES) * WEBHOOKS;
    let system = System::start(server).await?;
    let alone = per_second(all, deliver(run, &system).await?);
    let row = Row::new("deliveries to 10 webhooks", engine, alone);
    run.add(row.at_least(RATE_AIM));

    let system = System::start(server).await?;
    let hanging = Receiver::start().await;
    hanging.hang();
    for number in 0..DEAD_ACCOUNTS {
        let dead = system.beside(&format!("dead-{number}@example.org")).await?;
        for _ in 0..WEBHOOKS / 2 {
            subscribe(&dead, &hanging.url()).await?;
            // Nothing listens on this port.
            subscribe(&dead, "http://127.0.0.1:9/hook").await?;
        }
        for _ in 0..DEAD_MESSAGES {
            dead.publish(100).await?;
        }
    }
    let beside = per_second(all, deliver(run, &system).await?);
    let row = Row::new("deliveries beside 100 dead receivers", engine, beside);
    run.add(row.beside("alone", alone).at_least_times(LEFT_BESIDE_DEAD));
    Ok(())
}

/// Lets messages wait in paused webhooks, and takes the time from the end of the pause until all have come.
async fn deliver(run: &Run, system: &Arc<System>) -> anyhow::Result<Duration> {
    let receiver = Receiver::start().await;
    let mut webhooks = Vec::new();
    for _ in 0..WEBHOOKS {
        let id = subscribe(system, &receiver.url()).await?;
        pause(system, &id, true).await?;
        webhooks.push(id);
    }
    for _ in 0..run.of(MESSAGES) {
        system.publish(100).await?;
    }
    let background = Background::of(system);
    let began = Instant::now();
    for id in &webhooks {
        pause(system, id, false).await?;
    }
    received(&receiver, run.of(MESSAGES) * WEBHOOKS).await?;
    let took = began.elapsed();
    background.stop().await?;
    Ok(took)
}

async fn subscribe(system: &System, url: &str) -> anyhow::Result<String> {
    let request = CreateWebhookRequest {
        url: Some(url.to_owned()),
        ..CreateWebhookRequest::default()
    };
    Ok(system.call::<CreateWebhook>(request).await?.id)
}

async fn pause(system: &System, id: &str, is_paused: bool) -> anyhow::Result<()> {
    let request = UpdateWebhookRequest {
        webhook_id: id.to_owned(),
        is_paused: Some(is_paused),
        ..UpdateWebhookRequest::default()
    };
    system.call::<UpdateWebhook>(request).await?;
    Ok(())
}

async fn received(receiver: &Receiver, count: usize) -> anyhow::Result<()> {
    let began = Instant::now();
    while receiver.count() < count {
        ensure!(
            began.elapsed() < DEADLINE,
            "{} of {count} came",
            receiver.count()
        );
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

fn per_second(number: usize, took: Duration) -> Figure {
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    Figure::per_second(f64::from(number) / took.as_secs_f64())
}

/// A core's background work.
struct Background {
    stop: CancellationToken,
    work: JoinHandle<()>,
}

impl Background {
    fn of(system: &System) -> Self {
        let stop = CancellationToken::new();
        let (core, until) = (system.core.clone(), stop.clone());
        let work = tokio::spawn(async move { core.run_background(until).await });
        Self { stop, work }
    }

    /// Ends it. What hangs is not waited for.
    async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        let patience = Duration::from_millis(500);
        if let Ok(ended) = tokio::time::timeout(patience, self.work).await {
            ended?;
        }
        Ok(())
    }
}
