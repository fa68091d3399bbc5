//! Settings that `muster` shares with the surfaces that run by themselves.

use clap::Parser;
use standalone::Config;
use tokio::time::Instant;

use crate::core::{error, get, mcp, send, stuck};

#[test]
fn clients_of_grpc_are_told_where_its_port_is() {
    let told = |arguments: &[&str]| {
        let program = ["muster"].iter().chain(arguments);
        Config::parse_from(program).grpc_url()
    };
    assert_eq!(told(&[]), "http://127.0.0.1:50051");
    assert_eq!(
        told(&["--grpc-addr", "127.0.0.1:9000"]),
        "http://127.0.0.1:9000"
    );
    let public = ["--public-url", "https://events.example.org"];
    assert_eq!(told(&public), "https://events.example.org:50051");
    // It has no TLS of its own, whatever the pages have.
    let open = [&public[..], &["--grpc-addr", "0.0.0.0:9000"]].concat();
    assert_eq!(told(&open), "http://events.example.org:9000");
    let tls = ["--tls-cert", "a.pem", "--tls-key", "a.key"];
    assert_eq!(
        told(&[&open[..], &tls].concat()),
        "https://events.example.org:9000"
    );
    let named = [&public[..], &["--grpc-url", "https://grpc.example.org"]].concat();
    assert_eq!(told(&named), "https://grpc.example.org");
}

#[tokio::test(start_paused = true)]
async fn a_request_may_take_as_long_as_the_settings_say() {
    let config = Config::parse_from(["muster", "--request-seconds", "7"]);
    let muster = standalone::router(&stuck(), &config, website::Views::default()).unwrap();
    for request in [get("/api/v1/events"), mcp("tools/list")] {
        let (started, path) = (Instant::now(), request.uri().clone());
        let (status, code, message) = error(send(&muster, request).await).await;
        assert_eq!((status, code.as_str()), (503, "UNAVAILABLE"), "{path}");
        assert!(message.contains("too long"), "{message}");
        assert_eq!(started.elapsed().as_secs(), 7, "{path}");
    }
}
