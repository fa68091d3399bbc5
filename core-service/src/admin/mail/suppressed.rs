//! `mail suppressed`.

use clap::Args;
use serde_json::{Value, json};
use server::Failure;
use storage::BlockedMailbox;

use super::super::{Format, Output, failure, table};
use crate::service::Mails;

/// The arguments of `mail suppressed`.
#[derive(Debug, Clone, Args)]
pub struct Suppressed {
    /// Maximum number of mailboxes
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
}

impl Suppressed {
    pub(super) async fn run(&self, mails: &Mails) -> Result<Output, Failure> {
        let blocked = mails.list_blocked(self.limit).await.map_err(failure)?;
        let items: Vec<Value> = blocked.iter().map(shown).collect();
        Ok(Output::new(listed(&blocked), json!({ "items": items })))
    }
}

fn shown(one: &BlockedMailbox) -> Value {
    json!({
        "mailbox": hexadecimal(&one.mailbox),
        "email": one.email,
        "reason": reason(one),
        "account_id": account(one),
        "since": one.created_at.to_string(),
    })
}

/// By whom, or by what.
fn reason(one: &BlockedMailbox) -> &str {
    match (&*one.reason, account(one)) {
        ("suppressed", None) => "operator",
        ("suppressed", Some(_)) => "recipient",
        (reason, _) => reason,
    }
}

fn account(one: &BlockedMailbox) -> Option<String> {
    let account = one.account_id.filter(|id| !id.uuid().is_nil())?;
    Some(account.to_string())
}

fn hexadecimal(hash: &[u8]) -> String {
    let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
    digits.collect()
}

/// Only hashes of mailboxes are stored. The address is known while a registration has it that was mailed lately.
fn listed(blocked: &[BlockedMailbox]) -> String {
    if blocked.is_empty() {
        return "no mailbox is blocked".to_owned();
    }
    let heads = ["ADDRESS", "WHY", "SINCE"].map(str::to_owned);
    let rows = blocked.iter().map(|one| {
        let hash = hexadecimal(&one.mailbox);
        let start = hash.get(..12).unwrap_or_default();
        let address = one.email.clone();
        [
            address.unwrap_or_else(|| format!("(unknown, SHA-256 {start}…)")),
            why(one),
            one.created_at.to_the_second().to_string(),
        ]
    });
    table::aligned(std::iter::once(heads).chain(rows))
}

fn why(one: &BlockedMailbox) -> String {
    match (reason(one), account(one)) {
        ("operator", _) => "blocked by an operator".to_owned(),
        ("recipient", Some(account)) => format!("wants no emails of account {account}"),
        ("bounced", _) => "emails came back: gets no messages and reminders".to_owned(),
        ("complained", _) => "reported spam: gets no messages and reminders".to_owned(),
        (other, _) => other.to_owned(),
    }
}
