//! Mails to organizers: what each member wants.

use domain::organizer_mail;
use muster_api::internal::v1::{
    GetMailChoiceRequest, MailChoice, SetMailChoiceRequest, services::OrganizerMailHandlers,
};

use super::{
    Api,
    frame::{CoreFrame, Member},
    request::id_of,
};
use crate::service::Error;

impl OrganizerMailHandlers<CoreFrame> for Api {
    async fn get_mail_choice(
        &self,
        Member { principal, person }: Member,
        _: GetMailChoiceRequest,
    ) -> Result<MailChoice, Error> {
        let choice = self.organizer_mails.choice(&principal, &person).await?;
        Ok(shown(choice))
    }

    async fn set_mail_choice(
        &self,
        Member { principal, person }: Member,
        request: SetMailChoiceRequest,
    ) -> Result<MailChoice, Error> {
        // The validation allows only names of choices.
        let choice = id_of("choice", request.mails)?;
        self.organizer_mails
            .choose(&principal, &person, choice)
            .await?;
        Ok(shown(choice))
    }
}

fn shown(choice: organizer_mail::MailChoice) -> MailChoice {
    MailChoice {
        mails: choice.to_string(),
    }
}
