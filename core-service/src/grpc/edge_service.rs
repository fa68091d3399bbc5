//! The rpcs for edges.

use domain::audit::Actor;
use muster_api::internal::v1::{
    CheckCredentialRequest, CheckCredentialResponse, CredentialKind, services::EdgeHandlers,
};

use super::{
    Api,
    frame::{Authenticated, CoreFrame},
};
use crate::service::Error;

impl EdgeHandlers<CoreFrame> for Api {
    async fn check_credential(
        &self,
        Authenticated {
            principal,
            credential,
            ..
        }: Authenticated,
        request: CheckCredentialRequest,
    ) -> Result<CheckCredentialResponse, Error> {
        // An edge of a later version sees by the answer that this core does not know its scope.
        if let Some(needed) = request.scope.and_then(|needed| needed.parse().ok()) {
            credential.require(needed)?;
        }
        let kind = match principal.actor {
            Actor::Person(_) => CredentialKind::Session,
            Actor::App(..) => CredentialKind::AccessToken,
            Actor::Key(_) | Actor::Admin | Actor::Attendee | Actor::System => {
                CredentialKind::ApiKey
            }
        };
        let scopes = principal.scopes.iter();
        Ok(CheckCredentialResponse {
            account_id: principal.account.to_string(),
            kind: kind.into(),
            actor_id: actor_id(principal.actor),
            scopes: scopes.map(|scope| scope.to_string()).collect(),
        })
    }
}

/// What acts: the key, the person, or what the person agreed to.
fn actor_id(actor: Actor) -> String {
    match actor {
        Actor::Key(key) => key.to_string(),
        Actor::Person(person) => person.to_string(),
        Actor::App(grant, _) => grant.to_string(),
        Actor::Admin | Actor::Attendee | Actor::System => String::new(),
    }
}
