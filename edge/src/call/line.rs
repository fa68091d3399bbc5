//! One line to a replica of core, on which a connection is opened when a call needs it.
//!
//! A channel of tonic hands each request to a task, which hands it to another one, which starts a third to wait for the answer. Here a call
//! writes to the connection itself, and only the connection's own task is between it and the socket.

use std::{
    io,
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

use http::{
    Request, Response, Uri, Version,
    uri::{Authority, Scheme},
};
use http_body_util::BodyExt as _;
use process::tcp;
use tokio::{net::UnixStream, time::timeout};
use tonic::{ConnectError, body::Body};

use super::{http2::Connection, tls::Tls};

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(2);

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Where a line leads.
#[derive(Debug, Clone)]
pub(crate) enum Way {
    Tcp(SocketAddr),
    Tls(SocketAddr, Tls),
    Unix(PathBuf),
}

/// A line. Its connection is opened by the first call, and again by the first call after it was closed.
pub(crate) struct Line {
    scheme: Scheme,
    authority: Authority,
    door: Arc<Door>,
    /// How many calls wait for the beginning of an answer.
    pub(crate) calls: AtomicUsize,
}

/// What opens the connection, and keeps it.
struct Door {
    way: Way,
    open: Mutex<Option<Connection>>,
    /// Held by the call that opens it. How often that failed, and the last cause: the calls that waited for it share them.
    opening: tokio::sync::Mutex<()>,
    failures: Mutex<(usize, String)>,
}

impl Line {
    pub(crate) fn new(way: Way) -> Self {
        let (scheme, authority) = match &way {
            Way::Tcp(address) => (Scheme::HTTP, address.to_string()),
            Way::Tls(address, _) => (Scheme::HTTPS, address.to_string()),
            Way::Unix(_) => (Scheme::HTTP, String::new()),
        };
        // An address is an authority; a path is none.
        let authority = authority.try_into();
        Self {
            scheme,
            authority: authority.unwrap_or_else(|_| Authority::from_static("localhost")),
            door: Arc::new(Door {
                way,
                open: Mutex::default(),
                opening: tokio::sync::Mutex::default(),
                failures: Mutex::default(),
            }),
            calls: AtomicUsize::new(0),
        }
    }

    /// Sends a request, whose message is small, and waits for the beginning of the answer.
    pub(crate) async fn call(&self, request: Request<Body>) -> Result<Response<Body>, Error> {
        let (mut parts, body) = request.into_parts();
        let message = body.collect().await?.to_bytes();
        let mut uri = parts.uri.into_parts();
        uri.scheme = Some(self.scheme.clone());
        uri.authority = Some(self.authority.clone());
        parts.uri = Uri::from_parts(uri)?;
        parts.version = Version::HTTP_2;
        let connection = self.connection().await?;
        connection
            .call(Request::from_parts(parts, ()), message)
            .await
    }

    async fn connection(&self) -> Result<Connection, ConnectError> {
        if let Some(connection) = self.door.usable().await {
            return Ok(connection);
        }
        // Opening it goes on when this call is given up: the next one needs it as well.
        let door = Arc::clone(&self.door);
        let opening = tokio::spawn(async move { door.open().await });
        opening.await.map_err(|ended| ConnectError(ended.into()))?
    }
}

impl Door {
    /// The connection, if it is open.
    async fn usable(&self) -> Option<Connection> {
        let open = lock(&self.open).clone();
        open?.ready().await
    }

    /// Opens the connection, unless another call does.
    async fn open(&self) -> Result<Connection, ConnectError> {
        let failures = lock(&self.failures).0;
        let _opening = self.opening.lock().await;
        if let Some(connection) = self.usable().await {
            return Ok(connection);
        }
        if let Some(why) = self.failed_since(failures) {
            return Err(ConnectError(why.into()));
        }
        let connected = timeout(CONNECT, self.way.connect()).await;
        let connected = connected.unwrap_or_else(|_elapsed| Err(io::ErrorKind::TimedOut.into()));
        match &connected {
            Ok(connection) => *lock(&self.open) = Some(connection.clone()),
            Err(error) => {
                let mut failed = lock(&self.failures);
                *failed = (failed.0 + 1, error.to_string());
            }
        }
        connected.map_err(|error| ConnectError(error.into()))
    }

    /// Why opening it has failed, if it did since it had failed so often.
    fn failed_since(&self, failures: usize) -> Option<String> {
        let failed = lock(&self.failures);
        (failed.0 != failures).then(|| failed.1.clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Way {
    async fn connect(&self) -> io::Result<Connection> {
        match self {
            Self::Tcp(address) => Connection::begin(tcp::connect(*address).await?).await,
            Self::Tls(address, tls) => {
                let stream = tls.connect(tcp::connect(*address).await?).await?;
                Connection::begin(stream).await
            }
            Self::Unix(path) => Connection::begin(UnixStream::connect(path).await?).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        net::TcpListener,
        time::{Instant, sleep},
    };

    use super::*;

    #[tokio::test]
    async fn calls_that_wait_for_the_same_connection_share_its_failure() {
        let address = {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap()
        };
        let line = Line::new(Way::Tcp(address));
        let opening = line.door.opening.lock().await;
        let end = async move { drop(opening) };
        let (first, second, ()) = tokio::join!(line.door.open(), line.door.open(), end);
        assert!(first.is_err() && second.is_err());
        assert_eq!(lock(&line.door.failures).0, 1);
    }

    #[tokio::test]
    async fn a_connection_is_opened_even_if_the_call_is_given_up_meanwhile() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let line = Line::new(Way::Tcp(listener.local_addr().unwrap()));
        let opening = line.door.opening.lock().await;
        let given_up = timeout(Duration::from_millis(1), line.connection()).await;
        assert!(given_up.is_err());
        drop(opening);
        let deadline = Instant::now() + CONNECT;
        while line.door.usable().await.is_none() {
            assert!(Instant::now() < deadline, "it is not opened");
            sleep(Duration::from_millis(1)).await;
        }
    }
}
