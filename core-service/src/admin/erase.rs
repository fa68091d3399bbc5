//! `erase`: removing a person everywhere.

use clap::Args;
use process::Failure;
use serde_json::json;

use super::{Answer, Format, failure};
use crate::service::{Erasure, Service};

/// Whom to erase.
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
    pub(super) async fn run(&self, service: &Service) -> Result<Answer, Failure> {
        let done = service.erase_person(&self.email).await.map_err(failure)?;
        let json = json!({
            "registrations": done.registrations,
            "mails": done.mails,
            "links": done.links,
            "promoted": done.promoted,
            "account": done.account,
            "keys": done.keys,
        });
        Ok(Answer::new(told(&done), json))
    }
}

fn told(done: &Erasure) -> String {
    if *done == Erasure::default() {
        return "nothing is known of this address".to_owned();
    }
    let mut lines = vec![format!(
        "removed {} registrations, {} mails and {} private links; {} people got the seats",
        done.registrations, done.mails, done.links, done.promoted
    )];
    if done.account {
        lines.push(format!(
            "took the address and the name from their account and revoked {} keys; its events stay",
            done.keys
        ));
    }
    lines.join("\n")
}
