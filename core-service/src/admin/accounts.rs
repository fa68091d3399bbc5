//! `account create` and `account set-plan`.

use clap::Subcommand;
use process::Failure;
use serde_json::{Value, json};

use super::{Format, Output, failure};
use crate::{
    domain::{
        account::Account,
        plan::{Plan, Plans},
    },
    service::{Accounts, Commands, NewAccount},
};

/// What may be done to accounts.
#[derive(Debug, Clone, Subcommand)]
pub enum AccountCommand {
    /// Open an account
    Create {
        /// The owner's e-mail address
        #[arg(long)]
        email: String,
        /// The owner's name
        #[arg(long)]
        name: String,
        /// The plan: free, premium, pro or business
        #[arg(long, default_value_t = Plan::Free)]
        plan: Plan,
        /// IANA name of the zone for events created without one [default: the instance's]
        #[arg(long, value_name = "ZONE")]
        timezone: Option<String>,
        /// How to answer.
        #[command(flatten)]
        format: Format,
    },
    /// Change an account's plan
    SetPlan {
        /// The owner's e-mail address
        #[arg(long)]
        email: String,
        /// The plan: free, premium, pro or business
        #[arg(long)]
        plan: Plan,
        /// How to answer.
        #[command(flatten)]
        format: Format,
    },
}

impl AccountCommand {
    pub(super) async fn run(&self, commands: Commands) -> Result<Output, Failure> {
        // What plans allow is not asked here.
        let accounts = Accounts::new(commands, Plans::default());
        match self {
            Self::Create {
                email,
                name,
                plan,
                timezone,
                ..
            } => {
                let new = NewAccount {
                    email: email.clone(),
                    name: name.clone(),
                    plan: *plan,
                    timezone: timezone.clone(),
                };
                let account = accounts.create(new).await.map_err(failure)?;
                let text = format!(
                    "opened an account for {} on the {} plan; make a key with: key create --email {} --name LABEL",
                    account.email, account.plan, account.email
                );
                Ok(Output::new(text, shown(&account)))
            }
            Self::SetPlan { email, plan, .. } => {
                let account = accounts.set_plan(email, *plan).await.map_err(failure)?;
                let text = format!("{} is on the {} plan", account.email, account.plan);
                Ok(Output::new(text, shown(&account)))
            }
        }
    }

    pub(super) const fn format(&self) -> Format {
        match self {
            Self::Create { format, .. } | Self::SetPlan { format, .. } => *format,
        }
    }
}

fn shown(account: &Account) -> Value {
    json!({
        "id": account.id.to_string(),
        "email": account.email,
        "name": account.name,
        "plan": account.plan.name(),
        "timezone": account.timezone,
        "created_at": account.created_at.to_string(),
    })
}
