//! The caller's own account.

use muster_api::{
    status::invalid,
    v1::{
        Account, ActivityList, ExportAccountRequest, ExportActivityRequest, GetAccountRequest,
        ListActivityRequest, account_service_server::AccountService,
    },
};
use tonic::{Request, Response, Status};

use super::{
    account_export::Export,
    convert,
    download::{CSV, Pieces, download},
    request::{caller, id, person},
    status::refuse,
};
use crate::service::{AccountExports, Accounts, ActivityLog, Links};

/// The content type of archives.
const ZIP: &str = "application/zip";

/// The rpcs about the caller's own account.
pub(super) struct AccountApi {
    pub(super) accounts: Accounts,
    pub(super) activity: ActivityLog,
    pub(super) exports: AccountExports,
    pub(super) links: Links,
}

#[tonic::async_trait]
impl AccountService for AccountApi {
    async fn get_account(
        &self,
        request: Request<GetAccountRequest>,
    ) -> Result<Response<Account>, Status> {
        let caller = caller(&request)?;
        let found = self.accounts.get(&caller).await.map_err(refuse)?;
        Ok(Response::new(convert::account(found)))
    }

    type ExportAccountStream = Pieces;

    async fn export_account(
        &self,
        request: Request<ExportAccountRequest>,
    ) -> Result<Response<Self::ExportAccountStream>, Status> {
        let principal = caller(&request)?;
        let source = self.exports.start(&principal, person(&request).ok()).await;
        let source = source.map_err(refuse)?;
        let name = format!("muster-{}.zip", source.now().to_utc().date());
        let export = Export::start(source, self.links.clone()).map_err(refuse)?;
        Ok(download(ZIP, &name, export.pieces()))
    }

    type ExportActivityStream = Pieces;

    async fn export_activity(
        &self,
        request: Request<ExportActivityRequest>,
    ) -> Result<Response<Self::ExportActivityStream>, Status> {
        let caller = caller(&request)?;
        let request = request.into_inner();
        let event = request.event_id.as_deref().map(id).transpose()?;
        let filter = convert::activity_exported(caller.account, event, request);
        let filter = filter.map_err(|violations| invalid(&violations))?;
        let export = self.activity.export(&caller, filter).await;
        let export = export.map_err(refuse)?;
        Ok(download(CSV, "activity.csv", export.pieces()))
    }

    async fn list_activity(
        &self,
        request: Request<ListActivityRequest>,
    ) -> Result<Response<ActivityList>, Status> {
        let caller = caller(&request)?;
        let request = request.into_inner();
        let event = request.event_id.as_deref().map(id).transpose()?;
        let asked = convert::activity_asked(caller.account, event, &request);
        let asked = asked.map_err(|violations| invalid(&violations))?;
        let found = self
            .activity
            .list(&caller, &asked.filter, asked.after, request.limit())
            .await
            .map_err(refuse)?;
        Ok(Response::new(ActivityList {
            next_cursor: found.next.map(|place| place.cursor(asked.list)),
            items: found.entries.iter().map(convert::activity).collect(),
        }))
    }
}
