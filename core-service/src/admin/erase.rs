//! `erase`: removes a person's data.

mod written_mails;

use std::path::Path;

use clap::Args;
use serde_json::json;
use server::Failure;

use super::{Consent, Format, Output, counted, failure};
use crate::service::{Commands, Erasure, LastOwner, Outlook, People};

/// The arguments of `erase`.
#[derive(Debug, Clone, Args)]
pub struct EraseCommand {
    /// Email address of the person
    #[arg(long)]
    email: String,
    /// Who becomes the owner of accounts that nobody else owns: an email address
    #[arg(long, value_name = "EMAIL", conflicts_with = "remove_accounts")]
    new_owner: Option<String>,
    /// Remove the accounts that nobody else owns, with their events. Cancel upcoming events first
    #[arg(long)]
    remove_accounts: bool,
    /// Whether to do it.
    #[command(flatten)]
    pub(super) consent: Consent,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
}

impl EraseCommand {
    /// The database comes first, so that no more mails are written to the folder.
    pub(super) async fn run(
        &self,
        commands: Commands,
        mail_folder: &Path,
    ) -> Result<Output, Failure> {
        let last_owner = match &self.new_owner {
            Some(address) => LastOwner::Named(address.clone()),
            None if self.remove_accounts => LastOwner::Remove,
            None => LastOwner::Refuse,
        };
        let people = People::new(commands);
        let outlook = people.preview(&self.email, &last_owner).await;
        let outlook = outlook.map_err(failure)?;
        let json = json!({
            "registrations": outlook.registrations,
            "at_events": outlook.events,
            "person": outlook.person,
            "solely_owned": outlook.solely_owned,
        });
        let plan = || plan(&self.email, &outlook, &last_owner);
        if let Some(instead) = self.consent.instead_of(plan, json)? {
            return Ok(instead);
        }
        let done = people.erase(&self.email, &last_owner).await;
        let done = done.map_err(failure)?;
        let written = written_mails::remove(mail_folder, &self.email).map_err(|error| {
            let folder = mail_folder.display();
            Failure::Environment(format!(
                "cannot remove the emails in {folder}: {error}; everything else is removed; repair this and run the command again"
            ))
        })?;
        let json = json!({
            "registrations": done.registrations,
            "mails": done.mails,
            "written_mails": written,
            "links": done.links,
            "promoted": done.promoted,
            "events": done.events,
            "person": done.person,
            "keys": done.keys,
            "passed_on": done.passed_on,
            "removed_accounts": done.removed_accounts,
        });
        Ok(Output::new(summary(&done, written), json))
    }
}

fn plan(address: &str, outlook: &Outlook, last_owner: &LastOwner) -> String {
    let Outlook {
        registrations,
        events,
        person,
        solely_owned,
    } = outlook;
    let mut lines = vec![format!(
        "{address} would be erased for good: {} at {}, emails to them, and their name and address on events",
        counted(*registrations, "registration"),
        counted(*events, "event")
    )];
    if *person {
        lines.push("they could not sign in any more, and their keys would be revoked".to_owned());
    }
    if !solely_owned.is_empty() {
        let names = solely_owned.join("\", \"");
        lines.push(match last_owner {
            LastOwner::Named(heir) => format!("{heir} would own \"{names}\""),
            _ => format!("removed with their events would be \"{names}\""),
        });
    }
    lines.join("\n")
}

fn summary(done: &Erasure, written: u64) -> String {
    if *done == Erasure::default() && written == 0 {
        return "there is no data about this address".to_owned();
    }
    let mut lines = vec![
        format!("registrations removed: {}", done.registrations),
        format!("emails removed before they were sent: {}", done.mails),
        format!("emails removed from the mail folder: {written}"),
        format!("private links removed: {}", done.links),
        format!(
            "waitlisted registrations that got a spot: {}",
            done.promoted
        ),
        format!(
            "events from which name and address of the organizer were removed: {}",
            done.events
        ),
    ];
    if done.person {
        lines.push(format!(
            "the person cannot sign in any more; keys revoked: {}, accounts with a new owner: {}, accounts removed: {}",
            done.keys, done.passed_on, done.removed_accounts
        ));
    }
    lines.join("\n")
}
