//! `erase`: removes a person's data.

mod written_mails;

use std::path::Path;

use clap::Args;
use process::Failure;
use serde_json::json;

use super::{Format, Output, failure};
use crate::service::{Commands, Erasure, People};

/// The arguments of `erase`.
#[derive(Debug, Clone, Args)]
pub struct EraseCommand {
    /// E-mail address of the person
    #[arg(long)]
    email: String,
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
        let done = People::new(commands).erase(&self.email).await;
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
            "account": done.account,
            "keys": done.keys,
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
    if done.account {
        lines.push(format!(
            "account: address and name removed, keys revoked: {}; its events stay",
            done.keys
        ));
    }
    lines.join("\n")
}
