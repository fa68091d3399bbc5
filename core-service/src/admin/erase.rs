//! `erase`: removes a person's data.

mod written_mails;

use std::path::Path;

use clap::Args;
use process::Failure;
use serde_json::json;

use super::{Format, Output, failure};
use crate::service::{Commands, Erasure, LastOwner, People};

/// The arguments of `erase`.
#[derive(Debug, Clone, Args)]
pub struct EraseCommand {
    /// E-mail address of the person
    #[arg(long)]
    email: String,
    /// Who becomes the owner of accounts that nobody else owns: an e-mail address
    #[arg(long, value_name = "EMAIL", conflicts_with = "remove_accounts")]
    new_owner: Option<String>,
    /// Remove the accounts that nobody else owns, with their events. Events to come must be cancelled before
    #[arg(long)]
    remove_accounts: bool,
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
        let done = People::new(commands).erase(&self.email, &last_owner).await;
        let done = done.map_err(failure)?;
        let written = written_mails::remove(mail_folder, &self.email).map_err(|error| {
            let folder = mail_folder.display();
            Failure::Environment(format!(
                "cannot remove the mails in {folder}: {error}; everything else is removed; repair this and run the command again"
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

fn summary(done: &Erasure, written: u64) -> String {
    if *done == Erasure::default() && written == 0 {
        return "there is no data about this address".to_owned();
    }
    let mut lines = vec![
        format!("registrations removed: {}", done.registrations),
        format!("mails removed before they were sent: {}", done.mails),
        format!("mails removed from the mail folder: {written}"),
        format!("private links removed: {}", done.links),
        format!(
            "waitlisted registrations that got a seat: {}",
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
