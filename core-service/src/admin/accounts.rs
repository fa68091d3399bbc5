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

/// A command on accounts.
#[derive(Debug, Clone, Subcommand)]
pub enum AccountCommand {
    /// Create an account
    Create {
        /// E-mail address of the owner
        #[arg(long)]
        email: String,
        /// Name of the owner
        #[arg(long)]
        name: String,
        /// Plan: free, premium, pro or business
        #[arg(long, default_value_t = Plan::Free)]
        plan: Plan,
        /// Time zone of new events that name none, as an IANA name [default: the instance's]
        #[arg(long, value_name = "ZONE")]
        timezone: Option<String>,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Change an account's plan
    SetPlan {
        /// E-mail address of the owner
        #[arg(long)]
        email: String,
        /// Plan: free, premium, pro or business
        #[arg(long)]
        plan: Plan,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
}

impl AccountCommand {
    pub(super) async fn run(&self, commands: Commands) -> Result<Output, Failure> {
        // These commands do not use the limits of plans.
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
                    "created an account for {} on the {} plan; create a key with: key create --email {} --name LABEL",
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
