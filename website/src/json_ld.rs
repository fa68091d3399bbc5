//! An event in the vocabulary of schema.org, by which search engines show it as an event.

use muster_api::v1::{Event, EventPage, Organizer};
use serde_json::{Value, json};

use crate::{
    event::{EventState, spots_left},
    place::{Place, PlaceKind},
};

/// The event with its cover as JSON-LD for a `script` element. It runs nowhere, so no policy needs to allow it.
pub(crate) fn of(page: &EventPage, event: &Event, description: &str, image: &str) -> String {
    let state = EventState::of(page);
    let status = match (state, &page.previous_start_date) {
        (EventState::Cancelled, _) => "EventCancelled",
        (_, Some(_)) => "EventRescheduled",
        _ => "EventScheduled",
    };
    let place = Place::of(&event.location, event.city.as_deref());
    let mut object = json!({
        "@context": "https://schema.org",
        "@type": "Event",
        "name": event.title,
        "description": description,
        "url": event.url,
        "startDate": event.start_date,
        "endDate": event.end_date,
        "eventStatus": schema(status),
        "eventAttendanceMode": schema(attendance(&place)),
        "location": location(&place, event),
        "maximumAttendeeCapacity": event.capacity,
        "remainingAttendeeCapacity": spots_left(page, event.capacity),
        "previousStartDate": page.previous_start_date,
        "image": image,
        "organizer": event.organizer.as_ref().map(|name| organization(name, event.organizer_url.as_deref())),
        "offers": state.is_ahead().then(|| offer(state, event)),
    });
    retain_values(&mut object);
    text(&object)
}

/// An organizer, likewise.
pub(crate) fn of_organizer(organizer: &Organizer, description: &str) -> String {
    let mut object = organization(&organizer.name, Some(&organizer.url));
    object["@context"] = json!("https://schema.org");
    object["description"] = json!(description);
    object["sameAs"] = json!(organizer.website);
    retain_values(&mut object);
    text(&object)
}

fn organization(name: &str, url: Option<&str>) -> Value {
    let mut object = json!({"@type": "Organization", "name": name, "url": url});
    retain_values(&mut object);
    object
}

/// Leaves out the fields without a value.
pub(crate) fn retain_values(object: &mut Value) {
    if let Value::Object(fields) = object {
        fields.retain(|_, value| !value.is_null());
    }
}

/// A closing tag in a text must not end the element.
fn text(object: &Value) -> String {
    object.to_string().replace('<', "\\u003c")
}

fn schema(name: &str) -> String {
    format!("https://schema.org/{name}")
}

const fn attendance(place: &Place) -> &'static str {
    match place.kind {
        PlaceKind::Online => "OnlineEventAttendanceMode",
        PlaceKind::Address if place.online_too.is_some() => "MixedEventAttendanceMode",
        PlaceKind::Address => "OfflineEventAttendanceMode",
    }
}

/// Of a private place, everybody reads the city alone, if there is one.
fn location(place: &Place, event: &Event) -> Value {
    let online = |url: &str| json!({"@type": "VirtualLocation", "url": url});
    match place.kind {
        PlaceKind::Online => online(&place.url),
        PlaceKind::Address => {
            let street = (!event.is_location_private).then_some(&place.text);
            let mut address = match &event.city {
                Some(city) => json!({
                    "@type": "PostalAddress", "streetAddress": street, "addressLocality": city,
                }),
                None => json!(street),
            };
            retain_values(&mut address);
            let mut there = json!({"@type": "Place", "name": place.text, "address": address});
            retain_values(&mut there);
            match &place.online_too {
                Some(url) => json!([there, online(url)]),
                None => there,
            }
        }
    }
}

/// Registering, which costs nothing here; what the organizer asks at the door, Muster does not know.
fn offer(state: EventState, event: &Event) -> Value {
    let availability = match state {
        EventState::Full => "SoldOut",
        EventState::Closed => "OutOfStock",
        _ => "InStock",
    };
    let mut offer = json!({
        "@type": "Offer",
        "url": event.registration_url,
        "availability": schema(availability),
        "validFrom": event.registration_opens,
        "validThrough": event.registration_closes.as_ref().unwrap_or(&event.start_date),
    });
    retain_values(&mut offer);
    offer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(change: fn(&mut EventPage, &mut Event)) -> Value {
        let mut event = Event {
            title: "</script><b>".to_owned(),
            location: "c-base".to_owned(),
            start_date: "2030-05-14T19:00:00+02:00".to_owned(),
            ..Event::default()
        };
        let mut page = EventPage {
            seats_left: 3,
            ..EventPage::default()
        };
        change(&mut page, &mut event);
        let text = of(&page, &event, "words", "https://muster.example/cover");
        assert!(!text.contains('<'), "{text}");
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_state_of_an_event_is_told() {
        let open = parsed(|_, _| {});
        assert_eq!(open["name"], "</script><b>");
        assert_eq!(open["eventStatus"], "https://schema.org/EventScheduled");
        assert_eq!(open["offers"]["availability"], "https://schema.org/InStock");
        assert_eq!(open["image"], "https://muster.example/cover");
        let full = parsed(|page, _| page.seats_left = 0);
        assert_eq!(full["offers"]["availability"], "https://schema.org/SoldOut");
        let moved = parsed(|page, _| {
            page.previous_start_date = Some("2030-05-13T19:00:00+02:00".to_owned());
        });
        assert_eq!(moved["eventStatus"], "https://schema.org/EventRescheduled");
        assert_eq!(moved["previousStartDate"], "2030-05-13T19:00:00+02:00");
        let cancelled = parsed(|page, _| page.is_cancelled = true);
        assert_eq!(
            cancelled["eventStatus"],
            "https://schema.org/EventCancelled"
        );
        assert_eq!(cancelled.get("offers"), None);
    }

    #[test]
    fn it_is_said_when_registration_opens_and_closes() {
        let opens = "2030-04-01T09:00:00+02:00";
        let closes = "2030-05-13T20:00:00+02:00";
        let ahead = parsed(|page, event| {
            page.is_registration_ahead = true;
            event.registration_opens = Some("2030-04-01T09:00:00+02:00".to_owned());
            event.registration_closes = Some("2030-05-13T20:00:00+02:00".to_owned());
        });
        let offer = &ahead["offers"];
        assert_eq!(offer["validFrom"], opens);
        assert_eq!(offer["validThrough"], closes);
        assert_eq!(offer["availability"], "https://schema.org/InStock");
        let over = parsed(|page, _| page.is_registration_closed = true);
        let offer = &over["offers"];
        assert_eq!(offer["availability"], "https://schema.org/OutOfStock");
        assert_eq!(offer.get("validFrom"), None);
        assert_eq!(offer["validThrough"], over["startDate"]);
    }

    #[test]
    fn of_a_private_place_the_city_is_told_at_most() {
        let in_a_city = parsed(|_, event| {
            event.is_location_private = true;
            event.location = "Berlin".to_owned();
            event.city = Some("Berlin".to_owned());
        });
        let address = json!({"@type": "PostalAddress", "addressLocality": "Berlin"});
        assert_eq!(in_a_city["location"]["address"], address);
        let anywhere = parsed(|_, event| {
            event.is_location_private = true;
            event.location = "Place for guests only".to_owned();
        });
        assert_eq!(anywhere["location"].get("address"), None);
        assert_eq!(anywhere["location"]["name"], "Place for guests only");
    }

    #[test]
    fn the_place_of_an_event_is_told() {
        for (location, mode, kinds) in [
            ("c-base", "Offline", json!("Place")),
            ("https://meet.example", "Online", json!("VirtualLocation")),
            (
                "c-base and https://meet.example",
                "Mixed",
                json!(["Place", "VirtualLocation"]),
            ),
        ] {
            let event = Event {
                location: location.to_owned(),
                ..Event::default()
            };
            let text = of(&EventPage::default(), &event, "", "");
            let object: Value = serde_json::from_str(&text).unwrap();
            let expected = format!("https://schema.org/{mode}EventAttendanceMode");
            assert_eq!(object["eventAttendanceMode"], expected.as_str());
            let kind = |place: &Value| place["@type"].clone();
            let found = match &object["location"] {
                Value::Array(places) => places.iter().map(kind).collect(),
                place => kind(place),
            };
            assert_eq!(found, kinds);
        }
    }
}
