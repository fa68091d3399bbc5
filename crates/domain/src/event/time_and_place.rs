//! When and where an event takes place, as one value to compare.

use jiff::civil::DateTime;
use sha2::{Digest as _, Sha256};

use super::Event;

/// A fingerprint of when and where an event takes place, as mails show it. It is stored for what a registrant was last told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeAndPlace(i64);

impl TimeAndPlace {
    /// A stored fingerprint.
    pub const fn stored(fingerprint: i64) -> Self {
        Self(fingerprint)
    }

    /// The fingerprint, for storage.
    pub const fn fingerprint(self) -> i64 {
        self.0
    }
}

/// What those who hold a seat are told, and what everybody else is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByAudience<T> {
    /// Confirmed registrations.
    pub guests: T,
    /// Those who wait.
    pub others: T,
}

/// When and where an event takes place, or was to before a change, as mails show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhenAndWhere {
    /// The wall time of the start.
    pub start: DateTime,
    /// The wall time of the end, if it had one.
    pub end: Option<DateTime>,
    /// IANA name of the zone.
    pub timezone: String,
    /// The place in words.
    pub place: String,
}

impl Event {
    /// What each of those who hold a seat, and the others, are told.
    pub fn audiences(&self) -> ByAudience<TimeAndPlace> {
        ByAudience {
            guests: self.time_and_place(),
            others: self.public_time_and_place(),
        }
    }

    /// When and where it takes place, in words of mails.
    pub fn when_and_where(&self) -> WhenAndWhere {
        WhenAndWhere {
            start: self.schedule.start.local,
            end: self.schedule.end.map(|end| end.local),
            timezone: self.schedule.timezone.clone(),
            place: self.place(),
        }
    }

    /// What someone is told who holds no seat: neither a private location nor information for guests only.
    pub fn public_time_and_place(&self) -> TimeAndPlace {
        self.for_public().time_and_place()
    }

    /// When and where it takes place, and other information for guests.
    pub fn time_and_place(&self) -> TimeAndPlace {
        let schedule = &self.schedule;
        let end = schedule.effective_end().micros();
        let mut hash = Sha256::new();
        for part in [
            &*schedule.start.local.to_string(),
            &schedule.start.at.micros().to_string(),
            &end.to_string(),
            &schedule.timezone,
            &self.location,
            self.city.as_deref().unwrap_or_default(),
        ] {
            hash.update(part);
            // No part contains it, so that parts cannot run into each other.
            hash.update([0]);
        }
        if let Some(info) = &self.attendee_info {
            hash.update(info);
            hash.update([0]);
        }
        let hash: [u8; 32] = hash.finalize().into();
        TimeAndPlace(i64::from_be_bytes(
            hash.first_chunk().copied().unwrap_or_default(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::create::tests::event_from;
    use super::*;
    use crate::instant::Instant;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    #[test]
    fn only_another_time_or_place_differs() {
        let event = event_from(NOW);
        let retitled = Event {
            title: "Rust Night".to_owned(),
            description: "Other words.".to_owned(),
            sequence: 7,
            ..event.clone()
        };
        assert_eq!(retitled.time_and_place(), event.time_and_place());
        let mut with_its_end = event.clone();
        with_its_end.schedule.end = Some(event.schedule.start);
        assert_eq!(with_its_end.time_and_place(), event.time_and_place());

        let located = |location: &str, city: Option<&str>| Event {
            location: location.to_owned(),
            city: city.map(str::to_owned),
            ..event.clone()
        };
        let mut later = event.clone();
        later.schedule.start.at = later.schedule.start.at.plus_seconds(1);
        let mut zoned = event.clone();
        "Europe/Paris".clone_into(&mut zoned.schedule.timezone);
        let all = [
            event.clone(),
            located("Elsewhere", None),
            located("Else", Some("where")),
            located("Elsewhere", Some("Berlin")),
            later,
            zoned,
        ];
        let mut seen: Vec<i64> = all
            .iter()
            .map(|event| event.time_and_place().fingerprint())
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all.len());
    }
}
