//! One request of a signed-in person. Pages below `/dashboard` get a [`Caller`]: who it is, and what they may do. Who is not signed in, or
//! may not do it, is denied in one place, and nothing that was typed is lost.

mod denied;
mod operations;

use std::{ops::Deref, sync::Arc};

use askama::Template;
use axum::response::Response;
use http::header::CONTENT_SECURITY_POLICY;
use http_kit::Problem;
use muster_api::{
    Reason, Scope,
    binding::Rpc,
    internal::v1::{GetSessionRequest, Session, bindings::GetSession},
};

use crate::{
    cookies,
    field::{Field, FormModel},
    flash::{self, Flash},
    form::{Form, fresh_key},
    layout::{Page, PageResult, Section, private, refused},
    policies::CONTENT_WITH_MAIL,
    request_context::RequestContext,
    return_path::DASHBOARD,
    viewer::Viewer,
    words::sentence,
};
pub(crate) use denied::PROVE;
pub(crate) use operations::{Needs, START};

/// A request of a signed-in person.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) context: RequestContext,
    pub(crate) viewer: Arc<Viewer>,
    typed: Option<Typed>,
}

/// A form that is shown again.
#[derive(Clone)]
struct Typed {
    form: Form,
    /// Why core refused it, if it did.
    problem: Option<Problem>,
}

/// A page of a signed-in person, with what is around its content.
pub(crate) struct Frame {
    page: Page,
    pub(crate) viewer: Arc<Viewer>,
    pub(crate) tab: Tab,
    pub(crate) flash: Option<Flash>,
    /// Where to come back to after another account was chosen.
    pub(crate) here: String,
}

/// A part of the dashboard, in its navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Events,
    Members,
    Keys,
    Webhooks,
    Activity,
    Account,
    None,
}

impl Caller {
    /// Asks core who it is.
    ///
    /// # Errors
    /// Core's refusal: nobody is signed in.
    pub(crate) async fn open(context: RequestContext) -> Result<Self, Problem> {
        let session = context.ask::<GetSession>(GetSessionRequest {}).await?;
        Ok(Self::of(context, session))
    }

    /// A request with this session.
    pub(crate) fn of(context: RequestContext, session: Session) -> Self {
        Self {
            context,
            viewer: Arc::new(Viewer::of(session)),
            typed: None,
        }
    }

    /// Asks core, as the person.
    ///
    /// # Errors
    /// As [`RequestContext::ask`].
    pub(crate) async fn ask<R: Rpc>(&self, request: R::Request) -> Result<R::Response, Problem> {
        self.context.ask::<R>(request).await
    }

    /// Asks for a right before a page shows what needs it. Core asks again for what is done.
    ///
    /// # Errors
    /// The person's role lacks it.
    pub(crate) fn require(&self, scope: Scope) -> Result<(), Problem> {
        if self.viewer.may(scope) {
            return Ok(());
        }
        let message = format!("this needs the scope {}", scope.name());
        Err(Problem::new(Reason::InsufficientScope, message))
    }

    /// Refuses a person who may make no events.
    ///
    /// # Errors
    /// A problem: 403 if their role does not allow it, or they are a member for some events only.
    pub(crate) fn require_creating(&self) -> Result<(), Problem> {
        self.require(Scope::EventsWrite)?;
        if self.viewer.may_create_events() {
            return Ok(());
        }
        let message = "you are a member of this account for some events only";
        Err(Problem::new(Reason::InsufficientScope, message))
    }

    /// Asks for a recent proof that the person's address is theirs, before a page shows what needs it.
    ///
    /// # Errors
    /// There is none; the answer leads to the page where it is given.
    pub(crate) fn require_proof(&self) -> Result<(), Problem> {
        if self.viewer.is_proven {
            return Ok(());
        }
        let message = "this needs a new code from an email";
        Err(Problem::new(Reason::StepUpRequired, message))
    }

    /// Asks that a form is about the account that is chosen now: the person may have chosen another one since it was opened.
    ///
    /// # Errors
    /// It is about another one.
    pub(crate) fn require_same_account(&self, form: &Form) -> Result<(), Problem> {
        if form.value("account_id") == Some(self.viewer.account_id()) {
            return Ok(());
        }
        let message =
            "you switched to another account after you opened this page: look at it again";
        Err(Problem::new(Reason::Conflict, message))
    }

    /// Asks that nothing new goes to another account than the one that its form was opened for, in another window perhaps. A form that
    /// names no account is for the present one.
    ///
    /// # Errors
    /// The form names another one.
    pub(crate) fn require_no_other_account(&self, form: &Form) -> Result<(), Problem> {
        if self.viewer.is_in(form.value("account_id")) {
            return Ok(());
        }
        self.require_same_account(form)
    }

    /// The same request, whose page shows a form as it was typed.
    pub(crate) fn typed(mut self, form: Form) -> Self {
        let (form, problem) = (form.answered(None), None);
        self.typed = Some(Typed { form, problem });
        self
    }

    /// The same request, whose page shows a form as it was typed, and what core refused.
    pub(crate) fn refused(mut self, form: Form, problem: Problem) -> Self {
        let (form, problem) = (form.answered(Some(&problem)), Some(problem));
        self.typed = Some(Typed { form, problem });
        self
    }

    /// A form of these fields: as it was typed, if it is shown again, with core's words.
    pub(crate) fn model(&self, fields: Vec<Field>) -> FormModel {
        self.again(FormModel::of(fields))
    }

    /// The same form as it was typed, if it is shown again, with core's words.
    pub(crate) fn again(&self, model: FormModel) -> FormModel {
        match &self.typed {
            Some(Typed {
                form,
                problem: Some(problem),
            }) => model.again(form, problem),
            Some(typed) => model.asking(&typed.form),
            None => model,
        }
    }

    /// The form, if it is shown again.
    pub(crate) fn form(&self) -> Option<&Form> {
        self.typed.as_ref().map(|typed| &typed.form)
    }

    /// The key of a form that does something once: a new one, or that of the form that is shown again.
    pub(crate) fn key(&self) -> String {
        let key = self.form().and_then(Form::key);
        key.map_or_else(fresh_key, str::to_owned)
    }

    /// What core refused.
    pub(crate) fn problem(&self) -> Option<&Problem> {
        self.typed.as_ref()?.problem.as_ref()
    }

    /// What is wrong with a form where it is about none of its fields.
    pub(crate) fn trouble(&self) -> Option<String> {
        let problem = self.problem()?;
        problem.details.is_empty().then(|| sentence(problem))
    }

    /// The same request with a list that core read; with an empty one if core refused its parameters.
    ///
    /// # Errors
    /// Any other problem.
    pub(crate) fn listed<T: Default>(
        self,
        listed: Result<T, Problem>,
    ) -> Result<(Self, T), Problem> {
        match listed {
            Err(problem) if problem.http_status == 400 => {
                let parameters = self.context.query();
                Ok((self.refused(parameters, problem), T::default()))
            }
            listed => Ok((self, listed?)),
        }
    }

    /// A page with this title.
    pub(crate) fn page(&self, title: &str, tab: Tab) -> Frame {
        let links = self.context.site.links();
        Frame {
            page: Page::unlisted(links, title, "A private page.", Section::Dashboard),
            viewer: Arc::clone(&self.viewer),
            tab,
            flash: Flash::of(&self.context.parts.headers),
            here: self.context.here().to_owned(),
        }
    }

    /// Answers with a page of the dashboard. One that shows what core refused has the status of the refusal.
    pub(crate) fn answer(&self, template: &impl Template) -> PageResult {
        let mut response = match self.problem() {
            Some(problem) => refused(template, problem)?,
            None => private(template)?,
        };
        // What a page says once it does not say again.
        if Flash::of(&self.context.parts.headers).is_some() {
            let path = self.context.parts.uri.path();
            flash::clear(&mut response, path);
            // It may be from a form that led here by way of the dashboard.
            if path != DASHBOARD {
                flash::clear(&mut response, DASHBOARD);
            }
        }
        Ok(response)
    }

    /// The same for a page that shows a mail as its readers see it.
    pub(crate) fn answer_with_mail(&self, template: &impl Template) -> PageResult {
        let mut response = self.answer(template)?;
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, CONTENT_WITH_MAIL);
        Ok(response)
    }

    /// Answers with the way to a page, and the session that a token is for from now on.
    pub(crate) fn begin_session(&self, token: &str, path: &str, done: Flash) -> Response {
        let mut response = flash::see(path, Some(done));
        cookies::begin_session(&mut response, self.context.site.is_secure(), token);
        response
    }
}

impl Deref for Frame {
    type Target = Page;

    fn deref(&self) -> &Page {
        &self.page
    }
}
