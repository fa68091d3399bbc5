//! Links that put an event into someone's calendar at Google and at Outlook. The services get what the event's page shows, or a guest's
//! own, and only when the visitor follows the link; all other calendars take the `.ics` file.

use std::fmt::Write as _;

use muster_api::v1::Event;

use crate::{cover::encoded, event::ShownEvent, markdown::plain_text};

const GOOGLE: &str = "https://calendar.google.com/calendar/render?action=TEMPLATE";
const OUTLOOK: &str =
    "https://outlook.live.com/calendar/0/action/compose?rru=addevent&allday=false";

/// Characters of a title or a place in a link; with others than Latin ones, each takes up to twelve in it.
const MAX_CHARACTERS: usize = 200;

/// Characters of what only guests read in a link, likewise. Browsers and services take addresses of some thousand characters.
const MAX_INFO_CHARACTERS: usize = 500;

/// A calendar that takes an event by a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Google,
    Outlook,
}

impl Service {
    /// By its name in paths.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "google" => Some(Self::Google),
            "outlook" => Some(Self::Outlook),
            _ => None,
        }
    }
}

/// What a calendar entry says below the place: the address of the event's page, and before it what only guests read.
fn details(event: &Event, info: Option<&str>) -> String {
    let Some(info) = info.map(plain_text).filter(|info| !info.is_empty()) else {
        return event.url.clone();
    };
    let is_cut = info.chars().count() > MAX_INFO_CHARACTERS;
    let mut details: String = info.chars().take(MAX_INFO_CHARACTERS).collect();
    if is_cut {
        details.push('…');
    }
    details + "\n\n" + &event.url
}

/// The link that puts an event into a calendar, with what only guests read for one of them. Times are in UTC, so that both services agree whatever zones they know; Google also gets the
/// zone, in which it shows them.
pub(crate) fn link(
    service: Service,
    event: &Event,
    shown: &ShownEvent,
    info: Option<&str>,
) -> String {
    let (start, end) = shown.dates.for_calendars();
    let times = |format: &str| {
        let [start, end] = [start, end].map(|at| at.strftime(format).to_string());
        (start, end)
    };
    let short = |text: &str| text.chars().take(MAX_CHARACTERS).collect::<String>();
    let (title, place) = (short(&event.title), short(&shown.place.text));
    let details = details(event, info);
    match service {
        Service::Google => {
            let (start, end) = times("%Y%m%dT%H%M%SZ");
            let parameters = [
                ("text", &*title),
                ("dates", &format!("{start}/{end}")),
                ("ctz", &event.timezone),
                ("location", &place),
                ("details", &details),
            ];
            with(GOOGLE, &parameters)
        }
        Service::Outlook => {
            let (start, end) = times("%Y-%m-%dT%H:%M:%SZ");
            let parameters = [
                ("subject", &*title),
                ("startdt", &start),
                ("enddt", &end),
                ("location", &place),
                ("body", &details),
            ];
            with(OUTLOOK, &parameters)
        }
    }
}

fn with(base: &str, parameters: &[(&str, &str)]) -> String {
    let mut url = base.to_owned();
    for (name, value) in parameters {
        // A string takes everything.
        let _infallible = write!(url, "&{name}={}", encoded(value));
    }
    url
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn event(start: &str, end: Option<&str>, timezone: &str) -> Event {
        Event {
            slug: "rust".to_owned(),
            title: "Rust & Tea: 50 % + \"live\" #1?".to_owned(),
            location: "c-base, Rungestraße 20".to_owned(),
            city: Some("Łódź".to_owned()),
            start_date: start.to_owned(),
            end_date: end.map(str::to_owned),
            timezone: timezone.to_owned(),
            url: "https://muster.example/events/rust".to_owned(),
            ..Event::default()
        }
    }

    fn linked(service: Service, event: &Event) -> Url {
        let link = link(service, event, &ShownEvent::of(event).unwrap(), None);
        assert!(!link.contains(['+', ' ', '"', '<']), "{link}");
        Url::parse(&link).unwrap()
    }

    fn value(url: &Url, name: &str) -> String {
        let mut pairs = url.query_pairs().filter(|(key, _)| key == name);
        let value = pairs.next().unwrap_or_default().1.into_owned();
        assert_eq!(pairs.next(), None, "{name} in {url}");
        value
    }

    #[test]
    fn texts_come_out_as_they_went_in() {
        let event = event("2030-05-14T19:00:00+02:00", None, "Europe/Berlin");
        for (service, host, title, page) in [
            (Service::Google, "calendar.google.com", "text", "details"),
            (Service::Outlook, "outlook.live.com", "subject", "body"),
        ] {
            let url = linked(service, &event);
            assert_eq!((url.scheme(), url.host_str()), ("https", Some(host)));
            assert_eq!(value(&url, title), event.title);
            assert_eq!(value(&url, page), event.url);
            assert_eq!(value(&url, "location"), "c-base, Rungestraße 20, Łódź");
        }
    }

    #[test]
    fn times_are_instants_whatever_the_zone() {
        for (start, end, timezone, expected) in [
            (
                "2030-05-14T19:00:00+02:00",
                Some("2030-05-15T01:30:00+02:00"),
                "Europe/Berlin",
                ("20300514T170000Z", "20300514T233000Z"),
            ),
            // The night in which clocks go back.
            (
                "2030-10-27T00:30:00+02:00",
                Some("2030-10-27T03:30:00+01:00"),
                "Europe/Berlin",
                ("20301026T223000Z", "20301027T023000Z"),
            ),
            // Without an end it takes an hour, as in files.
            (
                "2030-01-01T00:15:00+05:45",
                None,
                "Asia/Kathmandu",
                ("20291231T183000Z", "20291231T193000Z"),
            ),
            (
                "2030-01-01T08:00:00Z",
                Some("2030-01-01T08:00:00Z"),
                "Etc/UTC",
                ("20300101T080000Z", "20300101T090000Z"),
            ),
        ] {
            let event = event(start, end, timezone);
            let google = linked(Service::Google, &event);
            let dates = format!("{}/{}", expected.0, expected.1);
            assert_eq!(value(&google, "dates"), dates);
            assert_eq!(value(&google, "ctz"), timezone);
            let outlook = linked(Service::Outlook, &event);
            for (name, expected) in [("startdt", expected.0), ("enddt", expected.1)] {
                let digits = value(&outlook, name).replace(['-', ':'], "");
                assert_eq!(digits, expected);
            }
        }
    }

    #[test]
    fn long_texts_are_shortened_between_characters() {
        let event = Event {
            title: "長".repeat(200),
            location: "ü".repeat(500),
            ..event("2030-05-14T19:00:00+02:00", None, "Europe/Berlin")
        };
        let url = linked(Service::Google, &event);
        assert_eq!(value(&url, "text"), event.title);
        assert_eq!(value(&url, "location"), "ü".repeat(200));
        let shown = ShownEvent::of(&event).unwrap();
        let info = "é".repeat(501);
        let link = link(Service::Outlook, &event, &shown, Some(&info));
        let expected = format!("{}…\n\n{}", "é".repeat(500), event.url);
        assert_eq!(value(&Url::parse(&link).unwrap(), "body"), expected);
    }
}
