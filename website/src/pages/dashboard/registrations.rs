//! The registrations of an event: found by status and words, approved and declined many at a time.

pub(in crate::pages) mod add;

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        ApproveRegistrationsRequest, ExportRegistrationsRequest, ListRegistrationsRequest,
        MyEventDetail, Registration,
        bindings::{ApproveRegistrations, ExportRegistrations, ListRegistrations},
    },
};

use super::{
    download,
    event::{Count, counts},
    event_head::{EventHead, Part, path_of, read},
    list_filter::{Chip, ListFilter},
    standing::Standing,
};
use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::{Form, link},
    layout::PageResult,
    words::sentence,
};

/// Registrations on a page.
const PAGE_SIZE: i32 = 50;

/// The statuses to choose from: their names in the API, and for people.
const STATUSES: [(Option<&str>, &str); 5] = [
    (None, "All"),
    (Some("Pending"), "Pending"),
    (Some("Confirmed"), "Confirmed"),
    (Some("Waitlisted"), "Waitlist"),
    (Some("Cancelled"), "Cancelled"),
];

#[derive(Template)]
#[template(path = "dashboard/registrations.html")]
struct RegistrationsPage {
    page: Frame,
    head: EventHead,
    filter: ListFilter,
    chips: Vec<Chip>,
    rows: Vec<(Registration, Standing)>,
    found: String,
    /// The query of this page, to come back to.
    back: String,
    next_url: Option<String>,
    /// The first page, seen from another one.
    first_url: Option<String>,
    problem: Option<String>,
    has_waiting: bool,
    /// Whether there is anyone whom the person may choose, to approve or decline.
    has_choices: bool,
}

/// What people see whose plan does not list registrations: the numbers, and what a plan would change.
#[derive(Template)]
#[template(path = "dashboard/registrations_plan.html")]
struct PlanPage {
    page: Frame,
    head: EventHead,
    counts: Vec<Count>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let filter: ListFilter = caller.context.query().read()?;
    let id = caller.context.segment(2)?;
    let (event, listed) = tokio::join!(
        read(&caller),
        caller.ask::<ListRegistrations>(request(id, &filter))
    );
    let event = event?;
    let (caller, list) = match listed {
        Err(problem) if problem.code == "PLAN_REQUIRED" => {
            return without_list(caller, &event, Part::Registrations, problem);
        }
        listed => caller.listed(listed)?,
    };
    let (path, next) = (path(&event.id), list.next_cursor);
    let rows = list.items.into_iter().map(|one| {
        let standing = Standing::of(&one);
        (one, standing)
    });
    let rows: Vec<_> = rows.collect();
    let decides = caller.viewer.may(Scope::RegistrationsWrite) && !event.is_cancelled;
    caller.answer(&RegistrationsPage {
        page: caller.page("Registrations", Tab::Events),
        head: EventHead::of(&event, Part::Registrations),
        chips: filter.chips(&path, &STATUSES),
        found: match list.count {
            1 => "1 registration".to_owned(),
            count => format!("{count} registrations"),
        },
        back: link("", &filter).trim_start_matches('?').to_owned(),
        next_url: next.map(|cursor| filter.page(&path, Some(cursor))),
        first_url: filter.cursor.is_some().then(|| filter.page(&path, None)),
        has_waiting: rows.iter().any(|(_, standing)| standing.waits()),
        has_choices: decides && rows.iter().any(|(_, standing)| standing.is_open()),
        rows,
        filter,
        problem: caller.problem().map(sentence),
    })
}

/// The answer to a page that needs a plan which lists registrations.
pub(super) fn without_list(
    caller: Caller,
    event: &MyEventDetail,
    part: Part,
    problem: Problem,
) -> PageResult {
    let heading = match part {
        Part::Door => "Check-in",
        _ => "Registrations",
    };
    let caller = caller.refused(Form::default(), problem);
    caller.answer(&PlanPage {
        page: caller.page(heading, Tab::Events),
        head: EventHead::of(event, part),
        counts: counts(event),
    })
}

/// Approves those that are chosen, or all of the page.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let id = caller.context.segment(2)?;
    let back = form.value("back").unwrap_or_default();
    let back: ListFilter = Form::parse(back.as_bytes()).read()?;
    let back = link(&path(&id), &back);
    let chosen = match form.value("action") {
        Some("approve_page") => "page_ids",
        _ => "registration_ids",
    };
    let ids: Vec<String> = form.values(chosen).map(str::to_owned).collect();
    if ids.is_empty() {
        return Ok(flash::see(&back, Some(Flash::NOTHING_CHOSEN)));
    }
    let request = ApproveRegistrationsRequest {
        id,
        registration_ids: ids,
    };
    let answer = caller.ask::<ApproveRegistrations>(request).await?;
    let done = if answer.approved > 0 {
        Flash::APPROVED
    } else {
        Flash::NOBODY_WAITED
    };
    Ok(flash::see(&back, Some(done)))
}

fn request(id: String, filter: &ListFilter) -> ListRegistrationsRequest {
    ListRegistrationsRequest {
        id,
        limit: Some(PAGE_SIZE),
        status: filter.status.clone(),
        q: filter.q.clone(),
        cursor: filter.cursor.clone(),
        ..ListRegistrationsRequest::default()
    }
}

/// The path of an event's registrations.
pub(super) fn path(id: &str) -> String {
    format!("{}/registrations", path_of(id))
}

pub(in crate::pages) async fn export(caller: Caller) -> PageResult {
    let id = caller.context.segment(2)?;
    let request = ExportRegistrationsRequest { id };
    download::answer::<ExportRegistrations>(&caller, request).await
}
