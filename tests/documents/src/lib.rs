//! A server that publishes documents over HTTPS on loopback, and an egress that takes names to it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use egress::{Egress, Resolve, Resolving};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

/// The host that the server's certificate is for.
pub const HOST: &str = "app.example";

/// Another one that it is for.
pub const OTHER_HOST: &str = "other.example";

/// What the server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A document.
    Text(String),
    /// A document with a header `Cache-Control`.
    Cached(String, &'static str),
    /// A redirect there.
    Redirect(String),
    /// Another status.
    Status(u16),
    /// Nothing, for as long as the client waits.
    Silence,
}

#[derive(Debug, Default)]
struct State {
    replies: Mutex<HashMap<String, Reply>>,
    requests: AtomicUsize,
}

impl State {
    fn replies(&self) -> MutexGuard<'_, HashMap<String, Reply>> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running server. It ends with its runtime.
#[derive(Debug, Clone)]
pub struct Documents {
    address: SocketAddr,
    state: Arc<State>,
}

impl Documents {
    /// Starts a server that answers 404.
    ///
    /// # Panics
    /// When loopback has no port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let documents = Self {
            address: listener.local_addr().unwrap(),
            state: Arc::default(),
        };
        tokio::spawn(listen(listener, Arc::clone(&documents.state)));
        documents
    }

    /// The URL of a path under the server's name.
    pub fn url(&self, path: &str) -> String {
        format!("https://{HOST}:{}{path}", self.address.port())
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Answers a path so from now on.
    pub fn on(&self, path: &str, reply: Reply) {
        self.state.replies().insert(path.to_owned(), reply);
    }

    /// How many requests there were.
    pub fn requests(&self) -> usize {
        self.state.requests.load(Ordering::SeqCst)
    }

    /// An egress for which all names are loopback, and which may go there.
    pub fn egress(&self) -> Egress {
        let names = Names::new([vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]]);
        egress(names, |address| address.is_loopback())
    }
}

/// An egress that trusts the server's certificate.
///
/// # Panics
/// Never: the certificate is in this package.
pub fn egress(names: impl Resolve + 'static, is_allowed: fn(IpAddr) -> bool) -> Egress {
    let authority = CertificateDer::from_pem_slice(include_bytes!("../tls/ca.pem")).unwrap();
    Egress::within(Arc::new(names), is_allowed, authority).unwrap()
}

/// A resolver that answers every name with the same addresses, or with others each time it is asked.
#[derive(Debug)]
pub struct Names {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Names {
    /// These answers, one after the other; the last one remains.
    pub fn new(answers: impl IntoIterator<Item = Vec<IpAddr>>) -> Self {
        Self {
            answers: answers.into_iter().collect(),
            asked: AtomicUsize::new(0),
        }
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, _name: &'a str) -> Resolving<'a> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        let last = self.answers.len().saturating_sub(1);
        let answer = self.answers.get(asked.min(last)).cloned();
        Box::pin(async move { Ok(answer.unwrap_or_default()) })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a server for tests, whose answers are single"
)]
async fn listen(listener: TcpListener, state: Arc<State>) {
    let acceptor = acceptor();
    while let Ok((stream, _)) = listener.accept().await {
        let (state, acceptor) = (Arc::clone(&state), acceptor.clone());
        // A client that goes away is no fault of the server.
        tokio::spawn(async move {
            let _ = serve(stream, acceptor, &state).await;
        });
    }
}

/// TLS with the server's certificate, for other servers of tests.
///
/// # Panics
/// Never: the certificate is in this package.
pub fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("../tls/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../tls/server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, state: &State) -> std::io::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await?);
    }
    state.requests.fetch_add(1, Ordering::SeqCst);
    let request = String::from_utf8_lossy(&request);
    let path = request.split(' ').nth(1).unwrap_or_default();
    let reply = state.replies().get(path).cloned();
    let answer = match reply {
        None => answer(404, "", ""),
        Some(Reply::Text(text)) => answer(200, "", &text),
        Some(Reply::Cached(text, kept)) => {
            answer(200, &format!("cache-control: {kept}\r\n"), &text)
        }
        Some(Reply::Redirect(to)) => answer(302, &format!("location: {to}\r\n"), ""),
        Some(Reply::Status(status)) => answer(status, "", ""),
        Some(Reply::Silence) => {
            // The client gives up and closes.
            stream.read_u8().await?;
            return Ok(());
        }
    };
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}

fn answer(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
}
