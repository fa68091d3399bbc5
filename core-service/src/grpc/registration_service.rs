//! Who comes to an event.

use std::pin::Pin;

use futures_util::{Stream, stream};
use muster_api::{
    http_body::HttpBody,
    v1::{
        AddRegistrationRequest, AddedRegistration, ApproveRegistrationRequest,
        CancelRegistrationByTokenRequest, CancelRegistrationRequest, CheckInRequest,
        ExportRegistrationsRequest, GetRegistrationByTokenRequest, GetRegistrationRequest,
        ListRegistrationsRequest, OwnRegistration, RegisterAttendeeRequest, Registration,
        RegistrationList, RegistrationReceived, UndoCheckInRequest,
        registration_service_server::RegistrationService,
    },
};
use tonic::{Request, Response, Status};

use super::{
    convert,
    request::{caller, client_address, id, ids},
    status::{refuse, tell_allowance},
};
use crate::service::{Export, RegistrationFilter, Service};

/// What the table is, to whoever reads it.
const CSV: &str = "text/csv; charset=utf-8; header=present";

#[tonic::async_trait]
impl RegistrationService for Service {
    type ExportRegistrationsStream = Pin<Box<dyn Stream<Item = Result<HttpBody, Status>> + Send>>;

    async fn register_attendee(
        &self,
        request: Request<RegisterAttendeeRequest>,
    ) -> Result<Response<RegistrationReceived>, Status> {
        let client = client_address(&request);
        let RegisterAttendeeRequest {
            slug,
            name,
            email,
            answers,
        } = request.into_inner();
        let new = convert::new_registration(name, email, answers);
        let email = new.email.clone();
        let allowance = Service::register_attendee(self, &slug, new, client)
            .await
            .map_err(refuse)?;
        let mut response = Response::new(RegistrationReceived {
            message: format!("Thank you. An e-mail to {email} says whether you have a seat."),
            slug,
            email,
        });
        if let Some(allowance) = allowance {
            tell_allowance(response.metadata_mut(), allowance);
        }
        Ok(response)
    }

    async fn add_registration(
        &self,
        request: Request<AddRegistrationRequest>,
    ) -> Result<Response<AddedRegistration>, Status> {
        let caller = caller(&request)?;
        let event = id(&request.get_ref().id)?;
        let AddRegistrationRequest {
            name,
            email,
            answers,
            ..
        } = request.into_inner();
        let new = convert::new_registration(name, email, answers);
        let added = Service::add_registration(self, &caller, event, new)
            .await
            .map_err(refuse)?;
        Ok(Response::new(AddedRegistration {
            id: added.id.to_string(),
            status: added.status.to_string(),
            waitlist_position: added.waitlist_position,
            cancel_url: added.cancel_url,
        }))
    }

    async fn list_registrations(
        &self,
        request: Request<ListRegistrationsRequest>,
    ) -> Result<Response<RegistrationList>, Status> {
        let caller = caller(&request)?;
        let request = request.into_inner();
        let (limit, offset) = (request.limit(), request.offset());
        let filter = RegistrationFilter {
            // Validation lets no other names in.
            status: request.status.and_then(|status| status.parse().ok()),
            text: request.q,
        };
        let event = id(&request.id)?;
        let found = Service::list_registrations(self, &caller, event, &filter, limit, offset)
            .await
            .map_err(refuse)?;
        let items = found.registrations.into_iter();
        Ok(Response::new(RegistrationList {
            items: items.map(convert::registration).collect(),
            count: found.count,
        }))
    }

    async fn export_registrations(
        &self,
        request: Request<ExportRegistrationsRequest>,
    ) -> Result<Response<Self::ExportRegistrationsStream>, Status> {
        let caller = caller(&request)?;
        let event = id(&request.get_ref().id)?;
        let export = Service::export_registrations(self, &caller, event)
            .await
            .map_err(refuse)?;
        let file = format!("attachment; filename=\"{}\"", export.file_name());
        // Nothing is read ahead: a piece is read when the one before has gone out.
        let pieces = stream::try_unfold(export, next_piece);
        let mut response = Response::new(Box::pin(pieces) as Self::ExportRegistrationsStream);
        if let Ok(file) = file.parse() {
            response.metadata_mut().insert("content-disposition", file);
        }
        Ok(response)
    }

    async fn get_registration(
        &self,
        request: Request<GetRegistrationRequest>,
    ) -> Result<Response<Registration>, Status> {
        let caller = caller(&request)?;
        let request = request.get_ref();
        let (event, id) = ids(&request.id, &request.registration_id)?;
        answer(Service::get_registration(self, &caller, event, id).await)
    }

    async fn approve_registration(
        &self,
        request: Request<ApproveRegistrationRequest>,
    ) -> Result<Response<Registration>, Status> {
        let caller = caller(&request)?;
        let request = request.get_ref();
        let (event, id) = ids(&request.id, &request.registration_id)?;
        answer(Service::approve_registration(self, &caller, event, id).await)
    }

    async fn cancel_registration(
        &self,
        request: Request<CancelRegistrationRequest>,
    ) -> Result<Response<Registration>, Status> {
        let caller = caller(&request)?;
        let request = request.get_ref();
        let (event, id) = ids(&request.id, &request.registration_id)?;
        answer(Service::cancel_registration(self, &caller, event, id).await)
    }

    async fn check_in(
        &self,
        request: Request<CheckInRequest>,
    ) -> Result<Response<Registration>, Status> {
        let caller = caller(&request)?;
        let request = request.get_ref();
        let (event, id) = ids(&request.id, &request.registration_id)?;
        answer(Service::check_in(self, &caller, event, id).await)
    }

    async fn undo_check_in(
        &self,
        request: Request<UndoCheckInRequest>,
    ) -> Result<Response<Registration>, Status> {
        let caller = caller(&request)?;
        let request = request.get_ref();
        let (event, id) = ids(&request.id, &request.registration_id)?;
        answer(Service::undo_check_in(self, &caller, event, id).await)
    }

    async fn get_registration_by_token(
        &self,
        request: Request<GetRegistrationByTokenRequest>,
    ) -> Result<Response<OwnRegistration>, Status> {
        let found = Service::get_registration_by_token(self, &request.get_ref().token)
            .await
            .map_err(refuse)?;
        Ok(Response::new(convert::own_registration(
            found,
            self.links(),
        )))
    }

    async fn cancel_registration_by_token(
        &self,
        request: Request<CancelRegistrationByTokenRequest>,
    ) -> Result<Response<OwnRegistration>, Status> {
        let cancelled = Service::cancel_registration_by_token(self, &request.get_ref().token)
            .await
            .map_err(refuse)?;
        let own = convert::own_registration(cancelled, self.links());
        Ok(Response::new(own))
    }
}

fn answer(
    outcome: Result<crate::domain::registration::Registration, crate::service::Error>,
) -> Result<Response<Registration>, Status> {
    let registration = outcome.map_err(refuse)?;
    Ok(Response::new(convert::registration(registration)))
}

async fn next_piece(mut export: Export) -> Result<Option<(HttpBody, Export)>, Status> {
    let piece = export.next().await.map_err(refuse)?;
    Ok(piece.map(|data| {
        let content_type = CSV.to_owned();
        (HttpBody { content_type, data }, export)
    }))
}
