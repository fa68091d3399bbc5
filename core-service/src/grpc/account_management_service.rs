//! The account of a session, as its members manage it.

use muster_api::internal::v1::{
    CreateAccountRequest, CreateAccountResponse, PreviewRemovalRequest, RemovalPreview,
    RemoveAccountRequest, RemoveAccountResponse, UpdateAccountRequest, UpdateAccountResponse,
    account_management_service_server::AccountManagementService,
};
use tonic::{Request, Response, Status};

use super::{
    request::{caller, person},
    status::refuse,
};
use crate::{
    domain::change::Change,
    service::{AccountPatch, OwnAccounts},
};

/// The rpcs about the account of a session.
pub(super) struct AccountManagementApi {
    pub(super) accounts: OwnAccounts,
}

#[tonic::async_trait]
impl AccountManagementService for AccountManagementApi {
    async fn create_account(
        &self,
        request: Request<CreateAccountRequest>,
    ) -> Result<Response<CreateAccountResponse>, Status> {
        let by = person(&request)?;
        let name = request.into_inner().name.unwrap_or_default();
        let created = self.accounts.create(&by, name).await;
        let (id, token) = created.map_err(refuse)?;
        Ok(Response::new(CreateAccountResponse {
            account_id: id.to_string(),
            token: token.expose().to_owned(),
        }))
    }

    async fn update_account(
        &self,
        request: Request<UpdateAccountRequest>,
    ) -> Result<Response<UpdateAccountResponse>, Status> {
        let caller = caller(&request)?;
        let UpdateAccountRequest { name, timezone } = request.into_inner();
        let patch = AccountPatch {
            name,
            timezone: match timezone {
                None => Change::Keep,
                Some(zone) if zone.is_empty() => Change::Clear,
                Some(zone) => Change::Set(zone),
            },
        };
        self.accounts.update(&caller, patch).await.map_err(refuse)?;
        Ok(Response::new(UpdateAccountResponse {}))
    }

    async fn preview_removal(
        &self,
        request: Request<PreviewRemovalRequest>,
    ) -> Result<Response<RemovalPreview>, Status> {
        let caller = caller(&request)?;
        let contents = self.accounts.contents(&caller).await.map_err(refuse)?;
        let number = |count: i64| i32::try_from(count).unwrap_or(i32::MAX);
        Ok(Response::new(RemovalPreview {
            events: number(contents.events),
            registrations: number(contents.registrations),
            members: number(contents.members),
            keys: number(contents.keys),
            awaited_events: number(contents.awaited_events),
            waiting_mails: number(contents.waiting_mails),
        }))
    }

    async fn remove_account(
        &self,
        request: Request<RemoveAccountRequest>,
    ) -> Result<Response<RemoveAccountResponse>, Status> {
        let (principal, by) = (caller(&request)?, person(&request)?);
        let name = request.into_inner().name.unwrap_or_default();
        let removed = self.accounts.remove(&principal, &by, &name).await;
        Ok(Response::new(RemoveAccountResponse {
            token: removed.map_err(refuse)?.expose().to_owned(),
        }))
    }
}
