//! `mail hold`, `mail release` and `mail drop`.

use clap::Args;
use domain::ids::AccountId;
use serde_json::json;
use server::{Failure, command_line};

use super::{
    super::{Consent, Format, Output, counted, failure},
    OfAccount,
};
use crate::service::{Accounts, Mails};

/// The arguments of `mail drop`.
#[derive(Debug, Clone, Args)]
pub struct Drop {
    /// The account.
    #[command(flatten)]
    account: OfAccount,
    /// Whether to do it.
    #[command(flatten)]
    pub(in crate::admin) consent: Consent,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
}

impl Drop {
    pub(super) async fn run(&self, mails: &Mails, accounts: &Accounts) -> Result<Output, Failure> {
        let id = self.account.find(accounts).await?;
        let queued = mails.count_queued(id).await.map_err(failure)?;
        let plan = || {
            format!(
                "{} of account {id} would be removed for good",
                number(queued)
            )
        };
        let json = json!({ "id": id.to_string(), "dropped": 0 });
        if let Some(instead) = self.consent.instead_of(plan, json)? {
            return Ok(instead);
        }
        let dropped = mails.drop_queued(id).await.map_err(failure)?;
        let text = format!("removed {} of account {id}", number(dropped));
        let json = json!({ "id": id.to_string(), "dropped": dropped });
        Ok(Output::new(text, json))
    }
}

/// The output of `mail hold`.
pub(super) fn held(id: AccountId, mails: u64) -> Output {
    let release = command_line(&format!("mail release --account {id}"));
    let text = format!(
        "the emails of account {id} are held, {}; send them with: {release}",
        match mails {
            0 => "none of them queued now".to_owned(),
            mails => format!("{mails} of them queued now"),
        }
    );
    Output::new(text, json!({ "id": id.to_string(), "held": mails }))
}

/// The output of `mail release`.
pub(super) fn released(id: AccountId, mails: u64) -> Output {
    let text = format!("released {} of account {id}", number(mails));
    Output::new(text, json!({ "id": id.to_string(), "released": mails }))
}

fn number(mails: impl Into<i128>) -> String {
    match mails.into() {
        0 => "no queued emails".to_owned(),
        mails => counted(mails, "queued email"),
    }
}
