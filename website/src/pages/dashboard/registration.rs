//! One registration: what the attendee answered, and what the organizer can do about it.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    binding::PublicRpc as _,
    v1::{
        ApproveRegistrationRequest, CancelRegistrationRequest, CheckInRequest,
        GetRegistrationRequest, MyEventDetail, Registration, UndoCheckInRequest,
        UpdateRegistrationRequest,
        bindings::{
            ApproveRegistration, CancelRegistration, CheckIn, GetRegistration, UndoCheckIn,
            UpdateRegistration,
        },
    },
};

use super::event_head::{Badge, EventHead, Part, path_of, read};
use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    flash::{self, Flash},
    form::Form,
    layout::Page,
    pages::{
        private::{ShownAnswer, shown},
        register::form::{Input, Mistake, Question, QuestionKind, RegistrationForm},
    },
    timestamp::Timestamp,
    words::sentence,
};

#[derive(Template)]
#[template(path = "dashboard/registration.html")]
struct RegistrationPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    url: String,
    /// The list with this one chosen, to be declined.
    decline_url: Option<String>,
    badge: Badge,
    email: String,
    registered: Timestamp,
    problems: Vec<Mistake>,
    name: Input,
    questions: Vec<Question>,
    /// Whether the person may change it, and it can be changed.
    is_editable: bool,
    /// Answers that cannot be changed: all of them, or those to questions that the event no longer has.
    fixed: Vec<ShownAnswer>,
    standing: Standing,
    trouble: Option<String>,
}

/// What can be done about a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The organizer decides about it.
    Waits,
    /// It waits for a seat, or for the attendee's confirmation.
    Other,
    HasSeat,
    IsIn,
    Cancelled,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let (event, one) = tokio::try_join!(read(&caller), read_one(&caller))?;
    let model = RegistrationForm::of(&event.custom_fields, stored(&event, &one));
    caller.answer(&RegistrationPage::of(&caller, &event, one, model))
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let (event, one) = tokio::try_join!(read(&caller), read_one(&caller))?;
    let (id, registration_id) = (event.id.clone(), one.id.clone());
    let done = match form.value("action") {
        Some("approve") => {
            let request = ApproveRegistrationRequest {
                id,
                registration_id,
            };
            let answer = caller.ask::<ApproveRegistration>(request).await;
            answer.map(|_| Flash::APPROVED)
        }
        Some("cancel") => {
            let request = CancelRegistrationRequest {
                id,
                registration_id,
            };
            let answer = caller.ask::<CancelRegistration>(request).await;
            answer.map(|_| Flash::REGISTRATION_CANCELLED)
        }
        Some("check_in") => {
            let request = CheckInRequest {
                id,
                registration_id,
            };
            caller
                .ask::<CheckIn>(request)
                .await
                .map(|_| Flash::CHECKED_IN)
        }
        Some("undo") => {
            let request = UndoCheckInRequest {
                id,
                registration_id,
            };
            let answer = caller.ask::<UndoCheckIn>(request).await;
            answer.map(|_| Flash::CHECK_IN_UNDONE)
        }
        _ => save(&caller, &event, &one, &form).await,
    };
    match done {
        Ok(done) => Ok(flash::see(caller.context.parts.uri.path(), Some(done))),
        Err(problem) if matches!(problem.http_status, 400 | 409) => {
            refused(&caller, &event, one, form, &problem)
        }
        Err(problem) => Err(problem),
    }
}

/// Saves name and answers, as far as they differ.
async fn save(
    caller: &Caller,
    event: &MyEventDetail,
    one: &Registration,
    form: &Form,
) -> Result<Flash, Problem> {
    let typed = RegistrationForm::of(&event.custom_fields, form.clone());
    let before = RegistrationForm::of(&event.custom_fields, stored(event, one));
    let mut request = UpdateRegistrationRequest {
        id: event.id.clone(),
        registration_id: one.id.clone(),
        name: form.value("name").map(str::to_owned),
        answers: typed.answers(),
        ..UpdateRegistrationRequest::default()
    };
    let mut mask = Vec::new();
    if request.name.as_deref() != Some(&one.name) {
        mask.push("name".to_owned());
    }
    if request.answers != before.answers() {
        mask.push("answers".to_owned());
    }
    if !mask.is_empty() {
        UpdateRegistration::set_update_mask(&mut request, mask);
        caller.ask::<UpdateRegistration>(request).await?;
    }
    Ok(Flash::REGISTRATION_SAVED)
}

fn refused(
    caller: &Caller,
    event: &MyEventDetail,
    one: Registration,
    form: Form,
    problem: &Problem,
) -> Result<Response, Problem> {
    let saves = form.value("action").is_none_or(|action| action == "save");
    let typed = if saves { form } else { stored(event, &one) };
    let model = RegistrationForm::of(&event.custom_fields, typed).refused(&problem.details);
    let mut page = RegistrationPage::of(caller, event, one, model);
    if problem.details.is_empty() {
        page.trouble = Some(sentence(problem));
    }
    caller.answer_refused(&page, problem)
}

async fn read_one(caller: &Caller) -> Result<Registration, Problem> {
    let (id, registration_id) = (caller.context.segment(2)?, caller.context.segment(4)?);
    let request = GetRegistrationRequest {
        id,
        registration_id,
    };
    caller.ask::<GetRegistration>(request).await
}

/// A registration as its form has it: the answers to what the event asks now.
fn stored(event: &MyEventDetail, one: &Registration) -> Form {
    let mut fields = vec![("name".to_owned(), one.name.clone())];
    for answer in one
        .answers
        .iter()
        .filter(|one| is_asked(event, one.label()))
    {
        let name = format!("answers[{}]", answer.label());
        let values = answer.values.iter().cloned();
        fields.extend(values.map(|value| (name.clone(), value)));
    }
    Form::of(fields)
}

fn is_asked(event: &MyEventDetail, label: &str) -> bool {
    event
        .custom_fields
        .iter()
        .any(|field| field.label() == label)
}

impl Standing {
    fn of(one: &Registration) -> Self {
        match (&*one.status, one.awaits.as_deref()) {
            ("Cancelled", _) => Self::Cancelled,
            ("Confirmed", _) if one.checked_in => Self::IsIn,
            ("Confirmed", _) => Self::HasSeat,
            (_, Some("approval")) => Self::Waits,
            _ => Self::Other,
        }
    }

    // What templates ask.

    fn waits(self) -> bool {
        self == Self::Waits
    }

    fn has_seat(self) -> bool {
        matches!(self, Self::HasSeat | Self::IsIn)
    }

    fn is_in(self) -> bool {
        self == Self::IsIn
    }
}

impl RegistrationPage {
    fn of(
        caller: &Caller,
        event: &MyEventDetail,
        one: Registration,
        model: RegistrationForm,
    ) -> Self {
        let (page, frame) = caller.frame("Registration", Tab::Events);
        let list = format!("{}/registrations", path_of(&event.id));
        let standing = Standing::of(&one);
        let is_editable = caller.viewer.may(Scope::RegistrationsWrite)
            && standing != Standing::Cancelled
            && !event.is_cancelled;
        let mut fixed = one.answers;
        fixed.retain(|answer| !is_editable || !is_asked(event, answer.label()));
        Self {
            page,
            frame,
            head: EventHead::of(event, Part::Registrations),
            url: format!("{list}/{}", encoded(&one.id)),
            decline_url: matches!(standing, Standing::Waits | Standing::Other)
                .then(|| format!("{list}/decline?registration_ids={}", encoded(&one.id))),
            badge: Badge::of_registration(&one.status, one.awaits.as_deref(), one.checked_in),
            registered: Timestamp::in_zone(&one.registered_at, &event.timezone),
            problems: model.mistakes,
            name: model.name,
            questions: model.questions,
            is_editable,
            fixed: shown(fixed),
            standing,
            trouble: model.notice.map(str::to_owned),
            email: one.email,
        }
    }
}

#[cfg(test)]
mod tests {
    use muster_api::v1::{Answer, CustomField};

    use super::*;

    #[test]
    fn only_answers_to_what_the_event_asks_can_be_changed() {
        let event = MyEventDetail {
            custom_fields: vec![CustomField {
                label: Some("Days".to_owned()),
                ..CustomField::default()
            }],
            ..MyEventDetail::default()
        };
        let answer = |label: &str, values: &[&str]| Answer {
            label: Some(label.to_owned()),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        };
        let one = Registration {
            name: "Ada".to_owned(),
            answers: vec![answer("Days", &["Fri", "Sat"]), answer("Gone", &["x"])],
            ..Registration::default()
        };
        let form = stored(&event, &one);
        let fields: Vec<_> = form.fields().collect();
        let days = "answers[Days]";
        assert_eq!(fields, [("name", "Ada"), (days, "Fri"), (days, "Sat")]);
    }
}
