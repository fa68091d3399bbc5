//! Sending mails: by an SMTP server, or as files in a folder.

use std::{
    fmt,
    fs::{DirBuilder, OpenOptions},
    future,
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use domain::{
    email::Email,
    instant::Instant,
    mail::{BounceToken, PermanentStatus},
};
use futures_util::future::BoxFuture;
use lettre::{Message, message::Mailbox};
use server::{brand::Brand, metrics, traces};
use uuid::Uuid;

use super::{BounceAddress, InvalidMailSetting, Mail, Smtp, SmtpUrl, encode};

/// The [`Check`] of mails that nobody can hold.
pub fn unchecked<'a>() -> BoxFuture<'a, Result<(), Undelivered>> {
    Box::pin(future::ready(Ok(())))
}

/// The sender of mails: `Name <address>` or an address alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender(Mailbox);

/// Why a mail was not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// The server or the folder does not work, or the server refuses the connection before the mail. Contains no address.
    #[error("{0}")]
    Unreachable(String),
    /// This mail can be sent later. May contain the server's answer, and so an address.
    #[error("{0}")]
    Temporary(String),
    /// The server refuses this mail for good. Contains the server's answer.
    #[error("{0}")]
    Refused(String),
    /// This mail can never be sent, to whatever server.
    #[error("{0}")]
    Permanent(String),
    /// This mail waits until someone releases it.
    #[error("the mail is held")]
    Held,
    /// This mail is not to be sent any more.
    #[error("the mail was withdrawn")]
    Withdrawn,
}

impl Undelivered {
    /// Whether no later try can succeed.
    pub const fn is_permanent(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Permanent(_))
    }

    /// The status with which the server refused the mail for good.
    pub fn status(&self) -> Option<PermanentStatus> {
        match self {
            Self::Refused(text) => Some(PermanentStatus::of_words(text)),
            _ => None,
        }
    }
}

/// Asks whether a mail may be sent, right before the server hears of it.
pub type Check<'a> = &'a (dyn Fn() -> BoxFuture<'a, Result<(), Undelivered>> + Send + Sync);

impl FromStr for Sender {
    type Err = InvalidMailSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Lettre panics on line breaks in names.
        let text = Some(text).filter(|text| !text.chars().any(char::is_control));
        let mailbox = text.and_then(|text| text.parse().ok());
        mailbox.map(Self).ok_or(InvalidMailSetting(
            "must be an email address with or without a name, for example Muster <events@example.org>",
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

/// Sends mail. Clones share connections.
#[derive(Clone)]
pub struct Mailer {
    sender: Sender,
    /// Where reports about mails go, if not to the sender.
    bounces: Option<BounceAddress>,
    brand: Brand,
    transport: Transport,
}

#[derive(Clone)]
enum Transport {
    Smtp(Smtp),
    Files(PathBuf),
}

impl fmt::Debug for Mailer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Mailer").finish_non_exhaustive()
    }
}

impl Mailer {
    /// Sends by a server. The sender's domain is the name in EHLO.
    pub fn smtp(url: &SmtpUrl, sender: Sender) -> Self {
        let server = Smtp::new(url, sender.0.email.domain());
        Self::new(sender, Transport::Smtp(server))
    }

    /// Writes each mail to a folder as an `.eml` file named by its key. The first mail creates the folder.
    pub fn files(folder: PathBuf, sender: Sender) -> Self {
        Self::new(sender, Transport::Files(folder))
    }

    fn new(sender: Sender, transport: Transport) -> Self {
        Self {
            sender,
            bounces: None,
            brand: Brand::default(),
            transport,
        }
    }

    /// The same mailer, whose mails have another sender in their envelopes.
    #[must_use]
    pub fn with_bounces(self, bounces: Option<BounceAddress>) -> Self {
        Self { bounces, ..self }
    }

    /// Whether the envelope of a mail can have a token.
    pub const fn has_bounce_tokens(&self) -> bool {
        self.bounces.is_some()
    }

    /// The domain of the sender in envelopes.
    pub fn envelope_domain(&self) -> &str {
        let bounces = self.bounces.as_ref();
        bounces.map_or_else(|| self.sender.0.email.domain(), BounceAddress::domain)
    }

    /// The same mailer for a site of this name and colour. A sender without a name gets the site's.
    #[must_use]
    pub fn with_brand(mut self, brand: Brand) -> Self {
        let own = self.sender.0.name.take();
        self.sender.0.name = own.or_else(|| Some(brand.name.to_string()));
        Self { brand, ..self }
    }

    /// What the site is called, and its colour.
    pub const fn brand(&self) -> &Brand {
        &self.brand
    }

    /// The sender of mails.
    pub const fn sender(&self) -> &Sender {
        &self.sender
    }

    /// The same mailer with another time limit for one mail.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Self {
        let transport = match self.transport {
            Transport::Smtp(server) => Transport::Smtp(server.with_limit(limit)),
            files @ Transport::Files(_) => files,
        };
        Self { transport, ..self }
    }

    /// The folder to which mails are written if there is no server.
    pub fn folder(&self) -> Option<&Path> {
        match &self.transport {
            Transport::Smtp(_) => None,
            Transport::Files(folder) => Some(folder),
        }
    }

    /// Connects to the server and logs in, without sending a mail. Returns a description of the server, or the error.
    pub async fn check(&self) -> Result<String, String> {
        match &self.transport {
            Transport::Smtp(server) => server.check().await,
            Transport::Files(folder) => Ok(format!("emails are written to {}", folder.display())),
        }
    }

    /// Sends a test mail.
    pub async fn send_test(&self, to: &Email, id: Uuid, now: Instant) -> Result<(), Undelivered> {
        let site = &self.brand.name;
        let words = format!("This is a test email from {site}. You do not need to do anything.");
        let mail = Mail {
            key: format!("test_mail.{id}"),
            host: self.sender.0.email.domain().to_owned(),
            name: None,
            address: to.to_string(),
            reply_to: None,
            subject: format!("A test email from {site}"),
            text: format!("{words}\n"),
            html: format!("<p>{}</p>\n", words.replace('&', "&amp;")),
            stop: None,
            ticket_image: None,
            calendar: None,
        };
        self.send(&mail, now, &unchecked).await
    }

    /// Sends a mail once, if `check` allows it right before.
    pub async fn send(
        &self,
        mail: &Mail,
        now: Instant,
        check: Check<'_>,
    ) -> Result<(), Undelivered> {
        self.send_with(mail, None, now, check).await
    }

    /// The same for a mail whose envelope has this token: reports about it come to an address that names it.
    pub async fn send_with(
        &self,
        mail: &Mail,
        token: Option<&BounceToken>,
        now: Instant,
        check: Check<'_>,
    ) -> Result<(), Undelivered> {
        let began = traces::now();
        let sent = self.hand_over(mail, token, now, check).await;
        traces::ended(began, "mail", "send", sent.is_ok());
        let outcome = match &sent {
            Ok(()) => "sent",
            Err(Undelivered::Unreachable(_)) => "unreachable",
            Err(Undelivered::Temporary(_)) => "later",
            Err(Undelivered::Refused(_) | Undelivered::Permanent(_)) => "refused",
            Err(Undelivered::Held | Undelivered::Withdrawn) => "withheld",
        };
        metrics::measure(|all| all.mails.add_one([outcome.into()]));
        sent
    }

    async fn hand_over(
        &self,
        mail: &Mail,
        token: Option<&BounceToken>,
        now: Instant,
        check: Check<'_>,
    ) -> Result<(), Undelivered> {
        let message = encode::message(mail, &self.sender, now)
            .ok_or_else(|| Undelivered::Permanent("the mail cannot be encoded".to_owned()))?;
        match &self.transport {
            Transport::Smtp(server) => {
                let to = message.envelope().to().first();
                let to = to.ok_or_else(|| {
                    Undelivered::Permanent("the mail has no recipient".to_owned())
                })?;
                let from = match &self.bounces {
                    Some(bounces) => bounces.with(token),
                    None => self.sender.0.email.clone(),
                };
                server.send(&from, to, &message.formatted(), check).await
            }
            Transport::Files(folder) => {
                check().await?;
                let path = folder.join(format!("{}.eml", mail.key));
                write_apart(path, message).await.map_err(|error| {
                    Undelivered::Unreachable(format!("cannot write the mail: {error}"))
                })
            }
        }
    }
}

async fn write_apart(path: PathBuf, message: Message) -> io::Result<()> {
    let written = tokio::task::spawn_blocking(move || {
        write(&path, &message.formatted())?;
        tracing::info!(path = %path.display(), "wrote a mail to a file, since no mail server is set");
        Ok(())
    });
    written
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// It is written under a temporary name first, so that nobody reads half a mail. Only its owner can read it: mails hold private
/// links.
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
