//! A person's name and address.

use muster_api::internal::v1::{
    FinishEmailChangeRequest, Person, RemovePersonRequest, RemovePersonResponse,
    RenamePersonRequest, StartEmailChangeRequest, StartEmailChangeResponse,
    services::PersonHandlers,
};

use super::{Api, frame::CoreFrame, session_service::shown, sign_in_service::valid_seconds};
use crate::service::{Error, SignedIn};

impl PersonHandlers<CoreFrame> for Api {
    async fn rename_person(
        &self,
        caller: SignedIn,
        request: RenamePersonRequest,
    ) -> Result<Person, Error> {
        let name = request.name.unwrap_or_default();
        Ok(shown(self.profile.rename(&caller, name).await?))
    }

    async fn start_email_change(
        &self,
        caller: SignedIn,
        request: StartEmailChangeRequest,
    ) -> Result<StartEmailChangeResponse, Error> {
        let email = request.email.unwrap_or_default();
        self.profile.start_email_change(&caller, &email).await?;
        Ok(StartEmailChangeResponse {
            valid_seconds: valid_seconds(),
        })
    }

    async fn finish_email_change(
        &self,
        caller: SignedIn,
        request: FinishEmailChangeRequest,
    ) -> Result<Person, Error> {
        let code = request.code.unwrap_or_default();
        let apps = request.disconnect_apps;
        let changed = self.profile.finish_email_change(&caller, &code, apps);
        Ok(shown(changed.await?))
    }

    async fn remove_person(
        &self,
        caller: SignedIn,
        request: RemovePersonRequest,
    ) -> Result<RemovePersonResponse, Error> {
        let typed = request.email.unwrap_or_default();
        self.profile.remove(&caller, &typed).await?;
        Ok(RemovePersonResponse {})
    }
}
