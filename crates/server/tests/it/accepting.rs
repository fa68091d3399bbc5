//! What happens to connections around the signal to stop.

use std::time::Duration;

use server::{CancellationToken, accepting::Accepting, tcp};
use tokio::net::{TcpListener, TcpStream};

#[tokio::test]
async fn connections_that_wait_when_the_port_stops_are_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut clients = Vec::new();
    for _ in 0..3 {
        clients.push(TcpStream::connect(address).await.unwrap());
    }
    let stop = CancellationToken::new();
    stop.cancel();
    let mut taken = Vec::new();
    let mut accepting = Accepting::until(&stop, Duration::ZERO);
    let nothing = std::future::pending::<()>();
    assert!(accepting.next(nothing).await.is_none(), "it has stopped");
    while let Some(connection) = accepting.next(tcp::accept(&listener)).await {
        taken.push(connection);
    }
    assert_eq!(taken.len(), 3);
}
