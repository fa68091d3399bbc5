//! A registrant's private page, by the link from a mail. Whoever has the link may act, so nobody else may learn it: see
//! [`crate::layout::private`]. Opening the page changes nothing, since mail scanners open links; every change is a form.

use askama::Template;
use axum::response::Response;
use http_kit::{Problem, document};
use muster_api::{
    Reason,
    binding::Rpc,
    v1::{
        Answer, CancelRegistrationByTokenRequest, ConfirmRegistrationByTokenRequest,
        GetRegistrationByTokenRequest, GetRegistrationCalendarByTokenRequest, NewDetails,
        OwnRegistration, TakeOverNewDetailsByTokenRequest,
        bindings::{
            CancelRegistrationByToken, ConfirmRegistrationByToken, GetRegistrationByToken,
            GetRegistrationCalendarByToken, TakeOverNewDetailsByToken,
        },
    },
};

use crate::{
    cover::encoded,
    event::{EventSource, ShownEvent},
    flash::{self, Flash},
    form::Form,
    layout::{Page, Section, keep_private, private},
    pages::{
        event::CALENDAR,
        status::{Status, StatusMark, is_confirmable},
        ticket::qr_code,
    },
    place::PlaceKind,
    request_context::{RequestContext, Site},
};

#[derive(Template)]
#[template(path = "registration.html")]
struct RegistrationPage {
    page: Page,
    event: ShownEvent,
    flash: Option<&'static str>,
    status: Status,
    cancel_reason: Option<String>,
    waitlist_position: Option<i32>,
    confirm_url: Option<String>,
    name: String,
    email: String,
    answers: Vec<ShownAnswer>,
    new_details: Option<ShownDetails>,
    check_in: Option<CheckIn>,
    calendar_url: Option<String>,
    cancel_url: Option<String>,
}

/// The code for the door.
struct CheckIn {
    text: String,
    qr_svg: String,
}

#[derive(Template)]
#[template(path = "registration_cancel.html")]
struct CancelPage {
    page: Page,
    event: ShownEvent,
    consequence: &'static str,
    cancel_url: String,
    registration_url: String,
}

/// An answer to a question of the event.
pub(crate) struct ShownAnswer {
    pub(crate) label: String,
    pub(crate) text: String,
}

/// Details of a repeated registration, which the registrant may take over.
struct ShownDetails {
    name: String,
    answers: Vec<ShownAnswer>,
    take_over_url: String,
}

pub(in crate::pages) async fn show(context: RequestContext) -> Result<Response, Problem> {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    let flash = Flash::of(&context.parts.headers);
    let mut response = private(&RegistrationPage::of(own, &context.site, &token, flash)?)?;
    if flash.is_some() {
        flash::forget(&mut response, &path(&token));
    }
    Ok(response)
}

/// The first step: what cancelling means. A registration that cannot be cancelled shows why on its page.
pub(in crate::pages) async fn ask_to_cancel(context: RequestContext) -> Result<Response, Problem> {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    if !own.is_cancellable {
        return Ok(flash::see(&path(&token), None));
    }
    private(&CancelPage {
        page: unlisted(&context.site, "Cancel your registration?"),
        event: event(&own)?,
        consequence: match &*own.status {
            "Confirmed" => "Your seat goes to somebody else. You cannot take this back.",
            "Waitlisted" => "You lose your place on the waitlist. You cannot take this back.",
            _ => "You will not get a seat. You cannot take this back.",
        },
        cancel_url: format!("{}/cancel", path(&token)),
        registration_url: path(&token),
    })
}

/// The event as a calendar entry, which is the same as those of the mails.
pub(in crate::pages) async fn calendar(context: RequestContext) -> Result<Response, Problem> {
    let token = context.segment(1)?;
    let request = GetRegistrationCalendarByTokenRequest { token };
    let file = context
        .ask::<GetRegistrationCalendarByToken>(request)
        .await?;
    let mut response = document(file.text, CALENDAR, "no-store");
    keep_private(&mut response);
    Ok(response)
}

pub(in crate::pages) async fn confirm(
    context: RequestContext,
    _form: Form,
) -> Result<Response, Problem> {
    let token = context.segment(1)?;
    let request = ConfirmRegistrationByTokenRequest {
        token: token.clone(),
    };
    change::<ConfirmRegistrationByToken>(&context, request, &token, Flash::CONFIRMED).await
}

pub(in crate::pages) async fn cancel(
    context: RequestContext,
    _form: Form,
) -> Result<Response, Problem> {
    let token = context.segment(1)?;
    let request = CancelRegistrationByTokenRequest {
        token: token.clone(),
    };
    change::<CancelRegistrationByToken>(&context, request, &token, Flash::CANCELLED).await
}

pub(in crate::pages) async fn take_over(
    context: RequestContext,
    _form: Form,
) -> Result<Response, Problem> {
    let token = context.segment(1)?;
    let request = TakeOverNewDetailsByTokenRequest {
        token: token.clone(),
    };
    change::<TakeOverNewDetailsByToken>(&context, request, &token, Flash::TAKEN_OVER).await
}

/// Changes the registration and leads to its page. If it can no longer be changed, that page says why: the event may have been
/// cancelled while the form was open.
async fn change<R: Rpc>(
    context: &RequestContext,
    request: R::Request,
    token: &str,
    done: Flash,
) -> Result<Response, Problem> {
    let path = path(token);
    match context.ask::<R>(request).await {
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

/// The title does not name the event: browsers show it in lists that others see.
fn unlisted(site: &Site, title: &str) -> Page {
    Page::unlisted(site.links(), title, "A private page.", Section::None)
}

fn event(own: &OwnRegistration) -> Result<ShownEvent, Problem> {
    let event = own.event.as_ref().ok_or_else(|| {
        Problem::new(Reason::Internal, "Muster failed").caused_by("core's answer has no event")
    })?;
    ShownEvent::of(EventSource::of(event))
}

/// Answers in words.
pub(crate) fn shown(answers: Vec<Answer>) -> Vec<ShownAnswer> {
    let shown = |answer: Answer| ShownAnswer {
        text: match &*answer.values.join(", ") {
            // A ticked box.
            "true" => "Yes".to_owned(),
            "false" => "No".to_owned(),
            text => text.to_owned(),
        },
        label: answer.label.unwrap_or_default(),
    };
    answers.into_iter().map(shown).collect()
}

impl CheckIn {
    /// The code, once there is a seat to check in to.
    fn of(own: &OwnRegistration, site: &Site) -> Option<Self> {
        let is_due = own.status == "Confirmed" && !own.is_event_cancelled && !own.is_event_ended;
        if !is_due || own.check_in_code.is_empty() {
            return None;
        }
        let url = site.url(&format!("/check-in/{}", encoded(&own.check_in_code)));
        Some(Self {
            qr_svg: qr_code(&url)?,
            text: own.check_in_code.clone(),
        })
    }
}

impl RegistrationPage {
    fn of(
        own: OwnRegistration,
        site: &Site,
        token: &str,
        flash: Option<Flash>,
    ) -> Result<Self, Problem> {
        let path = path(token);
        let status = Status::of(&own);
        let details = |details: NewDetails| ShownDetails {
            name: details.name,
            answers: shown(details.answers),
            take_over_url: format!("{path}/new-details"),
        };
        Ok(Self {
            page: unlisted(site, status.headline),
            event: event(&own)?,
            status,
            flash: flash.map(Flash::words),
            waitlist_position: own.waitlist_position.filter(|_| own.is_cancellable),
            confirm_url: is_confirmable(&own).then(|| path.clone()),
            check_in: CheckIn::of(&own, site),
            answers: shown(own.answers),
            new_details: own.new_details.filter(|_| own.is_cancellable).map(details),
            calendar_url: own.is_cancellable.then(|| format!("{path}/event.ics")),
            // Who has arrived has no use for it.
            cancel_url: (own.is_cancellable && !own.checked_in).then(|| format!("{path}/cancel")),
            cancel_reason: own.event_cancel_reason,
            name: own.name,
            email: own.email,
        })
    }
}
