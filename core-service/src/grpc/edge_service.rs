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
                _ => CredentialKind::ApiKey,
            }
            .into(),
            scopes: caller
                .scopes
                .iter()
                .map(|scope| scope.to_string())
                .collect(),
        }))
    }
}
