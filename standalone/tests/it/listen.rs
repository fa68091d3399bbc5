//! `muster webhook listen`, as from a terminal.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

use crate::running::Running;

/// The command, with none of Muster's variables and a folder for data.
fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muster"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("MUSTER_") || text.starts_with("CARGO") {
            command.env_remove(name);
        }
    }
    command
        .arg("--data-dir")
        .arg(data)
        .args(["webhook", "listen"])
        .args(arguments)
        .stdin(Stdio::null());
    command
}

/// What it says when it cannot begin.
fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn it_begins_with_the_demo_key_and_ends_well_at_ctrl_c() {
    let data = TempDir::new().unwrap();
    let muster = Running::start(data.path(), &[]);
    let text = error(&command(data.path(), &[]).output().unwrap());
    let file = data.path().join("demo.key");
    let (file, url) = (
        file.to_str().unwrap(),
        format!("http://{}", muster.address()),
    );
    assert!(text.contains(&format!("--api-key-file {file}")), "{text}");

    let arguments = ["--url", &url, "--api-key-file", file, "--create"];
    let mut listener = command(data.path(), &arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(listener.stdout.take().unwrap()).lines();
    let mut line = |text: &str| lines.find(|line| line.as_ref().unwrap().contains(text));
    line("created the webhook").unwrap().unwrap();
    line("Ctrl-C").unwrap().unwrap();
    let pid = listener.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(sent.success());
    let stopped = line("stopped").unwrap().unwrap();
    assert!(stopped.contains("--cursor"), "{stopped}");
    assert!(listener.wait().unwrap().success());
}

#[test]
fn every_wrong_setting_is_named() {
    let data = TempDir::new().unwrap();
    let missing = data.path().join("missing");
    let missing = missing.to_str().unwrap();
    let wrong = [
        "--api-key-file",
        missing,
        "--secret",
        "whsec_short",
        "--types",
        "event.created,event.moved",
    ];
    let text = error(&command(data.path(), &wrong).output().unwrap());
    let mut lines = text.lines();
    let line = lines.next().unwrap();
    assert!(
        line.starts_with("error: --api-key-file (MUSTER_API_KEY_FILE): cannot read"),
        "{line}"
    );
    assert_eq!(
        lines.next(),
        Some(
            "error: --secret (MUSTER_WEBHOOK_SECRET): must be whsec_ and 24 to 64 bytes in base64"
        )
    );

    let line = lines.next().unwrap();
    assert!(
        line.starts_with("error: --types: must be one of event.created"),
        "{line}"
    );
    assert!(line.ends_with("is \"event.moved\""), "{line}");

    let mut with_words = command(data.path(), &[]);
    let text = error(&with_words.env("MUSTER_API_KEY", "my key").output().unwrap());
    assert!(
        text.contains("must be an API key such as mus_live_..."),
        "{text}"
    );
    let forward = ["--forward", "ftp://127.0.0.1/hook"];
    let mut elsewhere = command(data.path(), &forward);
    let text = error(
        &elsewhere
            .env("MUSTER_API_KEY", "mus_live_x")
            .output()
            .unwrap(),
    );
    assert!(
        text.starts_with("error: --forward: must be an http://"),
        "{text}"
    );
}
