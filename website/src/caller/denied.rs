//! What people get instead of the page that they asked for: the way to sign in, words why they may not, or their form back.

use std::sync::Arc;

use askama::Template;
use http_kit::Problem;

use super::{Caller, Frame, Tab};
use crate::{
    cookies, flash,
    form::Form,
    layout::{Page, PageResult, refused},
    request_context::RequestContext,
    return_path::{DASHBOARD, with_return_path},
    unsent::{Unsent, Why, may_be_sent_again},
    viewer::Viewer,
    words::{capitalized, general, sentence},
};

/// Where a session proves again whose it is.
pub(crate) const PROVE: &str = "/sign-in/again";

/// A request that may be refused.
pub(super) struct Denied {
    context: RequestContext,
    form: Option<Form>,
    pub(super) viewer: Option<Arc<Viewer>>,
}

#[derive(Template)]
#[template(path = "dashboard/refused.html")]
struct RefusedPage {
    page: Frame,
    text: String,
    /// Whether another account of the person may have it.
    is_elsewhere: bool,
    needs_plan: bool,
}

impl Denied {
    pub(super) fn new(context: &RequestContext, form: Option<Form>) -> Self {
        let context = context.clone();
        let viewer = None;
        Self {
            context,
            form,
            viewer,
        }
    }

    /// The answer to a problem; problems that are not about the person remain what they are.
    pub(super) fn answer(self, problem: Problem) -> PageResult {
        let here = self.context.here();
        match (problem.code, &self.form) {
            ("UNAUTHORIZED", None) => {
                let mut response = flash::see(&with_return_path("/sign-in", here), None);
                cookies::end_session(&mut response, self.context.site.is_secure());
                Ok(response)
            }
            ("STEP_UP_REQUIRED", None) => Ok(flash::see(&with_return_path(PROVE, here), None)),
            ("UNAUTHORIZED", Some(form)) => self.unsent(form, &problem, &SIGNED_OUT),
            ("STEP_UP_REQUIRED", Some(form)) => self.unsent(form, &problem, &UNPROVEN),
            ("CONFLICT", Some(form)) if self.is_for_another_account(form) => {
                self.unsent(form, &problem, &ELSEWHERE)
            }
            (_, Some(form)) if may_be_sent_again(&problem) => {
                let waits = problem.retry_after_seconds.unwrap_or_default();
                let why = match problem.http_status {
                    _ if limit_of_new_account(&problem).is_some() => &NEW_ACCOUNT,
                    429 if waits > SHORT_WAIT_SECONDS => &USED_UP,
                    429 => &TOO_MANY,
                    _ => &UNAVAILABLE,
                };
                self.unsent(form, &problem, why)
            }
            _ => self.refused(problem),
        }
    }

    fn is_for_another_account(&self, form: &Form) -> bool {
        let viewer = self.viewer.as_ref();
        viewer.is_some_and(|viewer| !viewer.is_in(form.value("account_id")))
    }

    /// Everything that was typed, to be sent again.
    fn unsent(&self, form: &Form, problem: &Problem, why: &'static Why) -> PageResult {
        let links = self.context.site.links();
        let unsent = Unsent {
            page: Page::private(links, why.headline),
            why,
            reason: limit_of_new_account(problem).map(general),
            url: self.context.parts.uri.path(),
            form: &form.clone().answered(Some(problem)),
            label,
        };
        refused(&unsent, problem)
    }

    /// Words why the person may not.
    fn refused(self, problem: Problem) -> PageResult {
        let Some(viewer) = self.viewer else {
            return Err(problem);
        };
        let Some((headline, text)) = words(&problem, &viewer) else {
            return Err(problem);
        };
        let caller = Caller {
            context: self.context,
            viewer,
            typed: None,
        };
        let page = RefusedPage {
            page: Frame {
                flash: None,
                ..caller.page(headline, Tab::None)
            },
            text,
            is_elsewhere: problem.http_status == 404 && !caller.viewer.others.is_empty(),
            needs_plan: matches!(problem.code, "PLAN_REQUIRED" | "QUOTA_EXCEEDED"),
        };
        refused(&page, &problem)
    }
}

const SIGNED_OUT: Why = Why {
    headline: "You are signed out",
    text: "Nothing that you typed is lost. Sign in, then send it again from this page.",
    before: Some(("/sign-in", "Sign in")),
};

const UNPROVEN: Why = Why {
    headline: "Please confirm that it is you",
    text: "This needs a new code from your email. Nothing that you typed is lost: confirm, then send it again from this page.",
    before: Some((PROVE, "Confirm that it is you")),
};

const ELSEWHERE: Why = Why {
    headline: "You are in another account now",
    text: "Nothing that you typed is lost. Choose the account that it is for, then send it again from this page.",
    before: Some((DASHBOARD, "Choose the account")),
};

const TOO_MANY: Why = Why {
    headline: "Too much at once",
    text: "Nothing that you typed is lost. Please wait a moment and send it again.",
    before: None,
};

/// Longer waits are those of a day's limit.
const SHORT_WAIT_SECONDS: u64 = 600;

const USED_UP: Why = Why {
    headline: "Today’s emails are used up",
    text: "Nothing that you typed is lost. This needs more emails than your account may send today. Send it again tomorrow, or choose a later time.",
    before: None,
};

const NEW_ACCOUNT: Why = Why {
    headline: "A new account can email only a few people",
    text: "Nothing that you typed is lost. Send it again once the limit allows it.",
    before: None,
};

/// What core says of the limit of new accounts (rule 41 of docs/rules.md): what is left of it, and what lifts it. `None` if the problem
/// is another.
fn limit_of_new_account(problem: &Problem) -> Option<&str> {
    let mut details = problem.details.iter();
    let limit = details.find(|detail| detail.field == "new_account_mails")?;
    Some(&limit.message)
}

const UNAVAILABLE: Why = Why {
    headline: "This was not saved yet",
    text: "We couldn’t reach the server. Nothing that you typed is lost: please send it again in a moment. Sending twice does no harm.",
    before: None,
};

/// What a refusal is called, and what to do about it; `None` if it is not about the person.
fn words(problem: &Problem, viewer: &Viewer) -> Option<(&'static str, String)> {
    let account = viewer.account_name();
    Some(match problem.code {
        "INSUFFICIENT_SCOPE" => (
            "Your role does not include this",
            format!(
                "In {account} you are: {}{}. An owner of the account can change that.",
                viewer.role().word(),
                if viewer.only_some_events() {
                    ", for some events only"
                } else {
                    ""
                }
            ),
        ),
        "ACCOUNT_SUSPENDED" => (
            "This account is suspended",
            format!(
                "The operator of this site has suspended {account}. Please ask the operator why."
            ),
        ),
        "PLAN_REQUIRED" => (
            "Your plan does not include this",
            format!(
                "With a paid plan {account} could do this. Everything that you have stays as it is."
            ),
        ),
        "QUOTA_EXCEEDED" => (
            "Your plan's events are used up",
            format!(
                "{}. An event that is over or cancelled no longer counts.",
                capitalized(&problem.message)
            ),
        ),
        "NOT_FOUND" => (
            "This is not here",
            format!(
                "Page not found in {account}. It may have been removed, or the address may be mistyped."
            ),
        ),
        _ if matches!(problem.http_status, 403 | 409 | 422) => {
            ("This is not possible now", sentence(problem))
        }
        _ => return None,
    })
}

/// The name of a field for people; what they did not fill has none.
fn label(name: &str) -> Option<String> {
    const UNSEEN: [&str; 8] = [
        "account_id",
        "version",
        "seen",
        "key",
        "action",
        "next",
        "confirmed",
        "id",
    ];
    // The id of a question means nothing to people.
    let name = name.split_once(':').map_or(name, |(kind, _)| kind);
    let words: Vec<&str> = name
        .split(['_', '.', '[', ']'])
        .filter(|part| !part.is_empty())
        .collect();
    let is_seen = !UNSEEN.contains(&name) && !name.ends_with("_ids") && !words.is_empty();
    is_seen.then(|| capitalized(&words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_were_kept_have_names_for_people() {
        assert_eq!(label("start_date").as_deref(), Some("Start date"));
        assert_eq!(
            label("custom_fields[2].label").as_deref(),
            Some("Custom fields 2 label")
        );
        assert_eq!(label("answered:q7").as_deref(), Some("Answered"));
        for unseen in ["version", "registration_ids", ""] {
            assert_eq!(label(unseen), None, "{unseen}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let viewer = Viewer::default();
        for code in [
            muster_api::Reason::InsufficientScope,
            muster_api::Reason::PlanRequired,
            muster_api::Reason::QuotaExceeded,
            muster_api::Reason::NotFound,
            muster_api::Reason::Conflict,
        ] {
            let problem = Problem::new(code, "the event has changed");
            assert!(words(&problem, &viewer).is_some(), "{code:?}");
        }
        let defect = Problem::new(muster_api::Reason::Internal, "Muster failed");
        assert_eq!(words(&defect, &viewer), None);
    }
}
