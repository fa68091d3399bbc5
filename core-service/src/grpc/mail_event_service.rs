//! What mail providers report about mails that they took.

use domain::violation::FieldViolation;
use muster_api::internal::v1::{
    ReceiveMailEventsRequest, ReceiveMailEventsResponse, services::MailEventHandlers,
};

use super::frame::{CoreFrame, PublicCaller};
use crate::{
    email::read_events,
    service::{Error, MailReports, Taken},
};

/// The rpc for mail providers, whom a secret proves.
pub(super) struct MailEventApi {
    pub(super) reports: MailReports,
}

impl MailEventHandlers<CoreFrame> for MailEventApi {
    async fn receive_mail_events(
        &self,
        _: PublicCaller,
        request: ReceiveMailEventsRequest,
    ) -> Result<ReceiveMailEventsResponse, Error> {
        self.reports.check(request.secret())?;
        let events = read_events(request.body()).map_err(|error| {
            vec![FieldViolation {
                field: "body".to_owned(),
                message: error.to_string(),
            }]
        })?;
        let (mut recorded, mut ignored) = (0, events.ignored);
        for taken in self.reports.take(&events.reports).await? {
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
