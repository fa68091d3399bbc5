//! Ten times as many writes as the system can do, whatever it answers: each arrives at its own time.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep},
};

use crate::{
    load::{Call, Kind, Load, Record, Shape},
    requests::Next,
    target::{Callers, Target},
};

/// How many clients write at a time, to find out how much the system can do. The best counts.
const CROWDS: [usize; 3] = [32, 64, 128];

/// How many times as many writes arrive.
const FACTOR: f64 = 10.0;

/// How many connections there are: as many as one address may have.
const CONNECTIONS: usize = 1_000;

/// How often arrivals are due.
const TICK: Duration = Duration::from_millis(2);

/// What is read meanwhile, and what is asked for before and afterwards.
const READERS: usize = 8;
const CALM: Shape = Shape {
    readers: READERS,
    writers: 8,
    pause: Duration::from_millis(20),
};

/// Calls that take longer are not normal.
const NORMAL: Duration = Duration::from_millis(500);

/// What came of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Writes a second that the system can do: the mean of before and afterwards.
    pub(crate) peak: f64,
    /// Writes a second that arrived.
    pub(crate) offered: f64,
    /// Of these, per second: those done.
    pub(crate) goodput: f64,
    /// What was read and written during the overload.
    pub(crate) record: Record,
    /// After how long everything was normal again.
    pub(crate) normal_after: Duration,
    /// What was acknowledged before and afterwards.
    pub(crate) others: Record,
}

/// Measures the peak, then overloads the system for a while, then looks when it is normal again, and measures the peak once
/// more: a shared machine may be faster or slower by then.
pub(crate) async fn run(target: &Arc<Target>, time: Duration) -> anyhow::Result<Outcome> {
    let mut others = Record::default();
    let before = peak(target, time, &mut others).await?;
    let reads = Shape { writers: 0, ..CALM };
    let reads = Load::start(target, reads);
    let started = Instant::now();
    let (mut record, arrived) = arrive(target, before * FACTOR, time).await?;
    let seconds = started.elapsed().as_secs_f64();
    let goodput = done(&record) / seconds;
    record.add(reads.stop().await?);
    let ended = Instant::now();
    let after = Load::start(target, CALM)
        .stop_after(Duration::from_secs(6))
        .await?;
    let strange = after
        .calls
        .iter()
        .filter(|call| !call.is_done || call.took > NORMAL);
    let normal_after = strange.map(|call| call.ended().duration_since(ended)).max();
    others.add(after);
    let afterwards = peak(target, time, &mut others).await?;
    Ok(Outcome {
        peak: f64::midpoint(before, afterwards),
        offered: arrived / seconds,
        goodput,
        record,
        normal_after: normal_after.unwrap_or_default(),
        others,
    })
}

/// How many writes a second the system can do.
async fn peak(target: &Arc<Target>, time: Duration, others: &mut Record) -> anyhow::Result<f64> {
    let mut peak: f64 = 0.0;
    for writers in CROWDS {
        let shape = Shape {
            readers: 0,
            writers,
            pause: Duration::ZERO,
        };
        let started = Instant::now();
        let record = Load::start(target, shape).stop_after(time / 2).await?;
        peak = peak.max(done(&record) / started.elapsed().as_secs_f64());
        others.add(record);
    }
    Ok(peak)
}

fn done(record: &Record) -> f64 {
    let is_done = |call: &&Call| call.kind == Kind::Write && call.is_done;
    u32::try_from(record.calls.iter().filter(is_done).count()).map_or(f64::INFINITY, f64::from)
}

/// Has writes arrive at this rate. A write that finds no free connection is not sent. Returns the number of those that were.
async fn arrive(target: &Arc<Target>, rate: f64, time: Duration) -> anyhow::Result<(Record, f64)> {
    let free: Vec<_> = (0..CONNECTIONS).map(|_| Callers::of(target)).collect();
    let free = Arc::new(Mutex::new(free));
    let lock =
        |free: &Mutex<Vec<Callers>>| free.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut calls: JoinSet<anyhow::Result<Record>> = JoinSet::new();
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let started = Instant::now();
    let (mut due, mut all) = (0.0, Record::default());
    let mut arrived = 0.0;
    while started.elapsed() < time {
        ticks.tick().await;
        let should = started.elapsed().as_secs_f64() * rate;
        while due < should {
            due += 1.0;
            let Some(mut callers) = lock(&free) else {
                continue;
            };
            arrived += 1.0;
            let (target, free) = (Arc::clone(target), Arc::clone(&free));
            calls.spawn(async move {
                let mut record = Record::default();
                let asked = Next::write(&target).ask(&mut callers, &mut record).await;
                free.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(callers);
                asked.map(|()| record)
            });
        }
        while let Some(record) = calls.try_join_next() {
            all.add(record??);
        }
    }
    while let Some(record) = calls.join_next().await {
        all.add(record??);
    }
    sleep(TICK).await;
    Ok((all, arrived))
}
