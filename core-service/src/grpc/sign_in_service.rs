//! Signing in and signing up.

use domain::sign_in_code::VALID_SECONDS;
use muster_api::internal::v1::{
    FinishSignInRequest, FinishTakeBackRequest, SignedIn, StartSignInRequest, StartSignInResponse,
    StartTakeBackRequest, StartTakeBackResponse, UseSignInLinkRequest, services::SignInHandlers,
};

use super::{
    Api,
    frame::{CoreFrame, PublicCaller},
};
use crate::service::{Browser, Error, NewSession};

/// For how long codes are valid, as answers say it.
pub(super) fn valid_seconds() -> i32 {
    i32::try_from(VALID_SECONDS).unwrap_or(i32::MAX)
}

impl SignInHandlers<CoreFrame> for Api {
    async fn start_sign_in(
        &self,
        caller: PublicCaller,
        request: StartSignInRequest,
    ) -> Result<StartSignInResponse, Error> {
        let browser = Browser::new(&request.browser.unwrap_or_default(), caller.client, "");
        let email = request.email.unwrap_or_default();
        self.sign_in.start(&email, &browser).await?;
        Ok(StartSignInResponse {
            valid_seconds: valid_seconds(),
        })
    }

    async fn finish_sign_in(
        &self,
        caller: PublicCaller,
        request: FinishSignInRequest,
    ) -> Result<SignedIn, Error> {
        let browser = request.browser.unwrap_or_default();
        let browser = Browser::new(&browser, caller.client, &request.device);
        let browser = browser.in_timezone(&request.timezone);
        let code = request.code.unwrap_or_default();
        let new = self.sign_in.finish(&code, &browser).await?;
        Ok(signed_in(&new))
    }

    async fn start_take_back(
        &self,
        caller: PublicCaller,
        request: StartTakeBackRequest,
    ) -> Result<StartTakeBackResponse, Error> {
        let browser = Browser::new(&request.browser.unwrap_or_default(), caller.client, "");
        let email = request.email.unwrap_or_default();
        self.take_back.start(&email, &browser).await?;
        Ok(StartTakeBackResponse {
            valid_seconds: valid_seconds(),
        })
    }

    async fn finish_take_back(
        &self,
        caller: PublicCaller,
        request: FinishTakeBackRequest,
    ) -> Result<SignedIn, Error> {
        let browser = request.browser.unwrap_or_default();
        let browser = Browser::new(&browser, caller.client, &request.device);
        let code = request.code.unwrap_or_default();
        let new = self.take_back.finish(&code, &browser).await?;
        Ok(signed_in(&new))
    }

    async fn use_sign_in_link(
        &self,
        caller: PublicCaller,
        request: UseSignInLinkRequest,
    ) -> Result<SignedIn, Error> {
        let browser = request.browser.unwrap_or_default();
        let browser = Browser::new(&browser, caller.client, &request.device);
        let token = request.token.unwrap_or_default();
        let new = self.sign_in.use_link(&token, &browser).await?;
        Ok(signed_in(&new))
    }
}

fn signed_in(new: &NewSession) -> SignedIn {
    SignedIn {
        token: new.token.expose().to_owned(),
        expires_at: new.session.expires_at.to_string(),
        is_new_person: new.is_new_person,
    }
}
