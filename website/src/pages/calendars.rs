//! The ways to put an event into a calendar: buttons on pages, and the addresses behind the links in mails.

use axum::response::Response;
use http::{HeaderValue, StatusCode, header::LOCATION};
use http_kit::Problem;
use muster_api::{Reason, v1::Event};

use crate::{
    calendar_links::{Service, link},
    event::ShownEvent,
    layout::{PageResult, make_private},
    pages::event::read,
    request_context::RequestContext,
};

/// Where the buttons of an event lead.
#[derive(Debug, Clone)]
pub(crate) struct CalendarButtons {
    pub(crate) google: String,
    pub(crate) outlook: String,
    /// The file, for all others.
    pub(crate) file: String,
}

impl CalendarButtons {
    /// Those of an event whose page is there, or whose guest's page, with what only guests read.
    pub(crate) fn of(event: &Event, shown: &ShownEvent, page: &str, info: Option<&str>) -> Self {
        Self {
            google: link(Service::Google, event, shown, info),
            outlook: link(Service::Outlook, event, shown, info),
            file: format!("{page}/event.ics"),
        }
    }
}

/// Leads from a mail without a private link to a calendar: with the times and the place that the event has by now.
pub(in crate::pages) async fn lead(context: RequestContext) -> PageResult {
    let service = service(&context)?;
    let (_answer, event) = read(&context, context.segment(1)?).await?;
    lead_to(service, &event, None)
}

/// The calendar that a path names.
pub(in crate::pages) fn service(context: &RequestContext) -> Result<Service, Problem> {
    let unknown = || Problem::new(Reason::NotFound, "there is no such calendar");
    Service::named(&context.segment(3)?).ok_or_else(unknown)
}

/// Leads to a calendar.
pub(in crate::pages) fn lead_to(service: Service, event: &Event, info: Option<&str>) -> PageResult {
    let url = link(service, event, &ShownEvent::of(event)?, info);
    let mut response = Response::default();
    *response.status_mut() = StatusCode::SEE_OTHER;
    // It is ASCII: everything else is encoded.
    if let Ok(url) = HeaderValue::try_from(url) {
        response.headers_mut().insert(LOCATION, url);
    }
    make_private(&mut response);
    Ok(response)
}
