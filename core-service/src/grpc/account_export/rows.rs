//! The rows of an export: the messages of the API as JSON.

use domain::{
    instant::Instant,
    invitation::SentInvitation,
    message::{Message, StopReason},
    person::{Member, MemberKey, Membership, NamedEvent, Person},
    registration::Registration,
    session::Session,
    webhook::Webhook,
};
use muster_api::v1;
use serde_json::{Error, Value, json, to_value};

use crate::{
    grpc::convert,
    service::{Links, MessageMails, Records, StoredConnection, safe},
};

/// A value as a cell of a table. Lists are JSON.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => safe(text),
        Value::Number(number) => number.to_string(),
        other => safe(&other.to_string()),
    }
}

/// Records as objects with the fields of [`columns`](super::columns::columns).
pub(super) fn rows(records: Records, links: &Links) -> Result<Vec<Value>, Error> {
    match records {
        Records::Account(overview) => Ok(vec![to_value(convert::account(overview, links))?]),
        Records::Person(one) => Ok(vec![person(&one)]),
        Records::Sessions(all) => Ok(all.iter().map(session).collect()),
        Records::Memberships(all) => Ok(all.iter().map(membership).collect()),
        Records::Apps(all) => Ok(all.iter().map(app).collect()),
        Records::Members(all) => Ok(all.iter().map(member).collect()),
        Records::Invitations(all) => Ok(all.iter().map(invitation).collect()),
        Records::Keys(all) => Ok(all.iter().map(key).collect()),
        Records::Webhooks(all) => all.into_iter().map(webhook).collect(),
        Records::Events(all) => {
            let row = |(event, counters): (domain::event::Event, _)| {
                let (reason, created_at) = (event.cancel_reason.clone(), event.created_at);
                let mut row = to_value(convert::my_event_detail(
                    (event, counters),
                    links,
                    created_at,
                ))?;
                // Those are about one change and one moment.
                if let Some(row) = row.as_object_mut() {
                    for field in [
                        "registrants_notified",
                        "events_updated",
                        "is_ended",
                        "is_registration_ahead",
                        "is_registration_closed",
                    ] {
                        row.shift_remove(field);
                    }
                }
                row["cancel_reason"] = reason.into();
                row["created_at"] = created_at.to_string().into();
                Ok(row)
            };
            all.into_iter().map(row).collect()
        }
        Records::Registrations(None, _) => Ok(Vec::new()),
        Records::Registrations(Some(event), all) => {
            let row = |one| registration(&event.id.to_string(), &event.title, one);
            all.into_iter().map(row).collect()
        }
        Records::Messages(all) => Ok(all.iter().map(message).collect()),
        Records::Activity(all) => {
            let row = |entry| to_value(convert::activity(entry));
            all.iter().map(row).collect()
        }
    }
}

fn registration(event: &str, title: &str, one: Registration) -> Result<Value, Error> {
    let mut row = json!({ "event_id": event, "event_title": title });
    let code = one.check_in_code.clone();
    let shown: v1::Registration = convert::registration(one);
    if let (Value::Object(row), Value::Object(fields)) = (&mut row, to_value(shown)?) {
        row.extend(fields);
    }
    if let Value::Object(row) = &mut row {
        // These are of an answer, not of the registration.
        row.shift_remove("was_checked_in");
        row.shift_remove("mail_failed_at");
        row.shift_remove("mail_problem");
    }
    row["check_in_code"] = code.as_str().into();
    Ok(row)
}

fn message((one, mails): &(Message, MessageMails)) -> Value {
    json!({
        "id": one.id.to_string(),
        "event_id": one.event_id.to_string(),
        "number": one.number,
        "subject": one.subject,
        "text": one.text,
        "audience": one.audience,
        "state": one.state.name(),
        "stop_reason": one.stop_reason.map(StopReason::name),
        "send_at": one.due_at.to_string(),
        "recipients": one.recipients,
        "withheld": mails.withheld,
        "author": one.author_name,
        "created_at": one.created_at.to_string(),
        "updated_at": one.updated_at.to_string(),
    })
}

fn person(one: &Person) -> Value {
    json!({
        "id": one.id.to_string(),
        "name": one.name,
        "email": one.email,
        "created_at": one.created_at.to_string(),
    })
}

fn session(one: &Session) -> Value {
    json!({
        "id": one.id.to_string(),
        "device": one.device,
        "network": one.network,
        "created_at": one.created_at.to_string(),
        "last_used_at": one.last_used_at.to_string(),
    })
}

fn membership(one: &Membership) -> Value {
    json!({
        "account_id": one.account_id.to_string(),
        "account_name": one.account_name,
        "role": one.rights.role.name(),
        "only_some_events": one.rights.only_some_events,
    })
}

/// Without anything from which a token could be told.
fn app(one: &StoredConnection) -> Value {
    let grant = &one.grant;
    json!({
        "id": grant.id.to_string(),
        "name": one.client.name,
        "client_id": one.client.client_id,
        "account_id": grant.account_id.to_string(),
        "account_name": one.account_name,
        "scopes": grant.scopes.within(one.rights.scopes()).joined(" "),
        "surfaces": grant.audience.surfaces().join(" "),
        "created_at": grant.created_at.to_string(),
        "last_used_at": when(grant.last_used_at),
    })
}

fn member(one: &Member) -> Value {
    json!({
        "person_id": one.person.id.to_string(),
        "name": one.person.name,
        "email": one.person.email,
        "role": one.rights.role.name(),
        "created_at": one.since.to_string(),
        "only_some_events": one.rights.only_some_events,
        "event_ids": ids(&one.events),
    })
}

fn invitation(sent: &SentInvitation) -> Value {
    let one = &sent.invitation;
    json!({
        "id": one.id.to_string(),
        "email": one.email,
        "role": one.rights.role.name(),
        "invited_by": sent.invited_by,
        "created_at": one.created_at.to_string(),
        "expires_at": one.expires_at.to_string(),
        "only_some_events": one.rights.only_some_events,
        "event_ids": ids(&sent.events),
    })
}

/// One text, as the columns of a table have it.
fn ids(events: &[NamedEvent]) -> String {
    let ids: Vec<_> = events.iter().map(|event| event.id.to_string()).collect();
    ids.join(" ")
}

/// Without anything from which the key could be told.
fn key(one: &MemberKey) -> Value {
    let key = &one.key;
    json!({
        "id": key.id.to_string(),
        "name": key.label,
        "person_id": key.person_id.map(|id| id.to_string()),
        "person_name": one.person_name,
        "scopes": key.scopes.joined(" "),
        "created_at": key.created_at.to_string(),
        "last_used_at": when(key.last_used_at),
        "expires_at": when(key.expires_at),
    })
}

/// Without its secrets.
fn webhook(one: Webhook) -> Result<Value, Error> {
    let mut row = to_value(convert::webhook(one))?;
    if let Some(row) = row.as_object_mut() {
        row.shift_remove("secret");
    }
    Ok(row)
}

fn when(at: Option<Instant>) -> Value {
    at.map(|at| at.to_string()).into()
}
