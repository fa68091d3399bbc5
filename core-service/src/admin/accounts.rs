//! The commands on accounts.

mod remove;
mod shown;
mod sign_in_link;

use clap::{Args, Subcommand};
use domain::{
    ids::AccountId,
    plan::{Plan, Plans},
};
use serde_json::json;
use server::{Failure, command_line};

use self::{
    remove::Remove,
    shown::{listed, shown, view},
    sign_in_link::SignInLink,
};
use super::{Format, Output, failure, words};
use crate::service::{Accounts, Commands, Error, NewAccount, Suspensions};

/// A command on accounts.
#[derive(Debug, Clone, Subcommand)]
pub enum AccountCommand {
    /// Create an account
    Create {
        /// Email address of the owner
        #[arg(long)]
        email: String,
        /// Name of the owner
        #[arg(long)]
        name: String,
        /// Plan: free, premium, pro or business
        #[arg(long, default_value_t = Plan::Pro)]
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
        /// The account.
        #[command(flatten)]
        which: Which,
        /// Plan: free, premium, pro or business
        #[arg(long)]
        plan: Plan,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// List all accounts with their plans and states
    List {
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Show an account: its members, and how many events, registrations and keys it has
    Show {
        /// The account.
        #[command(flatten)]
        which: Which,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Print a link with which a person signs in, once, within 15 minutes
    SignInLink(SignInLink),
    /// Suspend an account: its keys and sessions are refused within five seconds, its events leave the site and take no registrations, and
    /// its emails are held
    ///
    /// Nothing is deleted: private links of registrants keep working. `account resume` ends the suspension and sends the emails that are still
    /// correct.
    Suspend {
        /// The account.
        #[command(flatten)]
        which: Which,
        /// Why. The members read it once the suspension has ended
        #[arg(long, value_parser = words)]
        reason: Option<String>,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Lift the limit of new accounts on emails to people who did not register themselves
    ///
    /// A new account may email only a few such people a day (`--new-account-mails`), until enough people have registered
    /// themselves and pressed a button on their page.
    Trust {
        /// The account.
        #[command(flatten)]
        which: Which,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// End the suspension of an account. Everything is as it was before
    Resume {
        /// The account.
        #[command(flatten)]
        which: Which,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Remove an account with its events, registrations and keys, for good
    ///
    /// It is refused while people are registered for upcoming events, since they would get no email: `--cancel-events` cancels those events
    /// first. A suspended account is removed at once, and its queued emails are dropped. The people who are members remain.
    Remove(Remove),
}

/// Which account.
#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub struct Which {
    /// Email address of its owner. If they own several accounts, use --id
    #[arg(long)]
    email: Option<String>,
    /// Id of the account, from `account list`
    #[arg(long, value_parser = account_id)]
    id: Option<AccountId>,
}

fn account_id(text: &str) -> Result<AccountId, String> {
    text.parse().map_err(|_| {
        format!(
            "must be the id of an account, from `{}`",
            command_line("account list")
        )
    })
}

/// The account that an operator names by its id or its owner's address.
pub(super) async fn named(text: &str, accounts: &Accounts) -> Result<AccountId, Failure> {
    match text.parse() {
        Ok(id) => Ok(id),
        Err(_) => accounts.owned_by(text).await.map_err(failure),
    }
}

impl Which {
    /// The owner's address, if the account is named by it.
    pub(super) fn owner(&self) -> Option<&str> {
        self.email.as_deref()
    }

    pub(super) async fn find(&self, accounts: &Accounts) -> Result<AccountId, Failure> {
        let found = match (self.id, &self.email) {
            (Some(id), _) => Ok(id),
            (None, Some(email)) => accounts.owned_by(email).await,
            (None, None) => Err(Error::NotFound { what: "account" }),
        };
        found.map_err(failure)
    }
}

impl AccountCommand {
    pub(super) async fn run(&self, commands: Commands) -> Result<Output, Failure> {
        // These commands do not use the limits of plans.
        let accounts = Accounts::new(commands.clone(), Plans::default());
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
                let key = command_line(&format!(
                    "key create --email {} --name LABEL",
                    account.email
                ));
                let text = format!(
                    "created an account for {} on the {} plan; create a key with: {key}",
                    account.email, account.plan
                );
                Ok(Output::new(text, shown(&account)))
            }
            Self::SetPlan { which, plan, .. } => {
                let id = which.find(&accounts).await?;
                let account = accounts.set_plan(id, *plan).await.map_err(failure)?;
                let text = format!("{} is on the {} plan", account.email, account.plan);
                Ok(Output::new(text, shown(&account)))
            }
            Self::List { .. } => {
                let all = accounts.list().await.map_err(failure)?;
                Ok(Output::new(listed(&all), all.iter().map(shown).collect()))
            }
            Self::Show { which, .. } => {
                let id = which.find(&accounts).await?;
                Ok(view(&accounts.view(id).await.map_err(failure)?))
            }
            Self::SignInLink(command) => command.run(commands).await,
            Self::Suspend { which, reason, .. } => {
                let id = which.find(&accounts).await?;
                let done = Suspensions::new(commands)
                    .suspend(id, reason.as_deref())
                    .await;
                Ok(suspended(id, done.map_err(failure)?))
            }
            Self::Trust { which, .. } => {
                let id = which.find(&accounts).await?;
                Ok(trusted(id, accounts.trust(id).await.map_err(failure)?))
            }
            Self::Resume { which, .. } => {
                let id = which.find(&accounts).await?;
                let done = Suspensions::new(commands).resume(id).await;
                Ok(resumed(id, done.map_err(failure)?))
            }
            Self::Remove(command) => command.run(&accounts).await,
        }
    }

    pub(super) const fn format(&self) -> Format {
        match self {
            Self::Create { format, .. }
            | Self::SetPlan { format, .. }
            | Self::List { format }
            | Self::Show { format, .. }
            | Self::Suspend { format, .. }
            | Self::Trust { format, .. }
            | Self::Resume { format, .. } => *format,
            Self::SignInLink(command) => command.format,
            Self::Remove(command) => command.format,
        }
    }
}

fn suspended(id: AccountId, is_new: bool) -> Output {
    let text = if is_new {
        let resume = command_line(&format!("account resume --id {id}"));
        format!("suspended {id}; end it with: {resume}")
    } else {
        format!("{id} was suspended already")
    };
    Output::new(text, json!({ "id": id.to_string(), "is_suspended": true }))
}

fn trusted(id: AccountId, is_new: bool) -> Output {
    let text = if is_new {
        format!("{id} may mail as many people a day as its plan allows")
    } else {
        format!("{id} was trusted already")
    };
    Output::new(text, json!({ "id": id.to_string(), "is_trusted": true }))
}

fn resumed(id: AccountId, is_new: bool) -> Output {
    let text = if is_new {
        format!("resumed {id}")
    } else {
        format!("{id} was not suspended")
    };
    Output::new(text, json!({ "id": id.to_string(), "is_suspended": false }))
}
