//! Tells `muster --version` the commit. Only this package is compiled again when it changes.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=MUSTER_VERSION");
    let version = env::var("MUSTER_VERSION").unwrap_or_else(|_| version());
    println!("cargo::rustc-env=MUSTER_VERSION={version}");
}

/// The version, and the commit if this is a checkout of it.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    }
}

fn commit() -> Option<String> {
    // An archive of the source that is unpacked in a checkout of something else has no commit.
    let root = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    if root.canonicalize().ok()? != package.parent()?.canonicalize().ok()? {
        return None;
    }
    // Every commit and checkout adds a line to it.
    let log = git(&[
        "rev-parse",
        "--path-format=absolute",
        "--git-path",
        "logs/HEAD",
    ])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short", "HEAD"])
}

/// What git prints, if it is there and succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
