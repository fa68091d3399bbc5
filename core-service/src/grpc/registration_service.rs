//! Registrations.

use domain::violation::Checked;
use muster_api::{
    frame::Messages,
    http_body::HttpBody,
    metadata::SEATS_OF,
    v1::{
        AddRegistrationRequest, AddedRegistration, ApproveRegistrationRequest,
        ApproveRegistrationsRequest, ApprovedRegistrations, CalendarFile,
        CancelRegistrationByTokenRequest, CancelRegistrationRequest, ChangeAnswersByTokenRequest,
        CheckInByCodeRequest, CheckInCodeList, CheckInRequest, CheckedIn,
        ConfirmRegistrationByTokenRequest, DeclineRegistrationRequest, DeclineRegistrationsRequest,
        DeclinedRegistrations, EventMails, ExportRegistrationsRequest,
        GetMailRefusalByTokenRequest, GetRegistrationByCodeRequest, GetRegistrationByTokenRequest,
        GetRegistrationCalendarByTokenRequest, GetRegistrationRequest, GetRegistrationsRequest,
        GetTicketRequest, ImportRegistrationsRequest, ImportedRegistrations,
        ListCheckInCodesRequest, ListEventMailsRequest, ListRegistrationsRequest, MailRefusal,
        OwnRegistration, PromoteRegistrationRequest, RecipientsPreview,
        RefuseMailByFormerTokenRequest, RefuseMailByTokenRequest, RefuseRemindersByTokenRequest,
        RegisterAttendeeRequest, Registration, RegistrationByCode, RegistrationList,
        RegistrationReceived, ResendRegistrationMailRequest, TakeOverNewDetailsByTokenRequest,
        Ticket, UndoCheckInRequest, UpdateRegistrationRequest, services::RegistrationHandlers,
    },
};
use tonic::Response;

use super::{
    Api, convert,
    download::{CSV, download},
    frame::{Authenticated, Command, CoreFrame, PublicCaller},
    request::{event_id, ids, registration_ids},
    status::tell_allowance,
};
use crate::{
    calendar::{self, Addresses},
    service::{self, Added, DoorPlace, Error, MailChoice, Separator},
};

impl Api {
    fn own(&self, own: service::OwnRegistration) -> OwnRegistration {
        convert::own_registration(own, &self.links)
    }

    /// The answer to a change that may have taken or freed a seat.
    fn own_with_seats(&self, own: service::OwnRegistration) -> Response<OwnRegistration> {
        let slug = own.event.slug.clone();
        let mut response = Response::new(self.own(own));
        set_seats_of(&mut response, &slug);
        response
    }
}

/// Says in an answer's metadata of which event the number of seats left may have changed.
fn set_seats_of<A>(response: &mut Response<A>, slug: &str) {
    if let Ok(slug) = slug.parse() {
        response.metadata_mut().insert(SEATS_OF, slug);
    }
}

fn added(added: Added) -> AddedRegistration {
    AddedRegistration {
        id: added.id.to_string(),
        status: added.status.to_string(),
        waitlist_position: added.waitlist_position,
        cancel_url: added.cancel_url,
        awaits: None,
    }
}

impl RegistrationHandlers<CoreFrame> for Api {
    async fn register_attendee(
        &self,
        caller: PublicCaller,
        request: Checked<RegisterAttendeeRequest>,
    ) -> Result<Response<RegistrationReceived>, Error> {
        let slug = request.message.slug.to_ascii_lowercase();
        let new = request.map(convert::public_registration);
        let email = new.message.email.clone();
        let register = self.registrations.register(&slug, new, caller.client);
        let allowance = register.await?;
        let mut response = Response::new(convert::received(slug.clone(), email));
        set_seats_of(&mut response, &slug);
        if let Some(allowance) = allowance {
            tell_allowance(response.metadata_mut(), allowance);
        }
        Ok(response)
    }

    async fn add_registration(
        &self,
        caller: Command<AddedRegistration>,
        request: Checked<AddRegistrationRequest>,
    ) -> Result<AddedRegistration, Error> {
        let event = event_id(&request.message.id)?;
        let new = request.map(convert::new_registration);
        let add = self.registrations.add(caller.showing(&added), event, new);
        add.await.map(added)
    }

    async fn import_registrations(
        &self,
        caller: Command<ImportedRegistrations>,
        request: ImportRegistrationsRequest,
    ) -> Result<ImportedRegistrations, Error> {
        let event = event_id(&request.id)?;
        let list = convert::new_list(request);
        let by = caller.showing(&convert::imported);
        let import = self
            .registrations
            .import(by, event, list, convert::added_by_list);
        Ok(convert::imported(import.await?))
    }

    async fn export_rejected_lines(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: ImportRegistrationsRequest,
    ) -> Result<Response<Messages<HttpBody>>, Error> {
        let event = event_id(&request.id)?;
        let list = convert::new_list(request);
        let rejected =
            self.registrations
                .rejected_lines(&principal, event, list, convert::added_by_list);
        let file = rejected.await?;
        Ok(download(CSV, "rejected.csv", tokio_stream::once(Ok(file))))
    }

    async fn list_registrations(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: ListRegistrationsRequest,
    ) -> Result<RegistrationList, Error> {
        let asked = convert::registrations_asked(principal.account, &request)?;
        let event = event_id(&request.id)?;
        let found = if let Some(address) = &asked.address {
            let status = asked.filter.status;
            let list = self
                .registrations
                .list_of_address(&principal, event, address, status);
            list.await?
        } else {
            let (filter, limit) = (&asked.filter, request.limit());
            let list = self
                .registrations
                .list(&principal, event, filter, limit, asked.start);
            list.await?
        };
        Ok(convert::registration_page(found, asked.list))
    }

    async fn list_event_mails(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: ListEventMailsRequest,
    ) -> Result<EventMails, Error> {
        let (after, list) = convert::event_mails_asked(principal.account, &request)?;
        let event = event_id(&request.id)?;
        let mails = self
            .registrations
            .mails(&principal, event, request.limit(), after);
        Ok(convert::event_mails(mails.await?, list))
    }

    async fn export_registrations(
        &self,
        caller: Authenticated,
        request: ExportRegistrationsRequest,
    ) -> Result<Response<Messages<HttpBody>>, Error> {
        let event = event_id(&request.id)?;
        let separator = Separator::named(request.separator());
        let export = self
            .registrations
            .export(&caller.principal, event, separator)
            .await?;
        let name = export.file_name();
        Ok(download(CSV, &name, export.pieces()))
    }

    async fn get_registration(
        &self,
        caller: Authenticated,
        request: GetRegistrationRequest,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let get = self.registrations.get(&caller.principal, event, id);
        let (found, mail_failure) = get.await?;
        Ok(convert::listed(found, mail_failure))
    }

    async fn get_registrations(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: GetRegistrationsRequest,
    ) -> Result<RegistrationList, Error> {
        let event = event_id(&request.id)?;
        let texts = request.registration_ids.iter();
        let named: Vec<_> = texts.filter_map(|id| id.parse().ok()).collect();
        let found = self
            .registrations
            .get_all(&principal, event, &named)
            .await?;
        Ok(convert::named_registrations(found))
    }

    async fn approve_registration(
        &self,
        caller: Command<Registration>,
        request: ApproveRegistrationRequest,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let by = caller.showing(&convert::registration);
        let approved = self.registrations.approve(by, event, id).await?;
        Ok(convert::registration(approved))
    }

    async fn approve_registrations(
        &self,
        caller: Command<ApprovedRegistrations>,
        request: ApproveRegistrationsRequest,
    ) -> Result<ApprovedRegistrations, Error> {
        let event = event_id(&request.id)?;
        let named = registration_ids(&request.registration_ids)?;
        let by = caller.showing(&convert::approval);
        let approved = self.registrations.approve_all(by, event, &named).await?;
        Ok(convert::approval(approved))
    }

    async fn update_registration(
        &self,
        caller: Command<Registration>,
        request: Checked<UpdateRegistrationRequest>,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.message.id, &request.message.registration_id)?;
        let patch = convert::registration_patch(request);
        let by = caller.showing(&convert::registration);
        let edited = self.registrations.edit(by, event, id, patch).await?;
        Ok(convert::registration(edited))
    }

    async fn decline_registration(
        &self,
        caller: Command<Registration>,
        request: DeclineRegistrationRequest,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let reason = request.reason.filter(|reason| !reason.is_empty());
        let by = caller.showing(&convert::registration);
        let declined = self.registrations.decline(by, event, id, reason).await?;
        Ok(convert::registration(declined))
    }

    async fn decline_registrations(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: DeclineRegistrationsRequest,
    ) -> Result<DeclinedRegistrations, Error> {
        let event = event_id(&request.id)?;
        let named = registration_ids(&request.registration_ids)?;
        let reason = request.reason.filter(|reason| !reason.is_empty());
        let decline = self
            .registrations
            .decline_all(&principal, event, &named, reason);
        Ok(convert::declined(&decline.await?))
    }

    async fn cancel_registration(
        &self,
        caller: Command<Registration>,
        request: CancelRegistrationRequest,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let by = caller.showing(&convert::registration);
        let cancelled = self.registrations.cancel(by, event, id).await?;
        Ok(convert::registration(cancelled))
    }

    async fn promote_registration(
        &self,
        caller: Command<Registration>,
        request: PromoteRegistrationRequest,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let by = caller.showing(&convert::registration);
        let promoted = self.registrations.promote(by, event, id).await?;
        Ok(convert::registration(promoted))
    }

    async fn resend_registration_mail(
        &self,
        caller: Command<Registration>,
        request: ResendRegistrationMailRequest,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let by = caller.showing(&convert::registration);
        let mailed = self.registrations.send_mail_again(by, event, id).await?;
        Ok(convert::registration(mailed))
    }

    async fn preview_updated_registration(
        &self,
        caller: Authenticated,
        request: UpdateRegistrationRequest,
    ) -> Result<RecipientsPreview, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let patch = convert::registration_patch(request.into());
        let planned = self
            .registrations
            .planned_edit(&caller.principal, event, id, patch);
        planned.await.map(convert::recipients)
    }

    async fn preview_promotion(
        &self,
        caller: Authenticated,
        request: PromoteRegistrationRequest,
    ) -> Result<RecipientsPreview, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let planned = self
            .registrations
            .planned_promotion(&caller.principal, event, id);
        planned.await.map(convert::recipients)
    }

    async fn preview_added_registration(
        &self,
        caller: Authenticated,
        request: Checked<AddRegistrationRequest>,
    ) -> Result<RecipientsPreview, Error> {
        let event = event_id(&request.message.id)?;
        let new = request.map(convert::new_registration);
        let planned = self
            .registrations
            .planned_guest(&caller.principal, event, new);
        planned.await.map(convert::recipients)
    }

    async fn preview_approval(
        &self,
        caller: Authenticated,
        request: ApproveRegistrationsRequest,
    ) -> Result<RecipientsPreview, Error> {
        let event = event_id(&request.id)?;
        let named = registration_ids(&request.registration_ids)?;
        let planned = self
            .registrations
            .planned_approval(&caller.principal, event, &named);
        planned.await.map(convert::recipients)
    }

    async fn preview_decline(
        &self,
        caller: Authenticated,
        request: DeclineRegistrationRequest,
    ) -> Result<RecipientsPreview, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let planned = self
            .registrations
            .planned_decline(&caller.principal, event, id);
        planned.await.map(convert::recipients)
    }

    async fn preview_registration_cancellation(
        &self,
        caller: Authenticated,
        request: CancelRegistrationRequest,
    ) -> Result<RecipientsPreview, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let planned = self
            .registrations
            .planned_cancellation(&caller.principal, event, id);
        planned.await.map(convert::recipients)
    }

    async fn check_in(
        &self,
        caller: Command<Registration>,
        request: CheckInRequest,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let by = caller.showing(&convert::arrived);
        let arrival = self
            .registrations
            .check_in(by, event, id, request.people)
            .await?;
        Ok(convert::arrived(arrival))
    }

    async fn check_in_by_code(
        &self,
        caller: Command<CheckedIn>,
        request: CheckInByCodeRequest,
    ) -> Result<CheckedIn, Error> {
        let place = match &request.event_id {
            Some(event) => DoorPlace::At(event_id(event)?),
            None => DoorPlace::Anywhere,
        };
        let code = request.code.unwrap_or_default();
        let by = caller.showing(&convert::checked_in);
        let arrival = self
            .registrations
            .check_in_by_code(by, &code, place, request.people);
        Ok(convert::checked_in(arrival.await?))
    }

    async fn get_registration_by_code(
        &self,
        Authenticated { principal, .. }: Authenticated,
        GetRegistrationByCodeRequest { code }: GetRegistrationByCodeRequest,
    ) -> Result<RegistrationByCode, Error> {
        let anywhere = DoorPlace::Anywhere;
        let found = self.registrations.get_by_code(&principal, &code, anywhere);
        Ok(convert::registration_by_code(found.await?))
    }

    async fn list_check_in_codes(
        &self,
        Authenticated { principal, .. }: Authenticated,
        ListCheckInCodesRequest { id }: ListCheckInCodesRequest,
    ) -> Result<CheckInCodeList, Error> {
        let event = event_id(&id)?;
        let codes = self.registrations.door_codes(&principal, event).await?;
        Ok(convert::hashed_codes(event, codes))
    }

    async fn undo_check_in(
        &self,
        caller: Command<Registration>,
        request: UndoCheckInRequest,
    ) -> Result<Registration, Error> {
        let (event, id) = ids(&request.id, &request.registration_id)?;
        let by = caller.showing(&convert::registration);
        let undone = self.registrations.undo_check_in(by, event, id).await?;
        Ok(convert::registration(undone))
    }

    async fn get_registration_by_token(
        &self,
        caller: PublicCaller,
        request: GetRegistrationByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let look_up = Box::pin(self.own_registrations.get(&request.token));
        let found = self.link_limit.looked_up(caller.client, look_up).await?;
        Ok(Response::new(self.own(found)))
    }

    async fn confirm_registration_by_token(
        &self,
        caller: PublicCaller,
        request: ConfirmRegistrationByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let confirm = self.own_registrations.confirm(&request.token);
        let confirmed = Box::pin(self.link_limit.looked_up(caller.client, confirm)).await?;
        Ok(self.own_with_seats(confirmed))
    }

    async fn take_over_new_details_by_token(
        &self,
        caller: PublicCaller,
        request: TakeOverNewDetailsByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let change = self.own_registrations.take_over_details(&request.token);
        let changed = Box::pin(self.link_limit.looked_up(caller.client, change)).await?;
        Ok(self.own_with_seats(changed))
    }

    async fn change_answers_by_token(
        &self,
        caller: PublicCaller,
        request: ChangeAnswersByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let party = convert::given_party(request.party_size, request.companions)?;
        let answers = convert::given_answers(request.answers);
        let change = self
            .own_registrations
            .change_answers(&request.token, answers, party);
        let changed = Box::pin(self.link_limit.looked_up(caller.client, change)).await?;
        Ok(self.own_with_seats(changed))
    }

    async fn refuse_mail_by_token(
        &self,
        caller: PublicCaller,
        request: RefuseMailByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let refuse = self
            .own_registrations
            .choose(&request.token, MailChoice::NoMailIfAdded);
        let refused = Box::pin(self.link_limit.looked_up(caller.client, refuse)).await?;
        Ok(Response::new(self.own(refused)))
    }

    async fn get_mail_refusal_by_token(
        &self,
        caller: PublicCaller,
        request: GetMailRefusalByTokenRequest,
    ) -> Result<Response<MailRefusal>, Error> {
        let read = self.own_registrations.refusal(&request.token);
        let refusal = Box::pin(self.link_limit.looked_up(caller.client, read)).await?;
        Ok(Response::new(convert::mail_refusal(refusal)))
    }

    async fn refuse_mail_by_former_token(
        &self,
        caller: PublicCaller,
        request: RefuseMailByFormerTokenRequest,
    ) -> Result<Response<MailRefusal>, Error> {
        let refuse = self.own_registrations.refuse(&request.token);
        let refused = Box::pin(self.link_limit.looked_up(caller.client, refuse)).await?;
        Ok(Response::new(convert::mail_refusal(refused)))
    }

    async fn refuse_reminders_by_token(
        &self,
        caller: PublicCaller,
        request: RefuseRemindersByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let refuse = self
            .own_registrations
            .choose(&request.token, MailChoice::NoReminders);
        let refused = Box::pin(self.link_limit.looked_up(caller.client, refuse)).await?;
        Ok(Response::new(self.own(refused)))
    }

    async fn cancel_registration_by_token(
        &self,
        caller: PublicCaller,
        request: CancelRegistrationByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let cancel = self.own_registrations.cancel(&request.token);
        let cancelled = Box::pin(self.link_limit.looked_up(caller.client, cancel)).await?;
        Ok(self.own_with_seats(cancelled))
    }

    async fn get_registration_calendar_by_token(
        &self,
        caller: PublicCaller,
        request: GetRegistrationCalendarByTokenRequest,
    ) -> Result<Response<CalendarFile>, Error> {
        let look_up = Box::pin(self.own_registrations.get(&request.token));
        let found = self.link_limit.looked_up(caller.client, look_up).await?;
        let addresses = Addresses {
            host: &self.links.host(),
            event_url: &self.links.event(&found.event.slug),
        };
        let text = calendar::of_registration(&found.event, &found.registration, addresses);
        Ok(Response::new(CalendarFile { text }))
    }

    async fn get_ticket(
        &self,
        caller: PublicCaller,
        request: GetTicketRequest,
    ) -> Result<Response<Ticket>, Error> {
        let look_up = self.own_registrations.ticket(&request.code);
        let found = self.link_limit.looked_up(caller.client, look_up).await?;
        Ok(Response::new(convert::ticket(found, &self.links)))
    }
}
