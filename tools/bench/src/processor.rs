//! The processor time and the memory of processes.

use std::fs;

use anyhow::Context as _;

/// Ticks a second in `/proc/PID/stat`, on every Linux that Rust supports.
const TICKS: f64 = 100.0;

/// Seconds of one processor that this process has used so far.
pub(crate) fn seconds() -> anyhow::Result<f64> {
    seconds_of(std::process::id())
}

/// Seconds of one processor that a process has used so far.
pub(crate) fn seconds_of(process: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The program's name, in parentheses, may hold spaces.
    let (_, fields) = stat.rsplit_once(')').context("stat names the program")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |index: usize| -> anyhow::Result<f64> {
        Ok(fields.get(index).context("stat has times")?.parse()?)
    };
    Ok((ticks(11)? + ticks(12)?) / TICKS)
}

/// How much memory a process uses, in MB.
pub(crate) fn memory_megabytes_of(process: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let mut lines = status.lines();
    let kilobytes = lines.find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix("kB"));
    let kilobytes: f64 = kilobytes.context("status has the memory")?.trim().parse()?;
    Ok(kilobytes / 1_024.0)
}
