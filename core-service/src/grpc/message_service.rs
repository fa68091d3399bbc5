//! Messages of organizers to the people who registered for their events.

use domain::{
    ids::{EventId, MessageId},
    job::{JobKey, JobKind},
    violation::Checked,
};
use muster_api::v1::{
    CancelMessageRequest, CreateMessageRequest, GetMessageRequest, ListMessagesRequest, Message,
    MessageList, MessagePreview, OwnRegistration, ResumeMessagesByTokenRequest,
    StopMessagesByTokenRequest, UpdateMessageRequest, services::MessageHandlers,
};
use tonic::Response;
use uuid::Uuid;

use super::{
    Api, convert,
    frame::{Authenticated, Command, CoreFrame, PublicCaller},
    request::event_id,
};
use crate::{
    email::{self, Mail, MessageAddressing, Written},
    service::{Error, MailChoice, MessagesStopped, PlannedMessage},
};

impl MessageHandlers<CoreFrame> for Api {
    async fn create_message(
        &self,
        caller: Command<Message>,
        request: Checked<CreateMessageRequest>,
    ) -> Result<Message, Error> {
        let id = event_id(&request.message.id)?;
        let new = request.map(convert::new_message);
        let create = self
            .messages
            .create(caller.showing(&convert::message), id, new);
        create.await.map(convert::message)
    }

    async fn preview_message(
        &self,
        caller: Authenticated,
        request: Checked<CreateMessageRequest>,
    ) -> Result<MessagePreview, Error> {
        let id = event_id(&request.message.id)?;
        let new = request.map(convert::new_message);
        let planned = self.messages.preview(&caller.principal, id, new).await?;
        let mail = self.sample(&planned)?;
        Ok(convert::message_preview(planned, mail))
    }

    async fn list_messages(
        &self,
        caller: Authenticated,
        request: ListMessagesRequest,
    ) -> Result<MessageList, Error> {
        let id = event_id(&request.id)?;
        let before = convert::message_cursor(request.cursor.as_deref())?;
        let list = self
            .messages
            .list(&caller.principal, id, before, request.limit());
        list.await.map(convert::message_page)
    }

    async fn get_message(
        &self,
        caller: Authenticated,
        request: GetMessageRequest,
    ) -> Result<Message, Error> {
        let (id, message) = ids(&request.id, &request.message_id)?;
        let get = self.messages.get(&caller.principal, id, message);
        get.await.map(convert::message)
    }

    async fn update_message(
        &self,
        caller: Command<Message>,
        request: Checked<UpdateMessageRequest>,
    ) -> Result<Message, Error> {
        let (id, message) = ids(&request.message.id, &request.message.message_id)?;
        let patch = convert::message_patch(request);
        let by = caller.showing(&convert::message);
        let update = self.messages.update(by, id, message, patch);
        update.await.map(convert::message)
    }

    async fn cancel_message(
        &self,
        caller: Command<Message>,
        request: CancelMessageRequest,
    ) -> Result<Message, Error> {
        let (id, message) = ids(&request.id, &request.message_id)?;
        let by = caller.showing(&convert::message);
        let cancel = self.messages.cancel(by, id, message);
        cancel.await.map(convert::message)
    }

    async fn stop_messages_by_token(
        &self,
        caller: PublicCaller,
        request: StopMessagesByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let stop = self.own_registrations.stop_messages(&request.token);
        let stopped = Box::pin(self.link_limit.looked_up(caller.client, stop)).await?;
        Ok(Response::new(match stopped {
            MessagesStopped::Own(own) => convert::own_registration(*own, &self.links),
            MessagesStopped::Former(event) => convert::former_registration(*event, &self.links),
        }))
    }

    async fn resume_messages_by_token(
        &self,
        caller: PublicCaller,
        request: ResumeMessagesByTokenRequest,
    ) -> Result<Response<OwnRegistration>, Error> {
        let resume = self
            .own_registrations
            .choose(&request.token, MailChoice::MessagesAgain);
        let own = Box::pin(self.link_limit.looked_up(caller.client, resume)).await?;
        Ok(Response::new(convert::own_registration(own, &self.links)))
    }
}

impl Api {
    /// The mail of a message, as a recipient would read it. Each has links of their own, which nobody else may see.
    fn sample(&self, planned: &PlannedMessage) -> Result<Mail, Error> {
        let key = JobKey {
            kind: JobKind::MessageMail,
            subject_id: Uuid::nil(),
            occasion: 0,
        };
        let (message, registrant) = (&planned.message, &planned.registrant);
        let private_url = self.links.sample_registration();
        let (host, event_url) = (self.links.host(), self.links.event(&registrant.event.slug));
        let addressing = MessageAddressing::sample(&self.brand, &host, &event_url, &private_url);
        let written = Written {
            subject: &message.subject,
            text: &message.text,
        };
        let mail = email::message(&key, written, registrant, &addressing);
        mail.map_err(|error| Error::unreadable("mail", error.to_string()))
    }
}

/// The ids of an event and of one of its messages.
fn ids(event: &str, message: &str) -> Result<(EventId, MessageId), Error> {
    let message = message.parse();
    let message = message.map_err(|_| Error::NotFound { what: "message" })?;
    Ok((event_id(event)?, message))
}
