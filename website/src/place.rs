//! Where an event takes place: an address, or a link to an online event.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// A map to look an address up. It gets the address only when the visitor follows the link.
const MAP: &str = "https://www.openstreetmap.org/search?query=";

/// What an event's location is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    Address,
    Online,
}

/// Where an event takes place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) kind: PlaceKind,
    /// In words, or the address of the online event.
    pub(crate) text: String,
    /// The online event, or a map.
    pub(crate) url: String,
    /// The web address beside a place: people can come there, or take part from elsewhere.
    pub(crate) online_too: Option<String>,
}

impl Place {
    /// Reads location and city of an event. A location that is a web address is an online event.
    pub(crate) fn of(location: &str, city: Option<&str>) -> Self {
        let location = location.trim();
        if is_web_address(location) {
            return Self {
                kind: PlaceKind::Online,
                text: location.to_owned(),
                url: location.to_owned(),
                online_too: None,
            };
        }
        let text = match city.filter(|city| !city.is_empty() && !location.contains(city)) {
            Some(city) => format!("{location}, {city}"),
            None => location.to_owned(),
        };
        let mut words = location.split_whitespace();
        let sought = on_the_map(&text);
        let url = format!("{MAP}{}", utf8_percent_encode(&sought, NON_ALPHANUMERIC));
        Self {
            kind: PlaceKind::Address,
            online_too: words.find(|word| is_web_address(word)).map(str::to_owned),
            text,
            url,
        }
    }

    /// In short: `Online`, or the address.
    pub(crate) fn summary(&self) -> &str {
        match self.kind {
            PlaceKind::Online => "Online",
            PlaceKind::Address => &self.text,
        }
    }
}

/// Words beside a number that are no street, in the languages of most venues.
const INDOORS: [&str; 24] = [
    "aula", "building", "door", "eg", "entrance", "etage", "étage", "floor", "gate", "halle",
    "hall", "house", "level", "og", "piano", "raum", "room", "saal", "sala", "salle", "stand",
    "stock", "suite", "unit",
];

/// What a map finds of an address: from the street on, which is the first part with a word and a number, without halls and floors. All of it
/// if no part looks like a street.
fn on_the_map(address: &str) -> String {
    let parts: Vec<&str> = address.split(',').map(str::trim).collect();
    let found = parts.iter().position(|part| is_street(part));
    let from_street = parts.iter().skip(found.unwrap_or(0));
    let sought: Vec<&str> = match found {
        Some(_) => from_street
            .copied()
            .filter(|part| !is_indoors(part))
            .collect(),
        None => parts.clone(),
    };
    sought.join(", ")
}

fn is_street(part: &str) -> bool {
    let mut words = part.split_whitespace();
    let has_number = part
        .split_whitespace()
        .any(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let has_name = words.any(|word| word.chars().filter(|one| one.is_alphabetic()).count() >= 3);
    has_number && has_name && !is_indoors(part)
}

fn is_indoors(part: &str) -> bool {
    let mut words = part.split(|one: char| !one.is_alphabetic());
    words.any(|word| INDOORS.contains(&&*word.to_lowercase()))
}

/// Whether a whole text is a web address with a host.
fn is_web_address(text: &str) -> bool {
    let uri: Option<http::Uri> = text.parse().ok();
    uri.is_some_and(|uri| {
        let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
        let has_user = uri
            .authority()
            .is_some_and(|one| one.as_str().contains('@'));
        is_web && !has_user && uri.host().is_some_and(|host| !host.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_city_and_a_map() {
        let place = Place::of("c-base, Rungestraße 20", Some("Berlin"));
        assert_eq!(place.summary(), "c-base, Rungestraße 20, Berlin");
        assert!(
            place.url.ends_with("Rungestra%C3%9Fe%2020%2C%20Berlin"),
            "{}",
            place.url
        );
        let named = Place::of("Rungestraße 20, Berlin", Some("Berlin"));
        assert_eq!(named.summary(), "Rungestraße 20, Berlin");
    }

    #[test]
    fn a_map_looks_for_the_street_and_not_for_the_hall() {
        for (address, sought) in [
            ("c-base, Rungestraße 20, Berlin", "Rungestraße 20, Berlin"),
            (
                "Messe, Halle 3, 2. OG, Messedamm 22, 14055 Berlin",
                "Messedamm 22, 14055 Berlin",
            ),
            (
                "Hall 3, 2nd floor, 12 Main Street, Springfield",
                "12 Main Street, Springfield",
            ),
            (
                "12 Main Street, Room 4, Springfield",
                "12 Main Street, Springfield",
            ),
            ("Tempelhofer Feld, Berlin", "Tempelhofer Feld, Berlin"),
            ("Raum 3", "Raum 3"),
        ] {
            assert_eq!(on_the_map(address), sought, "{address}");
        }
    }

    #[test]
    fn only_a_whole_web_address_is_an_online_event() {
        let online = Place::of("https://meet.example/rust", Some("Berlin"));
        assert_eq!(
            (online.kind, online.summary()),
            (PlaceKind::Online, "Online")
        );
        for text in [
            "https://meet.example and the café",
            "javascript:alert(1)",
            "ftp://files.example",
            "https://",
            "https://bank.example@evil.example/",
            "//meet.example",
        ] {
            assert_eq!(Place::of(text, None).kind, PlaceKind::Address, "{text}");
        }
    }
}
