//! The events that a member or an invitation is for: how a form asks for them.

use http_kit::Problem;
use muster_api::{
    internal::v1::{EventChoice, MemberEvent},
    v1::{GetMyEventRequest, bindings::GetMyEvent},
};

use super::super::upcoming::{day, upcoming};
use crate::{
    caller::Caller,
    field::{Choice, Field, FieldKind},
    form::Form,
};

/// Events that the form shows at least, those that are chosen first; the others are folded away.
const SHOWN: usize = 10;

/// The field that asks whether it is for all events, and its values.
const WHICH: &str = "events";
const ALL: &str = "all";
const SOME: &str = "some";

/// The field with the events.
const IDS: &str = "events.ids";

/// The event that a link to the form is about.
pub(super) async fn linked(caller: &Caller, id: &str) -> Result<MemberEvent, Problem> {
    let request = GetMyEventRequest { id: id.to_owned() };
    let event = caller.ask::<GetMyEvent>(request).await?;
    Ok(MemberEvent {
        id: event.id,
        title: event.title,
        start_date: event.start_date,
    })
}

/// Fields that ask for the events: those that are chosen, and the next ones. None where there are no events, so that all are meant.
pub(super) async fn fields(
    caller: &Caller,
    only_some: bool,
    chosen: &[MemberEvent],
) -> Result<Vec<Field>, Problem> {
    let upcoming = upcoming(caller).await?;
    let others = upcoming.events.into_iter().map(|event| MemberEvent {
        id: event.id,
        title: event.title,
        start_date: event.start_date,
    });
    let is_chosen = |one: &MemberEvent| chosen.iter().any(|event| event.id == one.id);
    let others: Vec<MemberEvent> = others.filter(|one| !is_chosen(one)).collect();
    if others.is_empty() && chosen.is_empty() && !only_some {
        return Ok(Vec::new());
    }
    let which = [
        (ALL, "All events", "Also those that are made later."),
        (
            SOME,
            "Only some events",
            "They see no others, and create none. Not for owners.",
        ),
    ];
    let chosen_which = if only_some { SOME } else { ALL };
    let offered = chosen.iter().map(|event| (event, true));
    let offered = offered.chain(others.iter().map(|event| (event, false)));
    let offered = offered.map(|(event, is_chosen)| Choice {
        hint: day(&event.start_date),
        is_chosen,
        ..Choice::new(&event.id, &event.title)
    });
    let hint = if upcoming.has_more {
        "If you choose only some. The next 100 are listed; to invite someone to another one, begin on its page."
    } else {
        "If you choose only some."
    };
    Ok(vec![
        Field::radio(WHICH, "For which events?", &which, chosen_which).required(),
        Field::new(FieldKind::Ticks, IDS, "Events")
            .choices(offered)
            .folded_after(SHOWN.max(chosen.len()))
            .hint(hint),
    ])
}

/// What a form says of the events; none if it does not ask.
pub(super) fn read(form: &Form) -> Option<EventChoice> {
    let all = form.value(WHICH)? != SOME;
    let ids = form.values(IDS).filter(|_| !all).map(str::to_owned);
    Some(EventChoice {
        all,
        ids: ids.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticked_events_count_only_if_some_were_chosen() {
        let read = |form: &str| read(&Form::parse(form.as_bytes()));
        let choice = |all, ids: &[&str]| {
            let ids = ids.iter().map(|&id| id.to_owned()).collect();
            Some(EventChoice { all, ids })
        };
        assert_eq!(read("role=door"), None);
        assert_eq!(read("events=all&events.ids=a"), choice(true, &[]));
        assert_eq!(
            read("events=some&events.ids=a&events.ids=b"),
            choice(false, &["a", "b"])
        );
        assert_eq!(read("events=some"), choice(false, &[]));
    }
}
