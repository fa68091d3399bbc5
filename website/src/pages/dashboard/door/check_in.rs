//! What a form at the door does: it checks in whom it names, or who alone matches what was typed or scanned.

use http_kit::Problem;
use muster_api::v1::{
    CheckInByCodeRequest, CheckInRequest, Registration, UndoCheckInRequest,
    bindings::{CheckIn, CheckInByCode, UndoCheckIn},
};
use serde::{Deserialize, Serialize};

use super::{MAX_HITS, search};
use crate::{caller::Caller, form::Form};

/// Fewer letters find too many people to check one in by Enter.
const MIN_LETTERS: usize = 3;

/// The length of a check-in code.
const CODE_CHARACTERS: usize = 20;

/// The parameters of the page: what was looked for, or who was checked in or out last.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct DoorQuery {
    pub(super) q: Option<String>,
    pub(super) last: Option<String>,
    /// Since when the last one was checked in before: perhaps two people show one ticket. `yes` where the time is unknown.
    pub(super) before: Option<String>,
}

impl DoorQuery {
    fn done(registration_id: String, before: Option<String>) -> Self {
        Self {
            q: None,
            last: Some(registration_id),
            before,
        }
    }
}

/// Does what a form asks for, and returns the parameters of the page that shows it.
pub(super) async fn act(caller: &Caller, id: &str, form: &Form) -> Result<DoorQuery, Problem> {
    if let Some(registration_id) = form.value("registration_id") {
        let undoes = form.value("action") == Some("undo");
        return of_one(caller, id, registration_id, undoes).await;
    }
    let Some(q) = form.value("q") else {
        return Ok(DoorQuery::default());
    };
    if let Some(code) = code_in(q) {
        return by_code(caller, id, code).await;
    }
    let Some(one) = only_hit(caller, id, q).await? else {
        return Ok(DoorQuery {
            q: Some(q.to_owned()),
            ..DoorQuery::default()
        });
    };
    if one.checked_in {
        return Ok(DoorQuery::done(one.id, Some("yes".to_owned())));
    }
    of_one(caller, id, &one.id, false).await
}

async fn of_one(
    caller: &Caller,
    id: &str,
    registration_id: &str,
    undoes: bool,
) -> Result<DoorQuery, Problem> {
    let (id, registration_id) = (id.to_owned(), registration_id.to_owned());
    let done = DoorQuery::done(registration_id.clone(), None);
    if undoes {
        let request = UndoCheckInRequest {
            id,
            registration_id,
        };
        caller.ask::<UndoCheckIn>(request).await?;
    } else {
        let request = CheckInRequest {
            id,
            registration_id,
        };
        caller.ask::<CheckIn>(request).await?;
    }
    Ok(done)
}

async fn by_code(caller: &Caller, id: &str, code: &str) -> Result<DoorQuery, Problem> {
    let request = CheckInByCodeRequest {
        code: Some(code.to_owned()),
        event_id: Some(id.to_owned()),
    };
    let answer = caller.ask::<CheckInByCode>(request).await?;
    let before = answer.was_checked_in.then_some(answer.checked_in_at);
    Ok(DoorQuery::done(answer.registration_id, before))
}

/// The one registration with a seat that these words find, if there is no other one.
async fn only_hit(caller: &Caller, id: &str, q: &str) -> Result<Option<Registration>, Problem> {
    if q.chars().count() < MIN_LETTERS {
        return Ok(None);
    }
    let list = search(caller, id, Some(q.to_owned()), MAX_HITS).await?;
    let is_whole = list.count <= MAX_HITS;
    let items = list.items.into_iter();
    let mut there = items.filter(|one| one.status != "Cancelled");
    let only = match (there.next(), there.next()) {
        (Some(one), None) if is_whole => Some(one),
        _ => None,
    };
    Ok(only.filter(|one| one.status == "Confirmed"))
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
