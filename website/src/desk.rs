//! One request of a signed-in person. Pages below `/dashboard` get a [`Desk`]: who it is, and what they may do. Who is not signed in, or
//! may not do it, is turned away in one place, and nothing that was typed is lost.

mod turned_away;

use std::sync::Arc;

use askama::Template;
use axum::{extract::Request, response::Response};
use edge::{
    Problem,
    http::{Operation, Resource},
};
use http::Method;
use muster_api::{
    Reason, Scope,
    binding::Rpc,
    internal::v1::{GetSessionRequest, Session, bindings::GetSession},
};

use crate::{
    flash::{self, Flash},
    form::Form,
    layout::{Page, Section, private},
    next::DASHBOARD,
    viewer::Viewer,
    visit::{Site, Visit},
};
use turned_away::Sent;
pub(crate) use turned_away::{PROVE, sentence};

/// Where people go who are in no account.
pub(crate) const START: &str = "/dashboard/start";

/// A request of a signed-in person.
pub(crate) struct Desk {
    pub(crate) visit: Visit,
    pub(crate) viewer: Arc<Viewer>,
}

/// What a page needs: a person, or an account of theirs as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
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

impl Site {
    /// A path with a page about the account.
    pub(crate) fn desk<F>(&self, path: &'static str, show: fn(Desk) -> F) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        Resource::new(path).with(reads(self, Needs::Account, show))
    }

    /// A path with a page about the account that has a form, which is sent to the same path.
    pub(crate) fn desk_with_form<F, G>(
        &self,
        path: &'static str,
        show: fn(Desk) -> F,
        take: fn(Desk, Form) -> G,
    ) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
        G: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        self.desk(path, show)
            .with(writes(self, Needs::Account, take))
    }

    /// A path that only takes a form about the account.
    pub(crate) fn desk_form<F>(&self, path: &'static str, take: fn(Desk, Form) -> F) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        Resource::new(path).with(writes(self, Needs::Account, take))
    }

    /// A path with a page about the person, who may be in no account.
    pub(crate) fn own<F>(&self, path: &'static str, show: fn(Desk) -> F) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        Resource::new(path).with(reads(self, Needs::Person, show))
    }

    /// A path with a page about the person that has a form, which is sent to the same path.
    pub(crate) fn own_with_form<F, G>(
        &self,
        path: &'static str,
        show: fn(Desk) -> F,
        take: fn(Desk, Form) -> G,
    ) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
        G: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        self.own(path, show).with(writes(self, Needs::Person, take))
    }

    /// A path that only takes a form about the person.
    pub(crate) fn own_form<F>(&self, path: &'static str, take: fn(Desk, Form) -> F) -> Resource
    where
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        Resource::new(path).with(writes(self, Needs::Person, take))
    }
}

fn reads<F>(site: &Site, needs: Needs, show: fn(Desk) -> F) -> Operation
where
    F: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    let site = site.clone();
    Operation::new(Method::GET, move |request: Request| {
        let site = site.clone();
        async move {
            let (parts, _body) = request.into_parts();
            let visit = site.visit(parts).await;
            let mut sent = Sent::page(&visit);
            let shown = match Desk::open(visit).await {
                Ok(desk) if desk.lacks(needs) => Ok(flash::see(START, None)),
                Ok(desk) => {
                    sent.viewer = Some(Arc::clone(&desk.viewer));
                    show(desk).await
                }
                Err(problem) => Err(problem),
            };
            shown.or_else(|problem| sent.turned_away(problem))
        }
    })
}

fn writes<F>(site: &Site, needs: Needs, take: fn(Desk, Form) -> F) -> Operation
where
    F: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    let site = site.clone();
    Operation::new(Method::POST, move |request: Request| {
        let site = site.clone();
        async move {
            let (parts, body) = request.into_parts();
            let visit = site.visit(parts).await;
            let form = visit.form(body).await?;
            let mut sent = Sent::form(&visit, form.clone());
            let taken = match Desk::open(visit).await {
                Ok(desk) if desk.lacks(needs) => Ok(flash::see(START, None)),
                Ok(desk) => {
                    sent.viewer = Some(Arc::clone(&desk.viewer));
                    take(desk, form).await
                }
                Err(problem) => Err(problem),
            };
            taken.or_else(|problem| sent.turned_away(problem))
        }
    })
}

impl Desk {
    /// Asks core who it is.
    ///
    /// # Errors
    /// Core's refusal: nobody is signed in.
    pub(crate) async fn open(visit: Visit) -> Result<Self, Problem> {
        let session = visit.ask::<GetSession>(GetSessionRequest {}).await?;
        Ok(Self::of(visit, session))
    }

    /// A request with this session.
    pub(crate) fn of(visit: Visit, session: Session) -> Self {
        let viewer = Arc::new(Viewer::of(session));
        Self { visit, viewer }
    }

    /// Asks core, as the person.
    ///
    /// # Errors
    /// As [`Visit::ask`].
    pub(crate) async fn ask<R: Rpc>(&self, request: R::Request) -> Result<R::Response, Problem> {
        self.visit.ask::<R>(request).await
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
        let links = self.visit.site.links();
        let page = Page::unlisted(links, title, "A private page.", Section::Dashboard);
        let frame = Frame {
            viewer: Arc::clone(&self.viewer),
            tab,
            flash: Flash::of(&self.visit.parts.headers),
            here: self.visit.here().to_owned(),
        };
        (page, frame)
    }

    /// A page of the dashboard. What it says once it does not say again.
    pub(crate) fn answer(&self, template: &impl Template) -> Result<Response, Problem> {
        let mut response = private(template)?;
        if Flash::of(&self.visit.parts.headers).is_some() {
            let path = self.visit.parts.uri.path();
            flash::forget(&mut response, path);
            // It may be from a form that led here by way of the dashboard.
            if path != DASHBOARD {
                flash::forget(&mut response, DASHBOARD);
            }
        }
        Ok(response)
    }

    /// A page that shows again what core refused, with the status of the refusal.
    pub(crate) fn answer_refused(
        &self,
        template: &impl Template,
        problem: &Problem,
    ) -> Result<Response, Problem> {
        let mut response = self.answer(template)?;
        *response.status_mut() = http::StatusCode::from_u16(problem.http_status)
            .unwrap_or(http::StatusCode::BAD_REQUEST);
        Ok(response)
    }
}
