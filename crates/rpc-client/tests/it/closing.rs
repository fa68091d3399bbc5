//! Calls that core has not looked at are made again: it closes the connection, or has no room on it.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use test_toy::{Replica, v1::bindings::PublishThing};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tonic::Code;

use crate::core::{client, thing, within};

const TIME: Duration = Duration::from_secs(10);

const PREFACE: usize = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const HEADERS: u8 = 1;
/// It has looked at no call.
const GO_AWAY: [u8; 17] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// It may have looked at this call, and takes no other.
const GO_AWAY_LATER: [u8; 17] = [
    0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0,
];

/// It has no room for this call.
fn refused([a, b, c, d]: [u8; 4]) -> Vec<u8> {
    vec![0, 0, 4, 3, 0, a, b, c, d, 0, 0, 0, 7]
}

/// A core that answers calls with frames, for the number of the call's stream. Returns how many calls it has had.
#[expect(
    clippy::disallowed_methods,
    reason = "this core needs no options of its sockets"
)]
async fn answering(frame: fn([u8; 4]) -> Vec<u8>) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, frame, Arc::clone(&counted)));
        }
    });
    (address, calls)
}

async fn answer(
    mut stream: TcpStream,
    frame: fn([u8; 4]) -> Vec<u8>,
    calls: Arc<AtomicUsize>,
) -> io::Result<()> {
    stream.write_all(&SETTINGS).await?;
    stream.read_exact(&mut [0; PREFACE]).await?;
    loop {
        let mut header = [0; 9];
        stream.read_exact(&mut header).await?;
        let [_, high, low, kind, _, number @ ..] = header;
        let mut payload = vec![0; u16::from_be_bytes([high, low]).into()];
        stream.read_exact(&mut payload).await?;
        if kind == HEADERS {
            calls.fetch_add(1, Ordering::Relaxed);
            stream.write_all(&frame(number)).await?;
        }
    }
}

#[tokio::test]
async fn a_write_that_core_has_not_looked_at_is_made_by_another_replica() {
    let frames: [fn([u8; 4]) -> Vec<u8>; 2] = [|_| GO_AWAY.to_vec(), refused];
    for frame in frames {
        let (closing, calls) = answering(frame).await;
        let replica = Replica::start().await;
        let core = client(&[closing, replica.address]);
        for _ in 0..8 {
            let written = core.call::<PublishThing>(thing("x"), &within(TIME)).await;
            written.unwrap();
        }
        assert_eq!(replica.toy.count(), 8);
        assert!(calls.load(Ordering::Relaxed) > 0, "it was asked");
    }
}

#[tokio::test]
async fn a_write_that_core_may_have_looked_at_is_not_repeated() {
    let (closing, calls) = answering(|_| GO_AWAY_LATER.to_vec()).await;
    let core = client(&[closing]);
    let lost = core
        .call::<PublishThing>(thing("x"), &within(TIME / 5))
        .await;
    assert_eq!(lost.unwrap_err().code(), Code::DeadlineExceeded);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}
