//! Settings of `muster webhook listen`.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use domain::webhook::{SigningKey, WebhookTypes};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use server::{Failure, probe::reachable, settings::base_url};

/// Settings of the command.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ListenSettings {
    /// Where to post each message. Without it, messages are printed with their bodies
    ///
    /// It may be any address, on this machine as well. Each message is posted once and in order; what the receiver answers is printed, and
    /// nothing is tried again.
    #[arg(long, value_name = "URL")]
    forward: Option<Url>,
    /// The Muster whose messages are pulled [default: the one on this machine, at --http-addr]
    #[arg(long, env = "MUSTER_URL", value_name = "URL", value_parser = base_url)]
    url: Option<String>,
    /// A key of the account, with the scope webhooks:read. Better set the variable: others see the arguments of a process
    #[arg(
        long,
        env = "MUSTER_API_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    api_key: Option<SecretString>,
    /// File with the key, for example data/demo.key
    #[arg(
        long,
        env = "MUSTER_API_KEY_FILE",
        value_name = "FILE",
        conflicts_with = "api_key"
    )]
    api_key_file: Option<PathBuf>,
    /// Only these types, for example event.published,registration.created, separated by commas [default: all]
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    types: Vec<String>,
    /// Begin after this cursor, which the command printed when it was stopped [default: with what happens from now on]
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Secret that signs messages, `whsec_` and 24 to 64 bytes in base64 [default: a new one, which is printed]
    ///
    /// Set it to that of your receiver, so that both can be restarted alone.
    #[arg(
        long,
        env = "MUSTER_WEBHOOK_SECRET",
        value_name = "SECRET",
        hide_env_values = true
    )]
    secret: Option<SecretString>,
    /// Create a webhook without a URL if the account has none: only then messages are recorded. The key needs webhooks:write
    #[arg(long)]
    create: bool,
}

const EXAMPLES: &str = "\
Try a receiver of webhooks on your own computer, while Muster cannot reach it: this pulls the messages of your account, signs them as
Standard Webhooks (v1) with the headers of real deliveries, and posts them. Messages are `thin`.

Examples:
  muster webhook listen --api-key-file data/demo.key --create
  muster webhook listen --api-key-file data/demo.key --forward http://127.0.0.1:3000/hook
  MUSTER_API_KEY=mus_live_… muster webhook listen --url https://events.example.org --types registration.created

Exit codes: 0 stopped by Ctrl-C, 1 the account records no messages or the cursor cannot be used, 64 invalid settings, a refused key among them.";

/// Valid settings.
#[derive(Debug, Clone)]
pub struct Options {
    /// The base of the URLs of the Muster.
    pub url: String,
    /// A key of the account.
    pub api_key: SecretString,
    /// Where to post messages.
    pub forward: Option<Url>,
    /// The only types; empty for all.
    pub types: Vec<String>,
    /// Where to begin.
    pub cursor: Option<String>,
    /// What signs messages; a new one if it is none.
    pub secret: Option<String>,
    /// Whether to create a webhook if the account has none.
    pub creates_webhook: bool,
}

impl ListenSettings {
    /// Checks the settings. `local` is the address of a Muster on this machine, and `demo_key` the file of its demo key.
    ///
    /// # Errors
    /// [`Failure::Settings`], one line for each problem.
    pub fn options(&self, local: SocketAddr, demo_key: &Path) -> Result<Options, Failure> {
        let mut problems = Vec::new();
        let key = self.key(demo_key);
        let api_key = key.map_err(|problem| problems.push(problem)).ok();
        let secret = self.secret.as_ref().map(ExposeSecret::expose_secret);
        if let Some(Err(error)) = secret.map(SigningKey::from_secret) {
            problems.push(format!("--secret (MUSTER_WEBHOOK_SECRET): {error}"));
        }
        if let Err(violations) = WebhookTypes::named(&self.types) {
            let texts = violations.into_iter().map(|one| one.message);
            problems.extend(texts.map(|text| format!("--types: {text}")));
        }
        match api_key {
            Some(api_key) if problems.is_empty() => Ok(Options {
                url: self
                    .url
                    .clone()
                    .unwrap_or_else(|| format!("http://{}", reachable(local))),
                api_key,
                forward: self.forward.clone(),
                types: self.types.clone(),
                cursor: self.cursor.clone(),
                secret: secret.map(str::to_owned),
                creates_webhook: self.create,
            }),
            _ => Err(Failure::Settings(problems)),
        }
    }

    fn key(&self, demo_key: &Path) -> Result<SecretString, String> {
        let key = match (&self.api_key, &self.api_key_file) {
            (Some(key), _) => key.expose_secret().to_owned(),
            (None, Some(file)) => std::fs::read_to_string(file).map_err(|error| {
                format!(
                    "--api-key-file (MUSTER_API_KEY_FILE): cannot read {}: {error}",
                    file.display()
                )
            })?,
            (None, None) => {
                let demo = demo_key.exists().then(|| {
                    format!(
                        "; the demo account's is --api-key-file {}",
                        demo_key.display()
                    )
                });
                return Err(format!(
                    "--api-key (MUSTER_API_KEY): required, a key of your account with the scope webhooks:read{}",
                    demo.unwrap_or_default()
                ));
            }
        };
        let key = key.trim();
        // What no header takes would be said of the request, not of the key.
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(
                "--api-key (MUSTER_API_KEY): must be an API key such as mus_live_...".to_owned(),
            );
        }
        Ok(key.into())
    }
}
