//! Settings of webhooks.

use std::{path::Path, sync::Arc};

use domain::retention::Retention;
use egress::{Allowances, Egress, HostRules, Networks};
use seal::{SecretKey, SecretKeys};
use server::Failure;

use super::make_folder;
use crate::service::WebhookPolicy;

/// The file in the data folder that has the key, if none is set.
pub(crate) const KEY_FILE: &str = "secret.key";

/// Settings of webhooks, by which changes are posted to other programs.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Webhooks")]
pub struct WebhookArgs {
    /// Private networks that may get webhooks, over http:// as well, for example 10.1.0.0/16, separated by commas. An address at which a
    /// cloud hands out credentials must be named by itself
    #[arg(
        long,
        env = "MUSTER_WEBHOOK_NETWORKS",
        value_name = "NETWORKS",
        default_value = "",
        hide_default_value = true
    )]
    pub webhook_networks: Networks,
    /// Hosts that may get webhooks whatever their addresses are, over http:// as well, for example hooks.internal:8080 or *.internal, separated by
    /// commas
    #[arg(
        long,
        env = "MUSTER_WEBHOOK_HOSTS",
        value_name = "HOSTS",
        default_value = "",
        hide_default_value = true
    )]
    pub webhook_hosts: HostRules,
    /// Days for which the messages of webhooks are kept, to be pulled and replayed
    #[arg(long, env = "MUSTER_WEBHOOK_DAYS", value_name = "DAYS", default_value_t = Retention::default().webhook_days,
          value_parser = clap::value_parser!(u32).range(1..=365))]
    pub webhook_days: u32,
    /// Key that seals the secrets of webhooks in the database, the same on all cores: 32 bytes in base64, for example what
    /// `openssl rand -base64 32` prints. To change it, set two, the new one first, separated by a comma [default: in the file
    /// `<data-dir>/secret.key`, which is made]
    #[arg(
        long,
        env = "MUSTER_SECRET_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    pub secret_key: Option<SecretKeys>,
}

impl WebhookArgs {
    /// What sending needs, with the key of a file in this folder if none is set.
    ///
    /// # Errors
    /// When the key's file cannot be read or made, or there is no TLS.
    pub fn policy(&self, data_dir: &Path) -> Result<WebhookPolicy, Failure> {
        let keys = match &self.secret_key {
            Some(keys) => keys.clone(),
            None => key_in(data_dir)?,
        };
        let egress = Egress::public().map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(WebhookPolicy {
            keys: Arc::new(keys),
            egress: Some(egress.admitting(Allowances {
                networks: self.webhook_networks.clone(),
                hosts: self.webhook_hosts.clone(),
            })),
        })
    }
}

/// The key in this folder, which is made at the first start. Containers have no folder that stays, or none at all: there the key is a setting.
fn key_in(data_dir: &Path) -> Result<SecretKeys, Failure> {
    let made = make_folder(data_dir).and_then(|()| {
        let key = SecretKey::read_or_create(&data_dir.join(KEY_FILE));
        key.map_err(|error| Failure::Environment(error.to_string()))
    });
    made.map(SecretKeys::from).map_err(|failure| {
        Failure::Environment(format!(
            "{failure}; or set MUSTER_SECRET_KEY to what `openssl rand -base64 32` prints"
        ))
    })
}
