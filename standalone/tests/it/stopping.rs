//! How `muster` ends after Ctrl-C.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use server::shutdown::LINGER;
use tempfile::TempDir;

use crate::running::Running;

/// How often it may end late, since the machine was busy.
const TRIES: u8 = 3;

/// How long an idle `muster`, with a browser that holds a connection, takes to end.
fn time_to_end() -> Duration {
    let data = TempDir::new().unwrap();
    let mut muster = Running::start(data.path(), &[]);
    assert_eq!(muster.get("/readyz", None).0, 200);
    let mut browser = TcpStream::connect(muster.address()).unwrap();
    browser
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut answer = [0; 512];
    assert!(browser.read(&mut answer).unwrap() > 0);
    let interrupted = Instant::now();
    muster.interrupt();
    assert!(muster.wait());
    interrupted.elapsed()
}

#[test]
fn an_idle_program_ends_at_once_and_does_not_linger_for_load_balancers() {
    assert!((0..TRIES).any(|_| time_to_end() < LINGER));
}

#[test]
fn a_request_that_is_under_way_is_answered_before_the_program_ends() {
    let data = TempDir::new().unwrap();
    let mut muster = Running::start(data.path(), &[]);
    let key = muster.key().unwrap();
    let body =
        r#"{"title":"Last call","description":"d","location":"l","start_date":"2031-05-14T19:00"}"#;
    let (begin, rest) = body.split_at(20);
    let mut client = TcpStream::connect(muster.address()).unwrap();
    write!(
        client,
        "POST /api/v1/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        muster.address(),
        body.len()
    )
    .unwrap();
    // The request is under way once its body is wanted.
    let mut answer = [0; 512];
    let length = client.read(&mut answer).unwrap();
    assert!(answer[..length].starts_with(b"HTTP/1.1 100 "));
    client.write_all(begin.as_bytes()).unwrap();
    muster.interrupt();
    client.write_all(rest.as_bytes()).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(muster.wait());
}
