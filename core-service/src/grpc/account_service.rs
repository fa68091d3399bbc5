//! The caller's own account.

use muster_api::{
    status::invalid,
    v1::{
        Account, ActivityList, ExportActivityRequest, GetAccountRequest, ListActivityRequest,
        account_service_server::AccountService,
    },
};
use tonic::{Request, Response, Status};

use super::{
    convert,
    download::{CSV, Pieces, download},
    request::{caller, id},
    status::refuse,
};
use crate::service::{Accounts, ActivityLog};

/// The rpcs about the caller's own account.
pub(super) struct AccountApi {
    pub(super) accounts: Accounts,
    pub(super) activity: ActivityLog,
}

#[tonic::async_trait]
impl AccountService for AccountApi {
    async fn get_account(
        &self,
        request: Request<GetAccountRequest>,
    ) -> Result<Response<Account>, Status> {
        let caller = caller(&request)?;
        let found = self.accounts.get(&caller).await.map_err(refuse)?;
        Ok(Response::new(Account {
            active_events: found.active_events,
            active_events_limit: found.active_events_limit,
            active_events_left: found.active_events_left(),
            daily_mails_limit: found.daily_mails_limit,
            daily_mails_left: found.daily_mails_left(),
            id: found.account.id.to_string(),
            plan: found.account.plan.name().to_owned(),
            is_paid: found.account.plan.is_paid(),
            email: found.account.email,
            name: found.account.name,
            timezone: found.account.timezone,
        }))
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
