//! Settings of OAuth.

use domain::oauth::{PrivateSchemes, grant::GRACE_SECONDS};
use egress::Egress;
use server::Failure;

/// Settings of OAuth, by which apps and agents act for people.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Connected apps (OAuth)")]
pub struct OAuthArgs {
    /// Whether apps may identify themselves by the URL of a metadata document, which core reads. With `off`, they must register
    #[arg(
        long,
        env = "MUSTER_OAUTH_CIMD",
        value_name = "on|off",
        default_value = "on",
        hide_possible_values = true
    )]
    pub oauth_cimd: Documents,
    /// Seconds for which a refresh token that was exchanged can be exchanged again, since an app may run several times
    #[arg(long, env = "MUSTER_OAUTH_REFRESH_GRACE", value_name = "SECONDS", default_value_t = GRACE_SECONDS,
          value_parser = clap::value_parser!(i64).range(0..=600))]
    pub oauth_refresh_grace: i64,
    /// URI schemes of native apps to which answers may go, separated by commas, or `none`
    #[arg(long, env = "MUSTER_OAUTH_PRIVATE_SCHEMES", value_name = "SCHEMES", default_value_t = PrivateSchemes::default())]
    pub oauth_private_schemes: PrivateSchemes,
}

/// A value of `--oauth-cimd`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Documents {
    /// Documents are read.
    On,
    /// Nothing is read.
    Off,
}

impl OAuthArgs {
    /// The way to the documents of apps, if they are read.
    ///
    /// # Errors
    /// When there is no TLS.
    pub fn documents(&self) -> Result<Option<Egress>, Failure> {
        match self.oauth_cimd {
            Documents::Off => Ok(None),
            Documents::On => Egress::public()
                .map(Some)
                .map_err(|error| Failure::Internal(error.to_string())),
        }
    }
}
