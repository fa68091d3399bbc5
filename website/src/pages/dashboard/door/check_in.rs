//! What a form at the door does: it checks in whom it names, and who has the code or the whole address. Names are only looked for.

use http_kit::Problem;
use muster_api::v1::{
    CheckInByCodeRequest, CheckInRequest, ListRegistrationsRequest, Registration,
    UndoCheckInRequest,
    bindings::{CheckIn, CheckInByCode, ListRegistrations, UndoCheckIn},
};
use serde::{Deserialize, Serialize};

use super::search;
use crate::{caller::Caller, form::Form};

/// How many letters and digits a check-in code has, and one of earlier versions.
const CODE_LENGTHS: [usize; 2] = [12, 20];

/// The parameters of the page: what was looked for, or who was checked in or out last.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::pages::dashboard) struct DoorQuery {
    pub(super) q: Option<String>,
    /// Where the page begins, of more that were found.
    pub(super) cursor: Option<String>,
    pub(super) last: Option<String>,
    /// Set if the last one was checked in before: perhaps two people show one ticket, or another phone was quicker.
    pub(super) before: Option<String>,
}

impl DoorQuery {
    /// The page that shows whom a form was about.
    pub(in crate::pages::dashboard) fn of(registration_id: String, was_checked_in: bool) -> Self {
        Self {
            last: Some(registration_id),
            before: was_checked_in.then(|| "yes".to_owned()),
            ..Self::default()
        }
    }
}

/// Does what a form asks for, and returns the parameters of the page that shows it.
pub(super) async fn act(caller: &Caller, id: &str, form: &Form) -> Result<DoorQuery, Problem> {
    if let Some(registration_id) = form.value("registration_id") {
        if form.value("action") == Some("undo") {
            return undo(caller, id, registration_id).await;
        }
        return of_one(caller, id, registration_id, form.number("people")).await;
    }
    let Some(q) = form.value("q") else {
        return Ok(DoorQuery::default());
    };
    let mut no_such_code = None;
    if may_be_code(q) {
        match by_code(caller, id, q).await {
            // A name may have the letters of a code.
            Err(problem) if problem.http_status == 404 => no_such_code = Some(problem),
            done => return done,
        }
    } else if q.contains('@')
        && let Some(one) = of_address(caller, id, q).await?
    {
        if one.status == "Confirmed" {
            return of_one(caller, id, &one.id, None).await;
        }
        return Ok(DoorQuery::of(one.id, false));
    }
    if let Some(problem) = no_such_code
        && search(caller, id, Some(q.to_owned()), None).await?.count == 0
    {
        return Err(problem);
    }
    // Also if only one person is called so: whoever reads a name aloud is asked.
    Ok(DoorQuery {
        q: Some(q.to_owned()),
        ..DoorQuery::default()
    })
}

async fn of_one(
    caller: &Caller,
    id: &str,
    registration_id: &str,
    people: Option<i32>,
) -> Result<DoorQuery, Problem> {
    let request = CheckInRequest {
        id: id.to_owned(),
        registration_id: registration_id.to_owned(),
        people,
    };
    let one = caller.ask::<CheckIn>(request).await?;
    let was_checked_in = one.was_checked_in();
    Ok(DoorQuery::of(one.id, was_checked_in))
}

async fn undo(caller: &Caller, id: &str, registration_id: &str) -> Result<DoorQuery, Problem> {
    let request = UndoCheckInRequest {
        id: id.to_owned(),
        registration_id: registration_id.to_owned(),
    };
    let one = caller.ask::<UndoCheckIn>(request).await?;
    Ok(DoorQuery::of(one.id, false))
}

async fn by_code(caller: &Caller, id: &str, code: &str) -> Result<DoorQuery, Problem> {
    let request = CheckInByCodeRequest {
        code: Some(code.to_owned()),
        event_id: Some(id.to_owned()),
        people: None,
    };
    let answer = caller.ask::<CheckInByCode>(request).await?;
    Ok(DoorQuery::of(answer.registration_id, answer.was_checked_in))
}

/// The registration of a whole address that is not cancelled.
async fn of_address(
    caller: &Caller,
    id: &str,
    address: &str,
) -> Result<Option<Registration>, Problem> {
    let request = ListRegistrationsRequest {
        id: id.to_owned(),
        email: Some(address.to_owned()),
        ..ListRegistrationsRequest::default()
    };
    let list = caller.ask::<ListRegistrations>(request).await?;
    let mut there = list.items.into_iter();
    Ok(there.find(|one| one.status != "Cancelled"))
}

/// Whether a text may be a check-in code, alone or as the address in a QR code; core knows.
fn may_be_code(text: &str) -> bool {
    let is_code = |character: char| {
        character.is_ascii_alphanumeric() || character == '-' || character.is_whitespace()
    };
    let length = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    text.contains("://") || (text.chars().all(is_code) && CODE_LENGTHS.contains(&length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scanner_may_type_the_code_or_its_address() {
        for text in [
            "7KQ2-M9XD-04TB",
            "7kq2 m9xd 04tb",
            "Zk3vT9QmW2bYxR7cLp0D",
            "https://muster.example/check-in/7KQ2-M9XD-04TB",
        ] {
            assert!(may_be_code(text), "{text}");
        }
        for text in [
            "Grace Hopper!",
            "grace@example.org",
            "Zk3vT9QmW2bYxR7cLp0",
            "x/Zk3vT9QmW2bYxR7cLp0D",
            "",
        ] {
            assert!(!may_be_code(text), "{text}");
        }
    }
}
