//! The page for the door, on a phone or with a scanner: people are found by three letters or by their code, and Enter on the only hit
//! checks in. Every check-in is a form, so that a reload or a lost connection checks nobody in twice.

mod check_in;
pub(in crate::pages) mod ticket;

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        GetRegistrationRequest, ListRegistrationsRequest, MyEventDetail, Registration,
        RegistrationList,
        bindings::{GetRegistration, ListRegistrations},
    },
};

pub(crate) use ticket::ticket_for_staff;

use super::{
    event::{Count, counts},
    event_head::{Badge, EventHead, Part, path_of, read},
    registrations::without_list,
};
use crate::{
    caller::{Caller, Frame, Tab},
    flash,
    form::{Form, link},
    layout::Page,
    timestamp::Timestamp,
    words::sentence,
};
use check_in::{DoorQuery, act};

/// Hits on a page: more than fit on a phone say that more letters are needed.
const MAX_HITS: i32 = 20;

#[derive(Template)]
#[template(path = "dashboard/door.html")]
struct DoorPage {
    page: Page,
    frame: Frame,
    head: EventHead,
    url: String,
    counts: Vec<Count>,
    q: String,
    hits: Vec<Hit>,
    /// How many were found in all.
    found: i32,
    last: Option<Hit>,
    /// Since when the last one was checked in before, as far as that is known.
    before: Option<Timestamp>,
    trouble: Option<String>,
}

/// Somebody who was found.
struct Hit {
    id: String,
    name: String,
    email: String,
    badge: Badge,
    can_come_in: bool,
    is_in: bool,
}

/// Also without words it asks for registrations, since core says then whether the plan lists them.
pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::RegistrationsCheckIn)?;
    let query: DoorQuery = caller.context.query().read()?;
    let (id, q) = (caller.context.segment(2)?, query.q);
    let limit = if q.is_some() { MAX_HITS } else { 1 };
    let searched = search(&caller, &id, q.clone(), limit);
    let (event, searched) = tokio::join!(read(&caller), searched);
    let event = event?;
    let list = match searched {
        Err(problem) if problem.code == "PLAN_REQUIRED" => {
            return without_list(&caller, &event, Part::Door, &problem);
        }
        searched => searched?,
    };
    let mut page = DoorPage::of(&caller, &event);
    if let Some(id) = query.last {
        page.last = find(&caller, &event, id).await?;
        let before = query.before;
        page.before = before.map(|since| Timestamp::in_zone(&since, &event.timezone));
    }
    if let Some(q) = q {
        page.q = q;
        page.found = list.count;
        page.hits = list.items.into_iter().map(Hit::of).collect();
    }
    caller.answer(&page)
}

/// Checks in whom the form means, or shows who may be meant.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let id = caller.context.segment(2)?;
    let query = match act(&caller, &id, &form).await {
        Ok(query) => query,
        Err(problem) if matches!(problem.http_status, 400 | 404 | 409) => {
            let mut page = DoorPage::of(&caller, &read(&caller).await?);
            form.value("q").unwrap_or_default().clone_into(&mut page.q);
            page.trouble = Some(sentence(&problem));
            return caller.answer_refused(&page, &problem);
        }
        Err(problem) => return Err(problem),
    };
    Ok(flash::see(&link(&path(&id), &query), None))
}

async fn search(
    caller: &Caller,
    id: &str,
    q: Option<String>,
    limit: i32,
) -> Result<RegistrationList, Problem> {
    let request = ListRegistrationsRequest {
        id: id.to_owned(),
        limit: Some(limit),
        q,
        ..ListRegistrationsRequest::default()
    };
    caller.ask::<ListRegistrations>(request).await
}

/// The registration that was dealt with last; one that is not of this event is none.
async fn find(caller: &Caller, event: &MyEventDetail, id: String) -> Result<Option<Hit>, Problem> {
    let request = GetRegistrationRequest {
        id: event.id.clone(),
        registration_id: id,
    };
    match caller.ask::<GetRegistration>(request).await {
        Ok(one) => Ok(Some(Hit::of(one))),
        Err(problem) if problem.http_status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}

fn path(id: &str) -> String {
    format!("{}/check-in", path_of(id))
}

impl DoorPage {
    fn of(caller: &Caller, event: &MyEventDetail) -> Self {
        let (page, frame) = caller.frame("Check-in", Tab::Events);
        Self {
            page,
            frame,
            head: EventHead::of(event, Part::Door),
            url: path(&event.id),
            counts: counts(event),
            q: String::new(),
            hits: Vec::new(),
            found: 0,
            last: None,
            before: None,
            trouble: None,
        }
    }
}

impl Hit {
    fn of(one: Registration) -> Self {
        let is_confirmed = one.status == "Confirmed";
        Self {
            badge: Badge::of_registration(&one.status, one.awaits.as_deref(), one.checked_in),
            can_come_in: is_confirmed && !one.checked_in,
            is_in: one.checked_in,
            id: one.id,
            name: one.name,
            email: one.email,
        }
    }
}
