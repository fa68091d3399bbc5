//! The reminder of an event, as people will read it.

use askama::Template;

use super::{
    event_form::reminders,
    event_head::{EventHead, Part, read},
    mail_preview::{MailPreview, of_reminder},
};
use crate::{
    caller::{Caller, Frame, Tab},
    layout::PageResult,
};

#[derive(Template)]
#[template(path = "dashboard/reminder.html")]
struct ReminderPage {
    page: Frame,
    head: EventHead,
    /// When it is sent; `None` if it is not.
    times: Option<String>,
    mail: MailPreview,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let event = read(&caller).await?;
    let mail = of_reminder(&caller, &event.id).await?;
    caller.answer_with_mail(&ReminderPage {
        page: caller.page("Reminder", Tab::Events),
        head: EventHead::of(&event, Part::Overview),
        times: reminders::described(&event.reminders),
        mail,
    })
}
