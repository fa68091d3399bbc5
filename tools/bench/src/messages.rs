//! What reminders and messages cost before any mail is sent, and what they cost registrations.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::ensure;
use core_service::{
    email::Mailer,
    jobs::{MessageJobs, Post, Runner},
};
use domain::{
    clock::Clock,
    job::{Destination, Job, JobKind, Task},
};
use muster_api::v1::{
    CreateMessageRequest, GetMessageRequest,
    bindings::{CreateMessage, GetMessage},
};
use storage::{Options, Purpose, Store};
use uuid::Uuid;

use crate::{
    latency::percentile,
    report::{Figure, Row},
    run::{Engine, Run, Size},
    system::System,
};

/// The most that an event can seat.
const GUESTS: Size<i32> = Size {
    full: 10_000,
    quick: 100,
};

/// Messages of each engine; the slowest counts.
const ROUNDS: Size<usize> = Size { full: 3, quick: 1 };

const SCHEDULING_AIM: Figure = Figure::seconds(0.1);

/// Guests of a round of registrations: a few seconds' worth.
const CROWD: Size<u32> = Size {
    full: 30_000,
    quick: 300,
};

/// How many times the registrations without reminders and messages those with them are at least.
const REGISTRATIONS_AIM: f64 = 0.97;

/// Events that have a reminder each.
const REMINDERS: Size<i64> = Size {
    full: 1_000_000,
    quick: 5_000,
};

/// How many minutes of them are written in one transaction.
const MINUTES: usize = 300;

/// How many are looked for at a time, and how often.
const SLOTS: usize = 16;
const LOOKS: usize = 50;

const FINDING_AIM: Figure = Figure::seconds(0.001);

/// Later than a message that is sent at once begins.
const BEGUN_SECONDS: i64 = 150;

/// How long a look leases what it finds: longer than all looks.
const LEASE_SECONDS: i64 = 24 * 3_600;

/// Measures what they cost registrations. Measures how long a message keeps its event locked: its mails are scheduled in one transaction. And how long it takes to find the
/// reminders that are due among many that are not.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    for engine in run.engines() {
        registrations(run, engine).await?;
        schedule(run, engine).await?;
        find(run, engine).await?;
    }
    Ok(())
}

/// Registrations for an event without reminders, and for one that has two and a message to come. The fastest of each counts.
async fn registrations(run: &Run, (engine, server): Engine<'_>) -> anyhow::Result<()> {
    let (plain, planned) = (System::start(server).await?, System::start(server).await?);
    let (seats, crowd) = (run.of(GUESTS), run.of(CROWD));
    let guests = usize::try_from(crowd)?;
    let mut fastest = [Duration::MAX; 2];
    for _ in 0..run.of(ROUNDS) {
        let events = [
            plain.publish_with_reminders(seats, &[]).await?,
            planned.publish_with_reminders(seats, &[24, 2]).await?,
        ];
        let later = CreateMessageRequest {
            hours_before_start: Some(48),
            ..message_to(&events[1].id)
        };
        planned.call::<CreateMessage>(later).await?;
        for ((system, event), fastest) in
            [&plain, &planned].into_iter().zip(events).zip(&mut fastest)
        {
            let slug = event.slug;
            let took = system.register_all(guests, move |_| slug.clone()).await?;
            *fastest = took.min(*fastest);
        }
    }
    let rate = |took: Duration| Figure::per_second(f64::from(crowd) / took.as_secs_f64());
    let [plain, planned] = fastest.map(rate);
    let measure = "registrations with reminders and a scheduled message";
    let row = Row::new(measure, engine, planned).beside("without", plain);
    run.add(row.at_least_times(REGISTRATIONS_AIM));
    Ok(())
}

/// A message to everyone with a spot.
fn message_to(event: &str) -> CreateMessageRequest {
    CreateMessageRequest {
        id: event.to_owned(),
        subject: Some("How to find the door".to_owned()),
        text: Some("The entrance is in the **second** yard.".to_owned()),
        ..CreateMessageRequest::default()
    }
}

async fn schedule(run: &Run, (engine, server): Engine<'_>) -> anyhow::Result<()> {
    let system = System::start(server).await?;
    let options = Options::new(system.database_url(), Purpose::Administer);
    let store = Store::open(&options).await?;
    let folder = tempfile::tempdir()?;
    let sender = "Muster <events@muster.example>".parse()?;
    let mailer = Mailer::files(folder.path().to_owned(), sender);
    // A clock that is ahead, so that the time to think again is over.
    let clock = Clock::manual(Clock::system().now().plus_seconds(BEGUN_SECONDS));
    let use_cases = system.core.use_cases();
    let permits = use_cases.mail_permits.clone();
    let post = Post::new(store.clone(), clock.clone(), permits, mailer);
    let links = use_cases.own_registrations.links().clone();
    let messages = MessageJobs::new(use_cases.messages.clone(), post, links);
    let runner = Runner::new(store, clock.clone(), vec![Arc::new(messages)]);

    let guests = run.of(GUESTS);
    let mut slowest = Duration::ZERO;
    for _ in 0..run.of(ROUNDS) {
        let event = system.publish(guests).await?;
        let slug = event.slug.clone();
        let crowd = usize::try_from(guests)?;
        system.register_all(crowd, move |_| slug.clone()).await?;
        let message = system.call::<CreateMessage>(message_to(&event.id)).await?;
        clock.advance_seconds(BEGUN_SECONDS);
        let started = Instant::now();
        ensure!(runner.drain().await? == 1, "one message was to begin");
        slowest = slowest.max(started.elapsed());
        let message = system.call::<GetMessage>(GetMessageRequest {
            id: event.id,
            message_id: message.id.unwrap_or_default(),
        });
        ensure!(
            message.await?.recipients == guests,
            "recipients are missing"
        );
    }
    let measure = "scheduling a message to 10,000 registrants";
    let row = Row::new(measure, engine, Figure::from(slowest));
    run.add(row.note("the slowest of 3").at_most(SCHEDULING_AIM));
    Ok(())
}

async fn find(run: &Run, (engine, server): Engine<'_>) -> anyhow::Result<()> {
    let system = System::start(server).await?;
    let options = Options::new(system.database_url(), Purpose::Administer);
    let store = Store::open(&options).await?;
    let now = Clock::system().now();
    // Some are due each minute from now on.
    let minute = |number: i64| now.plus_seconds(60 * number);
    let all = run.of(REMINDERS);
    let mut number = 0;
    while number < all {
        let mut tx = store.begin().await?;
        for _ in 0..MINUTES {
            let at = minute(number / i64::try_from(SLOTS)?);
            let due: Vec<Job> = (0..SLOTS).map(|_| reminder(&mut number, at)).collect();
            tx.insert_jobs(&due, at).await?;
        }
        tx.commit().await?;
    }
    let mut took = Vec::with_capacity(LOOKS);
    for look in 1..=LOOKS {
        let at = minute(i64::try_from(look)? - 1);
        let leased_until = at.plus_seconds(LEASE_SECONDS);
        let mut tx = store.begin().await?;
        let started = Instant::now();
        let due = tx
            .claim_jobs(
                &Destination::DATABASE,
                JobKind::EventReminder,
                at,
                leased_until,
                SLOTS,
            )
            .await?;
        took.push(started.elapsed());
        ensure!(due.len() == SLOTS, "{} reminders were found", due.len());
        tx.commit().await?;
    }
    let measure = "finding 16 due reminders among 1,000,000";
    let median = percentile(&took, 50);
    let slowest = took.iter().max().copied().unwrap_or_default();
    let slowest = Figure::from(slowest);
    let row = Row::new(measure, engine, Figure::from(median));
    run.add(row.note(format!("at most {slowest}")).at_most(FINDING_AIM));
    Ok(())
}

/// A reminder of the next event.
fn reminder(number: &mut i64, due_at: domain::instant::Instant) -> Job {
    *number += 1;
    Job {
        task: Task::EventReminder {
            due_at: due_at.micros(),
        },
        subject_id: Uuid::from_u128(u128::from(number.unsigned_abs())),
        occasion: 24,
        destination: Destination::DATABASE,
        trace_parent: None,
    }
}
