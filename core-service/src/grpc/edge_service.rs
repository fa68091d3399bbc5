//! The rpcs for edges.

use muster_api::internal::v1::{
    CheckCredentialRequest, CheckCredentialResponse, CredentialKind,
    edge_service_server::EdgeService,
};
use tonic::{Request, Response, Status};

use super::request::caller;
use crate::domain::audit::Actor;

/// The rpcs for edges. Their only use is to check a credential, which the gate has done.
pub(super) struct EdgeApi;

#[tonic::async_trait]
impl EdgeService for EdgeApi {
    async fn check_credential(
        &self,
        request: Request<CheckCredentialRequest>,
    ) -> Result<Response<CheckCredentialResponse>, Status> {
        let caller = caller(&request)?;
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
