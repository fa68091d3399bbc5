//! Starting it as operators and clients do: as a process of its own.

use std::process::{Command, Output, Stdio};

/// The binary with none of Muster's variables.
fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-bridge"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MUSTER_") {
            command.env_remove(name);
        }
    }
    command
}

/// What it does with these arguments and variables until it ends.
fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = binary();
    let command = command.args(arguments).envs(variables.iter().copied());
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn without_a_proof_for_core_it_does_not_start_and_says_what_to_set() {
    let output = run(&["--http-addr", "127.0.0.1:0"], &[]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(64), "{text}");
    let expected = "error: --edge-token (MUSTER_EDGE_TOKEN): required, to prove to core";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

/// It is a client like any other, by its own key.
#[test]
fn on_standard_input_it_needs_no_proof() {
    let output = run(&["--stdio"], &[("MUSTER_API_KEY", "mus_live_any")]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_accepted_socket_sends_small_answers_at_once() {
    let mut command = binary();
    command.args(["--edge-token", "0123456789abcdef0123456789abcdef"]);
    assert!(test_toy::Program::start(&mut command).sends_at_once());
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
