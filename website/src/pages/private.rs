//! A registrant's private page, by the link from a mail. Whoever has the link may act, so nobody else may learn it: see
//! [`crate::layout::private`]. Opening the page changes nothing, since mail scanners open links; every change is a form.

pub(super) mod answers;
pub(in crate::pages) mod questions;

use askama::Template;
use http_kit::{Problem, document};
use muster_api::{
    Reason,
    binding::Rpc,
    v1::{
        Answer, CancelRegistrationByTokenRequest, ConfirmRegistrationByTokenRequest,
        GetRegistrationByTokenRequest, GetRegistrationCalendarByTokenRequest, OwnRegistration,
        RefuseMailByFormerTokenRequest, RefuseMailByTokenRequest, ResumeMessagesByTokenRequest,
        TakeOverNewDetailsByTokenRequest,
        bindings::{
            CancelRegistrationByToken, ConfirmRegistrationByToken, GetRegistrationByToken,
            GetRegistrationCalendarByToken, RefuseMailByFormerToken, RefuseMailByToken,
            ResumeMessagesByToken, TakeOverNewDetailsByToken,
        },
    },
};

use crate::{
    cover::encoded,
    event::{ShownEvent, expected},
    flash::{self, Flash},
    form::Form,
    layout::{Page, PageResult, Section, make_private, private},
    pages::{
        calendars::{self, CalendarButtons},
        event::CALENDAR,
        status::{Status, StatusMark},
        ticket::qr_code,
    },
    place::{Place, PlaceKind},
    request_context::{RequestContext, Site},
};

#[derive(Template)]
#[template(path = "registration.html")]
struct RegistrationPage {
    page: Page,
    event: ShownEvent,
    flash: Option<Flash>,
    status: Status,
    /// Where the page is, below which its forms are.
    url: String,
    check_in: Option<CheckIn>,
    calendars: CalendarButtons,
    own: OwnRegistration,
}

/// The code for the door.
struct CheckIn {
    text: String,
    qr_svg: String,
}

/// An answer to a question of the event.
pub(crate) struct ShownAnswer {
    pub(crate) label: String,
    pub(crate) text: String,
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    let (flash, status) = (Flash::of(&context.parts.headers), Status::of(&own));
    let source = expected(own.event.clone())?;
    let shown = ShownEvent::of(&source)?;
    let mut response = private(&RegistrationPage {
        page: Page::private(context.site.links(), status.headline),
        calendars: CalendarButtons::of(
            &source,
            &shown,
            &path(&token),
            own.attendee_info.as_deref(),
        ),
        event: shown,
        flash,
        status,
        url: path(&token),
        check_in: CheckIn::of(&own, &context.site),
        own,
    })?;
    if flash.is_some() {
        flash::clear(&mut response, &path(&token));
    }
    Ok(response)
}

/// The event as a calendar entry, which is the same as those of the mails.
pub(in crate::pages) async fn calendar(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let request = GetRegistrationCalendarByTokenRequest { token };
    let file = context
        .ask::<GetRegistrationCalendarByToken>(request)
        .await?;
    let mut response = document(file.text, CALENDAR, "no-store");
    make_private(&mut response);
    Ok(response)
}

/// Leads from a mail to a calendar, with what the registrant may see of the event by now.
pub(in crate::pages) async fn lead_to_calendar(context: RequestContext) -> PageResult {
    let service = calendars::service(&context)?;
    let own = read(&context, &context.segment(1)?).await?;
    let info = own.attendee_info;
    calendars::lead_to(service, &expected(own.event)?, info.as_deref())
}

pub(in crate::pages) async fn confirm(context: RequestContext, _form: Form) -> PageResult {
    let request = |token| ConfirmRegistrationByTokenRequest { token };
    change::<ConfirmRegistrationByToken>(&context, request, Flash::CONFIRMED).await
}

pub(in crate::pages) async fn cancel(context: RequestContext, _form: Form) -> PageResult {
    let request = |token| CancelRegistrationByTokenRequest { token };
    change::<CancelRegistrationByToken>(&context, request, Flash::CANCELLED).await
}

pub(in crate::pages) async fn take_over(context: RequestContext, _form: Form) -> PageResult {
    let request = |token| TakeOverNewDetailsByTokenRequest { token };
    change::<TakeOverNewDetailsByToken>(&context, request, Flash::TAKEN_OVER).await
}

pub(in crate::pages) async fn resume_messages(context: RequestContext, _form: Form) -> PageResult {
    let request = |token| ResumeMessagesByTokenRequest { token };
    change::<ResumeMessagesByToken>(&context, request, Flash::MESSAGES_RESUMED).await
}

pub(in crate::pages) async fn refuse_mail(context: RequestContext, _form: Form) -> PageResult {
    let request = |token| RefuseMailByTokenRequest { token };
    match change::<RefuseMailByToken>(&context, request, Flash::MAIL_REFUSED).await {
        Err(problem) if problem.http_status == 404 => {
            let token = context.segment(1)?;
            let page = format!("{}/no-mail", path(&token));
            let request = RefuseMailByFormerTokenRequest { token };
            context.ask::<RefuseMailByFormerToken>(request).await?;
            Ok(flash::see(&page, None))
        }
        done => done,
    }
}

/// Changes the registration and leads to its page. If it can no longer be changed, that page says why: the event may have been
/// cancelled while the form was open.
async fn change<R: Rpc>(
    context: &RequestContext,
    request: impl FnOnce(String) -> R::Request,
    done: Flash,
) -> PageResult {
    let token = context.segment(1)?;
    let path = path(&token);
    match context.ask::<R>(request(token)).await {
        Ok(_changed) => Ok(flash::see(&path, Some(done))),
        Err(problem) if is_settled(&problem) => Ok(flash::see(&path, None)),
        Err(problem) => Err(problem),
    }
}

fn is_settled(problem: &Problem) -> bool {
    let settled = [
        Reason::EventCancelled,
        Reason::EventEnded,
        Reason::RegistrationCancelled,
    ];
    settled.iter().any(|reason| reason.code() == problem.code)
}

async fn read(context: &RequestContext, token: &str) -> Result<OwnRegistration, Problem> {
    let token = token.to_owned();
    context
        .ask::<GetRegistrationByToken>(GetRegistrationByTokenRequest { token })
        .await
}

fn path(token: &str) -> String {
    format!("/registrations/{}", encoded(token))
}

fn event(own: &OwnRegistration) -> Result<ShownEvent, Problem> {
    ShownEvent::of(&expected(own.event.clone())?)
}

/// Answers in words.
pub(crate) fn shown(answers: &[Answer]) -> Vec<ShownAnswer> {
    let shown = |answer: &Answer| ShownAnswer {
        text: match &*answer.values.join(", ") {
            // A ticked box.
            "true" => "Yes".to_owned(),
            "false" => "No".to_owned(),
            text => text.to_owned(),
        },
        label: answer.label().to_owned(),
    };
    answers.iter().map(shown).collect()
}

impl CheckIn {
    /// The code, once there is a spot to check in to, at an event that has an entrance.
    fn of(own: &OwnRegistration, site: &Site) -> Option<Self> {
        let is_due = own.status == "Confirmed" && !own.is_event_cancelled && !own.is_event_ended;
        let is_online = Place::of(&own.location, own.city.as_deref()).kind == PlaceKind::Online;
        if !is_due || is_online || own.check_in_code.is_empty() {
            return None;
        }
        let url = site.url(&format!("/check-in/{}", encoded(&own.check_in_code)));
        Some(Self {
            qr_svg: qr_code(&url)?,
            text: own.check_in_code.clone(),
        })
    }
}
