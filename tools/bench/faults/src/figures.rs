//! The figures of a record.

use std::time::{Duration, Instant};

use http::StatusCode;

use crate::{
    check::Lost,
    fault::{Fault, Lengths},
    happening::Seen,
    load::{Call, Kind, Record},
    overload::Outcome,
    table::Table,
};

/// The columns of faults.
pub(crate) const OF_FAULTS: [&str; 15] = [
    "fault",
    "times",
    "writes",
    "failed at first",
    "for good",
    "reads",
    "failed at first",
    "for good",
    "longest answer",
    "longest refusal",
    "refused but by 503",
    "recovery",
    "acknowledged and lost",
    "mails lost, doubled, repeated",
    "aim",
];

/// The columns of an overload.
pub(crate) const OF_OVERLOAD: [&str; 3] = ["overload", "figure", "aim"];

/// How many failures are said of each fault.
const SAID: usize = 12;

/// A second without a failure ends a recovery.
const CALM: Duration = Duration::from_secs(1);

/// One row.
pub(crate) fn add_fault(
    table: &mut Table,
    fault: Fault,
    (times, lengths): (usize, &Lengths),
    seen: &Seen,
    lost: &Lost,
) {
    let record = &seen.record;
    let writes = Calls::of(record, Kind::Write);
    let reads = Calls::of(record, Kind::Read);
    let answered = longest(record.calls.iter().filter(|call| call.is_done));
    let refused = longest(record.calls.iter().filter(|call| !call.is_done));
    let others = record.calls.iter().filter(|call| {
        !call.is_done
            && call
                .status
                .is_some_and(|status| status != StatusCode::SERVICE_UNAVAILABLE)
    });
    say_longest(record);
    let recoveries = seen.ends.iter().map(|end| recovery(&record.calls, *end));
    let mails = &lost.mails;
    let late = match (mails.complete, seen.ends.last()) {
        (Some(complete), Some(end)) => {
            format!(
                "; all there after {}",
                seconds(complete.duration_since(*end))
            )
        }
        _ => String::new(),
    };
    table.add(vec![
        fault.title(lengths),
        times.to_string(),
        writes.all.len().to_string(),
        writes.failures(|call| call.failed_at_first),
        writes.failures(|call| !call.is_done),
        reads.all.len().to_string(),
        reads.failures(|call| call.failed_at_first),
        reads.failures(|call| !call.is_done),
        answered,
        refused,
        others.count().to_string(),
        seconds(recoveries.max().unwrap_or_default()),
        format!("{} of {}", lost.acknowledged(), record.acknowledged()),
        format!(
            "{}, {}, {}{late}",
            mails.lost, mails.doubled, mails.repeated
        ),
        fault.aim().to_owned(),
    ]);
}

/// Says on standard error which calls took longest to fail, to see why.
fn say_longest(record: &Record) {
    let Some(start) = record.calls.iter().map(|call| call.began).min() else {
        return;
    };
    let mut failed: Vec<_> = record.calls.iter().filter(|call| !call.is_done).collect();
    failed.sort_unstable_by_key(|call| std::cmp::Reverse(call.took));
    for call in failed.iter().take(SAID) {
        let status = call.status.map_or(0, |status| status.as_u16());
        eprintln!(
            "failed with {status} after {}, {} from the start: {:?} through {}",
            seconds(call.took),
            seconds(call.began.duration_since(start)),
            call.kind,
            call.surface.name(),
        );
    }
}

/// From the end of a fault to the first second in which no call fails.
fn recovery(calls: &[Call], end: Instant) -> Duration {
    let failed = calls.iter().filter(|call| !call.is_done);
    let mut failures: Vec<_> = failed.map(Call::ended).filter(|at| *at >= end).collect();
    failures.sort_unstable();
    let mut calm_from = end;
    for failure in failures {
        if failure.duration_since(calm_from) >= CALM {
            break;
        }
        calm_from = failure;
    }
    calm_from.duration_since(end)
}

/// How many calls failed for good.
pub(crate) fn failed(record: &Record) -> usize {
    record.calls.iter().filter(|call| !call.is_done).count()
}

/// The rows of an overload.
pub(crate) fn add_overload(table: &mut Table, outcome: &Outcome, lost: &Lost) {
    let writes = Calls::of(&outcome.record, Kind::Write);
    let reads = Calls::of(&outcome.record, Kind::Read);
    let took = |done: bool| {
        let some = writes.all.iter().filter(|call| call.is_done == done);
        percentile(some.map(|call| call.took).collect(), 99)
    };
    let share = 100.0 * outcome.goodput / outcome.peak;
    let known = outcome.record.acknowledged() + outcome.others.acknowledged();
    let of_reads = reads.all.iter().map(|call| call.took).collect();
    let failed_reads = reads.failures(|call| !call.is_done);
    let rows = [
        ("peak of writes", format!("{:.0}/s", outcome.peak), ""),
        (
            "writes that arrived",
            format!("{:.0}/s", outcome.offered),
            "10 times the peak",
        ),
        (
            "writes done",
            format!("{:.0}/s, {share:.0} % of the peak", outcome.goodput),
            "at least 85 %",
        ),
        ("accepted, p99", seconds(took(true)), "below 1 s"),
        ("refused, p99", seconds(took(false)), "below 0.2 s"),
        (
            "reads meanwhile",
            format!("{}, failed {failed_reads}", reads.all.len()),
            "none fails",
        ),
        ("reads, p99", seconds(percentile(of_reads, 99)), ""),
        ("normal again after", seconds(outcome.normal_after), "3 s"),
        (
            "acknowledged and lost",
            format!(
                "{} of {known}, and {} mails",
                lost.acknowledged(),
                lost.mails.lost
            ),
            "none",
        ),
    ];
    for (name, figure, aim) in rows {
        table.add(vec![name.to_owned(), figure, aim.to_owned()]);
    }
}

/// The calls of one kind.
struct Calls<'r> {
    all: Vec<&'r Call>,
}

impl<'r> Calls<'r> {
    fn of(record: &'r Record, kind: Kind) -> Self {
        let all = record.calls.iter().filter(|call| call.kind == kind);
        Self { all: all.collect() }
    }

    fn failures(&self, has_failed: impl Fn(&Call) -> bool) -> String {
        let failed = self.all.iter().filter(|call| has_failed(call)).count();
        if failed == 0 {
            return "0".to_owned();
        }
        let share = number(failed) / number(self.all.len().max(1));
        format!("{failed} ({:.2} %)", 100.0 * share)
    }
}

/// How long the longest of these took, and where.
fn longest<'r>(calls: impl Iterator<Item = &'r Call>) -> String {
    let longest = calls.max_by_key(|call| call.took);
    longest.map_or_else(
        || "none".to_owned(),
        |call| format!("{} ({})", seconds(call.took), call.surface.name()),
    )
}

fn percentile(mut took: Vec<Duration>, percent: usize) -> Duration {
    took.sort_unstable();
    let index = took.len() * percent / 100;
    took.get(index).copied().unwrap_or_default()
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}
