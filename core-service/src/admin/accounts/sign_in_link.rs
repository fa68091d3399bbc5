//! `account sign-in-link`: lets someone in without a mail.

use clap::Args;
use serde_json::json;
use server::{Failure, command_line};

use super::super::{Format, Output, failure};
use crate::service::{Commands, Error, Links, SignIn};

/// The arguments of `account sign-in-link`.
#[derive(Debug, Clone, Args)]
pub struct SignInLink {
    /// Email address of the person, who must be a member of an account
    #[arg(long)]
    email: String,
    /// Address of the site [default: `http://127.0.0.1:8080`]
    #[arg(long, env = "MUSTER_PUBLIC_URL", value_name = "URL", value_parser = server::settings::public_url)]
    public_url: Option<String>,
    /// The output.
    #[command(flatten)]
    pub(super) format: Format,
}

impl SignInLink {
    /// Prints the link alone, so that a script can use it.
    pub(super) async fn run(&self, commands: Commands) -> Result<Output, Failure> {
        let link = SignIn::for_operators(commands).new_link(&self.email).await;
        let link = link.map_err(|error| match error {
            Error::NotFound { .. } => Failure::Environment(format!(
                "nobody signs in with this address: create an account for it with: {}",
                command_line(&format!(
                    "account create --email {} --name NAME",
                    self.email
                ))
            )),
            error => failure(error),
        })?;
        let links = self.public_url.as_deref().map(Links::new);
        let url = links.unwrap_or_default().sign_in(&link);
        let json = json!({ "email": self.email, "url": url });
        Ok(Output::new(url, json))
    }
}
