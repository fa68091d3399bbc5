//! What happened in the account or at one event, in sentences: who did what, and when.

mod filter;

use askama::Template;
use muster_api::v1::{
    Account, ActivityList, ExportActivityRequest,
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
    layout::PageResult,
    words::sentence,
};

pub(in crate::pages) const PATH: &str = "/dashboard/activity";

/// The same as a file.
pub(in crate::pages) const CSV: &str = "/dashboard/activity.csv";

#[derive(Template)]
#[template(path = "dashboard/activity.html")]
struct ActivityPage {
    page: Frame,
    /// The event whose activity it is; `None` for the whole account.
    head: Option<EventHead>,
    search: Search,
    list: ActivityList,
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

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let timezone = zone_of_account(&caller, plan::account(&caller).await?);
    let search = Search {
        path: PATH.to_owned(),
        timezone,
        filter: Filter {
            event_id: None,
            ..caller.context.query().read()?
        },
    };
    answer(caller, search, None).await
}

/// The account's time zone, or that of the installation.
fn zone_of_account(caller: &Caller, account: Option<Account>) -> String {
    let chosen = account.and_then(|account| account.timezone);
    let general = || caller.context.site.links().default_timezone.clone();
    let known = Some(chosen.unwrap_or_else(general)).filter(|zone| !zone.is_empty());
    known.unwrap_or_else(|| "UTC".to_owned())
}

pub(in crate::pages) async fn show_of_event(caller: Caller) -> PageResult {
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
    answer(caller, search, Some(head)).await
}

pub(in crate::pages) async fn export(caller: Caller) -> PageResult {
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

async fn answer(caller: Caller, search: Search, head: Option<EventHead>) -> PageResult {
    let request = search.filter.in_zone(&search.timezone).request();
    let listed = caller.ask::<ListActivity>(request).await;
    let (caller, mut list) = caller.listed(listed)?;
    let tab = match head {
        Some(_) => Tab::Events,
        None => Tab::Activity,
    };
    let (filter, path) = (&search.filter, &search.path);
    let next = list.next_cursor.take();
    caller.answer(&ActivityPage {
        page: caller.page("Activity", tab),
        next_url: next.map(|cursor| filter.page(path, Some(cursor))),
        csv_url: filter.csv_url(&search.timezone),
        first_url: filter.cursor.is_some().then(|| filter.page(path, None)),
        list,
        head,
        problem: caller.problem().map(sentence),
        search,
    })
}

/// A value of a field in words.
fn shown(value: Option<&str>) -> &str {
    value.filter(|text| !text.is_empty()).unwrap_or("nothing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_from_nothing_says_so() {
        let shown = [None, Some(""), Some("7")].map(shown);
        assert_eq!(shown, ["nothing", "nothing", "7"]);
    }
}
