//! A new event: a draft, or published at once.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{CreatedEvent, bindings::CreateEvent},
};

use super::{
    event_form::{EventForm, Purpose, blank, create_request, placed, questions::Questions},
    event_head::path_of,
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::{Form, fresh_key},
    layout::Page,
    pages::dashboard::plan::{self, Plan},
    zones,
};

#[derive(Template)]
#[template(path = "dashboard/event_new.html")]
struct NewEventPage {
    page: Page,
    frame: Frame,
    model: FormModel,
    questions: Questions,
    /// Makes one event, however often the form is sent.
    key: String,
    zones: &'static [String],
    plan: Option<Plan>,
    trouble: Option<String>,
    upgrade_url: Option<String>,
    has_registrations: bool,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::EventsWrite)?;
    let account = plan::account(&caller).await?;
    let timezone = account
        .as_ref()
        .and_then(|account| account.timezone.clone());
    let typed = blank(&timezone.unwrap_or_default());
    let mut page = NewEventPage::of(&caller, EventForm::of(Purpose::New, &typed), fresh_key());
    let links = caller.context.site.links();
    page.plan = account.map(|account| Plan::of(&account, &links));
    if let Some(plan) = &page.plan {
        plan.explain(&mut page.model);
    }
    caller.answer(&page)
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    caller.require(Scope::EventsWrite)?;
    caller.require_no_other_account(&form)?;
    let key = form.value("key").map_or_else(fresh_key, str::to_owned);
    let typed = EventForm::of(Purpose::New, &form);
    if Questions::are_arranged(&form) {
        return caller.answer(&NewEventPage::of(&caller, typed, key));
    }
    let is_public = form.value("action") == Some("publish");
    let request = match create_request(&form, is_public) {
        Ok(request) => request,
        Err(violations) => {
            let problem = Problem::invalid(&violations);
            let page = NewEventPage::of(&caller, typed.refused(&violations), key);
            return caller.answer_refused(&page, &problem);
        }
    };
    let problem = match caller
        .context
        .ask_once::<CreateEvent>(request, Some(&key))
        .await
    {
        Ok(CreatedEvent { id, .. }) => {
            let done = if is_public {
                Flash::EVENT_PUBLISHED
            } else {
                Flash::EVENT_CREATED
            };
            return Ok(flash::see(&path_of(&id), Some(done)));
        }
        Err(problem) => problem,
    };
    let trouble = match problem.code {
        "QUOTA_EXCEEDED" => {
            Some("Your plan's active events are used up. An event that is over or cancelled no longer counts.".to_owned())
        }
        "IDEMPOTENCY_KEY_REUSED" => Some(
            "This form made an event already. Look at your events before you send it again.".to_owned(),
        ),
        _ => None,
    };
    let violations = placed(&problem);
    if violations.is_empty() && trouble.is_none() {
        return Err(problem);
    }
    // After a mistake of this kind, the next try is another event.
    let key = if problem.code == "IDEMPOTENCY_KEY_REUSED" {
        fresh_key()
    } else {
        key
    };
    let mut page = NewEventPage::of(&caller, typed.refused(&violations), key);
    page.trouble = trouble;
    caller.answer_refused(&page, &problem)
}

impl NewEventPage {
    fn of(caller: &Caller, form: EventForm, key: String) -> Self {
        let (page, frame) = caller.frame("New event", Tab::Events);
        Self {
            page,
            frame,
            model: form.model,
            questions: form.questions,
            key,
            zones: zones::names(),
            plan: None,
            trouble: None,
            upgrade_url: caller.context.site.links().upgrade_url.clone(),
            has_registrations: false,
        }
    }
}
