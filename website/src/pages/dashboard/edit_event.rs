//! Changing an event. Who will be mailed, and what they will read, is shown before anything is saved; so is what somebody else changed
//! meanwhile.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Reason, Scope,
    v1::{MyEventDetail, UpdateEventRequest, bindings::UpdateEvent},
};

use super::{
    event_form::{
        EventForm, Purpose,
        changes::{changed, fingerprints, merged, request},
        placed,
        questions::Questions,
        stored,
    },
    event_head::{EventHead, Part, path_of, read},
    mail_preview::{MailPreview, check, of_update},
    plan::Plan,
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::Page,
    zones,
};

const CONFLICT: &str = "Somebody else changed this event while you had the form open. Nothing is saved yet. Look at the marked fields, then save again.";

#[derive(Template)]
#[template(path = "dashboard/event_edit.html")]
struct EditPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    model: FormModel,
    questions: Questions,
    version: String,
    seen: String,
    zones: &'static [String],
    trouble: Option<&'static str>,
    has_registrations: bool,
}

/// Who will be mailed, and about what.
#[derive(Template)]
#[template(path = "dashboard/event_review.html")]
struct ReviewPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    mail: MailPreview,
    /// The form, to be sent again.
    typed: Vec<(String, String)>,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::EventsWrite)?;
    let (event, plan) = tokio::try_join!(read(&caller), Plan::read(&caller))?;
    if event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let mut form = EventForm::of(Purpose::change(&event), &stored(&event));
    if let Some(plan) = plan.filter(|_| !event.requires_approval) {
        plan.explain(&mut form.model);
    }
    caller.answer(&EditPage::of(&caller, &event, form))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    if event.is_cancelled {
        return Ok(cancelled_meanwhile(&event));
    }
    let goes_back = form.value("action") == Some("back");
    if goes_back || Questions::are_arranged(&form) {
        return caller.answer(&EditPage::again(&caller, &event, &form));
    }
    let opened: Option<i32> = form.value("version").and_then(|text| text.parse().ok());
    if opened != Some(event.version) {
        return conflict(&caller, &event, &form);
    }
    let changed = changed(&form, &stored(&event));
    if changed.is_empty() {
        return Ok(flash::see(&path_of(&event.id), Some(Flash::EVENT_SAVED)));
    }
    let asked = request(event.id.clone(), event.version, &form, &changed);
    let saved = match asked {
        Ok(request) => save(&caller, &event, &form, &changed, request).await,
        Err(violations) => Err(Problem::invalid(&violations)),
    };
    match saved {
        Err(problem) if problem.code == Reason::Conflict.code() => {
            conflict(&caller, &read(&caller).await?, &form)
        }
        Err(problem) if problem.code == Reason::EventCancelled.code() => {
            Ok(cancelled_meanwhile(&event))
        }
        Err(problem) => refused(&caller, &event, &form, problem),
        response => response,
    }
}

/// Saves, or shows first who will be mailed.
async fn save(
    caller: &Caller,
    event: &MyEventDetail,
    form: &Form,
    changed: &[&str],
    request: UpdateEventRequest,
) -> Result<Response, Problem> {
    let is_confirmed = form.is_ticked("confirmed");
    if !is_confirmed && event.registrations_active > 0 {
        check(&request)?;
        if let Some(mail) = of_update(caller, &event.id, form, changed).await? {
            return review(caller, event, form, mail);
        }
    }
    caller.ask::<UpdateEvent>(request).await?;
    let done = if is_confirmed {
        Flash::EVENT_SAVED_MAILED
    } else {
        Flash::EVENT_SAVED
    };
    Ok(flash::see(&path_of(&event.id), Some(done)))
}

fn review(
    caller: &Caller,
    event: &MyEventDetail,
    form: &Form,
    mail: MailPreview,
) -> Result<Response, Problem> {
    let (page, frame) = caller.frame("Save and mail?", Tab::Events);
    let typed = form.fields().filter(|(name, _)| *name != "action");
    caller.answer(&ReviewPage {
        page,
        frame,
        head: EventHead::of(event, Part::Edit),
        mail,
        typed: typed
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    })
}

/// A cancelled event cannot be changed: its page says so.
fn cancelled_meanwhile(event: &MyEventDetail) -> Response {
    let done = Flash::EVENT_WAS_CANCELLED;
    flash::see(&path_of(&event.id), Some(done))
}

/// What somebody else changed, beside what was typed.
fn conflict(caller: &Caller, event: &MyEventDetail, form: &Form) -> Result<Response, Problem> {
    if event.is_cancelled {
        return Ok(cancelled_meanwhile(event));
    }
    let merged = merged(Purpose::change(event), form, &stored(event));
    let mut page = EditPage::of(caller, event, merged);
    page.trouble = Some(CONFLICT);
    let problem = Problem::new(Reason::Conflict, "the event was changed meanwhile");
    caller.answer_refused(&page, &problem)
}

fn refused(
    caller: &Caller,
    event: &MyEventDetail,
    form: &Form,
    problem: Problem,
) -> Result<Response, Problem> {
    let violations = placed(&problem);
    if violations.is_empty() {
        return Err(problem);
    }
    let mut page = EditPage::again(caller, event, form);
    let form = EventForm::of(Purpose::change(event), form).refused(&violations);
    (page.model, page.questions) = (form.model, form.questions);
    caller.answer_refused(&page, &problem)
}

impl EditPage {
    /// The form on top of what is stored now.
    fn of(caller: &Caller, event: &MyEventDetail, form: EventForm) -> Self {
        let (page, frame) = caller.frame("Edit the event", Tab::Events);
        Self {
            page,
            frame,
            head: EventHead::of(event, Part::Edit),
            model: form.model,
            questions: form.questions,
            version: event.version.to_string(),
            seen: fingerprints(&stored(event)),
            zones: zones::names(),
            trouble: None,
            has_registrations: event.registrations_total > 0,
        }
    }

    /// The form as it was typed, on top of what was stored when it was opened.
    fn again(caller: &Caller, event: &MyEventDetail, form: &Form) -> Self {
        let typed = |name| form.value(name).unwrap_or_default().to_owned();
        let (version, seen) = (typed("version"), typed("seen"));
        Self {
            version,
            seen,
            ..Self::of(caller, event, EventForm::of(Purpose::change(event), form))
        }
    }
}
