//! What a form at the door does: it checks in whom it names, or who alone matches what was typed or scanned.

use edge::Problem;
use muster_api::v1::{
    CheckInByCodeRequest, CheckInRequest, Registration, UndoCheckInRequest,
    bindings::{CheckIn, CheckInByCode, UndoCheckIn},
};

use super::{MOST_HITS, search};
use crate::{desk::Desk, form::Form};

/// Fewer letters find too many people to check one in by Enter.
const FEWEST_LETTERS: usize = 3;

/// The length of a check-in code.
const CODE_CHARACTERS: usize = 20;

/// The parameter that says since when somebody was checked in before.
pub(super) const BEFORE: &str = "before";

/// What a form came to.
pub(super) enum Outcome {
    /// This registration was checked in, or out again.
    Done {
        registration_id: String,
        before: Before,
    },
    /// Somebody has to choose among those whom these words find.
    Choose(String),
    Nothing,
}

/// Whether somebody was checked in before they were checked in now: perhaps two people show one ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Before {
    No,
    Yes,
    /// Since this moment, in UTC.
    Since(String),
}

impl Outcome {
    const fn done(registration_id: String) -> Self {
        let before = Before::No;
        Self::Done {
            registration_id,
            before,
        }
    }

    /// The query of the page that shows it.
    pub(super) fn query(&self) -> String {
        let mut pairs = Vec::new();
        match self {
            Self::Done {
                registration_id,
                before,
            } => {
                pairs.push(("last", &**registration_id));
                match before {
                    Before::No => {}
                    Before::Yes => pairs.push((BEFORE, "yes")),
                    Before::Since(moment) => pairs.push((BEFORE, moment)),
                }
            }
            Self::Choose(q) => pairs.push(("q", q)),
            Self::Nothing => return String::new(),
        }
        let mut query = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
        query.extend_pairs(pairs).finish()
    }
}

pub(super) async fn act(desk: &Desk, id: &str, form: &Form) -> Result<Outcome, Problem> {
    if let Some(registration_id) = form.value("registration_id") {
        let undoes = form.value("action") == Some("undo");
        return of_one(desk, id, registration_id, undoes).await;
    }
    let Some(q) = form.value("q") else {
        return Ok(Outcome::Nothing);
    };
    if let Some(code) = code_in(q) {
        return by_code(desk, id, code).await;
    }
    let Some(one) = only_hit(desk, id, q).await? else {
        return Ok(Outcome::Choose(q.to_owned()));
    };
    if one.checked_in {
        return Ok(Outcome::Done {
            registration_id: one.id,
            before: Before::Yes,
        });
    }
    of_one(desk, id, &one.id, false).await
}

async fn of_one(
    desk: &Desk,
    id: &str,
    registration_id: &str,
    undoes: bool,
) -> Result<Outcome, Problem> {
    let (id, registration_id) = (id.to_owned(), registration_id.to_owned());
    let done = Outcome::done(registration_id.clone());
    if undoes {
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
    Ok(done)
}

async fn by_code(desk: &Desk, id: &str, code: &str) -> Result<Outcome, Problem> {
    let request = CheckInByCodeRequest {
        code: Some(code.to_owned()),
        event_id: Some(id.to_owned()),
    };
    let answer = desk.ask::<CheckInByCode>(request).await?;
    Ok(Outcome::Done {
        registration_id: answer.registration_id,
        before: if answer.was_checked_in {
            Before::Since(answer.checked_in_at)
        } else {
            Before::No
        },
    })
}

/// The one registration with a seat that these words find, if there is no other one.
async fn only_hit(desk: &Desk, id: &str, q: &str) -> Result<Option<Registration>, Problem> {
    if q.chars().count() < FEWEST_LETTERS {
        return Ok(None);
    }
    let list = search(desk, id, q, MOST_HITS).await?;
    let is_whole = list.count <= MOST_HITS;
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
