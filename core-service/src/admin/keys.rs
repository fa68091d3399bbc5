//! `key create`, `key list` and `key revoke`.

use clap::Subcommand;
use domain::{
    account::{Account, ApiKey},
    expiry::Expiry,
    ids::KeyId,
    instant::Instant,
    plan::Plans,
    scope::{Scope, Scopes},
    webhook::Webhook,
};
use serde_json::{Value, json};
use server::{Failure, command_line};

use super::{Consent, Format, Output, accounts::Which, failure, table};
use crate::service::{Accounts, Authenticator, Commands, Error, KeyTerms, Keys};

/// A command on API keys.
#[derive(Debug, Clone, Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it. It is shown only once
    ///
    /// It acts for the owner whose address is given, or for the account's first owner.
    Create {
        /// The account.
        #[command(flatten)]
        which: Which,
        /// Name of the key in lists, for example where it is used
        #[arg(long, value_name = "LABEL")]
        name: String,
        /// A scope of the key, for example events:read. Repeat the option for more scopes [default: all scopes]
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<Scope>,
        /// When the key expires: a time from now (90d, 12h), a date (2027-01-01, at 00:00 UTC) or a date-time [default: never]
        #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
        expires: Option<Expiry>,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// List all keys with their scopes, last use and expiry
    List {
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Revoke a key for good. Every core refuses it within five seconds
    Revoke {
        /// Id of the key, from `key list`
        #[arg(value_parser = key_id)]
        id: KeyId,
        /// Let the webhooks that it made go on, as those of the person for whom it acts; otherwise they are disabled
        #[arg(long)]
        keep_webhooks: bool,
        /// Whether to do it.
        #[command(flatten)]
        consent: Consent,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
}

fn key_id(text: &str) -> Result<KeyId, String> {
    text.parse().map_err(|_| {
        format!(
            "must be the id of a key, from `{}`",
            command_line("key list")
        )
    })
}

impl KeyCommand {
    pub(super) async fn run(&self, commands: Commands) -> Result<Output, Failure> {
        let (store, clock) = (commands.store().clone(), commands.clock().clone());
        let keys = Keys::new(commands.clone(), &Authenticator::new(store, clock));
        match self {
            Self::Create {
                which,
                name,
                scopes,
                expires,
                ..
            } => {
                let terms = KeyTerms {
                    scopes: if scopes.is_empty() {
                        Scopes::All
                    } else {
                        Scopes::named(scopes.iter().copied())
                    },
                    expiry: *expires,
                    ..KeyTerms::named(name)
                };
                // The command does not use the limits of plans.
                let accounts = Accounts::new(commands, Plans::default());
                let account = which.find(&accounts).await?;
                let new = keys.create_in(account, which.owner(), terms).await;
                let new = new.map_err(failure)?;
                let json = json!({
                    "id": new.key.id.to_string(),
                    "name": new.key.label,
                    "key": new.plain.expose(),
                    "scopes": names(new.key.scopes),
                    "created_at": new.key.created_at.to_string(),
                    "expires_at": new.key.expires_at.map(|at| at.to_string()),
                });
                Ok(Output::new(new.plain.expose(), json))
            }
            Self::List { .. } => {
                let keys = keys.list().await.map_err(failure)?;
                Ok(Output::new(listed(&keys), keys.iter().map(shown).collect()))
            }
            Self::Revoke {
                id,
                keep_webhooks,
                consent,
                ..
            } => revoke(&keys, *id, *keep_webhooks, *consent).await,
        }
    }

    pub(super) const fn format(&self) -> Format {
        match self {
            Self::Create { format, .. } | Self::List { format } | Self::Revoke { format, .. } => {
                *format
            }
        }
    }
}

async fn revoke(
    keys: &Keys,
    id: KeyId,
    keep_webhooks: bool,
    consent: Consent,
) -> Result<Output, Failure> {
    let all = keys.list().await.map_err(failure)?;
    let (key, account) = all
        .iter()
        .find(|(key, _)| key.id == id)
        .ok_or(Error::NotFound { what: "key" })
        .map_err(failure)?;
    if keep_webhooks {
        Keys::keeper(key).map_err(failure)?;
    }
    let webhooks = keys.dependent_webhooks(key).await.map_err(failure)?;
    let json = |revoked: bool| {
        json!({
            "id": id.to_string(),
            "revoked": revoked,
            "webhooks": webhooks.iter().map(shown_webhook).collect::<Vec<_>>(),
            "keeps_webhooks": keep_webhooks,
        })
    };
    let plan = || {
        let used = key.last_used_at.map_or("never used".to_owned(), |at| {
            format!("last used {}", at.to_the_second())
        });
        let plan = format!(
            "the key \"{}\" of {} ({used}) would be revoked for good",
            key.label, account.email
        );
        match listed_webhooks(&webhooks) {
            None => plan,
            Some(list) if keep_webhooks => {
                format!("{plan}\nthe webhooks that it made would go on: {list}")
            }
            Some(list) => format!(
                "{plan}\nthe webhooks that it made would be disabled, unless you add --keep-webhooks: {list}"
            ),
        }
    };
    if let Some(instead) = consent.instead_of(plan, json(false))? {
        return Ok(instead);
    }
    let done = if keep_webhooks {
        keys.revoke_and_pass_on_webhooks(id).await
    } else {
        keys.revoke(id).await
    };
    done.map_err(failure)?;
    Ok(Output::new(format!("revoked {id}"), json(true)))
}

/// The names and hosts of webhooks, if there are any.
fn listed_webhooks(webhooks: &[Webhook]) -> Option<String> {
    let name = |one: &Webhook| match (&one.description, one.host()) {
        (Some(description), Some(host)) => format!("\"{description}\" ({host})"),
        (Some(description), None) => format!("\"{description}\" (pulled)"),
        (None, Some(host)) => host,
        (None, None) => format!("{} (pulled)", one.id),
    };
    let names: Vec<String> = webhooks.iter().map(name).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn shown_webhook(webhook: &Webhook) -> Value {
    json!({
        "id": webhook.id.to_string(),
        "description": webhook.description,
        "host": webhook.host(),
    })
}

fn shown((key, account): &(ApiKey, Account)) -> Value {
    let time = |at: Option<Instant>| at.map(|at| at.to_string());
    json!({
        "id": key.id.to_string(),
        "email": account.email,
        "name": key.label,
        "scopes": names(key.scopes),
        "created_at": key.created_at.to_string(),
        "last_used_at": time(key.last_used_at),
        "expires_at": time(key.expires_at),
        "revoked_at": time(key.revoked_at),
    })
}

/// The scopes one by one; null for a key with all scopes, including those of later versions.
fn names(scopes: Scopes) -> Option<Vec<&'static str>> {
    (scopes != Scopes::All).then(|| scopes.iter().map(Scope::name).collect())
}

/// One key per line, in aligned columns.
fn listed(keys: &[(ApiKey, Account)]) -> String {
    let mut rows =
        vec![["ID", "ACCOUNT", "NAME", "LAST USED", "STATE", "SCOPES"].map(str::to_owned)];
    rows.extend(keys.iter().map(|(key, account)| {
        let used = key
            .last_used_at
            .map_or("never".to_owned(), |at| at.to_the_second().to_string());
        let state = match (key.revoked_at, key.expires_at) {
            (Some(at), _) => format!("revoked {}", at.to_the_second()),
            (None, Some(at)) => format!("expires {}", at.to_the_second()),
            (None, None) => "valid".to_owned(),
        };
        let (email, label) = (account.email.clone(), key.label.clone());
        let scopes = match key.scopes {
            Scopes::All => "all".to_owned(),
            Scopes::Only(_) => key.scopes.joined(" "),
        };
        [key.id.to_string(), email, label, used, state, scopes]
    }));
    table::aligned(rows.into_iter())
}
