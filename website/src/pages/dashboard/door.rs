//! The page for the door, on a phone or with a scanner: a code or a whole address checks in at once, a name shows who is called so. Every
//! check-in is a form, so that a reload or a lost connection checks nobody in twice.

mod check_in;
pub(super) mod scan;
pub(in crate::pages) mod ticket;

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        GetRegistrationRequest, ListRegistrationsRequest, MyEventDetail, Registration,
        RegistrationList,
        bindings::{GetRegistration, ListRegistrations},
    },
};
use serde::Serialize;

pub(crate) use ticket::ticket_for_staff;

use super::{
    event_head::{EventHead, Part, path_of, read},
    registrations::without_list,
    standing::Standing,
};
use crate::{
    caller::{Caller, Frame, Tab},
    flash,
    form::{Form, link},
    layout::PageResult,
    timestamp::Timestamp,
    words::sentence,
};
pub(super) use check_in::DoorQuery;
use check_in::act;

/// Hits on a page.
const PAGE_SIZE: i32 = 20;

#[derive(Template)]
#[template(path = "dashboard/door.html")]
struct DoorPage {
    page: Frame,
    head: EventHead,
    /// When the event begins.
    start: String,
    /// The event's id.
    id: String,
    /// What stands before the code in the address of a ticket's QR code.
    ticket_url: String,
    /// How many are here, and how many may come.
    here: i32,
    guests: i32,
    q: String,
    hits: Vec<Registration>,
    /// How many were found in all.
    found: i32,
    next_url: Option<String>,
    last: Option<Registration>,
    /// Whether the last one was checked in before.
    was_before: bool,
    /// Where whoever is not found is added and checked in.
    add_url: Option<String>,
    trouble: Option<String>,
}

/// What the form of a guest who is added at the door begins with.
#[derive(Serialize)]
struct NewGuest<'a> {
    name: Option<&'a str>,
    email: Option<&'a str>,
    door: &'static str,
}

/// Also without words it asks for registrations, since core says then whether the plan lists them.
pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::RegistrationsCheckIn)?;
    let query: DoorQuery = caller.context.query().read()?;
    let (id, q) = (caller.context.segment(2)?, query.q);
    let searched = search(&caller, &id, q.clone(), query.cursor);
    let (event, searched) = tokio::join!(read(&caller), searched);
    let event = event?;
    let list = match searched {
        Err(problem) if problem.code == "PLAN_REQUIRED" => {
            return without_list(caller, &event, Part::Door, problem);
        }
        searched => searched?,
    };
    let mut page = DoorPage::of(&caller, &event);
    if let Some(id) = query.last {
        page.last = find(&caller, &event, id).await?;
        page.was_before = query.before.is_some();
    }
    if let Some(q) = q {
        let next = list.next_cursor.map(|cursor| DoorQuery {
            q: Some(q.clone()),
            cursor: Some(cursor),
            ..DoorQuery::default()
        });
        page.next_url = next.map(|query| link(&path(&id), &query));
        let may_add = caller.viewer.may(Scope::RegistrationsWrite)
            && event.is_published
            && !page.head.is_closed;
        page.add_url = may_add.then(|| add_url(&id, &q));
        page.q = q;
        page.found = list.count;
        page.hits = list.items;
    }
    caller.answer(&page)
}

/// Checks in whom the form means, or shows who may be meant.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let id = caller.context.segment(2)?;
    let query = match act(&caller, &id, &form).await {
        Ok(query) => query,
        Err(problem) if matches!(problem.http_status, 400 | 404 | 409) => {
            let event = read(&caller).await?;
            let q = form.text("q").unwrap_or_default();
            let caller = caller.refused(form, problem);
            let page = DoorPage::of(&caller, &event);
            return caller.answer(&DoorPage { q, ..page });
        }
        Err(problem) => return Err(problem),
    };
    Ok(flash::see(&link(&path(&id), &query), None))
}

async fn search(
    caller: &Caller,
    id: &str,
    q: Option<String>,
    cursor: Option<String>,
) -> Result<RegistrationList, Problem> {
    let request = ListRegistrationsRequest {
        id: id.to_owned(),
        limit: Some(if q.is_some() { PAGE_SIZE } else { 1 }),
        q,
        cursor,
        ..ListRegistrationsRequest::default()
    };
    caller.ask::<ListRegistrations>(request).await
}

/// The registration that was dealt with last; one that is not of this event is none.
async fn find(
    caller: &Caller,
    event: &MyEventDetail,
    id: String,
) -> Result<Option<Registration>, Problem> {
    let request = GetRegistrationRequest {
        id: event.id.clone(),
        registration_id: id,
    };
    match caller.ask::<GetRegistration>(request).await {
        Ok(one) => Ok(Some(one)),
        Err(problem) if problem.http_status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// The path of an event's door.
pub(super) fn path(id: &str) -> String {
    format!("{}/check-in", path_of(id))
}

fn add_url(id: &str, q: &str) -> String {
    let is_address = q.contains('@');
    let guest = NewGuest {
        name: (!is_address).then_some(q),
        email: is_address.then_some(q),
        door: "yes",
    };
    link(&format!("{}/registrations/new", path_of(id)), &guest)
}

impl DoorPage {
    /// When someone was checked in.
    fn since(&self, one: &Registration) -> Timestamp {
        Timestamp::at_event(one.checked_in_at(), &self.start, &self.head.timezone)
    }

    fn of(caller: &Caller, event: &MyEventDetail) -> Self {
        Self {
            page: caller.page("Check-in", Tab::Events),
            head: EventHead::of(event, Part::Door),
            start: event.start_date.clone(),
            id: event.id.clone(),
            ticket_url: caller.context.site.url("/check-in/"),
            here: event.people_checked_in,
            guests: event.seats_taken,
            q: String::new(),
            hits: Vec::new(),
            found: 0,
            next_url: None,
            last: None,
            was_before: false,
            add_url: None,
            trouble: caller.problem().map(sentence),
        }
    }
}
