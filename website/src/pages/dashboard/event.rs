//! One event at a glance, and what can be done with it.

use askama::Template;
use muster_api::{
    Scope,
    v1::{
        CloneEventRequest, CreatedEvent, DeleteEventRequest, MyEventDetail,
        bindings::{CloneEvent, DeleteEvent},
    },
};

use super::{
    event_form::reminders,
    event_head::{EventHead, Part, path_of, read},
    event_mails::{self, ShownMails},
    event_statistics::{self, ShownStatistics},
    messages,
    series::{self, Series},
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    markdown::Author,
    place::Place,
    registration_times::RegistrationTimes,
    return_path::DASHBOARD,
};

/// A series of more dates is folded.
const SHOWN_DATES: usize = 8;

#[derive(Template)]
#[template(path = "dashboard/event.html")]
struct EventPage {
    page: Frame,
    head: EventHead,
    place: Place,
    /// When people can register, unless that is until the event starts.
    times: String,
    event: MyEventDetail,
    counts: Vec<Count>,
    mails: Option<ShownMails>,
    statistics: Option<ShownStatistics>,
    series: Series,
    /// The way to thank those who came.
    thanks_url: Option<String>,
}

/// A number with its words, and where its people are listed.
pub(crate) struct Count {
    pub(crate) number: String,
    pub(crate) words: &'static str,
    pub(crate) url: String,
}

#[derive(Template)]
#[template(path = "dashboard/clone.html")]
struct ClonePage {
    page: Frame,
    head: EventHead,
    model: FormModel,
    /// Makes one copy, however often it is sent.
    key: String,
}

#[derive(Template)]
#[template(path = "dashboard/delete.html")]
struct DeletePage {
    page: Frame,
    head: EventHead,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let event = read(&caller).await?;
    let (mails, statistics, series, thanks) = tokio::join!(
        event_mails::read(&caller, &event.id, &event.timezone),
        event_statistics::read(&caller, &event),
        series::read(&caller, &event),
        messages::thanks(&caller, &event),
    );
    let (mails, statistics, series, thanks_url) = (mails?, statistics?, series?, thanks?);
    caller.answer(&EventPage {
        page: caller.page(&event.title, Tab::Events),
        head: EventHead::of(&event, Part::Overview),
        mails,
        statistics,
        series,
        thanks_url,
        place: Place::of(&event.location, event.city.as_deref()),
        times: RegistrationTimes::of_owner(&event).summary(),
        counts: counts(&event),
        event,
    })
}

pub(in crate::pages) async fn ask_to_clone(caller: Caller) -> PageResult {
    caller.require_creating()?;
    let event = read(&caller).await?;
    let start = Field::new(FieldKind::WallTime, "start_date", "When is the new one?")
        .hint("The end and the times of registration move with it.")
        .required();
    caller.answer(&ClonePage {
        page: caller.page("Duplicate the event?", Tab::Events),
        head: EventHead::of(&event, Part::Overview),
        model: caller.model(vec![start]),
        key: caller.key(),
    })
}

/// Makes a draft with the same questions at another time, and leads to its form.
pub(in crate::pages) async fn clone(caller: Caller, form: Form) -> PageResult {
    let id = caller.context.segment(2)?;
    // Without a script a form sends what was typed, also nothing.
    let start_date = Some(form.text("start_date").unwrap_or_default());
    let request = CloneEventRequest { id, start_date };
    let cloned = caller.context.ask_once::<CloneEvent>(request, form.key());
    let CreatedEvent { id, .. } = cloned.await?;
    let path = format!("{}/edit", path_of(&id));
    Ok(flash::see(&path, Some(Flash::EVENT_CLONED)))
}

pub(in crate::pages) async fn ask_to_delete(caller: Caller) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    caller.answer(&DeletePage {
        page: caller.page("Delete the draft?", Tab::Events),
        head: EventHead::of(&event, Part::Overview),
    })
}

pub(in crate::pages) async fn delete(caller: Caller, _form: Form) -> PageResult {
    let id = caller.context.segment(2)?;
    caller.ask::<DeleteEvent>(DeleteEventRequest { id }).await?;
    Ok(flash::see(DASHBOARD, Some(Flash::EVENT_DELETED)))
}

/// The registrations of an event in numbers: always how many seats are taken, the others if there are any.
pub(crate) fn counts(event: &MyEventDetail) -> Vec<Count> {
    let list = format!("{}/registrations", path_of(&event.id));
    let count = |number: String, words: &'static str, status: &str| Count {
        number,
        words,
        url: format!("{list}?status={status}"),
    };
    let seats = format!("{} of {}", event.seats_taken, event.max_capacity);
    let cancelled = event.registrations_total - event.registrations_active;
    let (checked_in, waitlisted) = (event.people_checked_in, event.registrations_waitlisted);
    let (pending, unconfirmed) = (event.registrations_pending, event.registrations_unconfirmed);
    let others = [
        (checked_in, "checked in", "Confirmed"),
        (pending, "waiting for your approval", "Pending"),
        (unconfirmed, "address not confirmed yet", "Pending"),
        (waitlisted, "on the waitlist", "Waitlisted"),
        (cancelled, "cancelled", "Cancelled"),
    ];
    let others = others.into_iter().filter(|(number, ..)| *number > 0);
    let others = others.map(|(number, words, status)| count(number.to_string(), words, status));
    [count(seats, "spots taken", "Confirmed")]
        .into_iter()
        .chain(others)
        .collect()
}
