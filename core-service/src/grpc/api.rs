//! What the handlers of all services call.

use std::ops::Deref;

use covers::Studio;
use domain::instant::Instant;

use super::convert::webhook_json;
use crate::{service::UseCases, webhook_post::WebhookPost};

/// The handlers of all services: the use cases, and what else they need.
pub(super) struct Api {
    use_cases: UseCases,
    pub(super) studio: Studio,
    pub(super) webhook_post: WebhookPost,
}

impl Api {
    pub(super) fn new(use_cases: &UseCases, studio: Studio) -> Self {
        let (webhooks, links) = (use_cases.webhooks.clone(), use_cases.links.clone());
        Self {
            use_cases: use_cases.clone(),
            studio,
            webhook_post: WebhookPost::new(webhooks, links, webhook_json),
        }
    }

    /// The time by core's clock.
    pub(super) fn now(&self) -> Instant {
        self.commands.now()
    }
}

impl Deref for Api {
    type Target = UseCases;

    fn deref(&self) -> &UseCases {
        &self.use_cases
    }
}
