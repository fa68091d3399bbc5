//! The rpcs for edges.

use muster_api::internal::v1::{
    CheckCredentialRequest, CheckCredentialResponse, CredentialKind,
    edge_service_server::EdgeService,
};
use tonic::{Request, Response, Status};

use super::{gate::require, request::caller, status::refuse};
use crate::{
    domain::audit::Actor,
    service::{Caller, Error},
};

/// The rpcs for edges. Their only use is to check a credential, which the gate has done but for the scope that the edge names.
pub(super) struct EdgeApi;

#[tonic::async_trait]
impl EdgeService for EdgeApi {
    async fn check_credential(
        &self,
        request: Request<CheckCredentialRequest>,
    ) -> Result<Response<CheckCredentialResponse>, Status> {
        let whole: Option<&Caller> = request.extensions().get();
        let whole = *whole.ok_or_else(|| refuse(Error::Unauthorized))?;
        let caller = caller(&request)?;
        // An edge of a later version sees by the answer that this core does not know its scope.
        let needed = request.into_inner().scope;
        if let Some(needed) = needed.and_then(|needed| needed.parse().ok()) {
            require(&whole, needed)?;
        }
        Ok(Response::new(CheckCredentialResponse {
            account_id: caller.account.to_string(),
            kind: match caller.actor {
                Actor::Person(_) => CredentialKind::Session,
                Actor::App(..) => CredentialKind::AccessToken,
                Actor::Key(_) | Actor::Admin | Actor::Attendee | Actor::System => {
                    CredentialKind::ApiKey
                }
            }
            .into(),
            actor_id: actor_id(caller.actor),
            scopes: caller
                .scopes
                .iter()
                .map(|scope| scope.to_string())
                .collect(),
        }))
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
