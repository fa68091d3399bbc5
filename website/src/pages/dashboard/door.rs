//! The page for the door, on a phone or with a scanner: people are found by three letters or by their code, and Enter on the only hit
//! checks in. Every check-in is a form, so that a reload or a lost connection checks nobody in twice.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Scope,
    v1::{
        CheckInByCodeRequest, CheckInRequest, GetRegistrationRequest, ListRegistrationsRequest,
        MyEventDetail, Registration, UndoCheckInRequest,
        bindings::{CheckIn, CheckInByCode, GetRegistration, ListRegistrations, UndoCheckIn},
    },
};

use super::{
    event::{Count, counts},
    event_head::{Badge, EventHead, Part, path_of, read},
};
use crate::{
    cover::encoded,
    desk::{Desk, Frame, Tab, sentence},
    flash,
    form::Form,
    layout::Page,
    visit::Site,
};

/// Hits on a page: more than fit on a phone say that more letters are needed.
const MOST_HITS: i32 = 20;

/// Fewer letters find too many people to check one in by Enter.
const FEWEST_LETTERS: usize = 3;

/// The length of a check-in code.
const CODE_CHARACTERS: usize = 20;

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

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form("/dashboard/events/{id}/check-in", show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.require(Scope::RegistrationsCheckIn)?;
    let query = desk.visit.query();
    let event = read(&desk).await?;
    let mut page = DoorPage::of(&desk, &event);
    if let Some(id) = query.value("last") {
        page.last = find(&desk, &event, id).await?;
    }
    if let Some(q) = query.value("q") {
        let list = search(&desk, &event.id, q).await?;
        q.clone_into(&mut page.q);
        page.found = list.count;
        page.hits = list.items.into_iter().map(Hit::of).collect();
    }
    desk.answer(&page)
}

/// Checks in whom the form means, or shows who may be meant.
async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let id = desk.visit.segment(2)?;
    match act(&desk, &id, &form).await {
        Ok(Outcome::Done(registration)) => {
            let query = format!("last={}", encoded(&registration));
            Ok(flash::see(&format!("{}?{query}", path(&id)), None))
        }
        Ok(Outcome::Choose(q)) => {
            let mut query = form_urlencoded::Serializer::new(String::new());
            let query = query.append_pair("q", &q).finish();
            Ok(flash::see(&format!("{}?{query}", path(&id)), None))
        }
        Ok(Outcome::Nothing) => Ok(flash::see(&path(&id), None)),
        Err(problem) if matches!(problem.http_status, 400 | 404 | 409) => {
            let mut page = DoorPage::of(&desk, &read(&desk).await?);
            form.value("q").unwrap_or_default().clone_into(&mut page.q);
            page.trouble = Some(format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

/// What a form at the door came to.
enum Outcome {
    /// This registration was checked in, or out again.
    Done(String),
    /// Somebody has to choose among those whom these words find.
    Choose(String),
    Nothing,
}

async fn act(desk: &Desk, id: &str, form: &Form) -> Result<Outcome, Problem> {
    let (id, registration_id) = (id.to_owned(), form.value("registration_id"));
    if let Some(registration_id) = registration_id.map(str::to_owned) {
        let done = Outcome::Done(registration_id.clone());
        if form.value("action") == Some("undo") {
            let request = UndoCheckInRequest {
                id,
                registration_id,
            };
            desk.ask::<UndoCheckIn>(request).await?;
        } else {
            let request = CheckInRequest {
                id,
                registration_id,
            };
            desk.ask::<CheckIn>(request).await?;
        }
        return Ok(done);
    }
    let Some(q) = form.value("q") else {
        return Ok(Outcome::Nothing);
    };
    if let Some(code) = code_in(q) {
        let request = CheckInByCodeRequest {
            code: Some(code.to_owned()),
            event_id: Some(id),
        };
        let answer = desk.ask::<CheckInByCode>(request).await?;
        return Ok(Outcome::Done(answer.registration_id));
    }
    match only_hit(desk, &id, q).await? {
        Some(registration_id) => {
            let request = CheckInRequest {
                id,
                registration_id: registration_id.clone(),
            };
            desk.ask::<CheckIn>(request).await?;
            Ok(Outcome::Done(registration_id))
        }
        None => Ok(Outcome::Choose(q.to_owned())),
    }
}

/// The one registration with a seat that these words find, if there is no other one.
async fn only_hit(desk: &Desk, id: &str, q: &str) -> Result<Option<String>, Problem> {
    if q.chars().count() < FEWEST_LETTERS {
        return Ok(None);
    }
    let list = search(desk, id, q).await?;
    let mut there = list.items.iter().filter(|one| one.status != "Cancelled");
    let only = match (there.next(), there.next()) {
        (Some(one), None) if list.count <= MOST_HITS => Some(one),
        _ => None,
    };
    Ok(only
        .filter(|one| one.status == "Confirmed")
        .map(|one| one.id.clone()))
}

async fn search(
    desk: &Desk,
    id: &str,
    q: &str,
) -> Result<muster_api::v1::RegistrationList, Problem> {
    let request = ListRegistrationsRequest {
        id: id.to_owned(),
        limit: Some(MOST_HITS),
        q: Some(q.to_owned()),
        ..ListRegistrationsRequest::default()
    };
    desk.ask::<ListRegistrations>(request).await
}

/// The registration that was dealt with last; one that is not of this event is none.
async fn find(desk: &Desk, event: &MyEventDetail, id: &str) -> Result<Option<Hit>, Problem> {
    let request = GetRegistrationRequest {
        id: event.id.clone(),
        registration_id: id.to_owned(),
    };
    match desk.ask::<GetRegistration>(request).await {
        Ok(one) => Ok(Some(Hit::of(one))),
        Err(problem) if problem.http_status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// The check-in code that was scanned or typed: alone, or as the last part of the address in a QR code.
fn code_in(text: &str) -> Option<&str> {
    let last = text.trim_end_matches('/').rsplit('/').next()?;
    let last = last.split(['?', '#']).next()?;
    let is_code =
        last.len() == CODE_CHARACTERS && last.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_alone = last.len() == text.len() || text.contains("/check-in/");
    (is_code && is_alone).then_some(last)
}

fn path(id: &str) -> String {
    format!("{}/check-in", path_of(id))
}

impl DoorPage {
    fn of(desk: &Desk, event: &MyEventDetail) -> Self {
        let (page, frame) = desk.frame("Check-in", Tab::Events);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scanner_may_type_the_code_or_its_address() {
        let code = "Zk3vT9QmW2bYxR7cLp0D";
        for text in [
            code.to_owned(),
            format!("https://muster.example/check-in/{code}"),
            format!("https://muster.example/below/check-in/{code}/"),
            format!("/check-in/{code}?x=y"),
        ] {
            assert_eq!(code_in(&text), Some(code), "{text}");
        }
        for text in [
            "Grace Hopper",
            "grace@example.org",
            "Zk3vT9QmW2bYxR7cLp0",
            "x/Zk3vT9QmW2bYxR7cLp0D",
            "",
        ] {
            assert_eq!(code_in(text), None, "{text}");
        }
    }
}
