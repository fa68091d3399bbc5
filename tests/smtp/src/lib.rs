//! An SMTP server for tests, in their own process. The protocol is that of the crate mailin, as mail catchers serve it; the
//! sockets are this crate's, so that a test can make it unreachable, hang or disconnect at any step.
//!
//! ```ignore
//! let server = Server::start();
//! server.script(|step| match step {
//!     Step::Recipient("gone@example.org") => Reaction::Answer(550),
//!     _ => Reaction::Go,
//! });
//! ```

mod connection;
mod tls;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mailin::{AuthMechanism, SessionBuilder};
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::Notify,
    task::JoinSet,
};

pub use tls::{Encryption, authority};

/// Far more than a mail of a test takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1_024;

/// A step of a session at which a test decides the server's reaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// A client connected; the greeting is next.
    Greeting,
    /// `MAIL FROM` this address.
    Sender(&'a str),
    /// `RCPT TO` this address.
    Recipient(&'a str),
    /// The content has arrived, for this recipient.
    Content(&'a str),
}

/// The server's reaction to a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// The normal answer.
    Go,
    /// This answer in place of "OK".
    Answer(u16),
    /// No answer: the connection stays open.
    Hang,
    /// The connection is closed.
    Drop,
    /// The mail is accepted, and the connection is closed before the answer.
    TakeAndDrop,
    /// The mail is accepted, without an answer.
    TakeAndHang,
}

/// A mail that the server has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The recipients in `RCPT TO`.
    pub recipients: Vec<String>,
    /// Head and body as received, with dots unstuffed.
    pub content: String,
}

impl Mail {
    /// The text of a header of one line.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (head, _) = self.content.split_once("\r\n\r\n")?;
        let mut lines = head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The identity of a mail: mail programs show two mails with the same id once.
    pub fn message_id(&self) -> Option<&str> {
        self.header("Message-ID")
    }
}

/// Decides the reactions.
type Script = Box<dyn FnMut(Step<'_>) -> Reaction + Send>;

/// The shared state of sessions.
struct Shared {
    mails: Mutex<Vec<Mail>>,
    /// Notified of each accepted mail.
    taken: Notify,
    script: Mutex<Script>,
    connections: AtomicUsize,
    /// Sessions under way.
    open: AtomicUsize,
    /// How many may be.
    most: AtomicUsize,
    builder: SessionBuilder,
    encryption: Encryption,
    login: Option<(String, String)>,
}

impl Shared {
    fn decide(&self, step: Step<'_>) -> Reaction {
        (lock(&self.script))(step)
    }

    fn take(&self, mail: Mail) {
        lock(&self.mails).push(mail);
        self.taken.notify_waiters();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A server on a port of its own, gone when dropped. It lives in the runtime in which it is started.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// The listener's task, or the port held while nobody listens.
    presence: Mutex<Presence>,
}

enum Presence {
    Here(JoinSet<()>),
    Away(TcpSocket),
}

impl Server {
    /// A server without encryption and login that takes every mail.
    pub fn start() -> Self {
        Self::start_with(Encryption::None, None)
    }

    /// The same at another address of this machine.
    pub fn start_at(ip: IpAddr) -> Self {
        Self::start_by(ip, Encryption::None, None)
    }

    /// A server that wants its clients to be encrypted, or to log in as this user with this password.
    ///
    /// # Panics
    /// When no port is free.
    pub fn start_with(encryption: Encryption, login: Option<(&str, &str)>) -> Self {
        Self::start_by(Ipv4Addr::LOCALHOST.into(), encryption, login)
    }

    fn start_by(ip: IpAddr, encryption: Encryption, login: Option<(&str, &str)>) -> Self {
        let mut builder = SessionBuilder::new("mail.test");
        if encryption == Encryption::Offered {
            builder.enable_start_tls();
        }
        if login.is_some() {
            builder.enable_auth(AuthMechanism::Plain);
            if encryption != Encryption::Offered {
                builder.insecure_enable_plaintext_auth();
            }
        }
        let shared = Arc::new(Shared {
            mails: Mutex::default(),
            taken: Notify::new(),
            script: Mutex::new(Box::new(|_| Reaction::Go)),
            connections: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            most: AtomicUsize::new(usize::MAX),
            builder,
            encryption,
            login: login.map(|(user, password)| (user.to_owned(), password.to_owned())),
        });
        let socket = held(SocketAddr::new(ip, 0));
        let address = socket.local_addr().expect("a bound socket has an address");
        let server = Self {
            address,
            shared,
            presence: Mutex::new(Presence::Away(socket)),
        };
        server.come_back();
        server
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The setting that leads to it, without encryption and login.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// From now on decides how sessions go on; the ones under way, too.
    pub fn script(&self, script: impl FnMut(Step<'_>) -> Reaction + Send + 'static) {
        *lock(&self.shared.script) = Box::new(script);
    }

    /// From now on refuses further connections with 421 while this many are open.
    pub fn allow_connections(&self, most: usize) {
        self.shared.most.store(most, Ordering::SeqCst);
    }

    /// Goes away: every connection breaks off, new ones are refused. The port stays its own.
    pub async fn leave(&self) {
        let here = std::mem::replace(&mut *lock(&self.presence), Presence::Here(JoinSet::new()));
        let away = match here {
            Presence::Here(mut listener) => {
                listener.shutdown().await;
                Presence::Away(held(self.address))
            }
            away @ Presence::Away(_) => away,
        };
        *lock(&self.presence) = away;
    }

    /// Listens again where it did.
    ///
    /// # Panics
    /// When the held port cannot be listened on.
    pub fn come_back(&self) {
        let mut presence = lock(&self.presence);
        let mut listener = JoinSet::new();
        let here = std::mem::replace(&mut *presence, Presence::Here(JoinSet::new()));
        let Presence::Away(socket) = here else {
            *presence = here;
            return;
        };
        let socket = socket.listen(BACKLOG).expect("the port is ours");
        listener.spawn(listen(socket, Arc::clone(&self.shared)));
        *presence = Presence::Here(listener);
    }

    /// The mails that it has accepted so far, including repetitions.
    pub fn mails(&self) -> Vec<Mail> {
        lock(&self.shared.mails).clone()
    }

    /// How many they are.
    pub fn count(&self) -> usize {
        lock(&self.shared.mails).len()
    }

    /// Waits until it has taken so many mails.
    ///
    /// # Panics
    /// When they do not come.
    pub async fn await_mails(&self, count: usize) -> Vec<Mail> {
        let arrived = tokio::time::timeout(TIMEOUT, async {
            loop {
                let taken = self.shared.taken.notified();
                tokio::pin!(taken);
                taken.as_mut().enable();
                if self.count() >= count {
                    return self.mails();
                }
                taken.await;
            }
        });
        arrived.await.unwrap_or_else(|_elapsed| {
            panic!("only {} of {count} mails have come", self.mails().len())
        })
    }

    /// How many connections were accepted so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

/// A bound port on which nothing listens.
fn held(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("sockets can be made");
    socket
        .set_reuseaddr(true)
        .expect("an option that every system has");
    socket.bind(address).expect("the port is free");
    socket
}

/// Serves connections; sessions end with it.
#[expect(
    clippy::disallowed_methods,
    reason = "a server for tests, whose sessions set the option themselves"
)]
async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    let mut sessions = JoinSet::new();
    while let Ok((stream, peer)) = listener.accept().await {
        shared.connections.fetch_add(1, Ordering::SeqCst);
        sessions.spawn(connection::serve(stream, peer.ip(), Arc::clone(&shared)));
        while sessions.try_join_next().is_some() {}
    }
}
