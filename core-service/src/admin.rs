//! The commands of administrators, mounted by both binaries. They do what the use cases do, on the same database, beside a
//! core that serves it.

mod accounts;
mod doctor;
mod erase;
mod keys;
mod mail;
mod migrate;
mod table;

use std::io::{self, ErrorKind, Write};

use clap::{Args, Subcommand};
use process::Failure;
use serde_json::Value;

pub use accounts::AccountCommand;
pub use doctor::DoctorCommand;
pub use erase::EraseCommand;
pub use keys::KeyCommand;
pub use mail::MailCommand;

use crate::{
    domain::{clock::Clock, entropy::Entropy},
    service::{Commands, Error},
    settings::{DataSettings, MailSettings},
    storage::{self, Access, Store},
};

/// What an administrator may do.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Open accounts and change their plans
    #[command(subcommand)]
    Account(AccountCommand),
    /// Make, list and revoke API keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Look at mails that failed, and send them again
    #[command(subcommand)]
    Mail(MailCommand),
    /// Remove a person everywhere: registrations, mails not sent or in the mail folder, links, the name and address of their account
    Erase(EraseCommand),
    /// Bring the database's schema up to date
    Migrate(Format),
    /// Look for what is wrong, and say how to mend it
    Doctor(DoctorCommand),
}

/// How a command answers.
#[derive(Debug, Clone, Copy, Args)]
pub struct Format {
    /// Answer in JSON, for programs
    #[arg(long)]
    json: bool,
}

/// What a command answers, for people and for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Lines without a break at the end.
    pub text: String,
    /// The same in JSON.
    pub json: Value,
    /// Whether everything is as it should be: what `doctor` found, and whether `mail retry` knew all the mails it was given.
    pub is_well: bool,
}

impl Output {
    fn new(text: impl Into<String>, json: Value) -> Self {
        Self {
            text: text.into(),
            json,
            is_well: true,
        }
    }
}

impl Command {
    /// Carries the command out and prints the answer to standard output.
    ///
    /// # Errors
    /// In one line per problem: wrong arguments, what is in the way, or that `doctor` found something.
    pub async fn run(
        &self,
        data: &DataSettings,
        mail: &MailSettings,
        clock: Clock,
        entropy: Entropy,
    ) -> Result<(), Failure> {
        let answer = self.answer(data, mail, clock, entropy).await?;
        let json = self.format().json;
        print(&if json {
            format!("{:#}", answer.json)
        } else {
            answer.text
        })?;
        if answer.is_well {
            return Ok(());
        }
        Err(Failure::Environment(
            "something is wrong, see above".to_owned(),
        ))
    }

    /// Carries the command out.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn answer(
        &self,
        data: &DataSettings,
        mail: &MailSettings,
        clock: Clock,
        entropy: Entropy,
    ) -> Result<Output, Failure> {
        match self {
            Self::Doctor(command) => Ok(command.examine(data, mail, &clock, &entropy).await),
            Self::Migrate(_) => migrate::run(&open(data).await?).await,
            Self::Account(command) => command.run(commands(data, clock, entropy).await?).await,
            Self::Key(command) => command.run(commands(data, clock, entropy).await?).await,
            Self::Mail(command) => command.run(commands(data, clock, entropy).await?).await,
            Self::Erase(command) => {
                let commands = commands(data, clock, entropy).await?;
                command.run(commands, &data.mail_folder()).await
            }
        }
    }

    fn format(&self) -> Format {
        match self {
            Self::Account(command) => command.format(),
            Self::Key(command) => command.format(),
            Self::Mail(command) => command.format(),
            Self::Erase(command) => command.format,
            Self::Doctor(command) => command.format,
            Self::Migrate(format) => *format,
        }
    }
}

/// Prints to standard output. A reader may stop early, as `head` does; that is no failure.
fn print(text: &str) -> Result<(), Failure> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Environment(format!(
            "can't write the answer to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

async fn open(data: &DataSettings) -> Result<Store, Failure> {
    crate::open_store(data, Access::Administer).await
}

/// The way to change the database as it is.
async fn commands(
    data: &DataSettings,
    clock: Clock,
    entropy: Entropy,
) -> Result<Commands, Failure> {
    let store = open(data).await?;
    store.require_schema().await.map_err(storage_failure)?;
    Ok(Commands::new(store, clock, entropy))
}

fn storage_failure(error: storage::Error) -> Failure {
    failure(error.into())
}

/// Says on one line, or one per wrong argument, why a command was not carried out.
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
        | Error::IdempotencyKeyReused
        | Error::IdempotencyKeyInUse
        | Error::Unauthorized
        | Error::QuotaExceeded { .. }
        | Error::PlanRequired
        | Error::EventCancelled
        | Error::PublishEnded
        | Error::EventEnded
        | Error::EventNotPublished
        | Error::AlreadyRegistered
        | Error::RegistrationCancelled
        | Error::NotConfirmed(_)
        | Error::RateLimited { .. }
        | Error::Busy
        | Error::CapacityBelowConfirmed { .. } => Failure::Environment(error.to_string()),
    }
}
