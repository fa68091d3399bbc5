//! Cancelling an event: the reason first, then who will be mailed and what they will read, then the button.

use askama::Template;
use muster_api::{
    Scope,
    v1::{CancelRequest, bindings::CancelEvent},
};

use super::{
    event_head::{EventHead, Part, path_of, read},
    mail_preview::{MailPreview, of_cancel, people},
    series,
};
use crate::{
    caller::{Caller, Frame, Tab},
    date::EventDates,
    field::{Field, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

const TITLE: &str = "Cancel the event?";

#[derive(Template)]
#[template(path = "dashboard/cancel.html")]
struct CancelPage {
    page: Frame,
    head: EventHead,
    model: FormModel,
    /// Whether the dates can be chosen, and who is mailed is seen next.
    has_choice: bool,
    /// `None` if nobody is mailed.
    mail: Option<MailPreview>,
    /// How many people are not mailed whom an organizer added, since the account is new.
    untold: Option<String>,
}

#[derive(Template)]
#[template(path = "dashboard/cancel_review.html")]
struct ReviewPage {
    page: Frame,
    head: EventHead,
    reason: String,
    /// The dates that are chosen, to be sent again.
    scope: String,
    /// The dates that would be cancelled.
    dates: Vec<EventDates>,
    /// `None` if nobody is mailed.
    mail: Option<MailPreview>,
    /// How many people are not mailed whom an organizer added, since the account is new.
    untold: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::EventsCancel)?;
    let event = read(&caller).await?;
    if event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    if event.is_ended {
        return Ok(flash::see(&path_of(&event.id), Some(Flash::EVENT_IS_OVER)));
    }
    let (mail, untold) = of_cancel(&caller, &event.id, None, None).await?;
    let dates = series::cancel_choice(&caller, &event).await?;
    let has_choice = dates.is_some();
    let reason = Field::paragraphs("reason", "Why is it cancelled?")
        .hint("Included in the email to everyone registered.");
    caller.answer(&CancelPage {
        page: caller.page(TITLE, Tab::Events),
        head: EventHead::of(&event, Part::Overview),
        has_choice,
        model: caller.model(dates.into_iter().chain([reason]).collect()),
        mail,
        untold: untold_people(untold).filter(|_| !has_choice),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::EventsCancel)?;
    let event = read(&caller).await?;
    let path = path_of(&event.id);
    if event.is_cancelled {
        return Ok(flash::see(&path, None));
    }
    if event.is_ended {
        return Ok(flash::see(&path, Some(Flash::EVENT_IS_OVER)));
    }
    let reason = form.text("reason");
    match form.value("action") {
        Some("back") => show(caller.typed(form)).await,
        Some("cancel") => {
            let id = event.id;
            let scope = series::scope(&form);
            let request = CancelRequest { id, reason, scope };
            let done = caller.ask::<CancelEvent>(request).await?;
            let is_quiet = done.registrants_notified == 0;
            let done = match (done.added_not_notified, done.events_cancelled) {
                (0, 0 | 1) if is_quiet => Flash::EVENT_CANCELLED_QUIETLY,
                (0, _) if is_quiet => Flash::EVENTS_CANCELLED_QUIETLY,
                (0, 0 | 1) => Flash::EVENT_CANCELLED,
                (0, _) => Flash::EVENTS_CANCELLED,
                _ => Flash::EVENT_CANCELLED_UNTOLD,
            };
            Ok(flash::see(&path, Some(done)))
        }
        _ => {
            let scope = series::scope(&form);
            let (mail, untold) =
                of_cancel(&caller, &event.id, reason.clone(), scope.clone()).await?;
            let planned = series::cancellation(&caller, &event.id, scope.clone()).await?;
            caller.answer_with_mail(&ReviewPage {
                page: caller.page(TITLE, Tab::Events),
                head: EventHead::of(&event, Part::Overview),
                reason: reason.unwrap_or_default(),
                scope: scope.unwrap_or_default(),
                dates: series::named(&planned.dates, &event.timezone),
                mail,
                untold: untold_people(untold),
            })
        }
    }
}

/// `25 people`, if there are some.
fn untold_people(count: i32) -> Option<String> {
    (count > 0).then(|| people(count))
}
