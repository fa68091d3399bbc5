//! The commands on mails.

mod bounce;
mod holds;
mod queued;
mod suppressed;

use clap::{Args, Subcommand};
use domain::{email::Email, ids::AccountId, instant::Instant, job::JobKey, plan::Plans};
use serde_json::{Value, json};
use server::{Failure, command_line};
use storage::UnsentMail;

use self::{bounce::Bounce, holds::Drop, queued::Queued, suppressed::Suppressed};
use super::{Format, Output, accounts, failure, table};
use crate::service::{Accounts, Commands, Mails};

/// A command on mails.
#[derive(Debug, Clone, Subcommand)]
pub enum MailCommand {
    /// List failed emails, the latest first: the server refused them, or every try failed
    #[command(alias = "dead")]
    Failed {
        /// Maximum number of emails
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// List queued emails, the oldest first, and which of them are held
    Queued(Queued),
    /// Hold all emails of an account, queued and new ones, until `mail release`
    ///
    /// An email that the mail server has begun to take is sent. Sign-in codes are not held.
    Hold {
        /// The account.
        #[command(flatten)]
        account: OfAccount,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Release the held emails of an account, and send those that are still correct
    Release {
        /// The account.
        #[command(flatten)]
        account: OfAccount,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Remove the queued emails of an account, held ones included, for good
    Drop(Drop),
    /// Block an address. Its mailbox, whatever the +tag, then gets only sign-in codes and security notices
    Suppress {
        /// Email address
        #[arg(value_name = "ADDRESS")]
        address: Email,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// List blocked mailboxes, the latest first, and why. An address is shown only while a registration has it: otherwise only its hash is stored
    Suppressed(Suppressed),
    /// Take a mail server's report that an email could not be delivered, from standard input: for pipes of Postfix, sieve and others
    ///
    /// Automatic replies, delays and everything else are ignored. Exit codes: 0 recorded or ignored, 64 invalid settings, 70 a defect,
    /// 75 try again later (the database cannot be reached).
    Bounce(Bounce),
    /// Allow emails to a blocked address, whether an operator blocked it, emails came back, or someone reported spam
    Allow {
        /// Email address
        #[arg(value_name = "ADDRESS")]
        address: Email,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Send failed emails again, with all tries
    Retry {
        /// Which mails are sent again.
        #[command(flatten)]
        which: Which,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
}

/// Of which account.
#[derive(Debug, Clone, Args)]
pub struct OfAccount {
    /// Email address of its owner, or id of the account, from `account list`
    #[arg(long, value_name = "ADDRESS|ID")]
    account: String,
}

impl OfAccount {
    async fn find(&self, accounts: &Accounts) -> Result<AccountId, Failure> {
        accounts::named(&self.account, accounts).await
    }
}

/// Which mails are sent again.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub struct Which {
    /// Ids of the emails, from `mail failed`
    #[arg(value_name = "ID", value_parser = mail_id)]
    ids: Vec<JobKey>,
    /// All failed emails
    #[arg(long)]
    all: bool,
}

fn mail_id(text: &str) -> Result<JobKey, String> {
    text.parse().map_err(|_| {
        format!(
            "must be the id of an email, from `{}`",
            command_line("mail failed")
        )
    })
}

impl MailCommand {
    pub(super) async fn run(&self, commands: Commands) -> Result<Output, Failure> {
        // These commands do not use the limits of plans.
        let accounts = Accounts::new(commands.clone(), Plans::default());
        let mails = Mails::new(commands.clone());
        match self {
            Self::Bounce(command) => command.run(commands).await,
            Self::Suppressed(command) => command.run(&mails).await,
            Self::Queued(command) => command.run(&mails, &accounts).await,
            Self::Hold { account, .. } => {
                let id = account.find(&accounts).await?;
                let held = mails.hold(id).await.map_err(failure)?;
                Ok(holds::held(id, held))
            }
            Self::Release { account, .. } => {
                let id = account.find(&accounts).await?;
                let released = mails.release(id).await.map_err(failure)?;
                Ok(holds::released(id, released))
            }
            Self::Drop(command) => command.run(&mails, &accounts).await,
            Self::Suppress { address, .. } => {
                let is_new = mails.suppress(address).await.map_err(failure)?;
                Ok(suppressed(address, is_new))
            }
            Self::Allow { address, .. } => {
                let is_new = mails.allow(address).await.map_err(failure)?;
                Ok(allowed(address, is_new))
            }
            Self::Failed { limit, .. } => {
                let (failed, count) = mails.list_failed(*limit).await.map_err(failure)?;
                let items: Vec<Value> = failed.iter().map(shown).collect();
                let json = json!({ "items": items, "count": count });
                Ok(Output::new(listed(&failed, count), json))
            }
            Self::Retry { which, .. } => retry(&mails, which).await,
        }
    }

    /// A failure as the exit code says it: a mail server repeats a report later only after the code for that.
    pub(super) fn failed(&self, failure: Failure) -> Failure {
        match (self, failure) {
            (Self::Bounce(_), Failure::Environment(text)) => Failure::Temporary(text),
            (_, failure) => failure,
        }
    }

    pub(super) const fn format(&self) -> Format {
        match self {
            Self::Failed { format, .. }
            | Self::Retry { format, .. }
            | Self::Hold { format, .. }
            | Self::Release { format, .. }
            | Self::Suppress { format, .. }
            | Self::Allow { format, .. } => *format,
            Self::Queued(command) => command.format,
            Self::Drop(command) => command.format,
            Self::Bounce(command) => command.format,
            Self::Suppressed(command) => command.format,
        }
    }
}

fn suppressed(address: &Email, is_new: bool) -> Output {
    let text = if is_new {
        let allow = command_line(&format!("mail allow {address}"));
        format!("{address} gets no more emails; allow them again with: {allow}")
    } else {
        format!("{address} was already blocked")
    };
    Output::new(text, json!({ "is_suppressed": true }))
}

fn allowed(address: &Email, was_blocked: bool) -> Output {
    let text = if was_blocked {
        format!("{address} gets emails again")
    } else {
        format!("{address} was not blocked")
    };
    Output::new(text, json!({ "is_suppressed": false }))
}

/// Lists the ids that belong to no failed mail; the others are sent nevertheless.
async fn retry(mails: &Mails, which: &Which) -> Result<Output, Failure> {
    let (mut count, mut unknown) = (0, Vec::new());
    if which.all {
        count = mails.retry_all().await.map_err(failure)?;
    }
    for key in &which.ids {
        if mails.retry(key).await.map_err(failure)? {
            count += 1;
        } else {
            unknown.push(key.to_string());
        }
    }
    let mut lines = vec![match count {
        1 => "1 email will be sent again".to_owned(),
        _ => format!("{count} emails will be sent again"),
    }];
    lines.extend(
        unknown
            .iter()
            .map(|key| format!("there is no failed email with the id {key}")),
    );
    let succeeded = unknown.is_empty();
    let json = json!({ "retried": count, "unknown": unknown });
    Ok(Output {
        succeeded,
        ..Output::new(lines.join("\n"), json)
    })
}

/// It includes the address: an operator can read it in the database anyway, and needs it to find the error.
fn shown(UnsentMail { job, recipient }: &UnsentMail) -> Value {
    let recipient = recipient.as_ref();
    json!({
        "id": job.key.to_string(),
        "kind": job.key.kind.name(),
        "registration_id": job.key.subject_id.to_string(),
        "email": recipient.map(|one| &one.email),
        "event": recipient.map(|one| json!({
            "slug": one.slug,
            "title": one.title,
            "is_cancelled": one.is_cancelled,
        })),
        "failed_at": job.failed_at.map(|at| at.to_string()),
        "tries": job.tries,
        "last_error": job.last_error,
    })
}

fn listed(mails: &[UnsentMail], count: i64) -> String {
    if mails.is_empty() {
        return "there are no failed emails".to_owned();
    }
    let heads = ["ID", "TO", "EVENT", "FAILED", "TRIES", "WHY"].map(str::to_owned);
    let rows = mails.iter().map(|UnsentMail { job, recipient }| {
        let (email, event) = recipient.as_ref().map_or_else(Default::default, |one| {
            let note = if one.is_cancelled { " (cancelled)" } else { "" };
            (one.email.clone(), format!("{}{note}", one.slug))
        });
        let when = job.failed_at.map(Instant::to_the_second);
        let when = when.map(|at| at.to_string()).unwrap_or_default();
        let why = job.last_error.clone().unwrap_or_default();
        [
            job.key.to_string(),
            email,
            event,
            when,
            job.tries.to_string(),
            one_line(&why),
        ]
    });
    let text = table::aligned(std::iter::once(heads).chain(rows));
    let more = usize::try_from(count)
        .unwrap_or(0)
        .saturating_sub(mails.len());
    if more == 0 {
        return text;
    }
    format!("{text}\nand {more} more; raise --limit")
}

/// A server's answer may contain control sequences for terminals.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
