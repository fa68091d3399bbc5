//! The page for the door, on a phone or with a scanner: people are found by three letters or by their code, and Enter on the only hit
//! checks in. Every check-in is a form, so that a reload or a lost connection checks nobody in twice.

mod check_in;
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

pub(crate) use ticket::ticket_for_staff;

use super::{
    event::{Count, counts},
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
use check_in::{DoorQuery, act};

/// Hits on a page: more than fit on a phone say that more letters are needed.
const MAX_HITS: i32 = 20;

#[derive(Template)]
#[template(path = "dashboard/door.html")]
struct DoorPage {
    page: Frame,
    head: EventHead,
    counts: Vec<Count>,
    q: String,
    hits: Vec<Registration>,
    /// How many were found in all.
    found: i32,
    last: Option<Registration>,
    /// Since when the last one was checked in before, as far as that is known.
    before: Option<Timestamp>,
    trouble: Option<String>,
}

/// Also without words it asks for registrations, since core says then whether the plan lists them.
pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::RegistrationsCheckIn)?;
    let query: DoorQuery = caller.context.query().read()?;
    let (id, q) = (caller.context.segment(2)?, query.q);
    let limit = if q.is_some() { MAX_HITS } else { 1 };
    let searched = search(&caller, &id, q.clone(), limit);
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
        let before = query.before;
        page.before = before.map(|since| Timestamp::in_zone(&since, &event.timezone));
    }
    if let Some(q) = q {
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

fn path(id: &str) -> String {
    format!("{}/check-in", path_of(id))
}

impl DoorPage {
    fn of(caller: &Caller, event: &MyEventDetail) -> Self {
        Self {
            page: caller.page("Check-in", Tab::Events),
            head: EventHead::of(event, Part::Door),
            counts: counts(event),
            q: String::new(),
            hits: Vec::new(),
            found: 0,
            last: None,
            before: None,
            trouble: caller.problem().map(sentence),
        }
    }
}
