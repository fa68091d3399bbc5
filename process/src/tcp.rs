//! TCP sockets. Every port and every client of Muster gets its sockets here, so that all of them have the same options.

use std::{io, net::SocketAddr, time::Duration};

use tokio::net::{TcpListener, TcpStream};

/// How long to wait after a failed accept: out of file descriptors, most likely, which passes as requests end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The next connection of a port, with the address that it comes from. The socket itself no longer says that address once
/// its client has gone. Waits when the system cannot accept one, and tries again.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the function that others are to call"
)]
pub async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                send_at_once(&stream);
                return (stream, peer);
            }
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
/// The system's, when nothing listens there or nothing answers.
pub async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    send_at_once(&stream);
    Ok(stream)
}

/// Sends small messages at once. The system otherwise holds them back until the other side has acknowledged the last ones,
/// and the other side waits up to 40 ms with that.
fn send_at_once(stream: &TcpStream) {
    if let Err(error) = stream.set_nodelay(true) {
        // A connection that has ended already; its next use fails.
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
}
