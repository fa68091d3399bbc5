//! Starting it as operators and clients do: as a process of its own.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    net::TcpStream,
    process::{Command, Output, Stdio},
};

use test_toy::{Program, free_port};

/// The binary with none of Muster's variables.
fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_website"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MUSTER_") {
            command.env_remove(name);
        }
    }
    command
}

/// What it does with these arguments until it ends.
fn run(arguments: &[&str]) -> Output {
    let mut command = binary();
    command
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn without_a_proof_for_core_it_does_not_start_and_says_what_to_set() {
    let output = run(&["--http-addr", "127.0.0.1:0"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(64), "{text}");
    let expected = "error: --edge-token (MUSTER_EDGE_TOKEN): required, to prove to core";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn it_says_what_it_serves_and_which_settings_it_has() {
    let output = run(&["--help"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "--public-url",
        "--core-url",
        "--http-addr",
        "/registrations",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let wrong = run(&["--public-url", "example.org"]);
    assert_eq!(wrong.status.code(), Some(64));
}

#[test]
fn no_log_line_holds_a_private_link_or_a_code_for_the_door() {
    const TOKEN: &str = "5vT0cXh2W9rJq4LmZ8yKbN3sEaPdGfUi";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let address = free_port();
    let mut command = binary();
    command
        .args(["--edge-token", "0123456789abcdef0123456789abcdef"])
        .args(["--core-url", &format!("http://{}", free_port())])
        .args(["--log-format", "json", "--log", "trace"])
        .stderr(File::create(&path).unwrap());
    let _running = Program::start_at(address, &mut command);
    for (method, folder, ending) in [
        ("GET", "registrations", ""),
        ("POST", "registrations", ""),
        ("GET", "registrations", "/cancel"),
        ("PUT", "registrations", "/cancel"),
        ("GET", "registrations", "/event.ics"),
        ("GET", "registrations", "/x/y"),
        ("GET", "check-in", ""),
        ("POST", "check-in", ""),
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "{method} /{folder}/{TOKEN}{ending}?t={TOKEN} HTTP/1.1\r\nHost: {address}\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
    }
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains("/registrations/{token}"), "{log}");
    assert!(!log.contains(TOKEN), "{log}");
}

#[test]
fn its_command_health_says_that_nothing_answers() {
    let address = test_toy::free_port().to_string();
    let mut command = binary();
    let output = command
        .args(["--http-addr", &address, "health"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.starts_with(&format!("error: nothing answers on {address}: ")),
        "{text}"
    );
}
