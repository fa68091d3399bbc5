//! Options of a core, and how the settings describe them.

use covers::stock::Stock;
use domain::{
    clock::Clock, entropy::Entropy, event::EventDefaults, plan::Plans, retention::Retention,
};
use server::{Failure, brand::Brand, cors::SharedWith};

use crate::{
    grpc::edges::EdgeTokens,
    service::{InstanceInfo, Links, OAuthPolicy, Policy, SignUp},
    settings::{DataSettings, PeopleArgs, PortSettings, RuleSettings, WhoSignsUp},
};

/// Options of a core, with the defaults of the settings.
#[derive(Debug, Clone)]
pub struct Options {
    /// The clock.
    pub clock: Clock,
    /// The source of ids, keys and slug endings.
    pub entropy: Entropy,
    /// The operator's settings for use cases.
    pub policy: Policy,
    /// The provider of photographs for covers. Without it, every cover is drawn.
    pub stock: Option<Stock>,
    /// The retention of old rows.
    pub retention: Retention,
    /// The secrets by which edges prove themselves.
    pub edge_tokens: EdgeTokens,
    /// The pages that may register people over gRPC-web.
    pub register_origins: SharedWith,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Clock::system(),
            entropy: Entropy::system(),
            policy: Policy::default(),
            stock: None,
            retention: Retention::default(),
            edge_tokens: EdgeTokens::default(),
            register_origins: SharedWith::Nobody,
        }
    }
}

impl Options {
    /// The options that the settings describe.
    ///
    /// # Errors
    /// When a provider of photographs lacks a key, or the key is malformed; when the key that seals secrets cannot be read or made.
    pub fn from_settings(
        rules: &RuleSettings,
        port: &PortSettings,
        data: &DataSettings,
    ) -> Result<Self, Failure> {
        let links = rules.public_url.as_deref().map(Links::new);
        let links = links.unwrap_or_default().with_grpc(rules.grpc_url.clone());
        Ok(Self {
            policy: Policy {
                links,
                plans: Plans {
                    active_events: rules.plans,
                    daily_mails: rules.daily_mails,
                    new_account_mails: (rules.people.sign_up == WhoSignsUp::Open)
                        .then_some(rules.new_account_mails),
                },
                event_defaults: EventDefaults {
                    timezone: rules.default_timezone.clone(),
                    confirm_by_email: rules.confirm_by_email,
                },
                messages: rules.messages.into(),
                limits: rules.limits.into(),
                sign_up: SignUp {
                    is_open: rules.people.sign_up == WhoSignsUp::Open,
                    plan: rules.people.sign_up_plan,
                },
                oauth: OAuthPolicy {
                    refresh_grace_seconds: rules.oauth.oauth_refresh_grace,
                    documents: rules.oauth.documents()?,
                    private_schemes: rules.oauth.oauth_private_schemes.clone(),
                },
                info: info(&rules.people),
                mail_events: rules.mail_events_secret.clone().unwrap_or_default(),
                // The mailer knows it.
                brand: Brand::default(),
                webhooks: rules.webhooks.policy(&data.data_dir)?,
            },
            stock: rules.covers.stock()?,
            retention: Retention {
                webhook_days: rules.webhooks.webhook_days,
                ..rules.retention.into()
            },
            edge_tokens: port.edge_token.clone().unwrap_or_default(),
            register_origins: rules.cors.register_origins.clone(),
            ..Self::default()
        })
    }
}

fn info(people: &PeopleArgs) -> InstanceInfo {
    InstanceInfo {
        // The mailer knows it.
        mail_folder: None,
        upgrade_url: people.upgrade_url.clone(),
        legal_url: people.legal_url.clone(),
        privacy_url: people.privacy_url.clone(),
        abuse_email: people.abuse_email.clone(),
        security_contact: people.security_contact.clone(),
    }
}
