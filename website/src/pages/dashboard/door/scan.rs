//! What the camera at the door asks, and gets as JSON: how many are here, whose codes to expect, and whom a code checks in.

use http::StatusCode;
use http_kit::{Problem, json};
use muster_api::{
    Reason, Scope,
    v1::{
        CheckInByCodeRequest, CheckedIn, GetRegistrationByCodeRequest, ListCheckInCodesRequest,
        MyEventDetail, RegistrationByCode,
        bindings::{CheckInByCode, GetRegistrationByCode, ListCheckInCodes},
    },
};
use serde::Serialize;

use super::read;
use crate::{
    caller::Caller,
    form::Form,
    layout::{PageResult, make_private},
    pages::dashboard::{party::all_of, standing::Standing},
    timestamp::Timestamp,
    words::sentence,
};

/// How many are here, and how many may come.
#[derive(Serialize)]
struct Count {
    here: i32,
    guests: i32,
}

/// What became of a code that was scanned.
#[derive(Debug, Default, Serialize)]
struct Scanned {
    /// `good` if it checked someone in now, `warn` if someone was checked in before, else `bad`.
    tone: &'static str,
    word: String,
    name: Option<String>,
    detail: Option<String>,
    registration_id: Option<String>,
    /// How many of its people are here, and for how many it is.
    people: Option<i32>,
    party_size: Option<i32>,
}

/// What became of it, and how many are here after it.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    scanned: Scanned,
    #[serde(flatten)]
    count: Count,
}

pub(in crate::pages::dashboard) async fn count(caller: Caller) -> PageResult {
    caller.require(Scope::RegistrationsCheckIn)?;
    answer(&Count::of(&read(&caller).await?))
}

pub(in crate::pages::dashboard) async fn codes(caller: Caller) -> PageResult {
    let id = caller.context.segment(2)?;
    let request = ListCheckInCodesRequest { id };
    answer(&caller.ask::<ListCheckInCodes>(request).await?)
}

/// Checks in whom a code means. It does so once for each `key`, so that the answer to a scan that is sent again is the same.
pub(in crate::pages::dashboard) async fn take(caller: Caller, form: Form) -> PageResult {
    let (id, code) = (caller.context.segment(2)?, form.text("code"));
    let request = CheckInByCodeRequest {
        code: code.clone(),
        event_id: Some(id.clone()),
        people: None,
    };
    let checked = caller
        .context
        .ask_once::<CheckInByCode>(request, form.key())
        .await;
    // Read after it, so that whoever came now counts.
    let event = read(&caller).await?;
    let scanned = match checked {
        Ok(arrived) => Scanned::arrived(arrived, &event),
        Err(problem) if is_about_the_ticket(&problem) => {
            refused(&caller, &id, code.unwrap_or_default(), &problem).await?
        }
        Err(problem) => return Err(problem),
    };
    let count = Count::of(&event);
    answer(&Answer { scanned, count })
}

fn is_about_the_ticket(problem: &Problem) -> bool {
    const REASONS: [Reason; 4] = [
        Reason::NotFound,
        Reason::NotConfirmed,
        Reason::EventCancelled,
        Reason::InvalidRequest,
    ];
    REASONS.iter().any(|reason| reason.code() == problem.code)
}

/// Why a code checks nobody in here.
async fn refused(
    caller: &Caller,
    id: &str,
    code: String,
    problem: &Problem,
) -> Result<Scanned, Problem> {
    let request = GetRegistrationByCodeRequest { code };
    match caller.ask::<GetRegistrationByCode>(request).await {
        Ok(found) => Ok(Scanned::refused(found, id)),
        Err(unknown) if unknown.http_status < 500 => Ok(Scanned {
            tone: "bad",
            word: "Unknown code".to_owned(),
            detail: (problem.http_status == 400).then(|| sentence(problem)),
            ..Scanned::default()
        }),
        Err(problem) => Err(problem),
    }
}

impl Count {
    fn of(event: &MyEventDetail) -> Self {
        Self {
            here: event.people_checked_in,
            guests: event.seats_taken,
        }
    }
}

impl Scanned {
    fn arrived(arrived: CheckedIn, event: &MyEventDetail) -> Self {
        let since = Timestamp::at_event(&arrived.checked_in_at, &event.start_date, &event.timezone);
        let by = arrived.checked_in_by.filter(|_| arrived.was_checked_in);
        let by = by.map(|by| format!(", by {by}")).unwrap_or_default();
        let (people, size) = (arrived.people_checked_in, arrived.party_size);
        let here = all_of(people, size, &arrived.companions);
        let here = here.map(|here| format!(". {here}")).unwrap_or_default();
        let (tone, word) = if arrived.was_checked_in {
            ("warn", "Already checked in")
        } else {
            ("good", "Checked in")
        };
        Self {
            tone,
            word: word.to_owned(),
            name: Some(arrived.name),
            detail: Some(format!("{}{by}{here}", since.words())),
            registration_id: Some(arrived.registration_id),
            people: Some(people),
            party_size: Some(size),
        }
    }

    fn refused(found: RegistrationByCode, id: &str) -> Self {
        let guest = found.registration.unwrap_or_default();
        let (word, detail) = if found.event_id != id {
            ("For another event", Some(found.event_title))
        } else if found.is_event_cancelled {
            ("This event is cancelled", None)
        } else {
            (Standing::of(&guest).badge().word, None)
        };
        Self {
            tone: "bad",
            word: word.to_owned(),
            name: Some(guest.name),
            detail,
            ..Self::default()
        }
    }
}

fn answer(body: &impl Serialize) -> PageResult {
    let text = serde_json::to_string(body).map_err(|error| {
        Problem::new(Reason::Internal, "Muster failed").caused_by(error.to_string())
    })?;
    let mut response = json(StatusCode::OK, text);
    make_private(&mut response);
    Ok(response)
}
