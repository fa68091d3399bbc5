use http_body_util::BodyExt as _;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    time::{Instant, advance},
};

use super::*;

const PREFACE: usize = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const KIND_RESET: u8 = 3;
const KIND_PING: u8 = 6;
/// An answer is as long as what may be on its way.
const ANSWER: usize = STREAM_WINDOW as usize;
const ACK: u8 = 1;

/// A connection and its other side.
async fn begun() -> (Connection, DuplexStream) {
    let (near, mut far) = duplex(1 << 16);
    let connection = Connection::begin(near).await.unwrap();
    far.write_all(&SETTINGS).await.unwrap();
    far.read_exact(&mut [0; PREFACE]).await.unwrap();
    (connection, far)
}

/// Reads up to the next frame of a kind.
async fn next(kind: u8, far: &mut DuplexStream) -> io::Result<Vec<u8>> {
    loop {
        let mut frame = vec![0; SETTINGS.len()];
        far.read_exact(&mut frame).await?;
        let length = u16::from_be_bytes([frame[1], frame[2]]);
        let mut payload = vec![0; length.into()];
        far.read_exact(&mut payload).await?;
        if frame[3] == kind {
            return Ok([frame, payload].concat());
        }
    }
}

/// Reads up to the next ping, and returns the answer to it.
async fn next_ping(far: &mut DuplexStream) -> io::Result<Vec<u8>> {
    let mut ping = next(KIND_PING, far).await?;
    ping[4] = ACK;
    Ok(ping)
}

fn head() -> Request<()> {
    Request::post("http://core/").body(()).unwrap()
}

/// Answers each call with a long body, until the connection ends.
async fn answer_calls(far: DuplexStream) {
    let mut server = h2::server::handshake(far).await.unwrap();
    while let Some(Ok((_, mut answer))) = server.accept().await {
        let mut body = answer.send_response(Response::new(()), false).unwrap();
        body.send_data(vec![0; ANSWER].into(), true).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_whose_other_side_is_silent_ends() {
    let (connection, mut far) = begun().await;
    let start = Instant::now();
    next_ping(&mut far).await.unwrap();
    assert!(next_ping(&mut far).await.is_err(), "it is closed");
    assert!(start.elapsed() < PING + PONG * 2);
    assert!(connection.ready().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_process_that_stood_still_reads_the_pong_before_it_judges() {
    let (connection, mut far) = begun().await;
    let pong = next_ping(&mut far).await.unwrap();
    advance(PONG * 10).await;
    far.write_all(&pong).await.unwrap();
    next_ping(&mut far).await.unwrap();
    assert!(connection.ready().await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_brings_an_answer_is_alive_without_a_pong() {
    let (connection, mut far) = begun().await;
    let pong = next_ping(&mut far).await.unwrap();
    for _ in 0..10 {
        connection.heard.store(true, Ordering::Relaxed);
        sleep(PONG / PARTS).await;
    }
    far.write_all(&pong).await.unwrap();
    next_ping(&mut far).await.unwrap();
    assert!(connection.ready().await.is_some());
}

#[tokio::test(start_paused = true)]
async fn core_learns_that_a_call_was_given_up() {
    let (connection, mut far) = begun().await;
    let call = connection.call(head(), Bytes::from_static(b"message"));
    timeout(PING / 2, call).await.unwrap_err();
    let reset = next(KIND_RESET, &mut far).await.unwrap();
    let cancel = u32::from(h2::Reason::CANCEL).to_be_bytes();
    assert!(reset.ends_with(&cancel), "{reset:?}");
}

#[tokio::test(start_paused = true)]
async fn answers_that_nobody_reads_leave_the_connection_to_others() {
    let (near, far) = duplex(1 << 16);
    tokio::spawn(answer_calls(far));
    let connection = Connection::begin(near).await.unwrap();
    for _ in 0..10 {
        let answer = connection.clone().call(head(), Bytes::new()).await.unwrap();
        // As much comes as may.
        sleep(PING / 10).await;
        drop(answer);
    }
    let read = connection.call(head(), Bytes::new()).await.unwrap();
    let read = timeout(PING, read.into_body().collect()).await.unwrap();
    assert_eq!(read.unwrap().to_bytes().len(), ANSWER);
}

#[tokio::test(start_paused = true)]
async fn an_answer_waits_until_it_is_read() {
    let (near, far) = duplex(1 << 16);
    let (sent, mut waits) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut server = h2::server::handshake(far).await.unwrap();
        let (_, mut answer) = server.accept().await.unwrap().unwrap();
        tokio::spawn(async move {
            let mut body = answer.send_response(Response::new(()), false).unwrap();
            for _ in 0..4 {
                body.reserve_capacity(ANSWER);
                let mut left = ANSWER;
                while left > 0 {
                    let room = std::future::poll_fn(|context| body.poll_capacity(context)).await;
                    let room = room.unwrap().unwrap().min(left);
                    body.send_data(vec![0; room].into(), false).unwrap();
                    left -= room;
                }
                sent.send(()).unwrap();
            }
            body.send_data(Bytes::new(), true).unwrap();
        });
        while server.accept().await.is_some() {}
    });
    let connection = Connection::begin(near).await.unwrap();
    let answer = connection.call(head(), Bytes::new()).await.unwrap();
    sleep(PING).await;
    let mut pieces = 0;
    while waits.try_recv().is_ok() {
        pieces += 1;
    }
    assert_eq!(pieces, 1, "no more than may be on its way");
    let read = timeout(PING, answer.into_body().collect()).await.unwrap();
    assert_eq!(read.unwrap().to_bytes().len(), 4 * ANSWER);
}
