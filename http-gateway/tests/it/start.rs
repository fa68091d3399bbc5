//! Starting it as operators and clients do: as a process of its own.

use std::{
    net::SocketAddr,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use test_toy::{Program, Replica, free_port};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Far more than it takes on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

const TOKEN: [&str; 2] = ["--edge-token", "0123456789abcdef0123456789abcdef"];

/// The binary with none of Muster's variables.
fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_http-gateway"));
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

#[cfg(target_os = "linux")]
#[test]
fn an_accepted_socket_sends_small_answers_at_once() {
    let mut command = binary();
    command.args(TOKEN);
    assert!(Program::start(&mut command).sends_at_once());
}

/// What `health` says of the gateway at an address.
fn health(address: &str) -> (Option<i32>, String) {
    let output = run(&["--http-addr", address, "health"], &[]);
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), said)
}

/// Asks until `health` no longer says yes.
fn until_unwell(address: &str) -> String {
    let start = Instant::now();
    loop {
        let (code, said) = health(address);
        if code == Some(1) {
            return said;
        }
        assert!(start.elapsed() < TIMEOUT, "{code:?} {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_command_health_says_whether_it_is_ready() {
    let (core, address) = (Replica::start().await, free_port());
    let port = address.to_string();
    let (exit, said) = health(&port);
    assert_eq!(exit, Some(1));
    assert!(
        said.starts_with(&format!("error: nothing answers on {address}: ")),
        "{said}"
    );

    let mut command = binary();
    command
        .args(TOKEN)
        .args(["--core-url", &format!("http://{}", core.address)]);
    let _gateway = Program::start_at(address, &mut command);
    assert_eq!(health(&port), (Some(0), String::new()));
    // On all addresses of the machine, as in a container.
    let anywhere = format!("0.0.0.0:{}", address.port());
    assert_eq!(health(&anywhere), (Some(0), String::new()));

    drop(core);
    let said = until_unwell(&port);
    assert!(
        said.contains("is not ready: ") && said.contains("UNAVAILABLE"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_that_waits_before_it_stops_is_not_ready_and_goes_on_answering() {
    let (core, address) = (Replica::start().await, free_port());
    let mut command = binary();
    command
        .args(TOKEN)
        .args(["--core-url", &format!("http://{}", core.address)])
        .args(["--stop-wait-seconds", "300"]);
    let mut gateway = Program::start_at(address, &mut command);
    assert_eq!(health(&address.to_string()).0, Some(0));
    gateway.terminate();
    let said = until_unwell(&address.to_string());
    assert!(said.contains("is not ready"), "{said}");
    // New connections are taken, and a second signal ends the wait.
    let again = std::net::TcpStream::connect(address);
    assert!(again.is_ok() && gateway.ended().is_none());
    gateway.terminate();
    await_end(&mut gateway).await;
}

/// Waits until a gateway that was asked to stop has ended.
async fn await_end(gateway: &mut Program) {
    let start = Instant::now();
    while gateway.ended().is_none() {
        assert!(start.elapsed() < TIMEOUT);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_serves_and_stops_on_one_thread_as_on_several() {
    let core = Replica::start().await;
    for threads in ["1", "3"] {
        let address = free_port();
        let mut command = binary();
        command
            .args(TOKEN)
            .args(["--core-url", &format!("http://{}", core.address)])
            .args(["--threads", threads]);
        let mut gateway = Program::start_at(address, &mut command);
        let pages = futures_util::future::join_all((0..32).map(|_| get(address, "/readyz")));
        for page in pages.await {
            assert!(
                page.starts_with("HTTP/1.1 200 "),
                "{threads} threads: {page}"
            );
        }
        gateway.terminate();
        await_end(&mut gateway).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_tells_prometheus_of_its_requests_and_of_core() {
    let (core, metrics) = (Replica::start().await, free_port());
    let mut command = binary();
    command.args(TOKEN);
    command.args(["--core-url", &format!("http://{}", core.address)]);
    command.args(["--metrics-addr", &metrics.to_string()]);
    let address = free_port();
    let _running = Program::start_at(address, &mut command);
    get(address, "/nothing?secret=canary").await;
    get(address, "/readyz").await;
    let page = get(metrics, "/metrics").await;
    for sample in [
        r#"muster_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1"#,
        r#"muster_core_replicas{state="working"} 1.0"#,
        r#"muster_core_call_duration_seconds_count{rpc="grpc.health.v1.Health/Check","#,
    ] {
        assert!(page.contains(sample), "{sample} is not in {page}");
    }
    assert!(
        !page.contains("canary") && !page.contains("readyz"),
        "{page}"
    );
}

/// What a port answers.
async fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}
