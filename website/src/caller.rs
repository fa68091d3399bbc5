//! One request of a signed-in person. Pages below `/dashboard` get a [`Caller`]: who it is, and what they may do. Who is not signed in, or
//! may not do it, is denied in one place, and nothing that was typed is lost.

mod denied;

use std::sync::Arc;

use askama::Template;
use axum::{extract::Request, response::Response};
use http::Method;
use http_kit::{Operation, Problem};
use muster_api::{
    Reason, Scope,
    binding::Rpc,
    internal::v1::{GetSessionRequest, Session, bindings::GetSession},
};

use crate::{
    flash::{self, Flash},
    form::Form,
    layout::{Page, Section, private, refused},
    request_context::{RequestContext, Site},
    return_path::DASHBOARD,
    viewer::Viewer,
};
use denied::Denied;
pub(crate) use denied::PROVE;

/// Where people go who are in no account.
pub(crate) const START: &str = "/dashboard/start";

/// A request of a signed-in person.
pub(crate) struct Caller {
    pub(crate) context: RequestContext,
    pub(crate) viewer: Arc<Viewer>,
}

/// What a page needs: a person, or an account of theirs as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Person,
    Account,
}

/// What every page of a signed-in person has around its content.
pub(crate) struct Frame {
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
    Activity,
    Account,
    None,
}

/// Operations of signed-in people.
pub(crate) struct SignedInOperations {
    site: Site,
    needs: Needs,
}

impl Site {
    /// Operations for people who are signed in, and have what these need.
    pub(crate) fn signed_in(&self, needs: Needs) -> SignedInOperations {
        let site = self.clone();
        SignedInOperations { site, needs }
    }
}

impl SignedInOperations {
    /// An operation that shows a page.
    pub(crate) fn get<F>(&self, show: fn(Caller) -> F) -> Operation
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        let (site, needs) = (self.site.clone(), self.needs);
        Operation::new(Method::GET, move |request: Request| {
            let site = site.clone();
            async move {
                let (parts, _body) = request.into_parts();
                let context = site.context(parts).await;
                let denied = Denied::page(&context);
                answer(context, needs, denied, show).await
            }
        })
    }

    /// An operation that takes a form.
    pub(crate) fn post<F>(&self, take: fn(Caller, Form) -> F) -> Operation
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        let (site, needs) = (self.site.clone(), self.needs);
        Operation::new(Method::POST, move |request: Request| {
            let site = site.clone();
            async move {
                let (parts, body) = request.into_parts();
                let context = site.context(parts).await;
                let form = context.form(body).await?;
                let denied = Denied::form(&context, form.clone());
                answer(context, needs, denied, |caller| take(caller, form)).await
            }
        })
    }
}

/// Answers a request of somebody who is signed in, or says why it is denied.
async fn answer<F>(
    context: RequestContext,
    needs: Needs,
    mut denied: Denied,
    handle: impl FnOnce(Caller) -> F,
) -> Result<Response, Problem>
where
    F: Future<Output = Result<Response, Problem>>,
{
    let answered = match Caller::open(context).await {
        Ok(caller) if caller.lacks(needs) => Ok(flash::see(START, None)),
        Ok(caller) => {
            denied.viewer = Some(Arc::clone(&caller.viewer));
            handle(caller).await
        }
        Err(problem) => Err(problem),
    };
    answered.or_else(|problem| denied.answer(problem))
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
        let viewer = Arc::new(Viewer::of(session));
        Self { context, viewer }
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

    /// Asks that a form is about the account that is chosen now: the person may have chosen another one since it was opened.
    ///
    /// # Errors
    /// It is about another one.
    pub(crate) fn require_same_account(&self, form: &Form) -> Result<(), Problem> {
        if form.value("account_id") == Some(self.viewer.account_id()) {
            return Ok(());
        }
        let message = "another of your accounts was chosen meanwhile: look at it again";
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

    fn lacks(&self, needs: Needs) -> bool {
        needs == Needs::Account && self.viewer.account.is_none()
    }

    /// The head of a page, and what stands around its content.
    pub(crate) fn frame(&self, title: &str, tab: Tab) -> (Page, Frame) {
        let links = self.context.site.links();
        let page = Page::unlisted(links, title, "A private page.", Section::Dashboard);
        let frame = Frame {
            viewer: Arc::clone(&self.viewer),
            tab,
            flash: Flash::of(&self.context.parts.headers),
            here: self.context.here().to_owned(),
        };
        (page, frame)
    }

    /// A page of the dashboard.
    pub(crate) fn answer(&self, template: &impl Template) -> Result<Response, Problem> {
        Ok(self.without_flash(private(template)?))
    }

    /// What a page says once it does not say again.
    fn without_flash(&self, mut response: Response) -> Response {
        if Flash::of(&self.context.parts.headers).is_some() {
            let path = self.context.parts.uri.path();
            flash::forget(&mut response, path);
            // It may be from a form that led here by way of the dashboard.
            if path != DASHBOARD {
                flash::forget(&mut response, DASHBOARD);
            }
        }
        response
    }

    /// A page that shows again what core refused, with the status of the refusal.
    pub(crate) fn answer_refused(
        &self,
        template: &impl Template,
        problem: &Problem,
    ) -> Result<Response, Problem> {
        Ok(self.without_flash(refused(template, problem)?))
    }
}
