//! The registrations of an event: found by status and words, those that need approval first, approved and declined one by one or many at a
//! time; and the same as a list to print.

pub(in crate::pages) mod add;
pub(in crate::pages) mod import;

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
    pages::private::{ShownAnswer, shown},
    timestamp::Timestamp,
    words::sentence,
};

/// Registrations on a page.
const PAGE_SIZE: i32 = 50;

/// Those of a list to print: five sheets of paper.
const PRINT_SIZE: i32 = 200;

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
#[expect(
    clippy::struct_excessive_bools,
    reason = "what the template asks, each by itself"
)]
struct RegistrationsPage {
    page: Frame,
    head: EventHead,
    filter: ListFilter,
    chips: Vec<Chip>,
    rows: Vec<Row>,
    /// Whether it is a list to print, without anything to press.
    is_print: bool,
    print_url: String,
    found: String,
    /// The query of this page, to come back to.
    back: String,
    next_url: Option<String>,
    /// The first page, seen from another one.
    first_url: Option<String>,
    problem: Option<String>,
    has_waiting: bool,
    /// Whether the person may decide about registrations.
    decides: bool,
    /// Whether there is anyone whom the person may choose, to approve or decline.
    has_choices: bool,
}

struct Row {
    one: Registration,
    standing: Standing,
    /// Whether it can be chosen. While some need approval, only those can: approving means nothing for the waitlist.
    is_choice: bool,
    answers: Vec<ShownAnswer>,
    checked_in: Option<Timestamp>,
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
    let query = caller.context.query();
    let (filter, is_print) = (query.read::<ListFilter>()?, query.value("print").is_some());
    let id = caller.context.segment(2)?;
    let limit = if is_print { PRINT_SIZE } else { PAGE_SIZE };
    let (event, listed) = tokio::join!(
        read(&caller),
        caller.ask::<ListRegistrations>(request(id, limit, &filter))
    );
    let event = event?;
    let (caller, list) = match listed {
        Err(problem) if problem.code == "PLAN_REQUIRED" => {
            return without_list(caller, &event, Part::Registrations, problem);
        }
        listed => caller.listed(listed)?,
    };
    let (path, next) = (path(&event.id), list.next_cursor);
    let has_waiting = list.items.iter().any(|one| Standing::of(one).waits());
    let decides = caller.viewer.may(Scope::RegistrationsWrite)
        && !event.is_cancelled
        && !event.is_ended
        && !is_print;
    let row = |one| Row::of(one, &event, decides, has_waiting);
    let rows: Vec<_> = list.items.into_iter().map(row).collect();
    let first = filter.page(&path, None);
    let printed = |url: &str| {
        let separator = if url.contains('?') { '&' } else { '?' };
        format!("{url}{separator}print=yes")
    };
    let alike = |url: String| if is_print { printed(&url) } else { url };
    caller.answer(&RegistrationsPage {
        page: caller.page("Registrations", Tab::Events),
        head: EventHead::of(&event, Part::Registrations),
        chips: filter.chips(&path, &STATUSES),
        found: match list.count {
            1 => "1 registration".to_owned(),
            count => format!("{count} registrations"),
        },
        back: link("", &filter).trim_start_matches('?').to_owned(),
        next_url: next.map(|cursor| alike(filter.page(&path, Some(cursor)))),
        print_url: printed(&first),
        first_url: filter.cursor.is_some().then(|| alike(first)),
        is_print,
        has_waiting,
        decides,
        has_choices: rows.iter().any(|row| row.is_choice),
        rows,
        filter,
        problem: caller.problem().map(sentence),
    })
}

impl Row {
    fn of(mut one: Registration, event: &MyEventDetail, decides: bool, has_waiting: bool) -> Self {
        let standing = Standing::of(&one);
        let since = one.checked_in_at.as_deref();
        Self {
            is_choice: decides && standing.is_open() && (standing.waits() || !has_waiting),
            answers: shown(&std::mem::take(&mut one.answers)),
            checked_in: since.map(|at| Timestamp::at_event(at, &event.start_date, &event.timezone)),
            one,
            standing,
        }
    }
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
        // The button in a row, whatever is chosen elsewhere.
        _ if form.has("approve") => "approve",
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

fn request(id: String, limit: i32, filter: &ListFilter) -> ListRegistrationsRequest {
    ListRegistrationsRequest {
        id,
        limit: Some(limit),
        approval_first: Some(true),
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
    let separator = caller.context.query().text("separator");
    let request = ExportRegistrationsRequest { id, separator };
    download::answer::<ExportRegistrations>(&caller, request).await
}
