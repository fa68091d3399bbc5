//! A person's name and address.

use muster_api::internal::v1::{
    FinishEmailChangeRequest, Person, RenamePersonRequest, StartEmailChangeRequest,
    StartEmailChangeResponse, person_service_server::PersonService,
};
use tonic::{Request, Response, Status};

use super::{
    request::person, session_service::shown, sign_in_service::valid_seconds, status::refuse,
};
use crate::service::Profile;

/// The rpcs about one's own person.
pub(super) struct PersonApi {
    pub(super) profile: Profile,
}

#[tonic::async_trait]
impl PersonService for PersonApi {
    async fn rename_person(
        &self,
        request: Request<RenamePersonRequest>,
    ) -> Result<Response<Person>, Status> {
        let by = person(&request)?;
        let name = request.into_inner().name.unwrap_or_default();
        let renamed = self.profile.rename(&by, name).await;
        Ok(Response::new(shown(renamed.map_err(refuse)?)))
    }

    async fn start_email_change(
        &self,
        request: Request<StartEmailChangeRequest>,
    ) -> Result<Response<StartEmailChangeResponse>, Status> {
        let by = person(&request)?;
        let email = request.into_inner().email.unwrap_or_default();
        let started = self.profile.start_email_change(&by, &email).await;
        started.map_err(refuse)?;
        Ok(Response::new(StartEmailChangeResponse {
            valid_seconds: valid_seconds(),
        }))
    }

    async fn finish_email_change(
        &self,
        request: Request<FinishEmailChangeRequest>,
    ) -> Result<Response<Person>, Status> {
        let by = person(&request)?;
        let code = request.into_inner().code.unwrap_or_default();
        let changed = self.profile.finish_email_change(&by, &code).await;
        Ok(Response::new(shown(changed.map_err(refuse)?)))
    }
}
