//! The caller's own account.

use muster_api::{
    frame::Messages,
    http_body::HttpBody,
    v1::{
        Account, ActivityList, ExportAccountRequest, ExportActivityRequest, GetAccountRequest,
        ListActivityRequest, services::AccountHandlers,
    },
};
use tonic::Response;

use super::{
    Api,
    account_export::Export,
    convert,
    download::{CSV, download},
    frame::{Authenticated, CoreFrame},
    request::event_id,
};
use crate::service::Error;

/// The content type of archives.
const ZIP: &str = "application/zip";

impl AccountHandlers<CoreFrame> for Api {
    async fn get_account(
        &self,
        caller: Authenticated,
        _: GetAccountRequest,
    ) -> Result<Account, Error> {
        let found = self.accounts.get(&caller.principal).await?;
        Ok(convert::account(found, &self.links))
    }

    async fn export_account(
        &self,
        Authenticated {
            principal,
            credential,
            ..
        }: Authenticated,
        _: ExportAccountRequest,
    ) -> Result<Response<Messages<HttpBody>>, Error> {
        let source = self
            .account_exports
            .start(&principal, credential.person)
            .await?;
        let name = format!("muster-{}.zip", source.now().to_utc().date());
        let export = Export::start(source, self.links.clone())?;
        Ok(download(ZIP, &name, export.pieces()))
    }

    async fn export_activity(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: ExportActivityRequest,
    ) -> Result<Response<Messages<HttpBody>>, Error> {
        let event = request.event_id.as_deref().map(event_id).transpose()?;
        let filter = convert::activity_exported(principal.account, event, request)?;
        let export = self.activity.export(&principal, filter).await?;
        Ok(download(CSV, "activity.csv", export.pieces()))
    }

    async fn list_activity(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: ListActivityRequest,
    ) -> Result<ActivityList, Error> {
        let event = request.event_id.as_deref().map(event_id).transpose()?;
        let asked = convert::activity_asked(principal.account, event, &request)?;
        let found = self
            .activity
            .list(&principal, &asked.filter, asked.after, request.limit())
            .await?;
        Ok(ActivityList {
            next_cursor: found.next.map(|place| place.cursor(asked.list)),
            items: found.entries.iter().map(convert::activity).collect(),
        })
    }
}
