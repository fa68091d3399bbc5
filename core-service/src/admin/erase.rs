//! `erase`: removing a person everywhere.

mod written_mails;

use std::path::Path;

use clap::Args;
use process::Failure;
use serde_json::json;

use super::{Format, Output, failure};
use crate::service::{Commands, Erasure, People};

/// The person to erase.
#[derive(Debug, Clone, Args)]
pub struct EraseCommand {
    /// The person's e-mail address
    #[arg(long)]
    email: String,
    /// How to answer.
    #[command(flatten)]
    pub(super) format: Format,
}

impl EraseCommand {
    /// Erases from the database first, so that no more mails are written, then the mails in the folder.
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
                "can't remove the mails in {folder}: {error}; all else is removed, run this again when it is mended"
            ))
        })?;
        let json = json!({
            "registrations": done.registrations,
            "mails": done.mails,
            "written_mails": written,
            "links": done.links,
            "promoted": done.promoted,
            "account": done.account,
            "keys": done.keys,
        });
        Ok(Output::new(told(&done, written), json))
    }
}

fn told(done: &Erasure, written: u64) -> String {
    if *done == Erasure::default() && written == 0 {
        return "nothing is known of this address".to_owned();
    }
    let mut lines = vec![
        format!("registrations removed: {}", done.registrations),
        format!("mails removed before they were sent: {}", done.mails),
        format!("mails removed from the mail folder: {written}"),
        format!("private links removed: {}", done.links),
        format!("seats given to the waitlist: {}", done.promoted),
    ];
    if done.account {
        lines.push(format!(
            "account: address and name removed, keys revoked: {}; its events stay",
            done.keys
        ));
    }
    lines.join("\n")
}
