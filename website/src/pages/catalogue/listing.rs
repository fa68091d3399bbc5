//! A page of a list of events, by the days on which they start.

use muster_api::v1::{Event, EventList};

use crate::event::ShownEvent;

/// What a template shows of a list.
pub(in crate::pages) struct Listing {
    /// Distinguishes the lists of a page.
    pub(in crate::pages) id: &'static str,
    pub(in crate::pages) days: Vec<Day>,
    pub(in crate::pages) previous: Option<PageLink>,
    pub(in crate::pages) next: Option<PageLink>,
    pub(in crate::pages) range: String,
}

/// The events that start on one day.
#[derive(Debug)]
pub(in crate::pages) struct Day {
    pub(in crate::pages) date: String,
    pub(in crate::pages) weekday: String,
    pub(in crate::pages) events: Vec<ShownEvent>,
}

/// A link to another page of the list.
pub(in crate::pages) struct PageLink {
    pub(in crate::pages) url: String,
    pub(in crate::pages) words: &'static str,
}

/// In which order a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages) enum Order {
    EarliestFirst,
    LatestFirst,
}

impl Order {
    /// What the links to the page before and to the next one say.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::EarliestFirst => ("Earlier", "Later"),
            Self::LatestFirst => ("Later", "Earlier"),
        }
    }
}

impl Listing {
    /// A page of a list, whose pages begin at these addresses.
    pub(in crate::pages) fn of(
        list: &EventList,
        order: Order,
        url: impl Fn(i32) -> String,
    ) -> Self {
        let count = i32::try_from(list.items.len()).unwrap_or(i32::MAX);
        let end = list.offset.saturating_add(count);
        let (before, after) = order.words();
        let link = |offset: i32, words| PageLink {
            url: url(offset),
            words,
        };
        let previous = (list.offset > 0).then(|| (list.offset - list.limit).max(0));
        let mut days = days(&list.items);
        if order == Order::LatestFirst {
            // Nobody can register any more.
            let events = days.iter_mut().flat_map(|day| &mut day.events);
            events.for_each(|event| event.is_full = false);
        }
        Self {
            id: match order {
                Order::EarliestFirst => "day",
                Order::LatestFirst => "past",
            },
            days,
            previous: previous.map(|offset| link(offset, before)),
            next: list.next_offset.map(|offset| link(offset, after)),
            range: format!("{} to {end} of {}", list.offset + 1, total(list)),
        }
    }
}

impl Listing {
    /// The same page without links to others.
    #[must_use]
    pub(in crate::pages) fn without_links(self) -> Self {
        Self {
            previous: None,
            next: None,
            ..self
        }
    }
}

/// How many events a list has, in words.
pub(super) fn found(list: &EventList) -> String {
    match list.count {
        0 => "No events".to_owned(),
        1 => "1 event".to_owned(),
        _ => format!("{} events", total(list)),
    }
}

fn total(list: &EventList) -> String {
    if list.count_is_exact {
        list.count.to_string()
    } else {
        format!("more than {}", list.count)
    }
}

/// The events by the day on which they start, in their order.
fn days(items: &[Event]) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    // Core always sends dates in this form.
    for event in items.iter().flat_map(ShownEvent::of) {
        let (date, weekday) = (event.dates.day(), event.dates.weekday());
        match days.last_mut() {
            Some(day) if day.date == date => day.events.push(event),
            _ => days.push(Day {
                date,
                weekday,
                events: vec![event],
            }),
        }
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(slug: &str, start: &str, location: &str) -> Event {
        Event {
            slug: slug.to_owned(),
            title: slug.to_owned(),
            location: location.to_owned(),
            start_date: start.to_owned(),
            timezone: "Europe/Berlin".to_owned(),
            is_full: true,
            ..Event::default()
        }
    }

    fn list() -> EventList {
        EventList {
            items: vec![
                event("a", "2030-05-14T09:00:00+02:00", "c-base"),
                event("b", "2030-05-14T23:30:00+02:00", "https://meet.example"),
                event("c", "2030-05-15T00:30:00+02:00", "c-base"),
            ],
            count: 10,
            limit: 3,
            offset: 3,
            next_offset: Some(6),
            count_is_exact: true,
        }
    }

    #[test]
    fn events_are_shown_by_the_day_of_their_place() {
        let days = days(&list().items);
        let shown: Vec<_> = days
            .iter()
            .map(|day| (&*day.date, day.events.len()))
            .collect();
        assert_eq!(shown, [("14 May 2030", 2), ("15 May 2030", 1)]);
        let events = &days[0].events;
        assert_eq!(events[0].place.summary(), "c-base");
        assert_eq!(events[1].place.summary(), "Online");
        assert_eq!(events[1].dates.zone_name(), "Berlin time");
    }

    #[test]
    fn links_to_other_pages_say_what_time_they_lead_to() {
        for (order, words, is_full) in [
            (Order::EarliestFirst, ("Earlier", "Later"), true),
            (Order::LatestFirst, ("Later", "Earlier"), false),
        ] {
            let shown = Listing::of(&list(), order, |offset| offset.to_string());
            let (previous, next) = (shown.previous.unwrap(), shown.next.unwrap());
            assert_eq!((previous.words, next.words), words);
            assert_eq!((&*previous.url, &*next.url), ("0", "6"));
            assert_eq!(shown.range, "4 to 6 of 10");
            assert_eq!(shown.days[0].events[0].is_full, is_full);
        }
    }
}
