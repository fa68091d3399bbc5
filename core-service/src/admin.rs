//! The admin commands, which both binaries have. They run use cases on the database, also while a core serves it.

mod accounts;
mod backup;
mod consent;
mod doctor;
mod erase;
mod events;
mod keys;
mod mail;
mod migrate;
mod table;

use std::{
    io::{self, ErrorKind, Write},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use clap::{Args, Subcommand};
use domain::{account::is_line, clock::Clock, entropy::Entropy};
use futures_util::future::BoxFuture;
use seal::SecretKeys;
use serde_json::Value;
use server::{Failure, exposure::Exposure};
use storage::{self, Purpose, Store};

use crate::{
    service::{Commands, Error},
    settings::{DataSettings, MailSettings},
};

pub use accounts::AccountCommand;
pub use backup::BackupCommand;
pub use consent::Consent;
pub use doctor::DoctorCommand;
pub use erase::EraseCommand;
pub use events::EventCommand;
pub use keys::KeyCommand;
pub use mail::MailCommand;

/// An admin command.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Create, list, suspend and remove accounts, change their plans, and let people sign in
    #[command(subcommand)]
    Account(AccountCommand),
    /// Take events down and show them again
    #[command(subcommand)]
    Event(EventCommand),
    /// Create, list and revoke API keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// List, hold, release and drop queued emails, send failed ones again, and take reports of emails that came back
    #[command(subcommand)]
    Mail(MailCommand),
    /// Copy the SQLite database to a new file, also while a core serves it
    Backup(BackupCommand),
    /// Erase a person: registrations, unsent emails, emails in the mail folder, private links, memberships and keys, and their name and
    /// address on events
    Erase(EraseCommand),
    /// Run the migrations that the database lacks
    Migrate(Format),
    /// Check the settings, the database and the mail server, and say how to repair what is wrong
    Doctor(DoctorCommand),
}

/// The output of a command.
#[derive(Debug, Clone, Copy, Args)]
pub struct Format {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The output of a command, as text and as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Lines, without a line break at the end.
    pub text: String,
    /// The same in JSON.
    pub json: Value,
    /// False when `doctor` found an error or `mail retry` got an unknown id.
    pub succeeded: bool,
}

impl Output {
    fn new(text: impl Into<String>, json: Value) -> Self {
        Self {
            text: text.into(),
            json,
            succeeded: true,
        }
    }
}

impl Command {
    /// Runs the command and prints its output to standard output.
    ///
    /// # Errors
    /// One line per problem: wrong arguments, a problem of the environment, or that `doctor` found an error.
    pub fn run<'a>(
        &'a self,
        data: &'a DataSettings,
        mail: &'a MailSettings,
        clock: Clock,
        entropy: Entropy,
    ) -> BoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let agreed = self.agreed(data, mail, &clock, &entropy).await?;
            let answer = agreed.answer(data, mail, clock, entropy).await?;
            let json = self.format().json;
            print(&if json {
                format!("{:#}", answer.json)
            } else {
                answer.text
            })?;
            if answer.succeeded {
                return Ok(());
            }
            Err(Failure::Environment(
                "the command found errors, see above".to_owned(),
            ))
        })
    }

    /// The command after the person at the terminal, if there is one, agreed to what cannot be undone.
    async fn agreed(
        &self,
        data: &DataSettings,
        mail: &MailSettings,
        clock: &Clock,
        entropy: &Entropy,
    ) -> Result<Self, Failure> {
        let mut command = self.clone();
        let Some(consent) = command.consent().filter(|consent| consent.is_open()) else {
            return Ok(command);
        };
        if !consent::is_someone_there() {
            return Ok(command);
        }
        consent.withhold();
        let plan = command.answer(data, mail, clock.clone(), entropy.clone());
        consent::ask(&plan.await?.text)?;
        if let Some(consent) = command.consent() {
            consent.give();
        }
        Ok(command)
    }

    /// The consent to what cannot be undone, if the command does such a thing.
    const fn consent(&mut self) -> Option<&mut Consent> {
        match self {
            Self::Erase(command) => Some(&mut command.consent),
            Self::Key(KeyCommand::Revoke { consent, .. }) => Some(consent),
            Self::Account(AccountCommand::Remove(command)) => Some(&mut command.consent),
            Self::Mail(MailCommand::Drop(command)) => Some(&mut command.consent),
            _ => None,
        }
    }

    /// The same command, which knows what of the installation others can reach.
    #[must_use]
    pub fn exposed(mut self, exposure: Exposure) -> Self {
        if let Self::Doctor(command) = &mut self {
            command.exposure = exposure;
        }
        self
    }

    /// The same command, with the keys that seal secrets, if they are set.
    #[must_use]
    pub fn with_secret_keys(mut self, keys: Option<SecretKeys>) -> Self {
        if let Self::Doctor(command) = &mut self {
            command.keys = keys.map(Arc::new);
        }
        self
    }

    /// The same command, which asks this name server instead of that of the machine.
    #[must_use]
    pub fn with_name_server(mut self, server: SocketAddr) -> Self {
        if let Self::Doctor(command) = &mut self {
            command.name_server = Some(server);
        }
        self
    }

    /// Runs the command, which asks nobody.
    ///
    /// # Errors
    /// As [`Self::run`]; and when it needs consent that it does not have.
    pub async fn answer(
        &self,
        data: &DataSettings,
        mail: &MailSettings,
        clock: Clock,
        entropy: Entropy,
    ) -> Result<Output, Failure> {
        match self {
            Self::Doctor(command) => Ok(command.examine(data, mail, &clock, &entropy).await),
            Self::Migrate(_) => migrate::run(&open(data, data.database_wait()).await?).await,
            Self::Backup(command) => command.run(data).await,
            Self::Account(command) => command.run(commands(data, clock, entropy).await?).await,
            Self::Event(command) => command.run(commands(data, clock, entropy).await?).await,
            Self::Key(command) => command.run(commands(data, clock, entropy).await?).await,
            Self::Mail(command) => {
                let answer = async { command.run(commands(data, clock, entropy).await?).await };
                answer.await.map_err(|failure| command.failed(failure))
            }
            Self::Erase(command) => {
                let commands = commands(data, clock, entropy).await?;
                command.run(commands, &data.mail_folder()).await
            }
        }
    }

    fn format(&self) -> Format {
        match self {
            Self::Account(command) => command.format(),
            Self::Event(command) => command.format(),
            Self::Key(command) => command.format(),
            Self::Mail(command) => command.format(),
            Self::Erase(command) => command.format,
            Self::Backup(command) => command.format,
            Self::Doctor(command) => command.format,
            Self::Migrate(format) => *format,
        }
    }
}

/// Prints to standard output. A reader that stops early, as `head` does, is no failure.
fn print(text: &str) -> Result<(), Failure> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Environment(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// How many there are of something, for example `2 events`.
fn counted(count: impl Into<i128>, noun: &str) -> String {
    let count = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// The most characters of a reason, as in the API.
const MAX_REASON_LENGTH: usize = 500;

/// A reason that people read: one line.
fn words(text: &str) -> Result<String, String> {
    let is_shown = !text.trim().is_empty() && is_line(text);
    if is_shown && text.chars().count() <= MAX_REASON_LENGTH {
        return Ok(text.trim().to_owned());
    }
    Err(format!(
        "must be one line of 1 to {MAX_REASON_LENGTH} characters"
    ))
}

async fn open(data: &DataSettings, wait: Duration) -> Result<Store, Failure> {
    crate::open_store(data, Purpose::Administer, wait).await
}

async fn commands(
    data: &DataSettings,
    clock: Clock,
    entropy: Entropy,
) -> Result<Commands, Failure> {
    // Whoever typed the command waits for it.
    let store = open(data, Duration::ZERO).await?;
    store.require_schema().await.map_err(storage_failure)?;
    Ok(Commands::new(store, clock, entropy))
}

fn storage_failure(error: storage::Error) -> Failure {
    failure(error.into())
}

/// One line, or one line for each wrong argument, on why a command failed.
fn failure(error: Error) -> Failure {
    match error {
        Error::Invalid(violations) => Failure::Settings(
            violations
                .into_iter()
                .map(|violation| format!("--{} {}", violation.field, violation.message))
                .collect(),
        ),
        Error::Unavailable(source) | Error::Internal(source @ storage::Error::Configuration(_)) => {
            Failure::Environment(source.to_string())
        }
        Error::Internal(source) => Failure::Internal(source.to_string()),
        Error::NotFound { .. }
        | Error::Conflict(_)
        | Error::NotAllowedNow(_)
        | Error::IdempotencyKeyReused
        | Error::IdempotencyKeyInUse
        | Error::Unauthorized
        | Error::WrongAudience(_)
        | Error::AccountSuspended
        | Error::StepUpRequired
        | Error::QuotaExceeded { .. }
        | Error::PlanRequired
        | Error::MessagesOff
        | Error::PlanForbids { .. }
        | Error::EventCancelled
        | Error::PublishEnded
        | Error::EventEnded
        | Error::EventNotPublished
        | Error::RegistrationNotOpen(_)
        | Error::RegistrationClosed(_)
        | Error::AlreadyRegistered
        | Error::RegistrationCancelled
        | Error::NotConfirmed(_)
        | Error::AwaitsConfirmation
        | Error::RateLimited { .. }
        | Error::TooManyUnknownKeys { .. }
        | Error::ExportUnderWay { .. }
        | Error::TooManyWaits { .. }
        | Error::ReadTooSlowly
        | Error::Busy
        | Error::CoversBusy
        | Error::InsufficientScope { .. }
        | Error::IndexIncomplete
        | Error::CapacityBelowConfirmed { .. }
        | Error::CapacityBelowConfirmedOn { .. }
        | Error::DailyMails { .. }
        | Error::NewAccountMails { .. } => Failure::Environment(error.to_string()),
    }
}
