//! `mail queued`.

use clap::Args;
use serde_json::{Value, json};
use server::Failure;
use storage::UnsentMail;

use super::super::{Format, Output, accounts, failure, table};
use crate::service::{Accounts, Mails};

/// The arguments of `mail queued`.
#[derive(Debug, Clone, Args)]
pub struct Queued {
    /// Only those of an account, by its owner's email address or its id
    #[arg(long, value_name = "ADDRESS|ID")]
    account: Option<String>,
    /// Maximum number of emails
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
}

impl Queued {
    pub(super) async fn run(&self, mails: &Mails, accounts: &Accounts) -> Result<Output, Failure> {
        let account = match &self.account {
            Some(named) => Some(accounts::named(named, accounts).await?),
            None => None,
        };
        let queued = mails.list_queued(account, self.limit).await;
        let queued = queued.map_err(failure)?;
        let items: Vec<Value> = queued.iter().map(shown).collect();
        Ok(Output::new(listed(&queued), json!({ "items": items })))
    }
}

fn shown(UnsentMail { job, recipient }: &UnsentMail) -> Value {
    let recipient = recipient.as_ref();
    json!({
        "id": job.key.to_string(),
        "kind": job.key.kind.name(),
        "account_id": recipient.map(|one| one.account_id.to_string()),
        "email": recipient.map(|one| &one.email),
        "event": recipient.map(|one| &one.slug),
        "queued_at": job.created_at.to_string(),
        "held_at": job.held_at.map(|at| at.to_string()),
        "tries": job.tries,
        "last_error": job.last_error,
    })
}

fn listed(mails: &[UnsentMail]) -> String {
    if mails.is_empty() {
        return "there are no queued emails".to_owned();
    }
    let heads = ["KIND", "TO", "EVENT", "QUEUED", "STATE"].map(str::to_owned);
    let rows = mails.iter().map(|UnsentMail { job, recipient }| {
        let recipient = recipient.as_ref();
        let state = match job.held_at {
            Some(_) => "held",
            None if job.tries > 0 => "tried",
            None => "waiting",
        };
        [
            job.key.kind.name().to_owned(),
            recipient.map(|one| one.email.clone()).unwrap_or_default(),
            recipient.map(|one| one.slug.clone()).unwrap_or_default(),
            job.created_at.to_the_second().to_string(),
            state.to_owned(),
        ]
    });
    table::aligned(std::iter::once(heads).chain(rows))
}
