//! A new event: a draft, or published at once.

use askama::Template;
use muster_api::v1::{Account, CreatedEvent, bindings::CreateEvent};

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
    form::Form,
    layout::PageResult,
    pages::dashboard::plan::{self, Plan},
    words::sent_before,
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
    trouble: Option<String>,
    has_registrations: bool,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require_creating()?;
    let account = plan::account(&caller).await?;
    let timezone = account.as_ref().and_then(|one| one.timezone.as_deref());
    let form = EventForm::of(purpose(&caller), &blank(timezone.unwrap_or_default()));
    caller.answer(&NewEventPage::of(&caller, account.as_ref(), form))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require_creating()?;
    caller.require_no_other_account(&form)?;
    if asks_for_pictures(&form) || Questions::are_arranged(&form) {
        return again(&caller.typed(form)).await;
    }
    let is_public = form.value("action") == Some("publish");
    let done = if is_public {
        Flash::EVENT_PUBLISHED
    } else {
        Flash::EVENT_CREATED
    };
    let request = create_request(&form, is_public);
    let created = caller.context.ask_once::<CreateEvent>(request, form.key());
    match created.await {
        Ok(CreatedEvent { id, .. }) => {
            let address = form.text("contact_email");
            let next = match contact::unproven(&caller, address).await? {
                Some(_) => contact::path(&id),
                None => path_of(&id),
            };
            Ok(flash::see(&next, Some(done)))
        }
        Err(problem) if placed(&problem).is_empty() && sent_before(&problem).is_none() => {
            Err(problem)
        }
        Err(problem) => again(&caller.refused(form, problem)).await,
    }
}

fn purpose(caller: &Caller) -> Purpose {
    Purpose::New {
        confirms: caller.context.site.links().confirm_by_email,
    }
}

/// The form as it was typed, with core's words.
async fn again(caller: &Caller) -> PageResult {
    let account = plan::account(caller).await?;
    let typed = caller.form().cloned().unwrap_or_default();
    let violations = caller.problem().map(placed).unwrap_or_default();
    let form = EventForm::of(purpose(caller), &typed).refused(&typed, &violations);
    caller.answer(&NewEventPage::of(caller, account.as_ref(), form))
}

impl NewEventPage {
    fn of(caller: &Caller, account: Option<&Account>, mut form: EventForm) -> Self {
        let plan = account.map(Plan::of);
        if let Some(plan) = &plan {
            plan.explain(&mut form.model);
        }
        let trouble = form.model.trouble.take();
        let before = caller.problem().and_then(sent_before);
        Self {
            page: caller.page("New event", Tab::Events),
            model: form.model,
            questions: form.questions,
            key: caller.key(),
            zones: zones::names(),
            plan,
            trouble: trouble.or_else(|| before.map(str::to_owned)),
            has_registrations: false,
        }
    }
}
