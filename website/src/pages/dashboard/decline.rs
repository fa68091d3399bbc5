//! Declining registrations, one or many: whom, and why, before anyone is mailed.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Reason, Scope,
    v1::{
        DeclineRegistrationsRequest, GetRegistrationsRequest, MyEventDetail, Registration,
        bindings::{DeclineRegistrations, GetRegistrations},
    },
};

use super::{
    event_head::{EventHead, Part, read},
    mail_preview::people,
    registrations::path,
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

/// Why some are left: they were approved, or took their seats, since the page was opened.
const SEATED: &str = "they have a spot now, so cancel their registration instead";

#[derive(Template)]
#[template(path = "dashboard/decline.html")]
struct DeclinePage {
    page: Frame,
    head: EventHead,
    model: FormModel,
    chosen: Vec<Registration>,
    /// The name of one person, else how many they are.
    who: String,
    trouble: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::RegistrationsWrite)?;
    let (event, chosen) =
        tokio::try_join!(read(&caller), named(&caller, ids(&caller.context.query())))?;
    if event.is_ended {
        return Ok(back(&event, Flash::EVENT_IS_OVER));
    }
    if chosen.is_empty() {
        return Ok(back(&event, Flash::NOTHING_CHOSEN));
    }
    page(&caller, &event, chosen)
}

/// Declines those that are named. If some cannot be declined any more, the page says so and keeps them.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::RegistrationsWrite)?;
    let event = read(&caller).await?;
    let ids = ids(&form);
    if ids.is_empty() {
        return Ok(back(&event, Flash::NOTHING_CHOSEN));
    }
    let request = DeclineRegistrationsRequest {
        id: event.id.clone(),
        registration_ids: ids.clone(),
        reason: form.text("reason"),
    };
    let (problem, left) = match caller.ask::<DeclineRegistrations>(request).await {
        Ok(answer) => {
            let left = answer.items.into_iter();
            let left = left.filter(|one| one.status != "Cancelled");
            (
                Problem::new(Reason::Conflict, SEATED),
                left.map(|one| one.id).collect(),
            )
        }
        Err(problem) if matches!(problem.http_status, 400 | 409) => (problem, ids),
        Err(problem) => return Err(problem),
    };
    let left = named(&caller, left).await?;
    if left.is_empty() {
        return Ok(back(&event, Flash::DECLINED));
    }
    page(&caller.refused(form, problem), &event, left)
}

fn page(caller: &Caller, event: &MyEventDetail, chosen: Vec<Registration>) -> PageResult {
    let reason = Field::paragraphs("reason", "Why?").hint(
        "Included in the email they get. Without a reason, it only says that they have no spot.",
    );
    let whole = caller
        .problem()
        .filter(|problem| problem.details.is_empty());
    caller.answer(&DeclinePage {
        page: caller.page("Decline", Tab::Events),
        head: EventHead::of(event, Part::Registrations),
        model: caller.model(vec![reason]),
        who: match &*chosen {
            [one] => one.name.clone(),
            more => people(i32::try_from(more.len()).unwrap_or(i32::MAX)),
        },
        chosen,
        trouble: whole.map(|problem| format!("We couldn’t decline them: {}.", problem.message)),
    })
}

/// To the list of registrations.
fn back(event: &MyEventDetail, done: Flash) -> Response {
    flash::see(&path(&event.id), Some(done))
}

fn ids(form: &Form) -> Vec<String> {
    let ids = form.values("registration_ids");
    ids.map(str::to_owned).collect()
}

/// The registrations with these ids, as they are now.
async fn named(caller: &Caller, ids: Vec<String>) -> Result<Vec<Registration>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let request = GetRegistrationsRequest {
        id: caller.context.segment(2)?,
        registration_ids: ids,
    };
    Ok(caller.ask::<GetRegistrations>(request).await?.items)
}
