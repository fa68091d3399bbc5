//! Sending by an SMTP server: connections that are used again, a limit on every exchange, and what each failure means.
//!
//! lettre's own pool is not used: it takes a connection back whose exchange was given up half-way (after a time limit), and
//! then reads each answer as that to the next command. Here whatever did not end well is closed.

mod room;
mod server;
mod standing;

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

use room::Room;
pub use server::{InvalidSmtpUrl, SmtpUrl};
use standing::Standing;

use super::Undelivered;

/// How long a server may take for one mail. Below the runner's limit of a minute, so that the failure names the server.
const LIMIT: Duration = Duration::from_secs(45);

/// How long a connection is kept unused. Servers close silent ones after 30 seconds and more.
const IDLE_LIMIT: Duration = Duration::from_secs(15);

/// Mails that go by one connection; some servers refuse more.
const MAILS_PER_CONNECTION: u32 = 100;

/// Permanent answers that are about our login and not about the mail: once it is mended, the mail goes through.
const LOGIN_REFUSALS: [u16; 4] = [530, 534, 535, 538];

/// An SMTP server and the connections to it. Clones share them.
#[derive(Clone)]
pub struct Smtp(Arc<Inner>);

struct Inner {
    server: SmtpUrl,
    hello: ClientId,
    limit: Duration,
    room: Room,
    idle: Mutex<Vec<Kept>>,
    standing: Mutex<Standing>,
}

/// A connection on which every answer was read.
struct Kept {
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
    /// A server by its URL; `hello` is the domain that we call ourselves. Connects when there is something to send.
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
            room: Room::new(),
            idle: Mutex::default(),
            standing: Mutex::default(),
        }))
    }

    /// Sends a mail to one recipient; once this has answered `Ok`, the server is responsible for it.
    pub async fn send(
        &self,
        from: &Address,
        to: &Address,
        content: &[u8],
    ) -> Result<(), Undelivered> {
        let mut was_reached = false;
        let limit = self.0.limit;
        let exchange = self.exchange(from, to, content, &mut was_reached);
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
        let mut standing = unpoisoned(&self.0.standing);
        match outcome {
            Ok(()) | Err(Undelivered::Permanent(_)) => standing.decided(),
            Err(Undelivered::Temporary(_)) if standing.put_off(to.domain()) => {
                return Err(Undelivered::Unreachable(format!(
                    "{} puts every mail off",
                    self.0.server
                )));
            }
            Err(_) => {}
        }
        outcome
    }

    /// Says hello, encrypts, logs in, and goes; answers what was found, or what is wrong.
    pub async fn check(&self) -> Result<String, String> {
        let Inner { server, hello, .. } = &*self.0;
        let visit = async {
            let mut connection = server.connect(hello, self.0.limit).await?;
            let answered = connection.command(Noop).await;
            answered.map_err(|error| server.failed("NOOP", &error))?;
            let encrypted = connection.is_encrypted();
            // Leaving politely is all that is left to do.
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
            ", and takes our login"
        } else {
            ""
        };
        Ok(format!("{server} answers, {encryption}{login}"))
    }

    /// Everything until the mail is taken. `was_reached` tells whether the server has heard of this mail: what fails before
    /// says nothing of it.
    async fn exchange(
        &self,
        from: &Address,
        to: &Address,
        content: &[u8],
        was_reached: &mut bool,
    ) -> Result<(), Undelivered> {
        let mut place = self.0.room.enter().await;
        let mut kept = loop {
            let failure = match self.begin(from).await {
                Ok(kept) => break kept,
                Err(failure) => failure,
            };
            if self.has_idle() {
                continue;
            }
            // While other connections work, the server may want no more of them; one of those is free before long.
            if !self.0.room.give_up(place) {
                return Err(Undelivered::Unreachable(failure));
            }
            place = self.0.room.enter().await;
        };
        *was_reached = true;
        let outcome = say(&mut kept.connection, to, content).await;
        let Err(error) = outcome else {
            kept.mails += 1;
            self.keep(kept, place);
            return Ok(());
        };
        if error.status().is_some() && kept.connection.command(Rset).await.is_ok() {
            self.keep(kept, place);
        }
        Err(meaning(&error, to))
    }

    /// A connection on which the server has taken our address.
    async fn begin(&self, from: &Address) -> Result<Kept, String> {
        let Inner { server, hello, .. } = &*self.0;
        let from = || Mail::new(Some(from.clone()), Vec::new());
        while let Some(mut kept) = self.idle() {
            // The server may have closed it meanwhile, or have had enough of it; then a new one does as well.
            if kept.connection.command(from()).await.is_ok() {
                return Ok(kept);
            }
        }
        let mut connection = server.connect(hello, self.0.limit).await?;
        let taken = connection.command(from()).await;
        taken.map_err(|error| server.failed("the sender's address", &error))?;
        Ok(Kept {
            connection,
            mails: 0,
            since: Instant::now(),
        })
    }

    fn idle(&self) -> Option<Kept> {
        let mut idle = unpoisoned(&self.0.idle);
        idle.retain(|kept| kept.since.elapsed() < IDLE_LIMIT);
        idle.pop()
    }

    fn has_idle(&self) -> bool {
        !unpoisoned(&self.0.idle).is_empty()
    }

    /// Keeps a connection, and only then lets the next mail in, which may use it.
    fn keep(&self, kept: Kept, place: OwnedSemaphorePermit) {
        let mut idle = unpoisoned(&self.0.idle);
        if kept.mails < MAILS_PER_CONNECTION && idle.len() < room::MOST {
            let since = Instant::now();
            idle.push(Kept { since, ..kept });
        }
        drop(place);
    }
}

/// What is behind a lock is whole at any time: nothing that holds it can fail.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Recipient and content, after the sender.
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

/// The content as it goes over the wire (RFC 5321, 4.5.2), its end included, to be written at once: lettre writes the end
/// apart, which then waits for the system's delayed acknowledgement, up to 40 ms a mail. Mails are encoded as ASCII.
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

/// What a failure means that came once the server had heard of the mail.
fn meaning(error: &smtp::Error, to: &Address) -> Undelivered {
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    let recipient: &str = to.as_ref();
    let cause = cause.replace(recipient, "recipient");
    let Some(code) = error.status() else {
        return Undelivered::Temporary(format!("the connection broke off: {cause}"));
    };
    let text = format!("the mail server answers {code} {cause}");
    if error.is_permanent() && !LOGIN_REFUSALS.contains(&u16::from(code)) {
        Undelivered::Permanent(text)
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
