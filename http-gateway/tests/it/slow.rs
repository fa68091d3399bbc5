use std::time::Duration;

use server::serve::Limits;
use tokio::{io::AsyncWriteExt, net::TcpStream, time::interval};

use crate::client::{GOOD, Gateway, JSON, Reply};

fn limits() -> Limits {
    Limits {
        first_header: Duration::from_millis(200),
        header: Duration::from_millis(200),
        body_idle: Duration::from_millis(200),
        stall: Duration::from_secs(10),
        drain: Duration::from_secs(1),
        ..Limits::http()
    }
}

fn head() -> String {
    format!(
        "POST /api/v1/things HTTP/1.1\r\nHost: x\r\n{GOOD}\r\n{JSON}\r\nContent-Length: 100000\r\n\r\n"
    )
}

#[tokio::test]
async fn half_a_header_is_not_waited_for() {
    let gateway = Gateway::start_with(limits(), Duration::from_secs(5)).await;
    let reply = gateway.raw(b"GET /api/v1/things HTTP/1.1\r\nHost:").await;
    assert_eq!(reply.status, 0, "closed without an answer");
}

#[tokio::test]
async fn a_body_that_stalls_is_a_json_408() {
    let gateway = Gateway::start_with(limits(), Duration::from_secs(5)).await;
    let reply = gateway
        .raw(format!("{}{{\"title\":", head()).as_bytes())
        .await;
    assert_eq!(
        reply.error(408, "INVALID_REQUEST"),
        "the body did not arrive in time"
    );
    assert_eq!(reply.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_body_that_trickles_is_a_json_408_when_the_time_is_up() {
    let gateway = Gateway::start_with(limits(), Duration::from_millis(600)).await;
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    stream.write_all(head().as_bytes()).await.unwrap();
    let (read, mut write) = stream.into_split();
    let trickle = tokio::spawn(async move {
        let mut every = interval(Duration::from_millis(50));
        while write.write_all(b" ").await.is_ok() {
            every.tick().await;
        }
    });
    let reply = Reply::read(read).await;
    trickle.abort();
    reply.error(408, "INVALID_REQUEST");
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_of_its_body_does_no_harm() {
    let gateway = Gateway::start_with(limits(), Duration::from_secs(5)).await;
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    stream
        .write_all(format!("{}{{", head()).as_bytes())
        .await
        .unwrap();
    stream.shutdown().await.unwrap();
    let reply = Reply::read(stream).await;
    assert!(matches!(reply.status, 0 | 400), "{reply:?}");
    assert_eq!(gateway.get("/api/v1/things").await.status, 200);
}
