//! Mails to organizers: what each member wants.

use muster_api::internal::v1::{
    GetMailChoiceRequest, MailChoice, SetMailChoiceRequest,
    organizer_mail_service_server::OrganizerMailService,
};
use tonic::{Request, Response, Status};

use super::{
    request::{caller, id_of, person},
    status::refuse,
};
use crate::{domain::organizer_mail, service::OrganizerMails};

/// The rpcs about mails to organizers.
pub(super) struct OrganizerMailApi {
    pub(super) mails: OrganizerMails,
}

#[tonic::async_trait]
impl OrganizerMailService for OrganizerMailApi {
    async fn get_mail_choice(
        &self,
        request: Request<GetMailChoiceRequest>,
    ) -> Result<Response<MailChoice>, Status> {
        let (caller, person) = (caller(&request)?, person(&request)?);
        let choice = self.mails.choice(&caller, &person).await;
        Ok(shown(choice.map_err(refuse)?))
    }

    async fn set_mail_choice(
        &self,
        request: Request<SetMailChoiceRequest>,
    ) -> Result<Response<MailChoice>, Status> {
        let (caller, person) = (caller(&request)?, person(&request)?);
        // The validation allows only names of choices.
        let choice = id_of("choice", request.into_inner().mails)?;
        let chosen = self.mails.choose(&caller, &person, choice).await;
        chosen.map_err(refuse)?;
        Ok(shown(choice))
    }
}

fn shown(choice: organizer_mail::MailChoice) -> Response<MailChoice> {
    Response::new(MailChoice {
        mails: choice.to_string(),
    })
}
