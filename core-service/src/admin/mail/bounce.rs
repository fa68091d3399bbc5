//! `mail bounce`.

use std::io::{self, Read as _};

use clap::Args;
use serde_json::json;
use server::Failure;

use super::super::{Format, Output, failure};
use crate::{
    email::{MAX_REPORT_BYTES, read_report},
    service::{Commands, MailReports, SharedSecrets, Taken},
};

/// The arguments of `mail bounce`.
#[derive(Debug, Clone, Args)]
pub struct Bounce {
    /// Address to which the report came, if the mail server says it besides the message, for example as `${recipient}` of Postfix
    #[arg(long, value_name = "ADDRESS")]
    recipient: Option<String>,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
}

impl Bounce {
    /// Takes the report on standard input. What is no report of a failure is ignored, and that is a success: the mail server has nothing to
    /// repeat or to return.
    pub(super) async fn run(&self, commands: Commands) -> Result<Output, Failure> {
        let message = message()?;
        let report = match read_report(&message, self.recipient.as_deref()) {
            Ok(report) => report,
            Err(why) => return Ok(ignored(&why.to_string())),
        };
        let reports = MailReports::new(commands, SharedSecrets::default());
        let taken = reports.take(&[report]).await.map_err(failure)?;
        Ok(match taken.first() {
            Some(Taken::Recorded) => {
                let json = json!({ "recorded": true });
                Output::new("recorded that the email came back", json)
            }
            Some(Taken::Repeated) => ignored("the email was reported before"),
            Some(Taken::Ignored | Taken::Unknown) | None => {
                ignored("no email had this token within 90 days")
            }
        })
    }
}

/// The message on standard input, or as much of it as counts.
fn message() -> Result<Vec<u8>, Failure> {
    let mut message = Vec::new();
    let mut input = io::stdin().lock().take(MAX_REPORT_BYTES);
    let read = input.read_to_end(&mut message);
    read.map_err(|error| Failure::Environment(format!("cannot read the message: {error}")))?;
    Ok(message)
}

fn ignored(why: &str) -> Output {
    let json = json!({ "recorded": false, "why": why });
    Output::new(format!("ignored: {why}"), json)
}
