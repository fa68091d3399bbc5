//! An endpoint on loopback, with faults.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use test_documents::acceptor;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpListener,
    sync::{Barrier, watch},
};

/// What the endpoint does with a request to a path.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Answers so, and takes the next request.
    Answer(String),
    /// Answers so, and closes.
    Last(String),
    /// Writes this much, and then nothing.
    Stall(String),
    /// Writes this, and then a byte now and then.
    Trickle(String),
    /// Writes this, and then zeros for as long as someone takes them.
    Endless(String),
    /// Closes.
    Close,
    /// Answers once there are this many requests.
    Together(Arc<Barrier>),
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Received {
    /// All values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        let named = fields.filter(|(field, _)| field.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value).collect()
    }
}

#[derive(Debug, Default)]
struct State {
    replies: Mutex<HashMap<String, Reply>>,
    received: Mutex<Vec<Received>>,
    accepted: AtomicUsize,
    zeros: AtomicUsize,
    ended: watch::Sender<usize>,
}

/// A running endpoint. It ends with its runtime.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    address: SocketAddr,
    scheme: &'static str,
    state: Arc<State>,
}

pub(crate) const EMPTY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

impl Endpoint {
    /// An endpoint with TLS.
    pub(crate) async fn secure() -> Self {
        Self::at((Ipv4Addr::LOCALHOST, 0).into(), "https").await
    }

    /// An endpoint without TLS.
    pub(crate) async fn plain() -> Self {
        Self::at((Ipv4Addr::LOCALHOST, 0).into(), "http").await
    }

    pub(crate) async fn at(address: SocketAddr, scheme: &'static str) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let endpoint = Self {
            address: listener.local_addr().unwrap(),
            scheme,
            state: Arc::default(),
        };
        tokio::spawn(listen(listener, endpoint.clone()));
        endpoint
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// The URL of a path under a name.
    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        format!("{}://{host}:{}{path}", self.scheme, self.port())
    }

    pub(crate) fn on(&self, path: &str, reply: Reply) {
        let mut replies = self.state.replies.lock().unwrap();
        replies.insert(path.to_owned(), reply);
    }

    /// How many connections there were.
    pub(crate) fn accepted(&self) -> usize {
        self.state.accepted.load(Ordering::SeqCst)
    }

    /// How many bytes of endless answers were taken.
    pub(crate) fn zeros(&self) -> usize {
        self.state.zeros.load(Ordering::SeqCst)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }

    /// Waits until this many connections have ended at both sides.
    pub(crate) async fn until_ended(&self, connections: usize) {
        let mut ended = self.state.ended.subscribe();
        let waited = ended.wait_for(|ended| *ended >= connections);
        let waited = tokio::time::timeout(Duration::from_secs(10), waited).await;
        let _ = waited.expect("connections end").unwrap();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a server for tests, whose answers are single"
)]
async fn listen(listener: TcpListener, endpoint: Endpoint) {
    while let Ok((stream, _)) = listener.accept().await {
        endpoint.state.accepted.fetch_add(1, Ordering::SeqCst);
        stream.set_nodelay(true).unwrap();
        let state = Arc::clone(&endpoint.state);
        let is_secure = endpoint.scheme == "https";
        tokio::spawn(async move {
            // A client that goes away is no fault of the server.
            let _ = if is_secure {
                match acceptor().accept(stream).await {
                    Ok(stream) => serve(stream, &state).await,
                    Err(error) => Err(error),
                }
            } else {
                serve(stream, &state).await
            };
            state.ended.send_modify(|ended| *ended += 1);
        });
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, state: &State) -> std::io::Result<()> {
    let mut stream = tokio::io::BufReader::new(stream);
    loop {
        let received = read(&mut stream).await?;
        let path = received.head.split(' ').nth(1).unwrap().to_owned();
        state.received.lock().unwrap().push(received);
        let reply = state.replies.lock().unwrap().get(&path).cloned();
        match reply.unwrap_or(Reply::Answer(EMPTY.to_owned())) {
            Reply::Answer(text) => stream.write_all(text.as_bytes()).await?,
            Reply::Together(all) => {
                all.wait().await;
                stream.write_all(EMPTY.as_bytes()).await?;
            }
            Reply::Last(text) => {
                stream.write_all(text.as_bytes()).await?;
                stream.shutdown().await?;
                return end(&mut stream).await;
            }
            Reply::Stall(text) => {
                stream.write_all(text.as_bytes()).await?;
                stream.flush().await?;
                return end(&mut stream).await;
            }
            Reply::Trickle(text) => {
                stream.write_all(text.as_bytes()).await?;
                loop {
                    stream.write_all(b"a").await?;
                    stream.flush().await?;
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
            Reply::Endless(text) => {
                stream.write_all(text.as_bytes()).await?;
                loop {
                    let written = stream.write(&[0; 16 * 1024]).await?;
                    state.zeros.fetch_add(written, Ordering::SeqCst);
                }
            }
            Reply::Close => return Ok(()),
        }
        stream.flush().await?;
    }
}

/// Waits until the client closes. It sends nothing more.
async fn end(stream: &mut (impl AsyncRead + Unpin)) -> std::io::Result<()> {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await?;
    assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
    Ok(())
}

async fn read(stream: &mut (impl AsyncBufReadExt + Unpin)) -> std::io::Result<Received> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let mut received = Received {
        head,
        body: Vec::new(),
    };
    let length = received.header("content-length").concat();
    received.body.resize(length.parse().unwrap_or(0), 0);
    stream.read_exact(&mut received.body).await?;
    Ok(received)
}
