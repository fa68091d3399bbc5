//! What mail providers report about mails that they took.

use domain::violation::FieldViolation;
use muster_api::internal::v1::{
    ReceiveMailEventsRequest, ReceiveMailEventsResponse, services::MailEventHandlers,
};

use super::{
    Api,
    frame::{CoreFrame, PublicCaller},
};
use crate::{
    email::read_events,
    service::{Error, Taken},
};

impl MailEventHandlers<CoreFrame> for Api {
    async fn receive_mail_events(
        &self,
        _: PublicCaller,
        request: ReceiveMailEventsRequest,
    ) -> Result<ReceiveMailEventsResponse, Error> {
        self.mail_reports.check(request.secret())?;
        let events = read_events(request.body()).map_err(|error| {
            vec![FieldViolation {
                field: "body".to_owned(),
                message: error.to_string(),
            }]
        })?;
        let (mut recorded, mut ignored) = (0, events.ignored);
        for taken in self.mail_reports.take(&events.reports).await? {
            match taken {
                Taken::Recorded => recorded += 1,
                Taken::Repeated | Taken::Ignored | Taken::Unknown => ignored += 1,
            }
        }
        Ok(ReceiveMailEventsResponse {
            recorded,
            ignored: i32::try_from(ignored).unwrap_or(i32::MAX),
        })
    }
}
