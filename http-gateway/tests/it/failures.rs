use std::{net::SocketAddr, time::Duration};

use clap::Parser;
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use rpc_client::{Context, Core, CoreSettings};
use server::{observe::RequestId, serve::Limits};
use test_toy::{
    Replica,
    v1::{GetThingRequest, bindings::PublishThing},
};
use tokio::{net::TcpListener, time::timeout};

use crate::client::{GOOD, Gateway, JSON, LAMP};

#[derive(Parser)]
struct Settings {
    #[command(flatten)]
    core: CoreSettings,
}

fn core_at(address: SocketAddr) -> Core {
    Settings::parse_from(["gateway", "--core-url", &format!("http://{address}")])
        .core
        .client()
        .unwrap()
}

#[tokio::test]
async fn core_down_is_503_and_core_up_again_is_found_without_a_restart() {
    let address = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let gateway =
        Gateway::start_for(core_at(address), Limits::http(), Duration::from_secs(5)).await;
    let down = async || {
        for (method, path, headers) in [
            ("GET", "/api/v1/things", &[][..]),
            ("GET", "/api/v1/things/1/picture", &[]),
            ("POST", "/api/v1/things", &[GOOD, JSON]),
            ("GET", "/readyz", &[]),
        ] {
            let reply = gateway
                .send(
                    method,
                    path,
                    headers,
                    if method == "POST" { LAMP } else { b"" },
                )
                .await;
            assert_eq!(
                reply.error(503, "UNAVAILABLE"),
                "Muster is temporarily unavailable",
                "{path}"
            );
            assert_eq!(reply.header("retry-after"), Some("5"));
        }
        assert_eq!(gateway.get("/healthz").await.status, 200);
    };
    let up = async || {
        for path in ["/api/v1/things", "/readyz"] {
            assert_eq!(gateway.get(path).await.status, 200, "{path}");
        }
        assert_eq!(
            gateway
                .send("POST", "/api/v1/things", &[GOOD, JSON], LAMP)
                .await
                .status,
            200
        );
    };
    down().await;
    let core = Replica::start_at(address).await;
    up().await;
    drop(core);
    down().await;
    let core = Replica::start_at(address).await;
    up().await;
    drop(core);
}

#[tokio::test]
async fn a_call_that_takes_too_long_ends_with_an_error() {
    let gateway = Gateway::start_with(Limits::http(), Duration::from_millis(100)).await;
    let reply = gateway.get("/api/v1/things/hang").await;
    assert!(reply.error(503, "UNAVAILABLE").contains("too long"));
    assert!(reply.header("retry-after").is_some());
}

#[tokio::test]
async fn a_client_may_ask_for_an_earlier_end() {
    let gateway = Gateway::start().await;
    let reply = gateway
        .send("GET", "/api/v1/things/hang", &["Grpc-Timeout: 50m"], b"")
        .await;
    reply.error(503, "UNAVAILABLE");
}

#[tokio::test]
async fn what_goes_wrong_inside_is_not_shown() {
    let gateway = Gateway::start().await;
    assert_eq!(
        gateway
            .get("/api/v1/things/broken")
            .await
            .error(500, "INTERNAL"),
        "Muster failed"
    );
    assert_eq!(
        gateway
            .get("/api/v1/things/panic")
            .await
            .error(500, "INTERNAL"),
        "Muster failed"
    );
    assert_eq!(gateway.get("/api/v1/things/1").await.status, 200);
}

#[tokio::test]
async fn too_many_requests_say_when_to_come_back() {
    let gateway = Gateway::start().await;
    let reply = gateway.get("/api/v1/things/limited").await;
    assert_eq!(reply.error(429, "RATE_LIMITED"), "slow down");
    assert_eq!(reply.header("retry-after"), Some("5"));
}

/// Far above what any of this takes.
const LONG: Duration = Duration::from_mins(1);

/// As many writes as a replica may have at a time.
const PERMITS: usize = 200;

#[tokio::test]
async fn a_write_without_a_place_is_refused_before_its_body_is_read() {
    let replica = Replica::start().await;
    let core = core_at(replica.address);
    let gateway = Gateway::start_for(core.clone(), Limits::http(), LONG).await;
    let hanging: Vec<_> = (0..PERMITS)
        .map(|_| {
            let core = core.clone();
            tokio::spawn(async move {
                let headers = HeaderMap::from_iter([(
                    AUTHORIZATION,
                    HeaderValue::from_static("Bearer good"),
                )]);
                let context = Context::from_headers(&headers, &RequestId::fresh(), LONG);
                let id = "hang".to_owned();
                let _never = core
                    .call::<PublishThing>(GetThingRequest { id }, &context)
                    .await;
            })
        })
        .collect();
    let all_hang = async {
        while replica.toy.count() < PERMITS {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, all_hang).await.expect("all have places");

    let head = format!(
        "POST /api/v1/things HTTP/1.1\r\nHost: x\r\n{GOOD}\r\n{JSON}\r\nContent-Length: 16\r\n\r\n"
    );
    let reply = gateway.raw(head.as_bytes()).await;
    assert!(reply.error(503, "UNAVAILABLE").contains("too many"));
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(gateway.get("/api/v1/things").await.status, 200);
    for call in hanging {
        call.abort();
    }
}
