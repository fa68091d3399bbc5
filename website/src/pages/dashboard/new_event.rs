//! A new event: a draft, or published at once.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{CreatedEvent, bindings::CreateEvent},
};

use super::{
    contact,
    event_form::{
        EventForm, Purpose, asks_for_pictures, blank, create_request, placed, questions::Questions,
    },
    event_head::path_of,
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::{Form, fresh_key},
    layout::PageResult,
    pages::dashboard::plan::{self, Plan},
    zones,
};

#[derive(Template)]
#[template(path = "dashboard/event_new.html")]
struct NewEventPage {
    page: Frame,
    model: FormModel,
    questions: Questions,
    /// Makes one event, however often the form is sent.
    key: String,
    zones: &'static [String],
    plan: Option<Plan>,
    trouble: Option<&'static str>,
    has_registrations: bool,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let account = plan::account(&caller).await?;
    let timezone = account
        .as_ref()
        .and_then(|account| account.timezone.clone());
    let blank = blank(&timezone.unwrap_or_default());
    let mut form = EventForm::of(Purpose::New, &blank);
    let plan = account.as_ref().map(Plan::of);
    if let Some(plan) = &plan {
        plan.explain(&mut form.model);
    }
    let page = NewEventPage::of(&caller, form);
    caller.answer(&NewEventPage { plan, ..page })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    caller.require_no_other_account(&form)?;
    if asks_for_pictures(&form) || Questions::are_arranged(&form) {
        return again(&caller.typed(form));
    }
    let is_public = form.value("action") == Some("publish");
    let done = if is_public {
        Flash::EVENT_PUBLISHED
    } else {
        Flash::EVENT_CREATED
    };
    let key = caller.clone().typed(form.clone()).key();
    let created = match create_request(&form, is_public) {
        Ok(request) => {
            caller
                .context
                .ask_once::<CreateEvent>(request, Some(&key))
                .await
        }
        Err(violations) => Err(Problem::invalid(&violations)),
    };
    match created {
        Ok(CreatedEvent { id, .. }) => {
            let address = form.text("contact_email");
            let next = match contact::unproven(&caller, address).await? {
                Some(_) => contact::path(&id),
                None => path_of(&id),
            };
            Ok(flash::see(&next, Some(done)))
        }
        Err(problem) if placed(&problem).is_empty() && trouble(&problem).is_none() => Err(problem),
        Err(problem) => again(&caller.refused(form, problem)),
    }
}

/// The form as it was typed, with core's words.
fn again(caller: &Caller) -> PageResult {
    let typed = caller.form().cloned().unwrap_or_default();
    let violations = caller.problem().map(placed).unwrap_or_default();
    let form = EventForm::of(Purpose::New, &typed).refused(&violations);
    caller.answer(&NewEventPage::of(caller, form))
}

/// What to say above the form, where core's words are about none of its fields.
fn trouble(problem: &Problem) -> Option<&'static str> {
    match problem.code {
        "QUOTA_EXCEEDED" => Some(
            "Your plan's active events are used up. An event that is over or cancelled no longer counts.",
        ),
        KEY_REUSED => {
            Some("This form made an event already. Look at your events before you send it again.")
        }
        _ => None,
    }
}

const KEY_REUSED: &str = "IDEMPOTENCY_KEY_REUSED";

impl NewEventPage {
    fn of(caller: &Caller, form: EventForm) -> Self {
        // After this mistake the next try is another event.
        let is_used = caller.problem().is_some_and(|one| one.code == KEY_REUSED);
        Self {
            page: caller.page("New event", Tab::Events),
            model: form.model,
            questions: form.questions,
            key: if is_used { fresh_key() } else { caller.key() },
            zones: zones::names(),
            plan: None,
            trouble: caller.problem().and_then(trouble),
            has_registrations: false,
        }
    }
}
