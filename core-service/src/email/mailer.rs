//! The ways by which mail leaves: an SMTP server, or files in a folder.

use std::{
    fmt,
    fs::{DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor, message::Mailbox,
    transport::smtp,
};
use secrecy::{ExposeSecret as _, SecretString};

use super::{Letter, encode};
use crate::domain::instant::Instant;

/// How long a server may take for one mail. Below the runner's limit of a minute, so that the failure names the server.
const SEND_TIMEOUT: Duration = Duration::from_secs(45);

/// Permanent answers that are about our login and not about the mail: once it is mended, the mail goes through.
const LOGIN_REFUSALS: [u16; 4] = [530, 534, 535, 538];

/// Whom mails are from: `Name <address>` or an address alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender(Mailbox);

/// The URL of a mail server, which may hold a password.
#[derive(Debug, Clone)]
pub struct SmtpUrl(SecretString);

/// A mail setting that can't be used. It says nothing of the value, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidMailSetting(&'static str);

/// Why a mail did not leave. The text names no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// It may leave later.
    #[error("{0}")]
    Passing(String),
    /// It never will.
    #[error("{0}")]
    Lasting(String),
    /// The server does not work, for this mail or any other.
    #[error("{0}")]
    Unreachable(String),
}

impl FromStr for Sender {
    type Err = InvalidMailSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Lettre panics on line breaks in names.
        let text = Some(text).filter(|text| !text.chars().any(char::is_control));
        let mailbox = text.and_then(|text| text.parse().ok());
        mailbox.map(Self).ok_or(InvalidMailSetting(
            "must be an address or a name and an address, for example Muster <events@example.org>",
        ))
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl Sender {
    /// The address alone.
    pub fn address(&self) -> &str {
        self.0.email.as_ref()
    }

    pub(super) const fn mailbox(&self) -> &Mailbox {
        &self.0
    }
}

impl FromStr for SmtpUrl {
    type Err = InvalidMailSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        AsyncSmtpTransport::<Tokio1Executor>::from_url(text)
            .map(|_| Self(SecretString::from(text)))
            .map_err(|_| {
                InvalidMailSetting("must be smtp://HOST:PORT or smtps://USER:PASSWORD@HOST")
            })
    }
}

/// Sends mail. Clones share connections.
#[derive(Clone)]
pub struct Mailer {
    sender: Sender,
    transport: Transport,
}

#[derive(Clone)]
enum Transport {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Files(PathBuf),
}

impl fmt::Debug for Mailer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Mailer").finish_non_exhaustive()
    }
}

impl Mailer {
    /// Sends by a server.
    ///
    /// # Errors
    /// When the URL is none that lettre takes.
    pub fn smtp(url: &SmtpUrl, sender: Sender) -> Result<Self, InvalidMailSetting> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.0.expose_secret())
            .map_err(|_| InvalidMailSetting("names no mail server"))?;
        let transport = Transport::Smtp(builder.timeout(Some(SEND_TIMEOUT)).build());
        Ok(Self { sender, transport })
    }

    /// Writes each mail into a folder, as an `.eml` file named by its key; the folder is made with the first.
    pub fn files(folder: PathBuf, sender: Sender) -> Self {
        let transport = Transport::Files(folder);
        Self { sender, transport }
    }

    /// Whom mails are from.
    pub const fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Sends a mail once.
    pub async fn send(&self, letter: &Letter, now: Instant) -> Result<(), Undelivered> {
        let message = encode::message(letter, &self.sender, now)
            .ok_or_else(|| Undelivered::Lasting("the mail cannot be written".to_owned()))?;
        match &self.transport {
            Transport::Smtp(server) => tokio::time::timeout(SEND_TIMEOUT, server.send(message))
                .await
                .map_err(|_| Undelivered::Passing("the mail server took too long".to_owned()))?
                .map(|_| ())
                .map_err(|error| classified(&error)),
            Transport::Files(folder) => {
                let path = folder.join(format!("{}.eml", letter.key));
                write_apart(path, message).await.map_err(|error| {
                    Undelivered::Passing(format!("cannot write the mail: {error}"))
                })
            }
        }
    }
}

async fn write_apart(path: PathBuf, message: Message) -> io::Result<()> {
    let written = tokio::task::spawn_blocking(move || {
        write(&path, &message.formatted())?;
        tracing::info!(path = %path.display(), "a mail is written, since no mail server is set");
        Ok(())
    });
    written
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Under another name first, so that nobody reads half a mail. For its owner alone: mails hold private links.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let unfinished = path.with_extension("part");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(&unfinished)?.write_all(content)?;
    std::fs::rename(unfinished, path)
}

/// The server's words are left out: they may hold the address.
fn classified(error: &smtp::Error) -> Undelivered {
    let Some(code) = error.status().map(u16::from) else {
        return Undelivered::Unreachable("cannot reach the mail server".to_owned());
    };
    let text = format!("the mail server answered {code}");
    if error.is_permanent() && !LOGIN_REFUSALS.contains(&code) {
        Undelivered::Lasting(text)
    } else {
        Undelivered::Passing(text)
    }
}
