//! The form in which guests change their own answers, where the event allows it.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Reason,
    v1::{Answer, ChangeAnswersByTokenRequest, OwnRegistration, bindings::ChangeAnswersByToken},
};

use super::{change, event, path, read, unlisted};
use crate::{
    event::ShownEvent,
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::{Page, PageResult, Section, private, refused},
    pages::register::form::{answers, model, name},
    request_context::{RequestContext, Site},
};

#[derive(Template)]
#[template(path = "registration_answers.html")]
struct AnswersPage {
    page: Page,
    event: ShownEvent,
    model: FormModel,
    registration_url: String,
}

/// The form with the answers as they are. A registration whose answers are fixed shows its page.
pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    if own.changeable_questions.is_empty() {
        return Ok(flash::see(&path(&token), None));
    }
    let model = model(Vec::new(), &own.changeable_questions).filled(&stored(&own));
    private(&AnswersPage::of(&context.site, &own, &token, model)?)
}

pub(in crate::pages) async fn take(context: RequestContext, form: Form) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    let questions = &own.changeable_questions;
    if questions.is_empty() {
        return Ok(flash::see(&path(&token), None));
    }
    let request = ChangeAnswersByTokenRequest {
        token: token.clone(),
        answers: answers(questions, &form),
    };
    let page = path(&token);
    match change::<ChangeAnswersByToken>(&context, request, &page, Flash::ANSWERS_CHANGED).await {
        Err(problem) if !problem.details.is_empty() => {
            let model = model(Vec::new(), questions).again(&form, &problem);
            let page = AnswersPage::of(&context.site, &own, &token, model)?;
            refused(&page, &problem)
        }
        Err(problem) if problem.code == Reason::Conflict.code() => {
            Ok(flash::see(&path(&token), Some(Flash::ANSWERS_FIXED)))
        }
        answer => answer,
    }
}

/// The answers to what the event asks now, as a form has them.
fn stored(own: &OwnRegistration) -> Form {
    let is_asked = |answer: &&Answer| {
        let mut questions = own.changeable_questions.iter();
        answer.field_id.is_some() && questions.any(|one| one.id == answer.field_id)
    };
    let asked = own.answers.iter().filter(is_asked);
    let fields = asked.flat_map(|answer| {
        let values = answer.values.iter();
        values.map(|value| (name(answer.label()), value.clone()))
    });
    Form::of(fields.collect())
}

impl AnswersPage {
    fn of(
        site: &Site,
        own: &OwnRegistration,
        token: &str,
        model: FormModel,
    ) -> Result<Self, Problem> {
        Ok(Self {
            page: unlisted(site, "Change your answers"),
            event: event(own)?,
            model,
            registration_url: path(token),
        })
    }
}
