//! Sending by an SMTP server: reused connections, a time limit on every exchange, and the meaning of failures.
//!
//! lettre's own pool is not used: it reuses a connection whose exchange was cancelled (by a time limit), and then takes each
//! answer for the answer to the next command. Here a connection is closed after any failure.

mod connection_limit;
mod deferrals;
mod server;

use std::{
    error::Error as _,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use lettre::{
    Address,
    transport::smtp::{
        self,
        client::AsyncSmtpConnection,
        commands::{Data, Mail, Noop, Rcpt, Rset},
        extension::ClientId,
    },
};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};

use connection_limit::SmtpConnectionLimit;
use deferrals::Deferrals;
pub use server::{InvalidSmtpUrl, SmtpUrl};

use super::{Check, Undelivered};

/// How long a server may take for one mail. Less than the runner's limit of a minute, so that the error names the server.
const LIMIT: Duration = Duration::from_secs(45);

/// How long a connection is open unused. Servers close silent ones after 30 seconds and more.
const IDLE_LIMIT: Duration = Duration::from_secs(15);

/// Mails per connection; some servers refuse more.
const MAILS_PER_CONNECTION: u32 = 100;

/// Permanent answers about the login and not about the mail: once the login is corrected, the mail can be sent.
const LOGIN_REFUSALS: [u16; 4] = [530, 534, 535, 538];

/// An SMTP server and the connections to it. Clones share them.
#[derive(Clone)]
pub struct Smtp(Arc<Inner>);

struct Inner {
    server: SmtpUrl,
    hello: ClientId,
    limit: Duration,
    connections: SmtpConnectionLimit,
    idle: Mutex<Vec<OpenConnection>>,
    deferrals: Mutex<Deferrals>,
}

/// An idle connection on which every answer was read.
struct OpenConnection {
    connection: AsyncSmtpConnection,
    mails: u32,
    since: Instant,
}

impl fmt::Debug for Smtp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Smtp").field(&self.0.server).finish()
    }
}

impl Smtp {
    /// A server by its URL. `hello` is the domain in EHLO. It connects when there is a mail to send.
    pub fn new(server: &SmtpUrl, hello: &str) -> Self {
        Self::of(server.clone(), hello, LIMIT)
    }

    /// The same server with another limit on how long one mail may take.
    #[must_use]
    pub fn with_limit(&self, limit: Duration) -> Self {
        Self::of(self.0.server.clone(), &self.0.hello.to_string(), limit)
    }

    fn of(server: SmtpUrl, hello: &str, limit: Duration) -> Self {
        Self(Arc::new(Inner {
            server,
            hello: ClientId::Domain(hello.to_owned()),
            limit,
            connections: SmtpConnectionLimit::new(),
            idle: Mutex::default(),
            deferrals: Mutex::default(),
        }))
    }

    /// Sends a mail to one recipient, if `check` allows it once there is a connection. After `Ok` the server is responsible for it.
    pub async fn send(
        &self,
        from: &Address,
        to: &Address,
        content: &[u8],
        check: Check<'_>,
    ) -> Result<(), Undelivered> {
        let mut was_reached = false;
        let limit = self.0.limit;
        let exchange = self.exchange(from, to, content, check, &mut was_reached);
        let outcome = match tokio::time::timeout(limit, exchange).await {
            Ok(outcome) => outcome,
            Err(_) if was_reached => Err(Undelivered::Temporary(format!(
                "the mail server took longer than {limit:?} for this mail"
            ))),
            Err(_) => Err(Undelivered::Unreachable(format!(
                "{} does not answer within {limit:?}",
                self.0.server
            ))),
        };
        let mut deferrals = unpoisoned(&self.0.deferrals);
        match outcome {
            Ok(()) | Err(Undelivered::Refused(_)) => deferrals.decided(),
            Err(Undelivered::Temporary(_)) if deferrals.deferred(to.domain()) => {
                return Err(Undelivered::Unreachable(format!(
                    "{} defers every mail",
                    self.0.server
                )));
            }
            Err(_) => {}
        }
        outcome
    }

    /// Connects, encrypts and logs in. Returns a description of the server, or the error.
    pub async fn check(&self) -> Result<String, String> {
        let Inner { server, hello, .. } = &*self.0;
        let visit = async {
            let mut connection = server.connect(hello, self.0.limit).await?;
            let answered = connection.command(Noop).await;
            answered.map_err(|error| server.failed("NOOP", &error))?;
            let encrypted = connection.is_encrypted();
            // The check has succeeded; a failure of QUIT does not matter.
            let _ = connection.quit().await;
            Ok::<bool, String>(encrypted)
        };
        let encrypted = tokio::time::timeout(self.0.limit, visit)
            .await
            .map_err(|_elapsed| format!("{server} does not answer within {:?}", self.0.limit))??;
        let encryption = if encrypted {
            "encrypted"
        } else {
            "not encrypted"
        };
        let login = if server.has_login() {
            ", and accepts the login"
        } else {
            ""
        };
        Ok(format!("{server} answers, {encryption}{login}"))
    }

    /// The whole exchange. `was_reached` becomes true once the server knows of this mail: earlier failures say nothing about
    /// it.
    async fn exchange(
        &self,
        from: &Address,
        to: &Address,
        content: &[u8],
        check: Check<'_>,
        was_reached: &mut bool,
    ) -> Result<(), Undelivered> {
        let mut permit = self.0.connections.acquire().await;
        let mut open = loop {
            let failure = match self.begin(from, check).await {
                Ok(open) => break open,
                Err(Undelivered::Unreachable(failure)) => failure,
                Err(other) => return Err(other),
            };
            if self.has_idle() {
                continue;
            }
            // While other connections work, the server may refuse further ones; one of those will soon be idle.
            if !self.0.connections.withhold(permit) {
                return Err(Undelivered::Unreachable(failure));
            }
            permit = self.0.connections.acquire().await;
        };
        *was_reached = true;
        let outcome = say(&mut open.connection, to, content).await;
        let Err(error) = outcome else {
            open.mails += 1;
            self.release(open, permit);
            return Ok(());
        };
        if error.status().is_some() && open.connection.command(Rset).await.is_ok() {
            self.release(open, permit);
        }
        Err(meaning(&error, to))
    }

    /// A connection on which the server has accepted the sender. The sender begins the mail, so `check` comes before.
    async fn begin(&self, from: &Address, check: Check<'_>) -> Result<OpenConnection, Undelivered> {
        let Inner { server, hello, .. } = &*self.0;
        let from = || Mail::new(Some(from.clone()), Vec::new());
        while let Some(mut open) = self.idle() {
            if let Err(withheld) = check().await {
                self.put_idle(open);
                return Err(withheld);
            }
            // The server may have closed this connection meanwhile; then a new one is opened.
            if open.connection.command(from()).await.is_ok() {
                return Ok(open);
            }
        }
        let connected = server.connect(hello, self.0.limit).await;
        let mut open = OpenConnection {
            connection: connected.map_err(Undelivered::Unreachable)?,
            mails: 0,
            since: Instant::now(),
        };
        if let Err(withheld) = check().await {
            self.put_idle(open);
            return Err(withheld);
        }
        let taken = open.connection.command(from()).await;
        taken.map_err(|error| {
            Undelivered::Unreachable(server.failed("the sender's address", &error))
        })?;
        Ok(open)
    }

    fn idle(&self) -> Option<OpenConnection> {
        let mut idle = unpoisoned(&self.0.idle);
        idle.retain(|open| open.since.elapsed() < IDLE_LIMIT);
        idle.pop()
    }

    fn has_idle(&self) -> bool {
        !unpoisoned(&self.0.idle).is_empty()
    }

    /// Keeps a connection before it releases the permit, so that the next mail can use the connection.
    fn release(&self, open: OpenConnection, permit: OwnedSemaphorePermit) {
        self.put_idle(open);
        drop(permit);
    }

    fn put_idle(&self, open: OpenConnection) {
        let mut idle = unpoisoned(&self.0.idle);
        if open.mails < MAILS_PER_CONNECTION && idle.len() < connection_limit::MAX_CONNECTIONS {
            let since = Instant::now();
            idle.push(OpenConnection { since, ..open });
        }
    }
}

/// A panic cannot leave the value in a bad state.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends recipient and content, after the sender.
async fn say(
    connection: &mut AsyncSmtpConnection,
    to: &Address,
    content: &[u8],
) -> Result<(), smtp::Error> {
    connection
        .command(Rcpt::new(to.clone(), Vec::new()))
        .await?;
    connection.command(Data).await?;
    connection.command(stuffed(content)).await?;
    Ok(())
}

/// The content as it is sent (RFC 5321, 4.5.2), including its end, in one write: lettre writes the end separately, which then
/// waits up to 40 ms for a delayed acknowledgement. Mails are encoded as ASCII.
fn stuffed(content: &[u8]) -> String {
    let content = String::from_utf8_lossy(content);
    let mut wire = String::with_capacity(content.len() + content.len() / 64 + 8);
    for line in content
        .strip_suffix("\r\n")
        .unwrap_or(&content)
        .split("\r\n")
    {
        if line.starts_with('.') {
            wire.push('.');
        }
        wire.push_str(line);
        wire.push_str("\r\n");
    }
    wire.push_str(".\r\n");
    wire
}

/// The meaning of a failure after the server knows of the mail.
fn meaning(error: &smtp::Error, to: &Address) -> Undelivered {
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    let recipient: &str = to.as_ref();
    let cause = cause.replace(recipient, "recipient");
    let Some(code) = error.status() else {
        return Undelivered::Temporary(format!("the connection broke off: {cause}"));
    };
    let text = format!("the mail server answers {code} {cause}");
    if error.is_permanent() && !LOGIN_REFUSALS.contains(&u16::from(code)) {
        Undelivered::Refused(text)
    } else {
        Undelivered::Temporary(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_with_a_dot_do_not_end_the_mail() {
        assert_eq!(stuffed(b"a\r\n.\r\n..b\r\n"), "a\r\n..\r\n...b\r\n.\r\n");
        assert_eq!(stuffed(b"a\r\n\r\n"), "a\r\n\r\n.\r\n");
        assert_eq!(stuffed(b"a"), "a\r\n.\r\n");
    }
}
