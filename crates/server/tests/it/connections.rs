//! Nobody keeps others out of a port by holding its connections.

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use server::{
    CancellationToken,
    connection_limit::{Bounds, ConnectionLimit},
    networks::Networks,
    serve::{Limits, RequestBody, bind, serve},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};
use tower::service_fn;

/// Far more than an answer takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How long it is observed that something does not happen.
const WHILE: Duration = Duration::from_millis(200);

/// No time limits that could end a connection before the test does.
fn patient() -> Limits {
    let long = Duration::from_mins(5);
    Limits {
        first_header: long,
        header: long,
        body_idle: long,
        stall: long,
        ..Limits::http()
    }
}

/// A port that answers each request with its body.
async fn start(limits: Limits) -> SocketAddr {
    let any_port = "127.0.0.1:0".parse().unwrap();
    let listener = bind("--http-addr", any_port).await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = service_fn(async |request: Request<RequestBody>| {
        let body = request.into_body().collect().await;
        let body = body
            .map(http_body_util::Collected::to_bytes)
            .unwrap_or_default();
        Ok::<_, Infallible>(Response::new(Full::new(body)))
    });
    tokio::spawn(serve(listener, service, limits, CancellationToken::new()));
    address
}

/// Connects from one of this machine's many addresses.
async fn from(client: [u8; 4], address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((client, 0).into()).unwrap();
    socket.connect(address).await.unwrap()
}

async fn says(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
}

/// Begins a request and waits until it is being served.
async fn begins(stream: &mut TcpStream) {
    let header = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
    says(stream, header).await;
    let mut buffer = [0; 25];
    let read = timeout(TIMEOUT, stream.read_exact(&mut buffer)).await;
    read.expect("the request is being served").unwrap();
}

/// Asks and waits for the answer. The connection stays open.
async fn is_answered(stream: &mut TcpStream) -> bool {
    let asked = stream
        .write_all(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\ndone")
        .await;
    let mut answer = Vec::new();
    while asked.is_ok() && !answer.ends_with(b"done") {
        let read = timeout(TIMEOUT, stream.read_buf(&mut answer)).await;
        if matches!(read.expect("an answer or an end"), Ok(0) | Err(_)) {
            return false;
        }
    }
    asked.is_ok()
}

async fn is_closed(stream: &mut TcpStream) -> bool {
    let read = timeout(TIMEOUT, stream.read(&mut [0])).await;
    matches!(read, Ok(Ok(0) | Err(_)))
}

async fn stays_open(stream: &mut TcpStream) -> bool {
    timeout(WHILE, stream.read(&mut [0])).await.is_err()
}

#[tokio::test]
async fn when_the_port_is_full_the_longest_idle_connection_makes_room() {
    let address = start(Limits {
        connections: 3,
        ..patient()
    })
    .await;
    // The first has half a header, the second has been answered since, and the third is being served.
    let mut half = from([127, 0, 0, 1], address).await;
    says(&mut half, "GET / HTTP/1.1\r\nHost:").await;
    let mut answered = from([127, 0, 0, 2], address).await;
    assert!(is_answered(&mut answered).await);
    let mut busy = from([127, 0, 0, 3], address).await;
    begins(&mut busy).await;

    let mut fourth = from([127, 0, 0, 4], address).await;
    assert!(is_answered(&mut fourth).await);
    assert!(is_closed(&mut half).await);
    assert!(stays_open(&mut answered).await);
    let mut fifth = from([127, 0, 0, 5], address).await;
    assert!(is_answered(&mut fifth).await);
    assert!(is_closed(&mut answered).await);
    says(&mut busy, "done").await;
    let mut answer = [0; 12];
    busy.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
}

#[tokio::test]
async fn while_all_connections_are_busy_a_further_one_waits() {
    let address = start(Limits {
        connections: 1,
        ..patient()
    })
    .await;
    let mut busy = from([127, 0, 0, 1], address).await;
    begins(&mut busy).await;
    let mut next = from([127, 0, 0, 2], address).await;
    says(&mut next, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(stays_open(&mut next).await);
    assert!(stays_open(&mut busy).await);
    says(&mut busy, "done").await;
    let mut answer = [0; 12];
    let read = timeout(TIMEOUT, next.read_exact(&mut answer)).await;
    read.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
}

#[tokio::test]
async fn a_client_with_all_its_connections_uses_its_own_and_nobody_elses() {
    let address = start(Limits {
        per_client: 2,
        local: 2,
        ..patient()
    })
    .await;
    let mut other = from([127, 0, 0, 2], address).await;
    assert!(is_answered(&mut other).await);
    let mut first = from([127, 0, 0, 1], address).await;
    let mut second = from([127, 0, 0, 1], address).await;
    assert!(is_answered(&mut first).await);
    assert!(is_answered(&mut second).await);
    let mut third = from([127, 0, 0, 1], address).await;
    assert!(is_answered(&mut third).await);
    assert!(is_closed(&mut first).await);

    // A fourth is closed while requests are under way on the client's two.
    begins(&mut second).await;
    begins(&mut third).await;
    let mut fourth = from([127, 0, 0, 1], address).await;
    assert!(is_closed(&mut fourth).await);
    assert!(is_answered(&mut other).await);
    says(&mut second, "done").await;
    assert!(!is_closed(&mut second).await);
}

#[tokio::test]
async fn a_trusted_proxy_may_have_as_many_connections_as_there_are() {
    let address = start(Limits {
        per_client: 1,
        local: 1,
        proxies: "127.0.0.9".parse().unwrap(),
        ..patient()
    })
    .await;
    let mut first = from([127, 0, 0, 9], address).await;
    let mut second = from([127, 0, 0, 9], address).await;
    assert!(is_answered(&mut second).await);
    assert!(is_answered(&mut first).await);
}

#[tokio::test]
async fn the_first_header_has_less_time_than_the_wait_for_the_next_one() {
    let address = start(Limits {
        first_header: WHILE,
        ..patient()
    })
    .await;
    let mut half = from([127, 0, 0, 1], address).await;
    says(&mut half, "GET / HTTP/1.1\r\nHost:").await;
    let mut silent = from([127, 0, 0, 1], address).await;
    assert!(is_closed(&mut half).await);
    assert!(is_closed(&mut silent).await);
    // On a busy machine a first request may be late, too.
    let mut used = loop {
        let mut stream = from([127, 0, 0, 1], address).await;
        if is_answered(&mut stream).await {
            break stream;
        }
    };
    tokio::time::sleep(2 * WHILE).await;
    assert!(is_answered(&mut used).await);
}

#[tokio::test]
async fn addresses_of_one_ipv6_subscriber_are_one_client() {
    let connections = ConnectionLimit::new(Bounds {
        total: 10,
        per_client: 1,
        local: 2,
        excepted: Networks::default(),
    });
    let admit = async |peer: &str| connections.admit(Some(peer.parse().unwrap())).await;
    let place = admit("2001:db8:0:1::1").await.unwrap();
    let request = place.busy();
    assert!(admit("2001:db8:0:1:ffff::2").await.is_none());
    let other = admit("2001:db8:0:2::1").await;
    assert!(other.is_some());
    // This machine has a share of its own, and what has no address has no share.
    let (_one, _two) = (
        admit("::1").await.unwrap().busy(),
        admit("::ffff:127.0.0.1").await.unwrap().busy(),
    );
    assert!(connections.admit(None).await.is_some());
    drop((place, request));
    assert!(admit("2001:db8:0:1::3").await.is_some());
}
