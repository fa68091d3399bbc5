//! Changing an event. Who will be mailed, and what they will read, is shown before anything is saved; so is what someone else changed
//! meanwhile.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Reason, Scope,
    v1::{
        MyEventDetail, UpdateEventRequest,
        bindings::{PreviewEventUpdate, UpdateEvent},
    },
    violation::Violation,
};

use super::{
    contact,
    event_form::{
        DRAWING, EventForm, Purpose, asks_for_pictures,
        changes::{changed, fingerprints, merged, request},
        placed,
        questions::Questions,
        stored,
    },
    event_head::{EventHead, Part, path_of, read},
    mail_preview::{MailPreview, of_update},
    plan::Plan,
    series,
};
use crate::{
    caller::{Caller, Frame, Tab},
    date::EventDates,
    field::{FormModel, Group},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    zones,
};

const CONFLICT: &str = "Someone else changed this event while you had the form open. Nothing is saved yet. Look at the marked fields, then save again.";

#[derive(Template)]
#[template(path = "dashboard/event_edit.html")]
struct EditPage {
    page: Frame,
    head: EventHead,
    model: FormModel,
    questions: Questions,
    version: String,
    seen: String,
    zones: &'static [String],
    trouble: Option<&'static str>,
    has_registrations: bool,
    /// The address for questions, if mails do not name it yet.
    unproven: Option<String>,
    has_own_cover: bool,
    /// Fields that are not shown, as they are stored.
    unseen: Vec<(&'static str, String)>,
}

/// What saving brings about: who will be mailed, and about what; answers that lose their question.
#[derive(Template)]
#[template(path = "dashboard/event_review.html")]
struct ReviewPage {
    page: Frame,
    head: EventHead,
    mail: Option<MailPreview>,
    /// How many answers become earlier ones.
    earlier_answers: i32,
    /// The dates that would change.
    dates: Vec<EventDates>,
    /// The form, to be sent again.
    typed: Form,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    if event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let form = EventForm::of(Purpose::Change, &stored(&event));
    let page = EditPage::read(&caller, &event, form, None).await?;
    caller.answer(&page)
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    if event.is_cancelled {
        return Ok(cancelled_meanwhile(&event));
    }
    let goes_back = form.value("action") == Some("back");
    if goes_back || asks_for_pictures(&form) || Questions::are_arranged(&form) {
        let page = EditPage::again(&caller, &event, &form, &[]).await?;
        return caller.answer(&page);
    }
    let opened: Option<i32> = form.value("version").and_then(|text| text.parse().ok());
    if opened != Some(event.version) {
        return conflict(caller, &event, form).await;
    }
    let changed = changed(&form, &stored(&event));
    if changed.is_empty() {
        let done = if series::is_for_following(&form) {
            Flash::DATES_UNCHANGED
        } else {
            Flash::EVENT_SAVED
        };
        return Ok(flash::see(&path_of(&event.id), Some(done)));
    }
    let request = UpdateEventRequest {
        scope: series::scope(&form),
        ..request(event.id.clone(), event.version, &form, &changed)
    };
    match save(&caller, &event, &form, &changed, request).await {
        Err(problem) if problem.code == Reason::Conflict.code() => {
            let event = read(&caller).await?;
            conflict(caller, &event, form).await
        }
        Err(problem) if problem.code == Reason::EventCancelled.code() => {
            Ok(cancelled_meanwhile(&event))
        }
        Err(problem) => refused(caller, &event, form, problem).await,
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
) -> PageResult {
    let is_confirmed = form.is_ticked("confirmed");
    let has_registrations = event.registrations_total > 0 || series::is_for_following(form);
    if !is_confirmed && has_registrations {
        // Everything that is wrong with it is said before a mail is shown.
        let preview = caller.ask::<PreviewEventUpdate>(request.clone()).await?;
        let earlier_answers = preview.earlier_answers;
        let dates = series::named(&preview.dates, &event.timezone);
        let mail = of_update(caller, &event.id, form, changed).await?;
        if mail.is_some() || earlier_answers > 0 {
            return caller.answer_with_mail(&ReviewPage {
                page: caller.page("Save?", Tab::Events),
                head: EventHead::of(event, Part::Edit),
                mail,
                earlier_answers,
                dates,
                typed: form.clone().without(&["action"]),
            });
        }
    }
    caller.ask::<UpdateEvent>(request).await?;
    let done = if is_confirmed && !form.is_ticked("quiet") {
        Flash::EVENT_SAVED_MAILED
    } else {
        Flash::EVENT_SAVED
    };
    let address = form.text("contact_email");
    let address = address.filter(|_| changed.contains(&"contact_email"));
    let next = match contact::unproven(caller, address).await? {
        Some(_) => contact::path(&event.id),
        None => path_of(&event.id),
    };
    Ok(flash::see(&next, Some(done)))
}

/// A cancelled event cannot be changed: its page says so.
fn cancelled_meanwhile(event: &MyEventDetail) -> Response {
    let done = Flash::EVENT_WAS_CANCELLED;
    flash::see(&path_of(&event.id), Some(done))
}

/// What someone else changed, beside what was typed.
async fn conflict(caller: Caller, event: &MyEventDetail, form: Form) -> PageResult {
    if event.is_cancelled {
        return Ok(cancelled_meanwhile(event));
    }
    let merged = merged(Purpose::Change, &form, &stored(event));
    let problem = Problem::new(Reason::Conflict, "the event has changed");
    let caller = caller.refused(form, problem);
    caller.answer(&EditPage {
        trouble: Some(CONFLICT),
        ..EditPage::read(&caller, event, merged, caller.form()).await?
    })
}

async fn refused(
    caller: Caller,
    event: &MyEventDetail,
    form: Form,
    problem: Problem,
) -> PageResult {
    let violations = placed(&problem);
    if violations.is_empty() {
        return Err(problem);
    }
    let page = EditPage::again(&caller, event, &form, &violations).await?;
    caller.refused(form, problem).answer(&page)
}

impl EditPage {
    /// The form on top of what is stored now.
    async fn read(
        caller: &Caller,
        event: &MyEventDetail,
        mut form: EventForm,
        typed: Option<&Form>,
    ) -> Result<Self, Problem> {
        let address = event.contact_email.clone();
        let (plan, unproven) =
            tokio::try_join!(Plan::read(caller), contact::unproven(caller, address))?;
        if let Some(plan) = plan.filter(|_| !event.requires_approval) {
            plan.explain(&mut form.model);
        }
        let dates = series::choice(caller, event, typed).await?;
        let dates = dates.map(|dates| Group::of(vec![dates]));
        form.model.groups.extend(dates);
        let stored = stored(event);
        let unseen = if event.has_own_cover {
            form.model.leave_out(&DRAWING);
            let value = |name: &'static str| stored.text(name).map(|value| (name, value));
            DRAWING.into_iter().filter_map(value).collect()
        } else {
            Vec::new()
        };
        Ok(Self {
            page: caller.page("Edit the event", Tab::Events),
            head: EventHead::of(event, Part::Edit),
            model: form.model,
            questions: form.questions,
            version: event.version.to_string(),
            seen: fingerprints(&stored),
            zones: zones::names(),
            trouble: None,
            has_registrations: event.registrations_total > 0,
            unproven,
            has_own_cover: event.has_own_cover,
            unseen,
        })
    }

    /// The form as it was typed, on top of what was stored when it was opened.
    async fn again(
        caller: &Caller,
        event: &MyEventDetail,
        typed: &Form,
        violations: &[Violation],
    ) -> Result<Self, Problem> {
        // The choice of dates is no field of the event, and is added last.
        let (of_dates, of_event): (Vec<_>, Vec<_>) =
            violations.iter().cloned().partition(series::is_about_dates);
        let form = EventForm::of(Purpose::Change, typed).refused(typed, &of_event);
        let page = Self::read(caller, event, form, Some(typed)).await?;
        Ok(Self {
            model: page.model.refused(&of_dates),
            version: typed.text("version").unwrap_or_default(),
            seen: typed.text("seen").unwrap_or_default(),
            ..page
        })
    }
}
