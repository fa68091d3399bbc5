//! Registrations: messages and domain values.

use domain::{
    cursor::ListName,
    email::readable,
    event::Event,
    ids::EventId,
    registration::{Answer, DoorCode, Party, Registration, Status},
    violation::{Checked, FieldViolation},
};
use muster_api::v1;

use super::{
    events::custom_field_messages, given_id, hexadecimal, mails::mail_kind, mask::Mask,
    public_event, violation,
};
use crate::service::{
    Approval, Arrival, Error, Links, MailFailure, MailRefusal, NewRegistration, OwnRegistration,
    PlannedRecipients, PublicEvent, RegistrationPage, RegistrationPatch, Ticket,
};

/// Whether mails of an organizer are refused.
pub(in crate::grpc) fn mail_refusal(refusal: MailRefusal) -> v1::MailRefusal {
    v1::MailRefusal {
        organizer: refusal.organizer,
        is_refused: refusal.is_refused,
    }
}

/// The status of the registrations to list. An unknown one is refused.
pub(super) fn status(name: Option<&str>) -> Result<Option<Status>, Vec<FieldViolation>> {
    let status = name.map(str::parse).transpose();
    status.map_err(|_| {
        let message = format!("must be {}", Status::ALL.map(Status::name).join(" or "));
        violation("status", &message)
    })
}

/// A request of the public to register a person. Validation has applied the defaults.
pub(in crate::grpc) fn public_registration(
    request: v1::RegisterAttendeeRequest,
) -> NewRegistration {
    new_registration(v1::AddRegistrationRequest {
        id: String::new(),
        name: request.name,
        email: request.email,
        answers: request.answers,
        party_size: request.party_size,
        companions: request.companions,
    })
}

/// A request of an organizer to register a person. Validation has applied the defaults.
pub(in crate::grpc) fn new_registration(request: v1::AddRegistrationRequest) -> NewRegistration {
    NewRegistration {
        party: Party {
            size: request.party_size(),
            companions: request.companions,
        },
        name: request.name.unwrap_or_default(),
        email: request.email.unwrap_or_default(),
        answers: given_answers(request.answers),
    }
}

/// The people of a registration, if its attendee says how many they are.
pub(in crate::grpc) fn given_party(
    size: Option<i32>,
    companions: Vec<String>,
) -> Result<Option<Party>, Error> {
    if size.is_none() && !companions.is_empty() {
        let message = "need party_size beside them";
        return Err(Error::Invalid(super::violation("companions", message)));
    }
    Ok(size.map(|size| Party { size, companions }))
}

/// Answers as they were sent.
pub(in crate::grpc) fn given_answers(answers: Vec<v1::Answer>) -> Vec<Answer> {
    let answer = |answer: v1::Answer| Answer {
        field_id: given_id(answer.field_id),
        label: answer.label.unwrap_or_default(),
        values: answer.values,
    };
    answers.into_iter().map(answer).collect()
}

/// A request to change a registration.
pub(in crate::grpc) fn registration_patch(
    Checked {
        message: request,
        mistakes,
    }: Checked<v1::UpdateRegistrationRequest>,
) -> Checked<RegistrationPatch> {
    let mut mask = Mask::read(request.update_mask);
    let answers = Some(given_answers(request.answers)).filter(|answers| !answers.is_empty());
    let message = RegistrationPatch {
        name: mask.change("name", request.name),
        email: mask.change("email", request.email),
        answers: mask.change("answers", answers),
    };
    let mistakes = mask.with_unknown(mistakes);
    Checked { message, mistakes }
}

/// The answer to a request to register, which is the same for all.
pub(in crate::grpc) fn received(slug: String, email: String) -> v1::RegistrationReceived {
    v1::RegistrationReceived {
        message: format!(
            "Thank you. An email to {} says whether you have a seat, or asks you to confirm.",
            readable(&email)
        ),
        slug,
        email,
    }
}

/// A page of an event's registrations.
pub(in crate::grpc) fn registration_page(
    page: RegistrationPage,
    list: ListName,
) -> v1::RegistrationList {
    let mut failures = page.mail_failures;
    v1::RegistrationList {
        next_cursor: page.next.map(|place| place.cursor(list)),
        items: page
            .registrations
            .into_iter()
            .map(|one| {
                let failure = failures.remove(&one.id);
                listed(one, failure)
            })
            .collect(),
        count: page.count,
    }
}

/// Registrations that were asked for by their ids.
pub(in crate::grpc) fn named_registrations(found: Vec<Registration>) -> v1::RegistrationList {
    let items: Vec<_> = found.into_iter().map(registration).collect();
    v1::RegistrationList {
        count: items.len().try_into().unwrap_or(i32::MAX),
        items,
        next_cursor: None,
    }
}

/// Whom a change would mail.
pub(in crate::grpc) fn recipients(planned: PlannedRecipients) -> v1::RecipientsPreview {
    const MAX_NAMED: usize = 10;
    let count = planned.addresses.len();
    let mut addresses = planned.addresses;
    addresses.truncate(MAX_NAMED);
    v1::RecipientsPreview {
        event_title: planned.event_title,
        recipients: i32::try_from(count).unwrap_or(i32::MAX),
        addresses: addresses.join(", "),
        mails_nobody: count == 0,
        max_capacity: planned.max_capacity,
    }
}

/// What became of many registrations. Without names: the answer is kept for calls that are repeated.
pub(in crate::grpc) fn approval(approval: Approval) -> v1::ApprovedRegistrations {
    v1::ApprovedRegistrations {
        items: approval
            .registrations
            .into_iter()
            .map(|one| status_now(&one))
            .collect(),
        approved: approval.approved,
    }
}

/// What became of many registrations that were to be declined.
pub(in crate::grpc) fn declined(registrations: &[Registration]) -> v1::DeclinedRegistrations {
    v1::DeclinedRegistrations {
        items: registrations.iter().map(status_now).collect(),
    }
}

fn status_now(registration: &Registration) -> v1::RegistrationStatus {
    v1::RegistrationStatus {
        id: registration.id.to_string(),
        status: registration.status.to_string(),
        awaits: awaits(registration),
    }
}

/// Someone who was checked in.
pub(in crate::grpc) fn arrived(arrival: Arrival) -> v1::Registration {
    v1::Registration {
        was_checked_in: Some(arrival.was_checked_in),
        ..registration(arrival.registration)
    }
}

/// Someone who was checked in by a code.
pub(in crate::grpc) fn checked_in(arrival: Arrival) -> v1::CheckedIn {
    v1::CheckedIn {
        checked_in_at: arrival.at.to_string(),
        was_checked_in: arrival.was_checked_in,
        registration_id: arrival.registration.id.to_string(),
        checked_in_by: arrival.registration.checked_in_by_name,
        party_size: arrival.registration.party.size,
        people_checked_in: arrival.registration.arrived,
        companions: arrival.registration.party.companions,
        name: arrival.registration.name,
        event_id: arrival.event.id.to_string(),
        event_title: arrival.event.title,
    }
}

/// Someone who stands at the door with a code.
pub(in crate::grpc) fn registration_by_code(
    (found, event): (Registration, Event),
) -> v1::RegistrationByCode {
    v1::RegistrationByCode {
        event_id: event.id.to_string(),
        event_title: event.title,
        is_event_cancelled: event.is_cancelled,
        checked_in_at: found.checked_in_at.map(|at| at.to_string()),
        registration: Some(registration(found)),
    }
}

/// The codes of an event for a door, hashed.
pub(in crate::grpc) fn hashed_codes(event: EventId, codes: Vec<DoorCode>) -> v1::CheckInCodeList {
    let item = |one: DoorCode| v1::HashedCheckInCode {
        hash: hexadecimal(&one.code.hashed(event)),
        status: one.status.to_string(),
        checked_in: one.is_checked_in,
        party_size: one.party_size,
    };
    let items: Vec<_> = codes.into_iter().map(item).collect();
    v1::CheckInCodeList {
        count: i32::try_from(items.len()).unwrap_or(i32::MAX),
        items,
    }
}

fn answer_messages(answers: Vec<Answer>) -> Vec<v1::Answer> {
    let message = |answer: Answer| v1::Answer {
        field_id: answer.field_id.map(|id| id.to_string()),
        label: Some(answer.label),
        values: answer.values,
    };
    answers.into_iter().map(message).collect()
}

/// A registration for its attendee.
pub(in crate::grpc) fn own_registration(
    own: OwnRegistration,
    links: &Links,
) -> v1::OwnRegistration {
    let OwnRegistration {
        registration,
        event,
        seats_left,
        organizer,
        is_event_ended,
        was_there,
        confirmation,
        waitlist_position,
        is_cancellable,
        changeable,
        is_party_changeable,
        new_details,
        is_mail_refused,
        are_messages_stopped,
    } = own;
    let shown_locally = |at| event.schedule.time_of(at).rfc3339();
    let confirm_until = confirmation.map(|awaited| shown_locally(awaited.until));
    let held_until = confirmation.and_then(|awaited| awaited.held_until);
    let held_until = held_until.map(shown_locally);
    let public = PublicEvent {
        event: event.clone(),
        seats_left,
        organizer,
    };
    let is_guest = registration.status == Status::Confirmed;
    let event = event.seen_by(is_guest);
    let mut shown = public_event(public, links);
    if is_guest {
        shown.location.clone_from(&event.location);
        // Nothing is kept from them.
        shown.is_location_private = false;
    }
    let new_details = new_details.map(|details| v1::NewDetails {
        name: details.name,
        answers: answer_messages(details.answers),
    });
    v1::OwnRegistration {
        is_added: registration.is_added,
        is_mail_refused,
        are_reminders_refused: registration.refuses_reminders,
        are_messages_stopped,
        awaits: awaits(&registration),
        name: registration.name,
        email: registration.email,
        status: registration.status.to_string(),
        waitlist_position,
        registered_at: registration.registered_at.to_string(),
        party_size: registration.party.size,
        companions: registration.party.companions,
        answers: answer_messages(registration.answers),
        is_cancellable,
        changeable_questions: custom_field_messages(changeable),
        is_party_changeable,
        was_there,
        new_details,
        event_url: links.event(&event.slug),
        event_title: event.title,
        attendee_info: event.attendee_info,
        location: event.location,
        city: event.city,
        start_date: event.schedule.start.rfc3339(),
        end_date: event.schedule.end().rfc3339(),
        timezone: event.schedule.timezone,
        is_event_cancelled: event.is_cancelled,
        event: Some(shown),
        is_event_ended,
        event_cancel_reason: event.cancel_reason,
        check_in_code: registration.check_in_code.as_str().to_owned(),
        checked_in: registration.checked_in_at.is_some(),
        people_checked_in: registration.arrived,
        confirm_until,
        held_until,
    }
}

/// The answer to a link that stopped messages and no longer leads to a registration: the event alone, and nothing about the person who has
/// the registration now.
pub(in crate::grpc) fn former_registration(
    event: PublicEvent,
    links: &Links,
) -> v1::OwnRegistration {
    let event = public_event(event, links);
    v1::OwnRegistration {
        are_messages_stopped: true,
        event_title: event.title.clone(),
        event: Some(event),
        ..v1::OwnRegistration::default()
    }
}

/// What a check-in code shows.
pub(in crate::grpc) fn ticket(ticket: Ticket, links: &Links) -> v1::Ticket {
    let Ticket {
        registration,
        event,
        seats_left,
        organizer,
        is_event_ended,
    } = ticket;
    let is_event_cancelled = event.is_cancelled;
    let public = PublicEvent {
        event,
        seats_left,
        organizer,
    };
    v1::Ticket {
        status: registration.status.to_string(),
        awaits: awaits(&registration),
        checked_in: registration.checked_in_at.is_some(),
        is_event_cancelled,
        is_event_ended,
        event: Some(public_event(public, links)),
    }
}

fn awaits(registration: &Registration) -> Option<String> {
    let awaited = registration.awaits()?;
    Some(awaited.name().to_owned())
}

/// A registration for the organizer.
pub(in crate::grpc) fn registration(registration: Registration) -> v1::Registration {
    v1::Registration {
        awaits: awaits(&registration),
        id: registration.id.to_string(),
        answers: answer_messages(registration.answers),
        registered_at: registration.registered_at.to_string(),
        status: registration.status.to_string(),
        checked_in: registration.checked_in_at.is_some(),
        checked_in_at: registration.checked_in_at.map(|at| at.to_string()),
        checked_in_by: registration.checked_in_by_name,
        party_size: registration.party.size,
        companions: registration.party.companions,
        people_checked_in: registration.arrived,
        was_checked_in: None,
        mail_failed_at: None,
        mail_problem: None,
        name: registration.name,
        email: registration.email,
    }
}

/// The same, with whether they could not be mailed.
pub(in crate::grpc) fn listed(
    one: Registration,
    mail_failure: Option<MailFailure>,
) -> v1::Registration {
    let since = mail_failure.as_ref().map(|failure| failure.since);
    let problem = mail_failure.and_then(|failure| failure.problem);
    v1::Registration {
        mail_failed_at: since.map(|at| at.to_string()),
        mail_problem: problem.map(|problem| v1::MailProblem {
            kind: mail_kind(problem.kind.name()),
            state: problem.state.to_string(),
            words: problem.words,
        }),
        ..registration(one)
    }
}
