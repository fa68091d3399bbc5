//! `event clocks`: what a newer time zone database changes.

use domain::{schedule::Schedule, zone::Zone};
use serde_json::json;
use server::Failure;

use crate::{
    admin::{Output, counted, failure, table::aligned},
    service::{ChangedEvent, Commands, follow_clocks, planned_clocks},
};

/// The most events that are shown.
const MAX_SHOWN: usize = 1_000;

/// Shows what changes, and changes it unless that is a dry run.
pub(super) async fn run(commands: &Commands, is_dry: bool) -> Result<Output, Failure> {
    let planned = planned_clocks(commands, commands.now(), MAX_SHOWN).await;
    let (changed, seen) = planned.map_err(failure)?;
    if !is_dry {
        while follow_clocks(commands).await.map_err(failure)? {}
    }
    let release = Zone::release();
    let summary = match (changed.len(), is_dry) {
        (0, _) if seen == 0 => format!("all events follow time zone data {release} already"),
        (0, _) => format!("time zone data {release} changes no event of {seen}"),
        (count, true) => {
            let changed = counted(count as u64, "event");
            format!("time zone data {release} would change {changed} of {seen}")
        }
        (count, false) => {
            let changed = counted(count as u64, "event");
            format!("time zone data {release} changed {changed} of {seen}")
        }
    };
    let mut text = aligned(changed.iter().map(row));
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(&summary);
    let items: Vec<_> = changed
        .iter()
        .map(|one| {
            json!({
                "id": one.id.to_string(),
                "timezone": one.before.timezone,
                "local": one.before.start.local.to_string(),
                "before": one.before.start.at.to_string(),
                "after": one.after.as_ref().map(|after| after.start.at.to_string()),
            })
        })
        .collect();
    let json = json!({ "release": release, "seen": seen, "dry_run": is_dry, "changed": items });
    Ok(Output::new(text, json))
}

fn row(one: &ChangedEvent) -> [String; 4] {
    let Schedule {
        start, timezone, ..
    } = &one.before;
    [
        one.id.to_string(),
        format!("{} {timezone}", start.local),
        start.at.to_string(),
        one.after.as_ref().map_or_else(
            || "skipped by clocks: stays".to_owned(),
            |after| after.start.at.to_string(),
        ),
    ]
}
