//! Signing in and signing up.

use muster_api::internal::v1::{
    FinishSignInRequest, SignedIn, StartSignInRequest, StartSignInResponse, UseSignInLinkRequest,
    sign_in_service_server::SignInService,
};
use tonic::{Request, Response, Status};

use super::{request::client_address, status::refuse};
use crate::{
    domain::sign_in_code::VALID_SECONDS,
    service::{Browser, NewSession, SignIn},
};

/// For how long codes are valid, as answers say it.
pub(super) fn valid_seconds() -> i32 {
    i32::try_from(VALID_SECONDS).unwrap_or(i32::MAX)
}

/// The rpcs for people who are not signed in.
pub(super) struct SignInApi {
    pub(super) sign_in: SignIn,
}

#[tonic::async_trait]
impl SignInService for SignInApi {
    async fn start_sign_in(
        &self,
        request: Request<StartSignInRequest>,
    ) -> Result<Response<StartSignInResponse>, Status> {
        let client = client_address(&request);
        let StartSignInRequest { email, browser } = request.into_inner();
        let browser = Browser::new(&browser.unwrap_or_default(), client, "");
        let email = email.unwrap_or_default();
        self.sign_in.start(&email, &browser).await.map_err(refuse)?;
        Ok(Response::new(StartSignInResponse {
            valid_seconds: valid_seconds(),
        }))
    }

    async fn finish_sign_in(
        &self,
        request: Request<FinishSignInRequest>,
    ) -> Result<Response<SignedIn>, Status> {
        let client = client_address(&request);
        let FinishSignInRequest {
            browser,
            code,
            device,
        } = request.into_inner();
        let browser = Browser::new(&browser.unwrap_or_default(), client, &device);
        let code = code.unwrap_or_default();
        let new = self.sign_in.finish(&code, &browser).await.map_err(refuse)?;
        Ok(Response::new(signed_in(&new)))
    }

    async fn use_sign_in_link(
        &self,
        request: Request<UseSignInLinkRequest>,
    ) -> Result<Response<SignedIn>, Status> {
        let client = client_address(&request);
        let UseSignInLinkRequest {
            token,
            browser,
            device,
        } = request.into_inner();
        let browser = Browser::new(&browser.unwrap_or_default(), client, &device);
        let token = token.unwrap_or_default();
        let new = self.sign_in.use_link(&token, &browser).await;
        Ok(Response::new(signed_in(&new.map_err(refuse)?)))
    }
}

fn signed_in(new: &NewSession) -> SignedIn {
    SignedIn {
        token: new.token.expose().to_owned(),
        expires_at: new.session.expires_at.to_string(),
        is_new_person: new.is_new_person,
    }
}
