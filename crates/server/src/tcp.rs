//! TCP sockets. Every port and every client of Muster gets its sockets here, so that all have the same options.

use std::{io, net::SocketAddr, time::Duration};

use tokio::net::{TcpListener, TcpStream};

/// How long to wait after a failed accept. The usual cause is a lack of file descriptors, which ends as requests end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts the next connection of a port, with its peer's address: the socket itself has none any more once the client has
/// disconnected. When accepting fails, it waits and tries again.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the function that others are to call"
)]
pub async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    let (stream, peer) = until_accepted(|| listener.accept()).await;
    send_at_once(&stream);
    (stream, peer)
}

/// Accepts a connection, however often that fails before.
pub(crate) async fn until_accepted<T, F>(accept: impl Fn() -> F) -> T
where
    F: Future<Output = io::Result<T>>,
{
    loop {
        match accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Opens a connection.
///
/// # Errors
/// The system's error, when nothing listens or answers there.
pub async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    send_at_once(&stream);
    Ok(stream)
}

/// Sends small messages at once. Otherwise the system delays them until the other side has acknowledged the last ones, which
/// takes up to 40 ms.
fn send_at_once(stream: &TcpStream) {
    if let Err(error) = stream.set_nodelay(true) {
        // The connection has already ended; its next use fails.
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
}
