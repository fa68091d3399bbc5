//! What the figures were measured with.

use std::{fs, process::Command, thread};

use test_postgres::Server;

use crate::peers::{ENVOY, NGINX, missing, version};

/// A list: commit and build, processor, kernel, and versions.
pub(crate) fn describe(postgres: Option<&Server>) -> String {
    let build = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let postgres = match postgres.map(|server| server.program("pgbench")) {
        Some(mut pgbench) => {
            let text = said(pgbench.arg("--version"));
            format!("PostgreSQL and pgbench: {}", version(&text))
        }
        None => missing("PostgreSQL and pgbench", "apt-get install postgresql"),
    };
    let lines = [
        format!("commit: {}, {build} build", commit()),
        format!("processor: {cores} cores of {}", model()),
        format!("kernel: {}", said(Command::new("uname").arg("-sr"))),
        format!("compiler: {}", said(Command::new("rustc").arg("--version"))),
        postgres,
        NGINX.describe(),
        ENVOY.describe(),
    ];
    lines.map(|line| format!("- {line}\n")).concat()
}

/// The commit of the checkout, and whether it was changed since.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        said(
            git.arg("-C")
                .arg(env!("CARGO_MANIFEST_DIR"))
                .args(arguments),
        )
    };
    let commit = git(&["rev-parse", "--short", "HEAD"]);
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let changed = if changed.is_empty() {
        ""
    } else {
        " with changes"
    };
    format!("{commit}{changed}")
}

fn model() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    model.unwrap_or_else(|| "an unknown processor".to_owned())
}

/// What a command prints; nothing if it cannot be run.
fn said(command: &mut Command) -> String {
    let output = command.output().map(|output| output.stdout);
    let text = output.unwrap_or_default();
    String::from_utf8_lossy(&text).trim().to_owned()
}
