//! What edges ask of a core: a credential to check, as Muster's do.

use muster_api::internal::v1::{
    CheckCredentialRequest, CheckCredentialResponse, services::EdgeHandlers,
};
use tonic::Status;

use super::{Toy, ToyFrame};

impl EdgeHandlers<ToyFrame> for Toy {
    async fn check_credential(
        &self,
        (): (),
        _: CheckCredentialRequest,
    ) -> Result<CheckCredentialResponse, Status> {
        Ok(CheckCredentialResponse::default())
    }
}
