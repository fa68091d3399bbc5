//! The metrics of an HTTP port, as Prometheus reads them.

use std::{convert::Infallible, net::SocketAddr};

use http::{Request, Response};
use http_body_util::Full;
use server::{
    CancellationToken, MetricsSettings,
    metrics::{self, DECLARED},
    observe::{Quiet, Route},
    serve::{Limits, RequestBody, bind, serve},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tower::service_fn;

/// A service with a route for letters and a probe.
async fn served() -> SocketAddr {
    let service = service_fn(|request: Request<RequestBody>| {
        let mut response = Response::new(Full::from("answer"));
        if request.uri().path().starts_with("/measured/letters/") {
            response
                .extensions_mut()
                .insert(Route("/measured/letters/{secret}"));
        }
        if request.uri().path() == "/healthz" {
            response.extensions_mut().insert(Route("/healthz"));
            response.extensions_mut().insert(Quiet);
        }
        async { Ok::<_, Infallible>(response) }
    });
    let any = "127.0.0.1:0".parse().unwrap();
    let listener = bind("--http-addr", any).await.unwrap();
    let address = listener.local_addr().unwrap();
    let never = CancellationToken::new();
    tokio::spawn(serve(listener, service, Limits::http(), never));
    address
}

/// What a port answers to a request.
async fn answer(address: SocketAddr, method: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn requests_are_measured_by_route_and_not_by_what_clients_make_up() {
    metrics::begin();
    let address = served().await;
    answer(address, "GET", "/measured/letters/one?q=canary").await;
    answer(address, "GET", "/measured/letters/two").await;
    answer(address, "BREW", "/measured/letters/three").await;
    answer(address, "GET", "/healthz").await;
    let text = metrics::text();
    let letters = r#"muster_http_request_duration_seconds_count{method="GET",route="/measured/letters/{secret}",status="200"} 2"#;
    assert!(text.contains(letters), "{text}");
    assert!(text.contains(r#"method="other",route="/measured/letters/{secret}""#));
    assert!(!text.contains("canary") && !text.contains("BREW"), "{text}");
    assert!(!text.contains("healthz"), "{text}");
    assert!(text.ends_with("# EOF\n"));
}

#[tokio::test]
async fn the_port_has_the_metrics_and_nothing_else() {
    // Another program may take the port meanwhile, which no test here does.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let metrics_addr = Some(address);
    MetricsSettings { metrics_addr }.serve().await.unwrap();
    let page = answer(address, "GET", "/metrics").await;
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("content-type: application/openmetrics-text; version=1.0.0"));
    assert!(page.contains("\nmuster_build_info{version="), "{page}");
    let other = answer(address, "GET", "/healthz").await;
    assert!(other.starts_with("HTTP/1.1 404"), "{other}");
    let taken = MetricsSettings { metrics_addr }.serve().await.unwrap_err();
    assert!(
        taken
            .to_string()
            .contains("--metrics-addr (MUSTER_METRICS_ADDR)")
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_process_says_what_it_takes() {
    metrics::begin();
    let text = metrics::text();
    for name in DECLARED.iter().map(|one| one.name) {
        if !name.starts_with("process_") {
            continue;
        }
        let sample = text.lines().find_map(|line| line.strip_prefix(name));
        let value = sample.unwrap().strip_prefix("{} ").unwrap();
        let value: f64 = value.parse().unwrap();
        assert!(value > 0.0 || name.contains("cpu"), "{name}");
    }
}
