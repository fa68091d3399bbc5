//! The form to register for an event. Core decides; the page only shows its words beside the fields, and keeps what was typed.

pub(crate) mod form;

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::v1::{Event, EventPage, bindings::RegisterAttendee};

use crate::{
    cover::encoded,
    event::{EventSource, EventState, ShownEvent},
    flash,
    form::Form,
    layout::{self, Page, Section, private},
    pages::event::{read, seats},
    request_context::{RequestContext, Site},
    unsent::{self, Unsent, may_be_sent_again},
};
use form::{Input, Mistake, Question, QuestionKind, RegistrationForm, label};

#[derive(Template)]
#[template(path = "register.html")]
struct RegisterPage {
    page: Page,
    event: ShownEvent,
    state: EventState,
    seats: String,
    requires_approval: bool,
    problems: Vec<Mistake>,
    notice: Option<&'static str>,
    name: Input,
    email: Input,
    questions: Vec<Question>,
}

#[derive(Template)]
#[template(path = "registered.html")]
struct RegisteredPage {
    page: Page,
    event: ShownEvent,
}

pub(in crate::pages) async fn show(context: RequestContext) -> Result<Response, Problem> {
    let (page, event) = read(&context, context.segment(1)?).await?;
    if !EventState::of(&page).takes_registrations() {
        return Ok(flash::see(&path(&event.slug), None));
    }
    let model = RegistrationForm::of(&page.custom_fields, Form::default());
    private(&RegisterPage::of(&context.site, &page, &event, model)?)
}

/// Registers, and leads to a page that says what comes next: the same for everybody, new or known, with or without a seat.
pub(in crate::pages) async fn take(
    context: RequestContext,
    form: Form,
) -> Result<Response, Problem> {
    let slug = context.segment(1)?;
    match register(&context, &slug, &form).await {
        Err(problem) if may_be_sent_again(&problem) => keep(&context.site, &slug, &form, &problem),
        answer => answer,
    }
}

/// Everything that was typed, to be sent again.
fn keep(site: &Site, slug: &str, form: &Form, problem: &Problem) -> Result<Response, Problem> {
    let (headline, text) = match problem.http_status {
        429 => (
            "Too many registrations at once",
            "Nothing that you typed is lost. Please wait a moment and send it again.",
        ),
        _ => (
            "Your registration was not received yet",
            "Something does not answer. Nothing that you typed is lost: please send it again in a moment. Sending twice does no harm.",
        ),
    };
    let unsent = Unsent {
        headline,
        text,
        before: None,
        url: &format!("{}/register", path(slug)),
        form,
        label: |name| match name {
            "name" => Some("Name".to_owned()),
            "email" => Some("E-mail".to_owned()),
            _ => label(name).map(str::to_owned),
        },
    };
    let page = Page::unlisted(site.links(), headline, text, Section::Events);
    unsent::page(page, unsent, problem)
}

async fn register(context: &RequestContext, slug: &str, form: &Form) -> Result<Response, Problem> {
    let (page, event) = read(context, slug.to_owned()).await?;
    // It was cancelled, or is over, since the form was opened.
    if !EventState::of(&page).takes_registrations() {
        return Ok(flash::see(&path(slug), None));
    }
    let model = RegistrationForm::of(&page.custom_fields, form.clone());
    let refused = match context.ask::<RegisterAttendee>(model.request(slug)).await {
        Ok(_received) => return Ok(flash::see(&format!("{}/registered", path(slug)), None)),
        Err(problem) => problem,
    };
    match &*refused.details {
        [] if matches!(refused.code, "EVENT_CANCELLED" | "EVENT_ENDED") => {
            Ok(flash::see(&path(slug), None))
        }
        [] => Err(refused),
        details => {
            let model = model.refused(details);
            let page = RegisterPage::of(&context.site, &page, &event, model)?;
            layout::refused(&page, &refused)
        }
    }
}

pub(in crate::pages) async fn registered(context: RequestContext) -> Result<Response, Problem> {
    let (_page, event) = read(&context, context.segment(1)?).await?;
    private(&RegisteredPage {
        page: Page::unlisted(
            context.site.links(),
            "Check your mail",
            &event.title,
            Section::Events,
        ),
        event: ShownEvent::of(EventSource::of(&event))?,
    })
}

fn path(slug: &str) -> String {
    format!("/events/{}", encoded(slug))
}

impl RegisterPage {
    fn of(
        site: &Site,
        page: &EventPage,
        event: &Event,
        model: RegistrationForm,
    ) -> Result<Self, Problem> {
        let title = format!("Register: {}", event.title);
        Ok(Self {
            page: Page::unlisted(
                site.links(),
                &title,
                "The form to register for an event.",
                Section::Events,
            ),
            event: ShownEvent::of(EventSource::of(event))?,
            state: EventState::of(page),
            seats: seats(page, event.capacity),
            requires_approval: page.requires_approval,
            problems: model.mistakes,
            notice: model.notice,
            name: model.name,
            email: model.email,
            questions: model.questions,
        })
    }
}
