//! `doctor`: what is wrong, and how to mend it.

use std::path::Path;

use serde_json::{Value, json};

use super::Answer;
use crate::{
    domain::{clock::Clock, date_time::EventTime, instant::Instant, zone::Zone},
    settings::DataSettings,
    storage::{Access, Store},
};

/// No Muster is older: a clock before this (2026-01-01) was never set.
const EARLIEST: Instant = Instant::from_micros(1_767_225_600_000_000);

/// A clock beyond this (2100-01-01) was set wrong.
const LATEST: Instant = Instant::from_micros(4_102_444_800_000_000);

/// One thing that was looked at.
struct Finding {
    name: &'static str,
    /// What was found; when something is wrong, what it is and how to mend it.
    outcome: Result<String, String>,
}

/// Looks at everything that Muster stands on. Changes nothing, and makes no database where there is none.
pub(super) async fn examine(data: &DataSettings, clock: &Clock) -> Answer {
    let mut findings = vec![
        Finding {
            name: "clock",
            outcome: clock_is_set(clock.now()),
        },
        Finding {
            name: "time zones",
            outcome: zones_are_known(),
        },
    ];
    match reach_database(data).await {
        Ok(store) => {
            findings.push(Finding {
                name: "database",
                outcome: Ok("answers".to_owned()),
            });
            findings.push(Finding {
                name: "schema",
                outcome: schema_is_current(&store).await,
            });
            store.close().await;
        }
        Err(problem) => findings.push(Finding {
            name: "database",
            outcome: Err(problem),
        }),
    }
    report(&findings)
}

fn clock_is_set(now: Instant) -> Result<String, String> {
    if (EARLIEST..LATEST).contains(&now) {
        return Ok(format!("shows {now}"));
    }
    Err(format!(
        "shows {now}: set this machine's clock, or let it follow a time server"
    ))
}

/// Asks the rules for a summer and a winter, so that data that is there but wrong is noticed.
fn zones_are_known() -> Result<String, String> {
    let shown = |month: i8| {
        let zone = Zone::find("America/New_York").ok()?;
        let noon = jiff::civil::date(2030, month, 1).at(12, 0, 0, 0);
        let time = EventTime::of_wall_time(noon, &zone).ok()?;
        Some(time.rfc3339())
    };
    let expected = ["2030-01-01T12:00:00-05:00", "2030-07-01T12:00:00-04:00"];
    if [1, 7].map(shown) == expected.map(|text| Some(text.to_owned())) {
        return Ok("are known".to_owned());
    }
    Err("the zone data in this binary is wrong: install a build of a newer release".to_owned())
}

async fn reach_database(data: &DataSettings) -> Result<Store, String> {
    if let Some(path) = data.sqlite_path() {
        sqlite_file_is_usable(&path)?;
    }
    let options = data
        .options(Access::Administer)
        .map_err(|failure| failure.to_string())?;
    let store = Store::open(&options).await.map_err(|error| {
        format!("{error}; look at --database-url (MUSTER_DATABASE_URL) and at whether it runs")
    })?;
    store.ping().await.map_err(|error| error.to_string())?;
    Ok(store)
}

fn sqlite_file_is_usable(path: &Path) -> Result<(), String> {
    let shown = path.display();
    if !path.exists() {
        return Err(format!(
            "there is no file {shown} yet: start muster or run the command migrate, or give another --data-dir"
        ));
    }
    match std::fs::OpenOptions::new().append(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "cannot write {shown}: {error}; give its user the right to, or give another --data-dir"
        )),
    }
}

async fn schema_is_current(store: &Store) -> Result<String, String> {
    match store.require_schema().await {
        Ok(()) => Ok("is up to date".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn report(findings: &[Finding]) -> Answer {
    let lines = findings.iter().map(|finding| {
        let (mark, text) = match &finding.outcome {
            Ok(found) => ("ok   ", found),
            Err(problem) => ("WRONG", problem),
        };
        format!("{mark}  {:10}  {text}", finding.name)
    });
    let checks: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let (Ok(message) | Err(message)) = &finding.outcome;
            json!({ "name": finding.name, "ok": finding.outcome.is_ok(), "message": message })
        })
        .collect();
    let is_well = findings.iter().all(|finding| finding.outcome.is_ok());
    Answer {
        text: lines.collect::<Vec<_>>().join("\n"),
        json: json!({ "ok": is_well, "checks": checks }),
        is_well,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_never_set_is_noticed() {
        assert!(clock_is_set(Instant::from_micros(0)).is_err());
        assert!(clock_is_set(EARLIEST).is_ok());
        assert!(clock_is_set(LATEST).is_err());
    }

    #[test]
    fn the_bundled_zone_data_is_right() {
        assert_eq!(zones_are_known(), Ok("are known".to_owned()));
    }
}
