//! What became of the emails about an event, on its page.

use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        EventMails, ListEventMailsRequest, MailNumbers, UndeliveredMail, bindings::ListEventMails,
    },
};

use super::event_head::path_of;
use crate::{caller::Caller, form::link, timestamp::Timestamp, words};

/// How many addresses a page shows.
const LIMIT: i32 = 20;

/// The parameter of the page's address that says where its list begins.
const CURSOR: &str = "mails";

/// The numbers as a table, and the addresses that should be looked at.
pub(super) struct ShownMails {
    pub(super) heads: Vec<&'static str>,
    pub(super) rows: Vec<Row>,
    pub(super) undelivered: Vec<Undelivered>,
    /// Where there are more.
    pub(super) next_url: Option<String>,
}

/// The numbers of a kind of emails.
pub(super) struct Row {
    pub(super) kind: String,
    pub(super) numbers: Vec<i32>,
}

/// An email that did not arrive.
pub(super) struct Undelivered {
    /// The guest's page.
    pub(super) url: String,
    /// The address, or what stands for one that the guest has no longer.
    pub(super) address: String,
    pub(super) state: &'static str,
    pub(super) kind: String,
    pub(super) words: Option<String>,
    pub(super) at: Timestamp,
}

/// A state: its words, and its number in a row.
type State = (&'static str, fn(&MailNumbers) -> i32);

const STATES: [State; 6] = [
    ("Waiting", |one| one.waiting),
    ("Handed over", |one| one.handed_over),
    ("Refused", |one| one.refused),
    ("Came back", |one| one.bounced),
    ("Called spam", |one| one.complained),
    ("Not sent", |one| one.withheld),
];

/// Reads them for those who may see registrations; `None` for others, and while there are no emails.
pub(super) async fn read(
    caller: &Caller,
    id: &str,
    timezone: &str,
) -> Result<Option<ShownMails>, Problem> {
    if !caller.viewer.may(Scope::RegistrationsRead) {
        return Ok(None);
    }
    let request = ListEventMailsRequest {
        id: id.to_owned(),
        limit: Some(LIMIT),
        cursor: caller.context.query().value(CURSOR).map(str::to_owned),
    };
    let mails = caller.ask::<ListEventMails>(request).await?;
    Ok((!mails.numbers.is_empty()).then(|| shown(mails, id, timezone)))
}

fn shown(mails: EventMails, id: &str, timezone: &str) -> ShownMails {
    let numbers = &mails.numbers;
    let has_some = |(_, number): &&State| numbers.iter().any(|one| number(one) > 0);
    let states: Vec<_> = STATES.iter().filter(has_some).collect();
    let row = |one: &MailNumbers| Row {
        kind: kind(&one.kind),
        numbers: states.iter().map(|(_, number)| number(one)).collect(),
    };
    ShownMails {
        heads: states.iter().map(|(words, _)| *words).collect(),
        rows: numbers.iter().map(row).collect(),
        next_url: mails.next_cursor.map(|cursor| {
            let url = link(&path_of(id), &[(CURSOR, cursor)]);
            format!("{url}#mails")
        }),
        undelivered: mails
            .items
            .into_iter()
            .map(|one| undelivered(one, id, timezone))
            .collect(),
    }
}

fn undelivered(one: UndeliveredMail, id: &str, timezone: &str) -> Undelivered {
    let address = one.email.as_deref().map(words::address);
    Undelivered {
        url: format!("{}/registrations/{}", path_of(id), one.registration_id),
        address: address.map_or_else(|| "An earlier address".to_owned(), Into::into),
        state: state(&one.state),
        kind: kind(&one.kind),
        at: Timestamp::in_zone(&one.at, timezone),
        words: one.words,
    }
}

/// What became of an email, for people.
pub(super) fn state(name: &str) -> &'static str {
    match name {
        "refused" => "Refused",
        "bounced" => "Came back",
        "complained" => "Called spam",
        _ => "Failed",
    }
}

/// A kind of emails, for people.
fn kind(name: &str) -> String {
    let words = match name {
        "registered" => "Registration confirmed",
        "waitlisted" => "On the waitlist",
        "pending" => "Waiting for approval",
        "confirmation" => "Please confirm",
        "registered_again" => "Registered again",
        "promoted" => "Spot from the waitlist",
        "approved" => "Approved",
        "registration_cancelled" => "Registration cancelled",
        "declined" => "Declined",
        "cancellation" => "Event cancelled",
        "event_changed" => "New time or place",
        "address_corrected" => "Address corrected",
        "reminder" => "Reminder",
        "message" => "Message",
        other => return words::capitalized(&other.replace('_', " ")),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_states_that_there_are_get_a_column() {
        let numbers = |kind: &str, handed_over, refused| MailNumbers {
            kind: kind.to_owned(),
            handed_over,
            refused,
            ..MailNumbers::default()
        };
        let mails = EventMails {
            numbers: vec![numbers("registered", 3, 0), numbers("new_kind", 0, 1)],
            ..EventMails::default()
        };
        let shown = shown(mails, "x", "UTC");
        assert_eq!(shown.heads, ["Handed over", "Refused"]);
        let rows: Vec<_> = shown
            .rows
            .iter()
            .map(|row| (&*row.kind, &*row.numbers))
            .collect();
        let expected: [(&str, &[i32]); 2] =
            [("Registration confirmed", &[3, 0]), ("New kind", &[0, 1])];
        assert_eq!(rows, expected);
    }
}
