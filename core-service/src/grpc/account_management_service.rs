//! The account of a session, as its members manage it.

use domain::{change::Change, violation::Checked};
use muster_api::internal::v1::{
    Contact, CreateAccountRequest, CreateAccountResponse, FinishContactProofRequest,
    GetContactRequest, PreviewRemovalRequest, RemovalPreview, RemoveAccountRequest,
    RemoveAccountResponse, StartContactProofRequest, StartContactProofResponse,
    UpdateAccountRequest, UpdateAccountResponse, services::AccountManagementHandlers,
};

use super::{
    Api,
    frame::{CoreFrame, Member},
    sign_in_service::valid_seconds,
};
use crate::service::{AccountPatch, Error, SignedIn};

impl AccountManagementHandlers<CoreFrame> for Api {
    async fn create_account(
        &self,
        caller: SignedIn,
        request: CreateAccountRequest,
    ) -> Result<CreateAccountResponse, Error> {
        let name = request.name.unwrap_or_default();
        let (id, token) = self
            .own_accounts
            .create(&caller, name, &request.timezone)
            .await?;
        Ok(CreateAccountResponse {
            account_id: id.to_string(),
            token: token.expose().to_owned(),
        })
    }

    async fn update_account(
        &self,
        caller: Member,
        request: Checked<UpdateAccountRequest>,
    ) -> Result<UpdateAccountResponse, Error> {
        let patch = request.map(|request| AccountPatch {
            name: request.name,
            timezone: change(request.timezone),
            handle: change(request.handle),
            about: change(request.about),
            website: change(request.website),
        });
        self.own_accounts.update(&caller.principal, patch).await?;
        Ok(UpdateAccountResponse {})
    }

    async fn get_contact(
        &self,
        caller: Member,
        request: GetContactRequest,
    ) -> Result<Contact, Error> {
        let email = request.email.unwrap_or_default();
        let is_proven = self.contacts.is_proven(&caller.principal, &email).await?;
        Ok(Contact { email, is_proven })
    }

    async fn start_contact_proof(
        &self,
        Member { principal, person }: Member,
        request: StartContactProofRequest,
    ) -> Result<StartContactProofResponse, Error> {
        let email = request.email.unwrap_or_default();
        self.contacts.start(&principal, &person, &email).await?;
        Ok(StartContactProofResponse {
            valid_seconds: valid_seconds(),
        })
    }

    async fn finish_contact_proof(
        &self,
        Member { principal, person }: Member,
        request: FinishContactProofRequest,
    ) -> Result<Contact, Error> {
        let code = request.code.unwrap_or_default();
        let email = self.contacts.finish(&principal, &person, &code).await?;
        Ok(Contact {
            email,
            is_proven: true,
        })
    }

    async fn preview_removal(
        &self,
        caller: Member,
        _: PreviewRemovalRequest,
    ) -> Result<RemovalPreview, Error> {
        let contents = self.own_accounts.contents(&caller.principal).await?;
        let number = |count: i64| i32::try_from(count).unwrap_or(i32::MAX);
        Ok(RemovalPreview {
            events: number(contents.events),
            registrations: number(contents.registrations),
            members: number(contents.members),
            keys: number(contents.keys),
            awaited_events: number(contents.awaited_events),
            waiting_mails: number(contents.waiting_mails),
        })
    }

    async fn remove_account(
        &self,
        Member { principal, person }: Member,
        request: RemoveAccountRequest,
    ) -> Result<RemoveAccountResponse, Error> {
        let name = request.name.unwrap_or_default();
        let token = self.own_accounts.remove(&principal, &person, &name).await?;
        Ok(RemoveAccountResponse {
            token: token.expose().to_owned(),
        })
    }
}

/// The change of a field that is empty to be cleared.
fn change(text: Option<String>) -> Change<String> {
    match text {
        None => Change::Keep,
        Some(text) if text.is_empty() => Change::Clear,
        Some(text) => Change::Set(text),
    }
}
