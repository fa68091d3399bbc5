//! The figures of a record, and the tables of them.

use std::time::Duration;

use http::StatusCode;

use crate::{
    check::Lost,
    fault::Fault,
    load::{Call, Kind, Record},
    overload::Outcome,
};

/// Rows below a header. Each row is also said at once on standard error, since a run takes long.
pub(crate) struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// The table of faults.
    pub(crate) fn of_faults() -> Self {
        Self::new(&[
            "fault",
            "times",
            "system",
            "writes",
            "failed",
            "reads",
            "failed",
            "longest answer",
            "longest refusal",
            "500",
            "acknowledged and lost",
            "aim",
        ])
    }

    /// The table of overloads.
    pub(crate) fn of_overload() -> Self {
        Self::new(&["overload", "figure", "aim"])
    }

    fn new(header: &[&'static str]) -> Self {
        Self {
            header: header.to_vec(),
            rows: Vec::new(),
        }
    }

    fn add(&mut self, row: Vec<String>) {
        eprintln!("{}", row.join("; "));
        self.rows.push(row);
    }

    pub(crate) fn add_fault(&mut self, fault: Fault, times: usize, record: &Record, lost: &Lost) {
        let writes = Calls::of(record, Kind::Write);
        let reads = Calls::of(record, Kind::Read);
        let answered = longest(record.calls.iter().filter(|call| call.is_ok()));
        let refused = longest(record.calls.iter().filter(|call| !call.is_ok()));
        let broken = Some(StatusCode::INTERNAL_SERVER_ERROR);
        let broken = record.calls.iter().filter(|call| call.status == broken);
        self.add(vec![
            fault.name().to_owned(),
            times.to_string(),
            fault.engine().name().to_owned(),
            writes.all.len().to_string(),
            writes.failures(),
            reads.all.len().to_string(),
            reads.failures(),
            seconds(answered),
            seconds(refused),
            broken.count().to_string(),
            format!("{} of {}", lost.text(), acknowledged(record)),
            fault.aim().to_owned(),
        ]);
    }

    pub(crate) fn add_overload(&mut self, outcome: &Outcome, lost: &Lost) {
        let writes = Calls::of(&outcome.record, Kind::Write);
        let reads = Calls::of(&outcome.record, Kind::Read);
        let took = |ok: bool| {
            let some = writes.all.iter().filter(|call| call.is_ok() == ok);
            percentile(some.map(|call| call.took).collect(), 99)
        };
        let share = 100.0 * outcome.goodput / outcome.peak;
        let known = acknowledged(&outcome.record) + acknowledged(&outcome.others);
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
                format!("{}, failed {}", reads.all.len(), reads.failures()),
                "none fails",
            ),
            (
                "reads, p99",
                seconds(percentile(
                    reads.all.iter().map(|call| call.took).collect(),
                    99,
                )),
                "",
            ),
            ("normal again after", seconds(outcome.normal_after), "3 s"),
            (
                "acknowledged and lost",
                format!("{} of {known}", lost.text()),
                "none",
            ),
        ];
        for (name, figure, aim) in rows {
            self.add(vec![name.to_owned(), figure, aim.to_owned()]);
        }
    }

    pub(crate) fn print(&self) {
        if self.rows.is_empty() {
            return;
        }
        println!("\n| {} |", self.header.join(" | "));
        println!("|{}", "---|".repeat(self.header.len()));
        for row in &self.rows {
            println!("| {} |", row.join(" | "));
        }
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

    fn failures(&self) -> String {
        let failed = self.all.iter().filter(|call| !call.is_ok()).count();
        let share = number(failed) / number(self.all.len().max(1));
        format!("{failed} ({:.2} %)", 100.0 * share)
    }
}

/// How much was acknowledged.
fn acknowledged(record: &Record) -> usize {
    record.created.len() + record.registered.len()
}

fn longest<'r>(calls: impl Iterator<Item = &'r Call>) -> Duration {
    calls.map(|call| call.took).max().unwrap_or_default()
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
