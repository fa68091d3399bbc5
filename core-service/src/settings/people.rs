//! Settings of the people who sign in, and of what pages link to.

use domain::{email::Email, message::Offer, plan::Plan};
use http::Uri;

/// Settings of the people who sign in, and of what pages link to.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "People and pages")]
pub struct PeopleArgs {
    /// Who may sign up. With `closed`, only members of accounts and invited people get a code
    #[arg(
        long,
        env = "MUSTER_SIGN_UP",
        value_name = "open|closed",
        default_value = "open",
        hide_possible_values = true
    )]
    pub sign_up: WhoSignsUp,
    /// Plan of the accounts of people who sign up: free, premium, pro or business. With free they see how many people register, and not who
    #[arg(long, env = "MUSTER_SIGN_UP_PLAN", value_name = "PLAN", default_value_t = Plan::Pro)]
    pub sign_up_plan: Plan,
    /// Page where people can upgrade their plan
    #[arg(long, env = "MUSTER_UPGRADE_URL", value_name = "URL", value_parser = page)]
    pub upgrade_url: Option<String>,
    /// Page with the legal notice
    #[arg(long, env = "MUSTER_LEGAL_URL", value_name = "URL", value_parser = page)]
    pub legal_url: Option<String>,
    /// Page with the privacy notice
    #[arg(long, env = "MUSTER_PRIVACY_URL", value_name = "URL", value_parser = page)]
    pub privacy_url: Option<String>,
    /// Address to which people can report abuse; pages of events show it
    #[arg(long, env = "MUSTER_ABUSE_EMAIL", value_name = "ADDRESS", value_parser = address)]
    pub abuse_email: Option<String>,
    /// Where people can report a weakness of this installation: an email address or the URL of a page.
    /// `/.well-known/security.txt` names it
    #[arg(long, env = "MUSTER_SECURITY_CONTACT", value_name = "CONTACT", value_parser = contact)]
    pub security_contact: Option<String>,
}

/// A value of `--sign-up`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum WhoSignsUp {
    /// Everyone.
    Open,
    /// Nobody but those who are invited.
    Closed,
}

/// A value of `--messages`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum WhoWrites {
    /// Nobody.
    Off,
    /// Accounts with a paid plan.
    Paid,
    /// All accounts.
    All,
}

impl From<WhoWrites> for Offer {
    fn from(who: WhoWrites) -> Self {
        match who {
            WhoWrites::Off => Self::Off,
            WhoWrites::Paid => Self::Paid,
            WhoWrites::All => Self::All,
        }
    }
}

fn page(text: &str) -> Result<String, String> {
    let is_page = text.parse::<Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some()
    });
    if is_page {
        return Ok(text.to_owned());
    }
    Err("must be the URL of a page, for example https://example.org/legal".to_owned())
}

/// As a URI (RFC 9116).
fn contact(text: &str) -> Result<String, String> {
    let bare = text.strip_prefix("mailto:").unwrap_or(text);
    if text.starts_with("https://") && page(text).is_ok() {
        return Ok(text.to_owned());
    }
    match address(bare) {
        Ok(address) => Ok(format!("mailto:{address}")),
        Err(_) => Err(
            "must be an email address, or the URL of a page that begins with https://".to_owned(),
        ),
    }
}

fn address(text: &str) -> Result<String, String> {
    let address: Result<Email, _> = text.parse();
    address
        .map(|address| address.to_string())
        .map_err(|error| error.to_string())
}
