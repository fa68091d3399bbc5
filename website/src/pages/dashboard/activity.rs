//! What happened in the account or at one event, in sentences: who did what, and when.

mod filter;

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::v1::{
    Account, ActivityItem, ActivityList, ExportActivityRequest, FieldChange,
    bindings::{ExportActivity, ListActivity},
};

use self::filter::Filter;
use super::{
    download,
    event_head::{EventHead, Part, path_of, read},
    plan,
};
use crate::{
    caller::{Caller, Frame, Tab},
    layout::Page,
    timestamp::Timestamp,
    words::{capitalized, sentence},
};

pub(in crate::pages) const PATH: &str = "/dashboard/activity";

/// The same as a file.
pub(in crate::pages) const CSV: &str = "/dashboard/activity.csv";

#[derive(Template)]
#[template(path = "dashboard/activity.html")]
struct ActivityPage {
    page: Page,
    frame: Frame,
    /// The event whose activity it is; `None` for the whole account.
    head: Option<EventHead>,
    search: Search,
    lines: Vec<Line>,
    next_url: Option<String>,
    first_url: Option<String>,
    csv_url: String,
    problem: Option<String>,
}

/// What is looked for, and where.
struct Search {
    path: String,
    /// The IANA name of the time zone.
    timezone: String,
    filter: Filter,
}

struct Line {
    when: Timestamp,
    text: String,
    changes: Vec<Change>,
    event_url: Option<String>,
}

/// A changed field, with nothing told as that.
struct Change {
    field: String,
    before: String,
    after: String,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let timezone = zone_of_account(&caller, plan::account(&caller).await?);
    let search = Search {
        path: PATH.to_owned(),
        timezone,
        filter: Filter {
            event_id: None,
            ..caller.context.query().read()?
        },
    };
    answer(&caller, search, None).await
}

/// The account's time zone, or that of the installation.
fn zone_of_account(caller: &Caller, account: Option<Account>) -> String {
    let chosen = account.and_then(|account| account.timezone);
    let general = || caller.context.site.links().default_timezone.clone();
    let known = Some(chosen.unwrap_or_else(general)).filter(|zone| !zone.is_empty());
    known.unwrap_or_else(|| "UTC".to_owned())
}

pub(in crate::pages) async fn show_of_event(caller: Caller) -> Result<Response, Problem> {
    let event = read(&caller).await?;
    let head = EventHead::of(&event, Part::Activity);
    let search = Search {
        path: format!("{}/activity", path_of(&event.id)),
        timezone: event.timezone,
        filter: Filter {
            event_id: Some(event.id),
            ..caller.context.query().read()?
        },
    };
    answer(&caller, search, Some(head)).await
}

pub(in crate::pages) async fn export(caller: Caller) -> Result<Response, Problem> {
    let filter: Filter = caller.context.query().read()?;
    let filter = filter.in_zone("UTC");
    let request = ExportActivityRequest {
        event_id: filter.event_id,
        q: filter.q,
        from: filter.from,
        to: filter.to,
    };
    download::answer::<ExportActivity>(&caller, request).await
}

async fn answer(
    caller: &Caller,
    search: Search,
    head: Option<EventHead>,
) -> Result<Response, Problem> {
    let request = search.filter.in_zone(&search.timezone).request();
    match caller.ask::<ListActivity>(request).await {
        Ok(list) => caller.answer(&ActivityPage::of(caller, search, head, list)),
        Err(problem) if problem.http_status == 400 => {
            let mut page = ActivityPage::of(caller, search, head, ActivityList::default());
            page.problem = Some(sentence(&problem));
            caller.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

impl ActivityPage {
    fn of(caller: &Caller, search: Search, head: Option<EventHead>, list: ActivityList) -> Self {
        let tab = if head.is_some() {
            Tab::Events
        } else {
            Tab::Activity
        };
        let (page, frame) = caller.frame("Activity", tab);
        let (filter, path) = (&search.filter, &search.path);
        let line = |item| Line::of(item, &search.timezone, head.is_none());
        Self {
            page,
            frame,
            next_url: list
                .next_cursor
                .map(|cursor| filter.page(path, Some(cursor))),
            csv_url: filter.csv_url(&search.timezone),
            first_url: filter.cursor.is_some().then(|| filter.page(path, None)),
            lines: list.items.into_iter().map(line).collect(),
            search,
            head,
            problem: None,
        }
    }
}

impl Line {
    /// A line. Where it is about the whole account, it leads to its event.
    fn of(item: ActivityItem, timezone: &str, leads_to_event: bool) -> Self {
        let event_id = item.event_id.filter(|_| leads_to_event);
        Self {
            when: Timestamp::in_zone(&item.at, timezone),
            text: item.text,
            changes: item.changes.into_iter().map(Change::of).collect(),
            event_url: event_id.as_deref().map(path_of),
        }
    }
}

impl Change {
    fn of(change: FieldChange) -> Self {
        let shown = |value: Option<String>| match value {
            Some(text) if !text.is_empty() => text,
            _ => "nothing".to_owned(),
        };
        Self {
            field: capitalized(&change.field.replace('_', " ")),
            before: shown(change.before),
            after: shown(change.after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_from_nothing_says_so() {
        let change = Change::of(FieldChange {
            field: "max_capacity".to_owned(),
            before: None,
            after: Some("7".to_owned()),
        });
        let told = (&*change.field, &*change.before, &*change.after);
        assert_eq!(told, ("Max capacity", "nothing", "7"));
    }
}
