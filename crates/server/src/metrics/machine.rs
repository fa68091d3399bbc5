//! What the system says of this process, under the names that all of Prometheus' clients use. Only Linux says it in files.

use std::fs;

use rustix::process::{Resource, getrlimit};

use super::Metrics;

/// Where the name of the process ends, and these fields begin: the third and the following of `/proc/self/stat`.
const AFTER_NAME: &str = ") ";

/// The places of these fields after the name.
const USER_TICKS: usize = 11;
const SYSTEM_TICKS: usize = 12;
const THREADS: usize = 17;
const START_TICKS: usize = 19;
const ADDRESS_SPACE: usize = 20;
const PAGES: usize = 21;

pub(super) fn look(metrics: &Metrics) {
    metrics.build.set([env!("CARGO_PKG_VERSION").into()], 1.0);
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        metrics
            .tasks
            .set([], number(runtime.metrics().num_alive_tasks()));
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        // One of them is the folder itself.
        let open = open.count().saturating_sub(1);
        metrics.open_files.set([], number(open));
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        metrics.most_open_files.set([], precise(most));
    }
    if let Ok(stat) = fs::read_to_string("/proc/self/stat") {
        look_at(&stat, metrics);
    }
}

fn look_at(stat: &str, metrics: &Metrics) {
    let fields = stat.rsplit(AFTER_NAME).next().unwrap_or_default();
    let fields: Vec<&str> = fields.split(' ').collect();
    let field = |place: usize| -> Option<f64> { fields.get(place)?.parse().ok() };
    let ticks = precise(rustix::param::clock_ticks_per_second());
    if let (Some(user), Some(system)) = (field(USER_TICKS), field(SYSTEM_TICKS)) {
        metrics.cpu.reach([], (user + system) / ticks);
    }
    if let Some(threads) = field(THREADS) {
        metrics.threads.set([], threads);
    }
    if let Some(bytes) = field(ADDRESS_SPACE) {
        metrics.virtual_memory.set([], bytes);
    }
    if let Some(pages) = field(PAGES) {
        let bytes = pages * number(rustix::param::page_size());
        metrics.resident_memory.set([], bytes);
    }
    if let (Some(start), Some(boot)) = (field(START_TICKS), boot_time()) {
        metrics.started.set([], boot + start / ticks);
    }
}

/// When the machine started, in seconds since the beginning of 1970.
fn boot_time() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    line.trim().parse().ok()
}

fn number(count: usize) -> f64 {
    precise(count as u64)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of a page of metrics are rounded"
)]
const fn precise(count: u64) -> f64 {
    count as f64
}
