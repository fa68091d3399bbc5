//! The registrations of an event: found by status and words, approved and declined many at a time.

pub(in crate::pages) mod add;

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        ApproveRegistrationsRequest, ExportRegistrationsRequest, ListRegistrationsRequest,
        MyEventDetail, Registration, RegistrationList,
        bindings::{ApproveRegistrations, ExportRegistrations, ListRegistrations},
    },
};

use super::{
    download,
    event::{Count, counts},
    event_head::{Badge, EventHead, Part, path_of, read},
    list_filter::{Chip, ListFilter},
};
use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    flash::{self, Flash},
    form::{Form, link},
    layout::Page,
    timestamp::Timestamp,
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
    page: Page,
    frame: Frame,
    head: EventHead,
    filter: ListFilter,
    chips: Vec<Chip>,
    rows: Vec<Row>,
    found: String,
    /// The query of this page, to come back to.
    back: String,
    next_url: Option<String>,
    /// The first page, seen from another one.
    first_url: Option<String>,
    problem: Option<String>,
    has_waiting: bool,
    /// Whether there is anybody whom the person may choose, to approve or decline.
    has_choices: bool,
}

/// What people see whose plan does not list registrations: the numbers, and what a plan would change.
#[derive(Template)]
#[template(path = "dashboard/registrations_plan.html")]
struct PlanPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    heading: &'static str,
    counts: Vec<Count>,
    upgrade_url: Option<String>,
}

/// A registration in the list.
struct Row {
    id: String,
    url: String,
    name: String,
    email: String,
    registered: Timestamp,
    badge: Badge,
    /// Whether the organizer decides about it.
    waits: bool,
    /// Whether nothing is left to decide: it has a seat.
    is_settled: bool,
    is_cancelled: bool,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let filter: ListFilter = caller.context.query().read()?;
    let id = caller.context.segment(2)?;
    let (event, listed) = tokio::join!(
        read(&caller),
        caller.ask::<ListRegistrations>(request(id, &filter))
    );
    let event = event?;
    match listed {
        Ok(list) => caller.answer(&RegistrationsPage::of(&caller, &event, filter, list)),
        Err(problem) if problem.code == "PLAN_REQUIRED" => {
            without_list(&caller, &event, Part::Registrations, &problem)
        }
        Err(problem) if problem.http_status == 400 => {
            let list = RegistrationList::default();
            let mut page = RegistrationsPage::of(&caller, &event, filter, list);
            page.problem = Some(problem.message.clone());
            caller.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

/// The answer to a page that needs a plan which lists registrations.
pub(super) fn without_list(
    caller: &Caller,
    event: &MyEventDetail,
    part: Part,
    problem: &Problem,
) -> Result<Response, Problem> {
    caller.answer_refused(&PlanPage::of(caller, event, part), problem)
}

/// Approves those that are chosen, or all of the page.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
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
fn path(id: &str) -> String {
    format!("{}/registrations", path_of(id))
}

pub(in crate::pages) async fn export(caller: Caller) -> Result<Response, Problem> {
    let id = caller.context.segment(2)?;
    let request = ExportRegistrationsRequest { id };
    download::answer::<ExportRegistrations>(&caller, request).await
}

impl RegistrationsPage {
    fn of(
        caller: &Caller,
        event: &MyEventDetail,
        filter: ListFilter,
        list: RegistrationList,
    ) -> Self {
        let (page, frame) = caller.frame("Registrations", Tab::Events);
        let (path, next) = (path(&event.id), list.next_cursor);
        let rows = list.items.into_iter().map(|one| Row::of(event, one));
        let rows: Vec<Row> = rows.collect();
        Self {
            page,
            frame,
            head: EventHead::of(event, Part::Registrations),
            chips: filter.chips(&path, &STATUSES),
            found: match list.count {
                1 => "1 registration".to_owned(),
                count => format!("{count} registrations"),
            },
            back: link("", &filter).trim_start_matches('?').to_owned(),
            next_url: next.map(|cursor| filter.page(&path, Some(cursor))),
            first_url: filter.cursor.is_some().then(|| filter.page(&path, None)),
            has_waiting: rows.iter().any(|row| row.waits),
            has_choices: caller.viewer.may(Scope::RegistrationsWrite)
                && !event.is_cancelled
                && rows.iter().any(Row::is_choice),
            rows,
            filter,
            problem: None,
        }
    }
}

impl PlanPage {
    fn of(caller: &Caller, event: &MyEventDetail, part: Part) -> Self {
        let heading = match part {
            Part::Door => "Check-in",
            _ => "Registrations",
        };
        let (page, frame) = caller.frame(heading, Tab::Events);
        Self {
            page,
            frame,
            head: EventHead::of(event, part),
            heading,
            counts: counts(event),
            upgrade_url: caller.context.site.links().upgrade_url.clone(),
        }
    }
}

impl Row {
    /// Whether there is something left to decide.
    const fn is_choice(&self) -> bool {
        !self.is_cancelled && !self.is_settled
    }

    fn of(event: &MyEventDetail, one: Registration) -> Self {
        let awaits = one.awaits.as_deref();
        let head = path_of(&event.id);
        Self {
            url: format!("{head}/registrations/{}", encoded(&one.id)),
            registered: Timestamp::in_zone(&one.registered_at, &event.timezone),
            badge: Badge::of_registration(&one.status, awaits, one.checked_in),
            waits: awaits == Some("approval"),
            is_settled: one.status == "Confirmed",
            is_cancelled: one.status == "Cancelled",
            id: one.id,
            name: one.name,
            email: one.email,
        }
    }
}
