//! The caller's own account.

use muster_api::v1::{Account, GetAccountRequest, account_service_server::AccountService};
use tonic::{Request, Response, Status};

use super::{request::caller, status::refuse};
use crate::service::Accounts;

/// The rpcs about the caller's own account.
pub(super) struct AccountApi {
    pub(super) accounts: Accounts,
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
}
