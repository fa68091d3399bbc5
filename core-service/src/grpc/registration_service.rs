//! Registrations.

use std::net::IpAddr;

use muster_api::{
    metadata::{ALL_SEATS, SEATS_OF},
    status::invalid,
    v1::{
        AddRegistrationRequest, AddedRegistration, ApproveRegistrationRequest,
        ApproveRegistrationsRequest, ApprovedRegistrations, CalendarFile,
        CancelRegistrationByTokenRequest, CancelRegistrationRequest, CheckInByCodeRequest,
        CheckInRequest, CheckedIn, ConfirmRegistrationByTokenRequest, DeclineRegistrationRequest,
        DeclineRegistrationsRequest, DeclinedRegistrations, ExportRegistrationsRequest,
        GetRegistrationByCodeRequest, GetRegistrationByTokenRequest,
        GetRegistrationCalendarByTokenRequest, GetRegistrationRequest, GetRegistrationsRequest,
        GetTicketRequest, ListRegistrationsRequest, OwnRegistration, RegisterAttendeeRequest,
        Registration, RegistrationByCode, RegistrationList, RegistrationReceived,
        TakeOverNewDetailsByTokenRequest, Ticket, UndoCheckInRequest, UpdateRegistrationRequest,
        bindings::{
            AddRegistration, ApproveRegistration, ApproveRegistrations, CancelRegistration,
            CheckIn, CheckInByCode, DeclineRegistration, UndoCheckIn, UpdateRegistration,
        },
        registration_service_server::RegistrationService,
    },
};
use tonic::{Request, Response, Status};

use super::{
    convert,
    download::{CSV, Pieces, download},
    once,
    request::{caller, client_address, id, ids, registration_ids},
    status::{refuse, tell_allowance},
};
use crate::{
    calendar::{self, Addresses},
    service::{
        self, Added, Commands, DoorPlace, Error, LinkLimit, Links, OwnRegistrations, Registrations,
    },
};

/// The rpcs about registrations, for the public, the organizer and the attendee.
pub(super) struct RegistrationApi {
    pub(super) commands: Commands,
    pub(super) registrations: Registrations,
    pub(super) own_registrations: OwnRegistrations,
    pub(super) link_limit: LinkLimit,
    pub(super) links: Links,
}

impl RegistrationApi {
    /// What a private link or a code leads to. A client may try only so many that nobody has.
    async fn by_link<A>(
        &self,
        client: Option<IpAddr>,
        look_up: impl Future<Output = Result<A, Error>>,
    ) -> Result<A, Status> {
        self.link_limit.check(client).map_err(refuse)?;
        let found = look_up.await;
        if matches!(found, Err(Error::NotFound { .. })) {
            self.link_limit.count(client);
        }
        found.map_err(refuse)
    }

    /// The answer to an attendee who may have taken a seat or given one back.
    fn changed_by_attendee(&self, own: service::OwnRegistration) -> Response<OwnRegistration> {
        let slug = own.event.slug.clone();
        let mut response = Response::new(convert::own_registration(own, &self.links));
        tell_seats(&mut response, &slug);
        response
    }
}

/// Says of which event another number of seats may be left.
fn tell_seats<A>(response: &mut Response<A>, slug: &str) {
    if let Ok(slug) = slug.parse() {
        response.metadata_mut().insert(SEATS_OF, slug);
    }
}

/// The answer to an organizer, who names the event by its id: its slug would have to be read for this alone.
fn changed_by_organizer<A>(mut response: Response<A>) -> Response<A> {
    tell_seats(&mut response, ALL_SEATS);
    response
}

#[tonic::async_trait]
impl RegistrationService for RegistrationApi {
    type ExportRegistrationsStream = Pieces;

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
        let allowance = self
            .registrations
            .register(&slug, new, client)
            .await
            .map_err(refuse)?;
        let mut response = Response::new(convert::received(slug.clone(), email));
        tell_seats(&mut response, &slug);
        if let Some(allowance) = allowance {
            tell_allowance(response.metadata_mut(), allowance);
        }
        Ok(response)
    }

    async fn add_registration(
        &self,
        request: Request<AddRegistrationRequest>,
    ) -> Result<Response<AddedRegistration>, Status> {
        let event = id(&request.get_ref().id)?;
        let show = |added: Added| AddedRegistration {
            id: added.id.to_string(),
            status: added.status.to_string(),
            waitlist_position: added.waitlist_position,
            cancel_url: added.cancel_url,
            awaits: None,
        };
        once::answer::<AddRegistration, _>(&self.commands, request, show, async |by, request| {
            let AddRegistrationRequest {
                name,
                email,
                answers,
                ..
            } = request;
            let new = convert::new_registration(name, email, answers);
            self.registrations.add(by, event, new).await
        })
        .await
        .map(changed_by_organizer)
    }

    async fn list_registrations(
        &self,
        request: Request<ListRegistrationsRequest>,
    ) -> Result<Response<RegistrationList>, Status> {
        let caller = caller(&request)?;
        let request = request.into_inner();
        let asked = convert::registrations_asked(caller.account, &request);
        let asked = asked.map_err(|violations| invalid(&violations))?;
        let event = id(&request.id)?;
        let found = self
            .registrations
            .list(&caller, event, &asked.filter, request.limit(), asked.start)
            .await
            .map_err(refuse)?;
        Ok(Response::new(convert::registration_page(found, asked.list)))
    }

    async fn export_registrations(
        &self,
        request: Request<ExportRegistrationsRequest>,
    ) -> Result<Response<Self::ExportRegistrationsStream>, Status> {
        let caller = caller(&request)?;
        let event = id(&request.get_ref().id)?;
        let export = self
            .registrations
            .export(&caller, event)
            .await
            .map_err(refuse)?;
        let name = export.file_name();
        Ok(download(CSV, &name, export.pieces()))
    }

    async fn get_registration(
        &self,
        request: Request<GetRegistrationRequest>,
    ) -> Result<Response<Registration>, Status> {
        let caller = caller(&request)?;
        let request = request.get_ref();
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let found = self.registrations.get(&caller, event, id).await;
        let found = found.map_err(refuse)?;
        Ok(Response::new(convert::registration(found)))
    }

    async fn get_registrations(
        &self,
        request: Request<GetRegistrationsRequest>,
    ) -> Result<Response<RegistrationList>, Status> {
        let caller = caller(&request)?;
        let request = request.get_ref();
        let event = id(&request.id)?;
        let texts = request.registration_ids.iter();
        let named: Vec<_> = texts.filter_map(|id| id.parse().ok()).collect();
        let found = self.registrations.get_all(&caller, event, &named).await;
        let found = found.map_err(refuse)?;
        Ok(Response::new(convert::named_registrations(found)))
    }

    async fn approve_registration(
        &self,
        request: Request<ApproveRegistrationRequest>,
    ) -> Result<Response<Registration>, Status> {
        let (event, id) = ids(&request.get_ref().id, &request.get_ref().registration_id)?;
        once::answer::<ApproveRegistration, _>(
            &self.commands,
            request,
            convert::registration,
            async |by, _| self.registrations.approve(by, event, id).await,
        )
        .await
        .map(changed_by_organizer)
    }

    async fn approve_registrations(
        &self,
        request: Request<ApproveRegistrationsRequest>,
    ) -> Result<Response<ApprovedRegistrations>, Status> {
        let event = id(&request.get_ref().id)?;
        let named = registration_ids(&request.get_ref().registration_ids)?;
        once::answer::<ApproveRegistrations, _>(
            &self.commands,
            request,
            convert::approval,
            async |by, _| self.registrations.approve_all(by, event, &named).await,
        )
        .await
        .map(changed_by_organizer)
    }

    async fn update_registration(
        &self,
        request: Request<UpdateRegistrationRequest>,
    ) -> Result<Response<Registration>, Status> {
        let (event, id) = ids(&request.get_ref().id, &request.get_ref().registration_id)?;
        once::answer::<UpdateRegistration, _>(
            &self.commands,
            request,
            convert::registration,
            async |by, request| {
                let patch = convert::registration_patch(request).map_err(Error::Invalid)?;
                self.registrations.edit(by, event, id, patch).await
            },
        )
        .await
    }

    async fn decline_registration(
        &self,
        request: Request<DeclineRegistrationRequest>,
    ) -> Result<Response<Registration>, Status> {
        let (event, id) = ids(&request.get_ref().id, &request.get_ref().registration_id)?;
        once::answer::<DeclineRegistration, _>(
            &self.commands,
            request,
            convert::registration,
            async |by, request| {
                let reason = request.reason.filter(|reason| !reason.is_empty());
                self.registrations.decline(by, event, id, reason).await
            },
        )
        .await
        .map(changed_by_organizer)
    }

    async fn decline_registrations(
        &self,
        request: Request<DeclineRegistrationsRequest>,
    ) -> Result<Response<DeclinedRegistrations>, Status> {
        let caller = caller(&request)?;
        let request = request.into_inner();
        let event = id(&request.id)?;
        let named = registration_ids(&request.registration_ids)?;
        let reason = request.reason.filter(|reason| !reason.is_empty());
        let decline = self
            .registrations
            .decline_all(&caller, event, &named, reason);
        let items = decline.await.map_err(refuse)?;
        Ok(changed_by_organizer(Response::new(convert::declined(
            &items,
        ))))
    }

    async fn cancel_registration(
        &self,
        request: Request<CancelRegistrationRequest>,
    ) -> Result<Response<Registration>, Status> {
        let (event, id) = ids(&request.get_ref().id, &request.get_ref().registration_id)?;
        once::answer::<CancelRegistration, _>(
            &self.commands,
            request,
            convert::registration,
            async |by, _| self.registrations.cancel(by, event, id).await,
        )
        .await
        .map(changed_by_organizer)
    }

    async fn check_in(
        &self,
        request: Request<CheckInRequest>,
    ) -> Result<Response<Registration>, Status> {
        let (event, id) = ids(&request.get_ref().id, &request.get_ref().registration_id)?;
        once::answer::<CheckIn, _>(
            &self.commands,
            request,
            convert::registration,
            async |by, _| self.registrations.check_in(by, event, id).await,
        )
        .await
    }

    async fn check_in_by_code(
        &self,
        request: Request<CheckInByCodeRequest>,
    ) -> Result<Response<CheckedIn>, Status> {
        let place = match &request.get_ref().event_id {
            Some(event) => DoorPlace::At(id(event)?),
            None => DoorPlace::Anywhere,
        };
        once::answer::<CheckInByCode, _>(
            &self.commands,
            request,
            convert::checked_in,
            async |by, request| {
                let code = request.code.unwrap_or_default();
                self.registrations.check_in_by_code(by, &code, place).await
            },
        )
        .await
    }

    async fn get_registration_by_code(
        &self,
        request: Request<GetRegistrationByCodeRequest>,
    ) -> Result<Response<RegistrationByCode>, Status> {
        let caller = caller(&request)?;
        let code = &request.get_ref().code;
        let anywhere = DoorPlace::Anywhere;
        let found = self
            .registrations
            .get_by_code(&caller, code, anywhere)
            .await;
        let found = found.map_err(refuse)?;
        Ok(Response::new(convert::registration_by_code(found)))
    }

    async fn undo_check_in(
        &self,
        request: Request<UndoCheckInRequest>,
    ) -> Result<Response<Registration>, Status> {
        let (event, id) = ids(&request.get_ref().id, &request.get_ref().registration_id)?;
        once::answer::<UndoCheckIn, _>(
            &self.commands,
            request,
            convert::registration,
            async |by, _| self.registrations.undo_check_in(by, event, id).await,
        )
        .await
    }

    async fn get_registration_by_token(
        &self,
        request: Request<GetRegistrationByTokenRequest>,
    ) -> Result<Response<OwnRegistration>, Status> {
        let look_up = self.own_registrations.get(&request.get_ref().token);
        let found = self.by_link(client_address(&request), look_up).await?;
        Ok(Response::new(convert::own_registration(found, &self.links)))
    }

    async fn confirm_registration_by_token(
        &self,
        request: Request<ConfirmRegistrationByTokenRequest>,
    ) -> Result<Response<OwnRegistration>, Status> {
        let confirm = self.own_registrations.confirm(&request.get_ref().token);
        let confirmed = Box::pin(self.by_link(client_address(&request), confirm)).await?;
        Ok(self.changed_by_attendee(confirmed))
    }

    async fn take_over_new_details_by_token(
        &self,
        request: Request<TakeOverNewDetailsByTokenRequest>,
    ) -> Result<Response<OwnRegistration>, Status> {
        let token = &request.get_ref().token;
        let change = self.own_registrations.take_over_details(token);
        let changed = Box::pin(self.by_link(client_address(&request), change)).await?;
        let own = convert::own_registration(changed, &self.links);
        Ok(Response::new(own))
    }

    async fn cancel_registration_by_token(
        &self,
        request: Request<CancelRegistrationByTokenRequest>,
    ) -> Result<Response<OwnRegistration>, Status> {
        let cancel = self.own_registrations.cancel(&request.get_ref().token);
        let cancelled = Box::pin(self.by_link(client_address(&request), cancel)).await?;
        Ok(self.changed_by_attendee(cancelled))
    }

    async fn get_registration_calendar_by_token(
        &self,
        request: Request<GetRegistrationCalendarByTokenRequest>,
    ) -> Result<Response<CalendarFile>, Status> {
        let look_up = self.own_registrations.get(&request.get_ref().token);
        let found = self.by_link(client_address(&request), look_up).await?;
        let addresses = Addresses {
            host: &self.links.host(),
            event_url: &self.links.event(&found.event.slug),
        };
        let text = calendar::of_registration(&found.event, &found.registration, addresses);
        Ok(Response::new(CalendarFile { text }))
    }

    async fn get_ticket(
        &self,
        request: Request<GetTicketRequest>,
    ) -> Result<Response<Ticket>, Status> {
        let look_up = self.own_registrations.ticket(&request.get_ref().code);
        let found = self.by_link(client_address(&request), look_up).await?;
        Ok(Response::new(convert::ticket(found, &self.links)))
    }
}
