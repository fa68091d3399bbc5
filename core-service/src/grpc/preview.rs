//! Previews of mails.

use domain::{
    change::Change,
    date_time::EventTime,
    event::{Event, EventPatch},
    instant::Instant,
    job::{Job, Task},
    registration::{CheckInCode, Counters, Notification},
    schedule::ScheduleChange,
    violation::FieldViolation,
};
use muster_api::v1::{
    CancellationPreview, EventMailPreview, EventUpdatePreview, PreviewEventMailRequest,
};
use server::brand::Brand;

use crate::{
    email::{self, Addressing},
    service::{CancellationMails, Error, Links, PlannedChange, PlannedMail, PlannedUpdate},
};

/// Stands for the sender, who is in no text of a mail.
const SENDER: &str = "events@localhost";

/// What becomes of answers without a question.
const SET_ASIDE: &str = "the question is removed or of another type, and its answers are kept.";

/// A request to preview the mail of a change. Forms send all of their fields, so an empty one is cleared.
pub(super) fn planned_change(request: PreviewEventMailRequest) -> Result<PlannedChange, Error> {
    match request.change() {
        "publish" => Ok(PlannedChange::Publish),
        "cancel" => Ok(PlannedChange::Cancel {
            reason: request.reason.filter(|reason| !reason.is_empty()),
        }),
        "update" => Ok(PlannedChange::Update(Box::new(EventPatch {
            title: request.title.map_or(Change::Keep, Change::Set),
            is_location_private: request
                .is_location_private
                .map_or(Change::Keep, Change::Set),
            location: given(request.location),
            city: given(request.city),
            attendee_info: given(request.attendee_info),
            schedule: ScheduleChange {
                start_date: given(request.start_date),
                end_date: given(request.end_date),
                timezone: given(request.timezone),
            },
            ..EventPatch::default()
        }))),
        "remind" => Ok(PlannedChange::Remind),
        _ => Err(Error::from(vec![FieldViolation {
            field: "change".to_owned(),
            message: "must be publish, update, cancel or remind".to_owned(),
        }])),
    }
}

/// What an update would bring about.
pub(super) fn update(planned: PlannedUpdate) -> EventUpdatePreview {
    let PlannedUpdate {
        title,
        recipients,
        newly_reminded,
        earlier_answers,
        dates,
    } = planned;
    let set_aside = match earlier_answers {
        0 => String::new(),
        1 => format!(" 1 answer becomes an earlier answer: {SET_ASIDE}"),
        count => format!(" {count} answers become earlier answers: {SET_ASIDE}"),
    };
    EventUpdatePreview {
        title,
        recipients,
        mails_nobody: recipients == 0,
        earlier_answers,
        set_aside,
        following: later_dates(dates.len().saturating_sub(1)),
        dates: dates.iter().map(EventTime::rfc3339).collect(),
        is_quiet: recipients == 0 && newly_reminded == 0 && earlier_answers == 0,
        newly_reminded,
        new_reminders: match newly_reminded {
            0 => String::new(),
            count => format!(" Guests who get new reminders: {count}."),
        },
    }
}

/// How many later dates of a series a change is for as well, as words of a sentence.
fn later_dates(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " and 1 later date".to_owned(),
        count => format!(" and {count} later dates"),
    }
}

fn given(field: Option<String>) -> Change<String> {
    match field {
        None => Change::Keep,
        Some(text) if text.is_empty() => Change::Clear,
        Some(text) => Change::Set(text),
    }
}

/// Whom a cancellation of an event and of later dates of its series would mail; `None` without any event.
pub(super) fn cancellation(
    dates: &[(Event, Counters)],
    mails: CancellationMails,
) -> Option<CancellationPreview> {
    let (event, _) = dates.first()?;
    let following = dates.len() - 1;
    let dates = dates.iter().filter(|(date, _)| !date.is_cancelled);
    let untold = match mails.withheld {
        0 => String::new(),
        count => {
            format!(" People whom you added and who get none, because the account is new: {count}.")
        }
    };
    Some(CancellationPreview {
        title: event.title.clone(),
        start_date: event.schedule.start.rfc3339(),
        is_cancelled: event.is_cancelled && following == 0,
        following: later_dates(following),
        recipients: mails.mails,
        added_not_notified: mails.withheld,
        untold,
        dates: dates
            .map(|(date, _)| date.schedule.start.rfc3339())
            .collect(),
    })
}

/// The mail that a change would send, as one of the recipients would read it.
pub(super) fn shown(
    planned: PlannedMail,
    links: &Links,
    brand: &Brand,
    now: Instant,
) -> Result<EventMailPreview, Error> {
    let Some((notification, mut registrant)) = planned.shown else {
        return Ok(EventMailPreview {
            added_not_notified: planned.withheld,
            ..EventMailPreview::default()
        });
    };
    // Each recipient has a link of their own, which nobody else may see.
    let private_url = links.sample_registration();
    let refuse_reminders_url = format!("{private_url}/no-reminders");
    let is_reminder = notification == Notification::Reminder;
    // Its picture is shown, too.
    registrant.check_in_code = CheckInCode::sample();
    let addressing = Addressing {
        sender: SENDER,
        brand,
        host: &links.host(),
        event_url: &links.event(&registrant.event.slug),
        private_url: notification.active_status().map(|_| &*private_url),
        refuse_url: None,
        refuse_reminders_url: is_reminder.then_some(&*refuse_reminders_url),
        check_in_url: &links.check_in(&registrant.check_in_code),
        // As of the last mail to most of them. Someone whose last mail said something else reads that instead.
        former: planned.former.as_ref(),
        offers_details: false,
    };
    let job = Job::mail(Task::CancellationMail, registrant.id).key();
    let mail = email::mail(&job, notification, &registrant, &addressing, now);
    let mail = mail.map_err(|error| Error::unreadable("mail", error.to_string()))?;
    let code = registrant.check_in_code.as_str();
    let html = mail.html_with_pictures();
    Ok(EventMailPreview {
        recipients: planned.recipients,
        subject: Some(mail.subject),
        text: Some(mail.text.replace(code, "[code]")),
        html: Some(html.replace(code, "[code]")),
        added_not_notified: planned.withheld,
    })
}
