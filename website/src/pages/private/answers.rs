//! The form in which guests change their own answers and come with fewer people, where the event allows it.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Reason,
    v1::{Answer, ChangeAnswersByTokenRequest, OwnRegistration, bindings::ChangeAnswersByToken},
};

use super::{change, event, path, read};
use crate::{
    event::ShownEvent,
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::{Page, PageResult, Section, private, refused},
    pages::register::{
        form::{self, answers, name},
        party,
    },
    request_context::{RequestContext, Site},
};

#[derive(Template)]
#[template(path = "registration_answers.html")]
struct AnswersPage {
    page: Page,
    event: ShownEvent,
    headline: &'static str,
    model: FormModel,
    registration_url: String,
}

/// The form with the answers as they are. A registration whose answers are fixed shows its page.
pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    let Some(headline) = headline(&own) else {
        return Ok(flash::see(&path(&token), None));
    };
    let model = model(&own).filled(&stored(&own));
    private(&AnswersPage::of(
        &context.site,
        &own,
        &token,
        headline,
        model,
    )?)
}

pub(in crate::pages) async fn take(context: RequestContext, form: Form) -> PageResult {
    let token = context.segment(1)?;
    let own = read(&context, &token).await?;
    let Some(headline) = headline(&own) else {
        return Ok(flash::see(&path(&token), None));
    };
    let request = |token| ChangeAnswersByTokenRequest {
        token,
        answers: answers(&own.changeable_questions, &form),
        party_size: party::size(&form),
        companions: party::companions(&form),
    };
    match change::<ChangeAnswersByToken>(&context, request, Flash::ANSWERS_CHANGED).await {
        Err(problem) if !problem.details.is_empty() => {
            let model = model(&own).again(&form, &problem);
            let page = AnswersPage::of(&context.site, &own, &token, headline, model)?;
            refused(&page, &problem)
        }
        Err(problem) if problem.code == Reason::Conflict.code() => {
            Ok(flash::see(&path(&token), Some(Flash::ANSWERS_FIXED)))
        }
        answer => answer,
    }
}

/// What the link to the form says, and its headline; `None` if there is nothing that the guest may change.
pub(super) fn headline(own: &OwnRegistration) -> Option<&'static str> {
    if !own.changeable_questions.is_empty() {
        Some("Change your answers")
    } else if own.is_party_changeable {
        Some("Come with fewer people")
    } else {
        None
    }
}

fn model(own: &OwnRegistration) -> FormModel {
    let people = if own.is_party_changeable {
        party::fields_of_registered(own.party_size)
    } else {
        Vec::new()
    };
    form::model(people, &own.changeable_questions)
}

/// The answers to what the event asks now, and the people, as a form has them.
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
    let people = [
        ("party_size".to_owned(), own.party_size.to_string()),
        ("companions".to_owned(), own.companions.join("\n")),
    ];
    Form::of(fields.chain(people))
}

impl AnswersPage {
    fn of(
        site: &Site,
        own: &OwnRegistration,
        token: &str,
        headline: &'static str,
        model: FormModel,
    ) -> Result<Self, Problem> {
        Ok(Self {
            page: Page::private(site.links(), headline),
            event: event(own)?,
            headline,
            model,
            registration_url: path(token),
        })
    }
}
