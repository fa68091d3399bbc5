//! The form to register for an event. Core decides; the page only shows its words beside the fields, and keeps what was typed.

pub(crate) mod form;
pub(crate) mod party;

use askama::Template;
use http_kit::{Problem, moved};
use muster_api::v1::{Event, EventPage, RegisterAttendeeRequest, bindings::RegisterAttendee};

use crate::{
    cover::{self, encoded},
    event::{EventState, ShownEvent},
    field::{Field, FormModel},
    flash,
    form::Form,
    layout::{self, Page, PageResult, Section, private},
    mistyped::asked,
    pages::event::{read, seats},
    registration_times::RegistrationTimes,
    request_context::{RequestContext, Site},
    unsent::{Unsent, Why, may_be_sent_again},
};
use form::{answers, label};

#[derive(Template)]
#[template(path = "register.html")]
struct RegisterPage {
    page: Page,
    event: ShownEvent,
    state: EventState,
    seats: String,
    requires_approval: bool,
    social_image_url: String,
    model: FormModel,
}

/// What stands in the form's place before registration opens and once it is closed.
#[derive(Template)]
#[template(path = "registration_closed.html")]
struct ClosedPage {
    page: Page,
    headline: &'static str,
    refusal: String,
    event: ShownEvent,
}

#[derive(Template)]
#[template(path = "registered.html")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a sentence of the page"
)]
struct RegisteredPage {
    page: Page,
    requires_approval: bool,
    confirm_by_email: bool,
    is_full: bool,
    /// Whether everyone registers alone.
    is_one_each: bool,
    event: ShownEvent,
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let slug = context.segment(1)?;
    let (page, event) = read(&context, slug.clone()).await?;
    if slug != event.slug {
        return Ok(moved(&form_path(&event.slug)));
    }
    let state = EventState::of(&page);
    if let Some(refusal) = RegistrationTimes::of(&event).refusal(state) {
        return private(&ClosedPage::of(&context.site, &event, state, refusal)?);
    }
    if !state.takes_registrations() {
        return Ok(flash::see(&path(&event.slug), None));
    }
    let model = model(&page, &event);
    private(&RegisterPage::of(&context.site, &page, &event, model)?)
}

/// Registers, and leads to a page that says what comes next: the same for everyone, new or known, with or without a seat.
pub(in crate::pages) async fn take(context: RequestContext, form: Form) -> PageResult {
    let slug = context.segment(1)?;
    match register(&context, &slug, &form).await {
        Err(problem) if may_be_sent_again(&problem) => {
            unsent(&context.site, &slug, &form, &problem)
        }
        answer => answer,
    }
}

/// Everything that was typed, to be sent again.
fn unsent(site: &Site, slug: &str, form: &Form, problem: &Problem) -> PageResult {
    const TOO_MANY: Why = Why {
        headline: "Too many registrations at once",
        text: "Nothing that you typed is lost. Please wait a moment and send it again.",
        before: None,
    };
    const UNAVAILABLE: Why = Why {
        headline: "Your registration was not received yet",
        text: "We couldn’t reach the server. Nothing that you typed is lost: please send it again in a moment. Sending twice does no harm.",
        before: None,
    };
    let why = match problem.http_status {
        429 => &TOO_MANY,
        _ => &UNAVAILABLE,
    };
    let unsent = Unsent {
        page: Page::unlisted(site.links(), why.headline, why.text, Section::Events),
        why,
        reason: None,
        url: &form_path(slug),
        form,
        label: |name| match name {
            "name" => Some("Name".to_owned()),
            "email" => Some("Email".to_owned()),
            "party_size" => Some("How many people?".to_owned()),
            "companions" => Some("Names of the others".to_owned()),
            _ => label(name).map(str::to_owned),
        },
    };
    layout::refused(&unsent, problem)
}

async fn register(context: &RequestContext, slug: &str, form: &Form) -> PageResult {
    let (page, event) = read(context, slug.to_owned()).await?;
    // It was cancelled or closed, or is over, since the form was opened: a page says so.
    match EventState::of(&page) {
        EventState::Open | EventState::Full => {}
        EventState::NotYetOpen | EventState::Closed => {
            return Ok(flash::see(&form_path(slug), None));
        }
        EventState::Ended | EventState::Cancelled => return Ok(flash::see(&path(slug), None)),
    }
    if asked(form).is_some() {
        let model = model(&page, &event).asking(form);
        return private(&RegisterPage::of(&context.site, &page, &event, model)?);
    }
    let request = RegisterAttendeeRequest {
        slug: slug.to_owned(),
        name: form.text("name"),
        email: form.text("email"),
        answers: answers(&page.custom_fields, form),
        party_size: party::size(form),
        companions: party::companions(form),
    };
    let refused = match context.ask::<RegisterAttendee>(request).await {
        Ok(_received) => return Ok(flash::see(&format!("{}/registered", path(slug)), None)),
        Err(problem) => problem,
    };
    match (refused.code, &*refused.details) {
        ("REGISTRATION_NOT_OPEN" | "REGISTRATION_CLOSED", _) => {
            Ok(flash::see(&form_path(slug), None))
        }
        ("EVENT_CANCELLED" | "EVENT_ENDED", []) => Ok(flash::see(&path(slug), None)),
        (_, []) => Err(refused),
        _ => {
            let model = model(&page, &event).again(form, &refused);
            let page = RegisterPage::of(&context.site, &page, &event, model)?;
            layout::refused(&page, &refused)
        }
    }
}

pub(in crate::pages) async fn registered(context: RequestContext) -> PageResult {
    let (page, event) = read(&context, context.segment(1)?).await?;
    let links = context.site.links();
    private(&RegisteredPage {
        requires_approval: page.requires_approval,
        confirm_by_email: page.confirm_by_email,
        is_full: EventState::of(&page) == EventState::Full,
        is_one_each: event.max_party == 1,
        page: Page::unlisted(links, "Check your inbox", &event.title, Section::Events),
        event: ShownEvent::of(&event)?,
    })
}

fn path(slug: &str) -> String {
    format!("/events/{}", encoded(slug))
}

fn form_path(slug: &str) -> String {
    format!("{}/register", path(slug))
}

fn model(page: &EventPage, event: &Event) -> FormModel {
    let name = Field::line("name", "Name").autocomplete("name");
    let email = Field::email("email", "Email").hint("The confirmation goes to this address.");
    let mut everyone = vec![name.required(), email.required()];
    everyone.extend(party::fields(event.max_party));
    form::model(everyone, &page.custom_fields)
}

impl ClosedPage {
    fn of(site: &Site, event: &Event, state: EventState, refusal: String) -> Result<Self, Problem> {
        let headline = match state {
            EventState::NotYetOpen => "Registration is not open yet",
            _ => "Registration is closed",
        };
        Ok(Self {
            page: Page::unlisted(site.links(), headline, &event.title, Section::Events),
            headline,
            refusal,
            event: ShownEvent::of(event)?,
        })
    }
}

impl RegisterPage {
    fn of(site: &Site, page: &EventPage, event: &Event, model: FormModel) -> Result<Self, Problem> {
        let title = format!("Register: {}", event.title);
        let description = "The form to register for an event.";
        Ok(Self {
            page: Page::unlisted(site.links(), &title, description, Section::Events),
            state: EventState::of(page),
            seats: seats(page, event.capacity),
            event: ShownEvent::of(event)?,
            requires_approval: page.requires_approval,
            social_image_url: site.url(&cover::path(&event.slug)),
            model,
        })
    }
}
