//! Messages of organizers: messages and domain values.

use domain::{
    change::Change,
    message::{AnswerFilter, Message, MessageState, Timing, WrittenAudience, WrittenTiming},
    registration::Status,
    violation::Checked,
};
use muster_api::v1;

use super::mask::Mask;
use crate::service::{
    Error, LeftOut, MessagePage, MessagePatch, MessageView, NewMessage, PlannedMessage,
    new_account_limit_ends,
};

/// A request to write a message.
pub(in crate::grpc) fn new_message(request: v1::CreateMessageRequest) -> NewMessage {
    NewMessage {
        is_test: request.test(),
        subject: request.subject.unwrap_or_default(),
        text: request.text.unwrap_or_default(),
        audience: request.audience.map(written).unwrap_or_default(),
        timing: WrittenTiming {
            send_at: request.send_at,
            hours_before_start: request.hours_before_start,
            hours_after_end: request.hours_after_end,
        },
    }
}

fn written(audience: v1::Audience) -> WrittenAudience {
    let filter = |one: v1::AnswerFilter| (one.field_id.unwrap_or_default(), one.options);
    WrittenAudience {
        statuses: audience.statuses,
        checked_in: audience.checked_in,
        answers: audience.answers.into_iter().map(filter).collect(),
        registered_after: audience.registered_after,
        registered_before: audience.registered_before,
    }
}

/// A request to change a message.
pub(in crate::grpc) fn message_patch(
    Checked {
        message: request,
        mistakes,
    }: Checked<v1::UpdateMessageRequest>,
) -> MessagePatch {
    let mut mask = Mask::read(request.update_mask);
    let version = match mask.change("version", request.version) {
        Change::Set(version) => Some(version),
        Change::Keep | Change::Clear => None,
    };
    MessagePatch {
        version,
        subject: mask.change("subject", request.subject),
        text: mask.change("text", request.text),
        audience: mask.change("audience", request.audience.map(written)),
        send_at: mask.change("send_at", request.send_at),
        hours_before_start: mask.change("hours_before_start", request.hours_before_start),
        hours_after_end: mask.change("hours_after_end", request.hours_after_end),
        mistakes: mask.with_unknown(mistakes),
    }
}

/// The number before which a page begins.
pub(in crate::grpc) fn message_cursor(cursor: Option<&str>) -> Result<Option<i32>, Error> {
    let number = cursor.map(str::parse::<i32>).transpose();
    number.map_err(|_| {
        let message = "must be the next_cursor of another page";
        Error::Invalid(super::violation("cursor", message))
    })
}

/// A page of messages.
pub(in crate::grpc) fn message_page(page: MessagePage) -> v1::MessageList {
    v1::MessageList {
        items: page.messages.into_iter().map(message).collect(),
        count: page.count,
        next_cursor: page.next.map(|number| number.to_string()),
        unavailable_reason: page.unavailable.map(|why| why.name().to_owned()),
    }
}

/// A message.
pub(in crate::grpc) fn message(view: MessageView) -> v1::Message {
    let MessageView {
        message,
        mails,
        schedule,
        test_sent_to,
    } = view;
    let is_stored = test_sent_to.is_none();
    let (_, hours) = message.timing.parts();
    let state = match message.state {
        MessageState::Begun if mails.waiting > 0 => "sending",
        MessageState::Begun => "sent",
        _ if !is_stored => "sent",
        other => other.name(),
    };
    v1::Message {
        id: is_stored.then(|| message.id.to_string()),
        number: is_stored.then_some(message.number),
        state: state.to_owned(),
        stop_reason: message.stop_reason.map(|why| why.name().to_owned()),
        send_at: schedule.time_of(message.due_at).rfc3339(),
        hours_before_start: hours.filter(|_| matches!(message.timing, Timing::BeforeStart(_))),
        hours_after_end: hours.filter(|_| matches!(message.timing, Timing::AfterEnd(_))),
        is_delayed: message.is_delayed,
        recipients: message.recipients,
        waiting: mails.waiting,
        left: mails.left,
        withheld: mails.withheld,
        created_at: message.created_at.to_string(),
        updated_at: message.updated_at.to_string(),
        version: message.version,
        author: message.author_name.clone(),
        audience: Some(audience(&message)),
        subject: message.subject,
        text: message.text,
        test_sent_to,
    }
}

fn audience(message: &Message) -> v1::MessageAudience {
    let audience = &message.audience;
    let filter = |one: &AnswerFilter| v1::AnswerFilter {
        field_id: Some(one.field_id.as_str().to_owned()),
        options: one.options.clone(),
    };
    v1::MessageAudience {
        statuses: audience.statuses.iter().map(Status::to_string).collect(),
        checked_in: audience.checked_in,
        answers: audience.answers.iter().map(filter).collect(),
        registered_after: audience.registered_after().map(|at| at.to_string()),
        registered_before: audience.registered_before().map(|at| at.to_string()),
    }
}

/// Why people are left out, as a sentence that follows another.
pub(in crate::grpc) fn left_out_summary(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let words = |one: &LeftOut| {
        let why = match one.reason {
            "other_status" => "with another status",
            "other_audience" => "outside of this audience",
            "unconfirmed" => "who must still confirm their email address",
            "opted_out" => "who opted out of your messages",
            "refused" => "whose address gets no such email",
            _ => "whom you added, since the account is new",
        };
        format!("{} {why}", people(one.count))
    };
    let all: Vec<String> = left_out.iter().map(words).collect();
    let ends = if left_out.iter().any(|one| one.reason == "added") {
        format!("; {}", new_account_limit_ends())
    } else {
        String::new()
    };
    format!(" Left out: {}{ends}.", all.join(", "))
}

/// A message that is considered, with its mail.
pub(in crate::grpc) fn message_preview(
    planned: PlannedMessage,
    mail: crate::email::Mail,
) -> v1::MessagePreview {
    let PlannedMessage {
        message,
        registrant,
        recipients,
        left_out,
        left_today,
        fits_today,
        is_test,
    } = planned;
    let schedule = &registrant.event.schedule;
    let begins = schedule.time_of(message.due_at);
    let when = match message.timing {
        _ if is_test => "at once".to_owned(),
        Timing::Now => "in two minutes".to_owned(),
        _ => {
            let local = begins.local.strftime("%-d %B %Y, %H:%M");
            format!("at {local} ({})", schedule.timezone)
        }
    };
    v1::MessagePreview {
        event_title: registrant.event.title.clone(),
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        recipient_name: registrant.name,
        recipients,
        left_out_summary: left_out_summary(&left_out),
        left_out: left_out
            .into_iter()
            .map(|one| v1::LeftOut {
                reason: one.reason.to_owned(),
                count: one.count,
            })
            .collect(),
        mails_left_today: left_today,
        fits_today,
        send_at: begins.rfc3339(),
        when,
        is_test,
        message: message.text,
        reply_to: mail.reply_to,
        recipients_summary: people(recipients),
    }
}

fn people(count: i32) -> String {
    let people = if count == 1 { "person" } else { "people" };
    format!("{count} {people}")
}
