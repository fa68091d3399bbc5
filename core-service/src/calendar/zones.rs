//! Times in zones, and the zones' rules (`VTIMEZONE`) for programs that do not know them. With its zone an entry moves along when a
//! government changes the rules, and calendars show when it is where it takes place.

use std::collections::BTreeMap;

use domain::{event::Event, instant::Instant, schedule::EventTime};
use jiff::{
    SignedDuration, Timestamp,
    tz::{Dst, Offset, TimeZone, TimeZoneDatabase, TimeZoneTransition},
};

/// The shortest step of time, by which a zone's rules before a moment differ from those at it.
const STEP: SignedDuration = SignedDuration::from_nanos(1);

/// Most changes of clocks in the rules of one zone. Events last days; those of years need no more than the first ones.
const MAX_CHANGES: usize = 20;

/// A property with a time: by the clocks of the zone, if they show it once or for the first time; otherwise in UTC.
pub(super) fn property(name: &str, time: EventTime, zone_name: &str) -> String {
    let is_exact = |zone: &TimeZone| {
        let meant = zone.to_ambiguous_timestamp(time.local).compatible();
        meant.is_ok_and(|meant| meant.as_microsecond() == time.at.micros())
    };
    match zone(zone_name).filter(is_exact) {
        Some(_) => {
            let local = time.local.strftime("%Y%m%dT%H%M%S");
            format!("{name};TZID={zone_name}:{local}")
        }
        None => format!("{name}:{}", super::utc(time.at)),
    }
}

/// The rules of all zones of these events, from the first event in them to the last.
pub(super) fn components<'e>(events: impl Iterator<Item = &'e Event>) -> Vec<String> {
    let mut spans: BTreeMap<&str, (Instant, Instant)> = BTreeMap::new();
    for event in events {
        let (start, end) = (event.schedule.start.at, event.schedule.effective_end());
        let span = spans
            .entry(&event.schedule.timezone)
            .or_insert((start, end));
        *span = (span.0.min(start), span.1.max(end));
    }
    let known = spans
        .into_iter()
        .filter_map(|(name, span)| Some(component(name, &zone(name)?, span)));
    known.flatten().collect()
}

/// The zone of a name, unless its clocks are UTC's, which needs no rules.
fn zone(name: &str) -> Option<TimeZone> {
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    (zone != TimeZone::UTC && name != "UTC").then_some(zone)
}

fn component(name: &str, zone: &TimeZone, (first, last): (Instant, Instant)) -> Vec<String> {
    let (first, last) = (timestamp(first), timestamp(last));
    let since = zone.preceding(first.checked_add(STEP).unwrap_or(first));
    let later = zone.following(first);
    let later = later.take_while(|change| change.timestamp() <= last);
    let mut lines = vec!["BEGIN:VTIMEZONE".to_owned(), format!("TZID:{name}")];
    let mut changes: Vec<String> = since
        .take(1)
        .chain(later.take(MAX_CHANGES))
        .flat_map(|change| observance(zone, &change))
        .collect();
    if changes.is_empty() {
        let offset = zone.to_offset(first);
        changes = rule("STANDARD", "19700101T000000", (offset, offset), name);
    }
    lines.append(&mut changes);
    lines.push("END:VTIMEZONE".to_owned());
    lines
}

/// What clocks show from a change of theirs on.
fn observance(zone: &TimeZone, change: &TimeZoneTransition<'_>) -> Vec<String> {
    let at = change.timestamp();
    let before = zone.to_offset(at.checked_sub(STEP).unwrap_or(at));
    let kind = match change.dst() {
        Dst::Yes => "DAYLIGHT",
        Dst::No => "STANDARD",
    };
    let begins = before.to_datetime(at).strftime("%Y%m%dT%H%M%S").to_string();
    rule(
        kind,
        &begins,
        (before, change.offset()),
        change.abbreviation(),
    )
}

fn rule(kind: &str, begins: &str, (from, to): (Offset, Offset), name: &str) -> Vec<String> {
    vec![
        format!("BEGIN:{kind}"),
        format!("DTSTART:{begins}"),
        format!("TZOFFSETFROM:{}", written(from)),
        format!("TZOFFSETTO:{}", written(to)),
        format!("TZNAME:{name}"),
        format!("END:{kind}"),
    ]
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

fn timestamp(at: Instant) -> Timestamp {
    Timestamp::from_microsecond(at.micros()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn at(text: &str) -> Instant {
        let timestamp: Timestamp = text.parse().unwrap();
        Instant::from_micros(timestamp.as_microsecond())
    }

    fn rules(name: &str, first: &str, last: &str) -> String {
        component(name, &zone(name).unwrap(), (at(first), at(last))).join("\n")
    }

    #[test]
    fn a_zone_has_the_rule_of_the_start_and_those_until_the_end() {
        let one_evening = rules(
            "Europe/Berlin",
            "2030-05-14T17:00:00Z",
            "2030-05-14T20:00:00Z",
        );
        assert_eq!(
            one_evening,
            "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\nBEGIN:DAYLIGHT\nDTSTART:20300331T020000\nTZOFFSETFROM:+0100\n\
             TZOFFSETTO:+0200\nTZNAME:CEST\nEND:DAYLIGHT\nEND:VTIMEZONE"
        );
        let until_winter = rules(
            "Europe/Berlin",
            "2030-05-14T17:00:00Z",
            "2030-12-01T20:00:00Z",
        );
        assert_eq!(until_winter.matches("BEGIN:STANDARD").count(), 1);
        assert!(
            until_winter.contains("DTSTART:20301027T030000"),
            "{until_winter}"
        );
        // From the very moment of a change on, its rule counts.
        let change = rules(
            "Europe/Berlin",
            "2030-03-31T01:00:00Z",
            "2030-03-31T01:00:00Z",
        );
        assert!(change.contains("TZNAME:CEST"), "{change}");
    }

    #[test]
    fn a_zone_whose_clocks_never_changed_has_one_rule() {
        let fixed = rules("Etc/GMT+5", "2030-05-14T17:00:00Z", "2031-05-14T17:00:00Z");
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
}
