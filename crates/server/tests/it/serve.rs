use std::{convert::Infallible, net::SocketAddr, time::Duration};

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use server::{
    CancellationToken,
    observe::RequestId,
    serve::{Limits, RequestBody, bind, serve},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinHandle,
    time::timeout,
};
use tower::service_fn;

/// Far more than any limit under test, far less than a hanging test's patience.
const TIMEOUT: Duration = Duration::from_secs(20);

struct Server {
    address: SocketAddr,
    shutdown: CancellationToken,
    running: JoinHandle<()>,
}

/// `/hang` never answers, `/large` answers 64 MiB, `/refuse` answers `401` without a look at the body, everything else answers the request's body or `408` for a broken one.
async fn start(limits: Limits) -> Server {
    let listener = bind("--http-addr", "127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let service = service_fn(async |request: Request<RequestBody>| {
        assert!(request.extensions().get::<RequestId>().is_some());
        let path = request.uri().path().to_owned();
        let (status, body) = match path.as_str() {
            "/hang" => std::future::pending().await,
            "/large" => (200, vec![b'x'; 64 << 20].into()),
            "/refuse" => (401, "no".into()),
            _ => request
                .into_body()
                .collect()
                .await
                .map_or((408, "broken".into()), |body| (200, body.to_bytes())),
        };
        Ok::<_, Infallible>(
            Response::builder()
                .status(status)
                .body(Full::new(body))
                .unwrap(),
        )
    });
    let running = tokio::spawn(serve(listener, service, limits, shutdown.clone()));
    Server {
        address,
        shutdown,
        running,
    }
}

/// Sends the text and reads until the server closes.
async fn exchange(address: SocketAddr, text: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A connection that the server resets counts as closed.
    let _reset = timeout(TIMEOUT, stream.read_to_end(&mut answer))
        .await
        .expect("the server closes the connection");
    String::from_utf8_lossy(&answer).into_owned()
}

fn short() -> Limits {
    Limits {
        first_header: Duration::from_millis(150),
        header: Duration::from_millis(150),
        body_idle: Duration::from_millis(150),
        stall: Duration::from_millis(600),
        ..Limits::http()
    }
}

#[tokio::test]
async fn a_request_that_a_proxy_could_read_in_another_way_is_refused() {
    let server = start(short()).await;
    let chunked = "Transfer-Encoding: chunked\r\n";
    let other = "Transfer-Encoding: gzip\r\n";
    for (head, status) in [
        ("POST / HTTP/1.1\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nHost: x\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nHost: y\r\n", 400),
        ("POST / HTTP/1.0\r\nHost: x\r\nHost: y\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x, y\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x,y\r\n", 400),
        ("POST / HTTP/1.0\r\nHost: x y\r\n", 400),
        ("POST http://x/ HTTP/1.1\r\n", 400),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n",
            501,
        ),
        (
            &format!("POST / HTTP/1.1\r\nHost: x\r\n{other}{chunked}"),
            501,
        ),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n",
            400,
        ),
        (
            &format!("POST / HTTP/1.1\r\nHost: x\r\n{chunked}{other}"),
            400,
        ),
        (&format!("POST / HTTP/1.1\r\nHost: x\r\n{other}"), 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", 200),
        ("POST / HTTP/1.0\r\n", 200),
        (
            &format!("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{chunked}"),
            200,
        ),
    ] {
        let body = if head.contains("chunked") {
            "0\r\n\r\n"
        } else {
            ""
        };
        let answer = exchange(server.address, &format!("{head}\r\n{body}")).await;
        let line = answer.lines().next().unwrap_or_default();
        let code = line.split(' ').nth(1).unwrap_or_default();
        assert_eq!(code, status.to_string(), "{head:?}: {answer}");
    }
}

#[tokio::test]
async fn a_silent_socket_and_half_a_header_are_closed() {
    let server = start(short()).await;
    for text in [
        "",
        "G",
        "GET / HTTP/1.1\r\nHost: x\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM",
    ] {
        let answer = exchange(server.address, text).await;
        assert!(!answer.starts_with("HTTP/1.1 200"), "{text:?}: {answer}");
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_its_answer() {
    let server = start(short()).await;
    let answer = exchange(server.address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn a_client_that_is_refused_while_it_sends_sees_why_and_may_go_on() {
    const BODY_BYTES: usize = 3 << 20;
    let server = start(short()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let header =
        format!("POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: {BODY_BYTES}\r\n\r\n");
    stream.write_all(header.as_bytes()).await.unwrap();
    stream.write_all(&vec![b'x'; BODY_BYTES]).await.unwrap();
    let next = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(next.as_bytes()).await.unwrap();
    let mut answers = String::new();
    let read = timeout(TIMEOUT, stream.read_to_string(&mut answers));
    read.await.unwrap().unwrap();
    assert!(answers.starts_with("HTTP/1.1 401"), "{answers}");
    assert!(answers.contains("HTTP/1.1 200"), "{answers}");
}

#[tokio::test]
async fn a_body_that_never_comes_does_not_keep_the_connection() {
    let server = start(short()).await;
    let text = "POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf";
    let answer = exchange(server.address, text).await;
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

#[tokio::test]
async fn a_body_that_stalls_fails_for_the_service() {
    let server = start(short()).await;
    let answer = exchange(
        server.address,
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
    )
    .await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_cut_off() {
    let server = start(short()).await;
    assert_eq!(
        exchange(server.address, "GET /hang HTTP/1.1\r\nHost: x\r\n\r\n").await,
        ""
    );
}

#[tokio::test]
async fn a_client_that_never_reads_its_answer_is_cut_off() {
    let server = start(short()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    server.shutdown.cancel();
    // The drain's own limit is longer than the test's patience, so that only the request's limit can end it.
    timeout(TIMEOUT, server.running)
        .await
        .expect("the connection is closed")
        .unwrap();
}

#[tokio::test]
async fn what_arrives_while_the_port_stops_is_answered_and_its_connection_closed() {
    let server = start(Limits {
        linger: TIMEOUT,
        ..Limits::http()
    })
    .await;
    let request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nonce";
    let mut used = TcpStream::connect(server.address).await.unwrap();
    used.write_all(request).await.unwrap();
    let mut answer = vec![0; 1024];
    let read = timeout(TIMEOUT, used.read(&mut answer)).await.unwrap();
    answer.truncate(read.unwrap());
    let answer = String::from_utf8(answer).unwrap();
    assert!(
        answer.ends_with("once") && !answer.contains("close"),
        "{answer}"
    );

    server.shutdown.cancel();
    let closes_after_its_answer = async |mut connection: TcpStream| {
        connection.write_all(request).await.unwrap();
        let mut answer = String::new();
        let closed = connection.read_to_string(&mut answer);
        timeout(TIMEOUT / 2, closed).await.unwrap().unwrap();
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
        assert!(answer.ends_with("once"), "{answer}");
    };
    let connect = async || TcpStream::connect(server.address).await.unwrap();
    closes_after_its_answer(connect().await).await;
    // By now the port has seen the signal, and goes on.
    closes_after_its_answer(used).await;
    closes_after_its_answer(connect().await).await;
}

#[tokio::test]
async fn stopping_lets_a_running_request_finish_and_closes_idle_connections() {
    let server = start(Limits::http()).await;
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    let mut busy = TcpStream::connect(server.address).await.unwrap();
    busy.write_all(
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n",
    )
    .await
    .unwrap();
    let mut buffer = [0; 25];
    busy.read_exact(&mut buffer).await.unwrap();
    assert_eq!(
        &buffer, b"HTTP/1.1 100 Continue\r\n\r\n",
        "the request is being served"
    );

    server.shutdown.cancel();
    assert_eq!(
        timeout(TIMEOUT, idle.read(&mut [0]))
            .await
            .unwrap()
            .unwrap(),
        0,
        "the idle connection is closed"
    );
    busy.write_all(b"done").await.unwrap();
    let mut answer = String::new();
    timeout(TIMEOUT, busy.read_to_string(&mut answer))
        .await
        .unwrap()
        .unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("done"),
        "{answer}"
    );
    timeout(TIMEOUT, server.running).await.unwrap().unwrap();
}

#[tokio::test]
async fn stopping_gives_up_on_a_request_that_does_not_finish() {
    let server = start(Limits {
        drain: Duration::from_millis(100),
        ..Limits::http()
    })
    .await;
    let mut busy = TcpStream::connect(server.address).await.unwrap();
    busy.write_all(
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n",
    )
    .await
    .unwrap();
    busy.read_exact(&mut [0; 25]).await.unwrap();
    server.shutdown.cancel();
    timeout(TIMEOUT, server.running).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_request_id_is_kept_when_valid_and_made_otherwise() {
    let server = start(Limits::http()).await;
    let ask = async |id: &str| {
        let request =
            format!("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: {id}\r\n\r\n");
        let answer = exchange(server.address, &request).await;
        let line = answer
            .lines()
            .find_map(|line| line.strip_prefix("x-request-id: "))
            .map(str::to_owned);
        line.expect("an id is answered")
    };
    assert_eq!(ask("abc-1_2.3").await, "abc-1_2.3");
    let longest = "x".repeat(128);
    assert_eq!(ask(&longest).await, longest);
    for bad in ["", "a b", "a\"b", &"x".repeat(129)] {
        assert_eq!(ask(bad).await.len(), 36, "{bad:?}");
    }
}

#[tokio::test]
async fn a_port_in_use_is_one_line_that_names_the_flag() {
    let server = start(Limits::http()).await;
    let failure = bind("--http-addr", server.address)
        .await
        .expect_err("the port is taken");
    assert_eq!(failure.code(), 1);
    assert_eq!(
        failure.to_string(),
        format!(
            "cannot listen on {}: another program has this port; choose another with --http-addr",
            server.address
        )
    );
}
