//! Operations of signed-in people, and paths with a form: what core refuses is shown again on the page of the form.

use std::sync::Arc;

use http::Method;
use http_kit::{Operation, Problem, Resource};
use muster_api::{Reason, http_body::HttpBody, violation::Violation};

use super::{Caller, denied::Denied};
use crate::{
    flash,
    form::Form,
    layout::PageResult,
    mistyped::asked,
    request_context::{RequestContext, Site},
    unsent::may_be_sent_again,
};

/// Where people go who are in no account.
pub(crate) const START: &str = "/dashboard/start";

/// What a page needs: a person, or an account of theirs as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Person,
    Account,
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
        F: Future<Output = PageResult> + Send + 'static,
    {
        let needs = self.needs;
        let operation = move |context, _body| answer(context, needs, None, show);
        self.site.operation(Method::GET, operation)
    }

    /// An operation that takes a form.
    pub(crate) fn post<F>(
        &self,
        take: impl Fn(Caller, Form) -> F + Copy + Send + Sync + 'static,
    ) -> Operation
    where
        F: Future<Output = PageResult> + Send + 'static,
    {
        let needs = self.needs;
        let operation = move |context: RequestContext, body| async move {
            let form = context.form(body).await?;
            let typed = Some(form.clone());
            answer(context, needs, typed, |caller| take(caller, form)).await
        };
        self.site.operation(Method::POST, operation)
    }

    /// A path that shows a form with a file, in the field of this name, and takes it. What core refuses is shown again.
    pub(crate) fn upload<S, T>(
        &self,
        path: &'static str,
        file: (&'static str, usize),
        show: fn(Caller) -> S,
        take: fn(Caller, Form, Option<HttpBody>) -> T,
    ) -> Resource
    where
        S: Future<Output = PageResult> + Send + 'static,
        T: Future<Output = PageResult> + Send + 'static,
    {
        let needs = self.needs;
        let operation = move |context: RequestContext, body| async move {
            let (form, sent) = match context.form_with_file(body, file).await {
                Err(problem) if problem.http_status == TOO_LARGE => {
                    let problem = too_large(problem, file);
                    let show = |caller: Caller| show(caller.refused(Form::default(), problem));
                    return answer(context, needs, None, show).await;
                }
                read => read?,
            };
            // A page to send the fields again could not have the file: its form is shown, where it is chosen again.
            let has_file = sent.is_some();
            let typed = (!has_file).then(|| form.clone());
            let take = |caller: Caller| async move {
                match take(caller.clone(), form.clone(), sent).await {
                    Err(problem)
                        if caller.may_correct(&form, &problem)
                            || (has_file && may_be_sent_again(&problem)) =>
                    {
                        show(caller.refused(form, problem)).await
                    }
                    answer => answer,
                }
            };
            answer(context, needs, typed, take).await
        };
        Resource::new(path)
            .with(self.get(show))
            .with(self.site.operation(Method::POST, operation))
    }

    /// A path that shows a form and takes it. What core refuses is shown again as it was typed, and so is an address that looks mistyped.
    pub(crate) fn form<S, T>(
        &self,
        path: &'static str,
        show: fn(Caller) -> S,
        take: fn(Caller, Form) -> T,
    ) -> Resource
    where
        S: Future<Output = PageResult> + Send + 'static,
        T: Future<Output = PageResult> + Send + 'static,
    {
        let take = move |caller: Caller, form: Form| async move {
            if asked(&form).is_some() {
                return show(caller.typed(form)).await;
            }
            match take(caller.clone(), form.clone()).await {
                Err(problem) if caller.may_correct(&form, &problem) => {
                    show(caller.refused(form, problem)).await
                }
                answer => answer,
            }
        };
        Resource::new(path)
            .with(self.get(show))
            .with(self.post(take))
    }
}

/// The status of a body that is larger than allowed.
const TOO_LARGE: u16 = 413;

/// The same problem, about the field of the file.
fn too_large(problem: Problem, (name, max_bytes): (&str, usize)) -> Problem {
    let violation = Violation {
        field: name.to_owned(),
        message: format!("must be at most {} MB", max_bytes >> 20),
    };
    Problem {
        details: vec![violation],
        ..problem
    }
}

/// Answers a request of someone who is signed in, or says why it is denied.
async fn answer<F>(
    context: RequestContext,
    needs: Needs,
    form: Option<Form>,
    handle: impl FnOnce(Caller) -> F,
) -> PageResult
where
    F: Future<Output = PageResult>,
{
    let mut denied = Denied::new(&context, form);
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
    fn lacks(&self, needs: Needs) -> bool {
        needs == Needs::Account && self.viewer.account.is_none()
    }

    /// Whether the person can correct what core refused, on the same page.
    fn may_correct(&self, form: &Form, problem: &Problem) -> bool {
        let is_elsewhere =
            problem.code == Reason::Conflict.code() && !self.viewer.is_in(form.value("account_id"));
        matches!(problem.http_status, 400 | 409 | 422) && !is_elsewhere
    }
}
