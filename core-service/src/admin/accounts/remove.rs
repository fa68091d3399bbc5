//! `account remove`.

use clap::Args;
use domain::ids::AccountId;
use serde_json::json;
use server::Failure;

use super::{
    super::{Consent, Format, Output, counted, failure, words},
    Which,
};
use crate::service::{AccountView, Accounts};

/// The arguments of `account remove`.
#[derive(Debug, Clone, Args)]
pub struct Remove {
    /// The account.
    #[command(flatten)]
    which: Which,
    /// Whether to do it.
    #[command(flatten)]
    pub(in crate::admin) consent: Consent,
    /// Cancel the upcoming events for which people are registered; the emails give this reason. Run the command again once they are sent
    #[arg(long, value_name = "REASON", value_parser = words)]
    cancel_events: Option<String>,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
}

impl Remove {
    pub(super) async fn run(&self, accounts: &Accounts) -> Result<Output, Failure> {
        let id = self.which.find(accounts).await?;
        let view = accounts.view(id).await.map_err(failure)?;
        let json = json!({ "id": id.to_string(), "removed": false });
        if let Some(instead) = self.consent.instead_of(|| plan(&view), json)? {
            return Ok(instead);
        }
        let awaited = view.contents.awaited_events;
        match &self.cancel_events {
            Some(_) if view.account.is_suspended => return Err(Failure::Environment(unsent())),
            _ if view.account.is_suspended => {}
            Some(reason) if awaited > 0 => return call_off(accounts, id, reason).await,
            None if awaited > 0 => return Err(Failure::Environment(unheard(awaited))),
            _ => {}
        }
        let gone = accounts.remove(id).await.map_err(failure)?;
        let text = format!(
            "removed {id}: {}, {}, {}",
            counted(gone.events, "event"),
            counted(gone.registrations, "registration"),
            counted(gone.keys, "key")
        );
        let json = json!({
            "id": id.to_string(),
            "removed": true,
            "events": gone.events,
            "registrations": gone.registrations,
            "keys": gone.keys,
        });
        Ok(Output::new(text, json))
    }
}

fn plan(view: &AccountView) -> String {
    let (account, contents) = (&view.account, view.contents);
    let plan = format!(
        "the account \"{}\" ({}) would be removed for good, with {}, {}, {} and {}",
        account.name,
        account.id,
        counted(contents.events, "event"),
        counted(contents.registrations, "registration"),
        counted(contents.keys, "key"),
        counted(contents.members, "member")
    );
    if account.is_suspended && contents.awaited_events > 0 {
        return format!(
            "{plan}; people are registered for {}, and would get no email",
            counted(contents.awaited_events, "upcoming event")
        );
    }
    plan
}

fn unsent() -> String {
    "the emails of a suspended account are held: leave --cancel-events out to remove it without emails to anyone, or resume it first"
        .to_owned()
}

fn unheard(awaited: i64) -> String {
    format!(
        "people are registered for {}: add --cancel-events REASON, so that they get an email",
        counted(awaited, "upcoming event")
    )
}

async fn call_off(accounts: &Accounts, id: AccountId, reason: &str) -> Result<Output, Failure> {
    let done = accounts.call_off(id, reason).await.map_err(failure)?;
    let text = format!(
        "cancelled {}; {} will be sent; run the command again once they are",
        counted(done.events, "event"),
        counted(done.mails, "email")
    );
    let json = json!({
        "id": id.to_string(),
        "removed": false,
        "cancelled_events": done.events,
        "mails": done.mails,
    });
    Ok(Output::new(text, json))
}
