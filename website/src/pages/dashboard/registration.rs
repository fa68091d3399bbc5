//! One registration: what the attendee answered, and what the organizer can do about it.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    binding::PublicRpc as _,
    v1::{
        Answer, ApproveRegistrationRequest, CancelRegistrationRequest, CheckInRequest,
        GetRegistrationRequest, MyEventDetail, PromoteRegistrationRequest, Registration,
        ResendRegistrationMailRequest, UndoCheckInRequest, UpdateRegistrationRequest,
        bindings::{
            ApproveRegistration, CancelRegistration, CheckIn, GetRegistration, PreviewPromotion,
            PromoteRegistration, ResendRegistrationMail, UndoCheckIn, UpdateRegistration,
        },
    },
};

use super::{
    event_head::{EventHead, Part, read},
    standing::Standing,
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::{
        private::{ShownAnswer, shown},
        register::form::{answers, model, name},
    },
    timestamp::Timestamp,
};

#[derive(Template)]
#[template(path = "dashboard/registration.html")]
struct RegistrationPage {
    page: Frame,
    head: EventHead,
    one: Registration,
    standing: Standing,
    checked_in: Option<Timestamp>,
    /// The event's capacity, and what it would be with a spot for them, if they can be given one.
    capacity: i32,
    promoted_capacity: Option<i32>,
    model: FormModel,
    /// Whether the person may change it, and it can be changed.
    is_editable: bool,
    /// Whether it can be decided about, too: the event is not over.
    is_decidable: bool,
    /// Answers that cannot be changed: all of them, or those to questions that the event no longer has.
    fixed: Vec<ShownAnswer>,
}

impl RegistrationPage {
    /// Whether the person called an email spam: their address is right.
    fn has_complained(&self) -> bool {
        let problem = self.one.mail_problem.as_ref();
        problem.is_some_and(|problem| problem.state == "complained")
    }
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let (event, mut one) = tokio::try_join!(read(&caller), read_one(&caller))?;
    let name = Field::line("name", "Name").required();
    let email = Field::email("email", "Email")
        .autocomplete("off")
        .required();
    let mut everyone = vec![name];
    if !event.is_ended {
        // Another address gets an email, as someone who is added does.
        everyone.push(email);
    }
    let model = model(everyone, &event.custom_fields).filled(&stored(&event, &one));
    let model = match caller.form() {
        Some(form) if is_other_action(form) => FormModel {
            trouble: caller.trouble(),
            ..model
        },
        _ => caller.again(model),
    };
    let standing = Standing::of(&one);
    let is_editable = caller.viewer.may(Scope::RegistrationsWrite)
        && standing != Standing::Cancelled
        && !event.is_cancelled;
    let mut fixed = std::mem::take(&mut one.answers);
    fixed.retain(|answer| !is_editable || !is_asked(&event, answer));
    let is_decidable = is_editable && !event.is_ended;
    let promoted_capacity = if is_decidable && standing.is_waitlisted() {
        let request = PromoteRegistrationRequest {
            id: event.id.clone(),
            registration_id: one.id.clone(),
        };
        let planned = caller.ask::<PreviewPromotion>(request).await.ok();
        planned.map(|planned| planned.max_capacity)
    } else {
        None
    };
    let since = one.checked_in_at.as_deref();
    caller.answer(&RegistrationPage {
        checked_in: since.map(|at| Timestamp::at_event(at, &event.start_date, &event.timezone)),
        capacity: event.max_capacity,
        promoted_capacity,
        page: caller.page("Registration", Tab::Events),
        head: EventHead::of(&event, Part::Registrations),
        one,
        standing,
        model,
        is_editable,
        is_decidable,
        fixed: shown(&fixed),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let (id, registration_id) = (caller.context.segment(2)?, caller.context.segment(4)?);
    let done = match form.value("action") {
        Some("approve") => {
            let request = ApproveRegistrationRequest {
                id,
                registration_id,
            };
            caller.ask::<ApproveRegistration>(request).await?;
            Flash::APPROVED
        }
        Some("cancel") => {
            let request = CancelRegistrationRequest {
                id,
                registration_id,
            };
            caller.ask::<CancelRegistration>(request).await?;
            Flash::REGISTRATION_CANCELLED
        }
        Some("promote") => {
            let request = PromoteRegistrationRequest {
                id,
                registration_id,
            };
            caller.ask::<PromoteRegistration>(request).await?;
            Flash::PROMOTED
        }
        Some("send_again") => {
            let request = ResendRegistrationMailRequest {
                id,
                registration_id,
            };
            caller.ask::<ResendRegistrationMail>(request).await?;
            Flash::MAIL_SENT_AGAIN
        }
        Some("check_in") => {
            let request = CheckInRequest {
                id,
                registration_id,
                people: form.number("people"),
            };
            let one = caller.ask::<CheckIn>(request).await?;
            if one.was_checked_in() {
                // Who was quicker is said on the page.
                return Ok(flash::see(caller.context.parts.uri.path(), None));
            }
            Flash::CHECKED_IN
        }
        Some("undo") => {
            let request = UndoCheckInRequest {
                id,
                registration_id,
            };
            caller.ask::<UndoCheckIn>(request).await?;
            Flash::CHECK_IN_UNDONE
        }
        _ => save(&caller, &form).await?,
    };
    Ok(flash::see(caller.context.parts.uri.path(), Some(done)))
}

/// Whether a form is one of the buttons beside the fields.
fn is_other_action(form: &Form) -> bool {
    form.value("action").is_some_and(|action| action != "save")
}

/// Saves name, address and answers, as far as they differ.
async fn save(caller: &Caller, form: &Form) -> Result<Flash, Problem> {
    let (event, one) = tokio::try_join!(read(caller), read_one(caller))?;
    let before = answers(&event.custom_fields, &stored(&event, &one));
    let mut request = UpdateRegistrationRequest {
        name: form.text("name"),
        email: form.text("email"),
        answers: answers(&event.custom_fields, form),
        id: event.id,
        registration_id: one.id,
        ..UpdateRegistrationRequest::default()
    };
    let mut mask = Vec::new();
    if request.name.as_deref() != Some(&one.name) {
        mask.push("name".to_owned());
    }
    let email = if form.has("email") {
        form.value("email").unwrap_or_default()
    } else {
        &one.email
    };
    // In another case it is the same address, and nobody is mailed.
    let is_moved = email.to_lowercase() != one.email.to_lowercase();
    if email != one.email {
        mask.push("email".to_owned());
    }
    if request.answers != before {
        mask.push("answers".to_owned());
    }
    if !mask.is_empty() {
        UpdateRegistration::set_update_mask(&mut request, mask);
        caller.ask::<UpdateRegistration>(request).await?;
    }
    Ok(if is_moved {
        Flash::ADDRESS_CORRECTED
    } else {
        Flash::REGISTRATION_SAVED
    })
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
    let mut fields = vec![
        ("name".to_owned(), one.name.clone()),
        ("email".to_owned(), one.email.clone()),
    ];
    for answer in one.answers.iter().filter(|one| is_asked(event, one)) {
        let name = name(answer.label());
        let values = answer.values.iter().cloned();
        fields.extend(values.map(|value| (name.clone(), value)));
    }
    Form::of(fields)
}

/// Whether an answer belongs to a question that the event asks now, which may have another label by now.
fn is_asked(event: &MyEventDetail, answer: &Answer) -> bool {
    let mut fields = event.custom_fields.iter();
    answer.field_id.is_some() && fields.any(|field| field.id == answer.field_id)
}

#[cfg(test)]
mod tests {
    use muster_api::v1::{Answer, CustomField};

    use super::*;

    #[test]
    fn only_answers_to_what_the_event_asks_can_be_changed() {
        let event = MyEventDetail {
            custom_fields: vec![CustomField {
                id: Some("5b1f".to_owned()),
                label: Some("Days".to_owned()),
                ..CustomField::default()
            }],
            ..MyEventDetail::default()
        };
        let answer = |id: &str, label: &str, values: &[&str]| Answer {
            field_id: Some(id.to_owned()),
            label: Some(label.to_owned()),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        };
        let one = Registration {
            name: "Ada".to_owned(),
            answers: vec![
                answer("5b1f", "Days", &["Fri", "Sat"]),
                answer("77aa", "Gone", &["x"]),
            ],
            ..Registration::default()
        };
        let form = stored(&event, &one);
        let fields: Vec<_> = form.fields().collect();
        let days = "answers[Days]";
        assert_eq!(
            fields,
            [("name", "Ada"), ("email", ""), (days, "Fri"), (days, "Sat")]
        );
    }
}
