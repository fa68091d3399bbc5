//! Who comes to an event.

use muster_api::v1::{
    ListRegistrationsRequest, RegistrationList, registration_service_server::RegistrationService,
};
use tonic::{Request, Response, Status};

use super::{
    convert,
    request::{caller, id},
    status::refuse,
};
use crate::service::Service;

#[tonic::async_trait]
impl RegistrationService for Service {
    async fn list_registrations(
        &self,
        request: Request<ListRegistrationsRequest>,
    ) -> Result<Response<RegistrationList>, Status> {
        let caller = caller(&request)?;
        let id = id(&request.get_ref().id)?;
        let limit = request.get_ref().limit();
        let found = Service::list_registrations(self, &caller, id, limit)
            .await
            .map_err(refuse)?;
        let items = found
            .registrations
            .into_iter()
            .map(convert::registration)
            .collect();
        Ok(Response::new(RegistrationList {
            items,
            count: found.count,
        }))
    }
}
