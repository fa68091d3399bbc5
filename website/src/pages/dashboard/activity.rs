//! What happened in the account or at one event, in sentences: who did what, and when.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::v1::{
    ActivityItem, ActivityList, ExportActivityRequest, FieldChange, ListActivityRequest,
    bindings::{ExportActivity, ListActivity},
};

use super::{
    download,
    event_head::{EventHead, Part, path_of, read},
};
use crate::{
    desk::{Desk, Frame, Tab, sentence},
    form::Form,
    layout::Page,
    moment::Moment,
    visit::Site,
};

const PATH: &str = "/dashboard/activity";

/// The same as a file.
const CSV: &str = "/dashboard/activity.csv";

/// Lines on a page.
const PAGE_SIZE: i32 = 50;

#[derive(Template)]
#[template(path = "dashboard/activity.html")]
struct ActivityPage {
    page: Page,
    frame: Frame,
    /// The event whose activity it is; `None` for the whole account.
    head: Option<EventHead>,
    filter: Filter,
    lines: Vec<Line>,
    next_url: Option<String>,
    first_url: Option<String>,
    csv_url: String,
    problem: Option<String>,
}

/// What is looked for, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Filter {
    path: String,
    event_id: Option<String>,
    q: String,
    from: String,
    to: String,
    cursor: String,
}

struct Line {
    when: Moment,
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

pub(super) fn resources(site: &Site) -> [Resource; 3] {
    [
        site.desk(PATH, show),
        site.desk(CSV, export),
        site.desk("/dashboard/events/{id}/activity", show_of_event),
    ]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let filter = Filter::of(&desk.visit.query(), PATH.to_owned(), None);
    answer(&desk, filter, None).await
}

async fn show_of_event(desk: Desk) -> Result<Response, Problem> {
    let event = read(&desk).await?;
    let path = format!("{}/activity", path_of(&event.id));
    let head = EventHead::of(&event, Part::Activity);
    let filter = Filter::of(&desk.visit.query(), path, Some(event.id));
    answer(&desk, filter, Some(head)).await
}

async fn export(desk: Desk) -> Result<Response, Problem> {
    let query = desk.visit.query();
    let event_id = query.value("event_id").map(str::to_owned);
    let ListActivityRequest {
        event_id,
        q,
        from,
        to,
        ..
    } = Filter::of(&query, CSV.to_owned(), event_id).request();
    let request = ExportActivityRequest {
        event_id,
        q,
        from,
        to,
    };
    download::answer::<ExportActivity>(&desk, request).await
}

async fn answer(desk: &Desk, filter: Filter, head: Option<EventHead>) -> Result<Response, Problem> {
    match desk.ask::<ListActivity>(filter.request()).await {
        Ok(list) => desk.answer(&ActivityPage::of(desk, filter, head, list)),
        Err(problem) if problem.http_status == 400 => {
            let mut page = ActivityPage::of(desk, filter, head, ActivityList::default());
            page.problem = Some(format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

impl Filter {
    fn of(query: &Form, path: String, event_id: Option<String>) -> Self {
        let value = |name| query.value(name).unwrap_or_default().to_owned();
        Self {
            path,
            event_id,
            q: value("q"),
            from: value("from"),
            to: value("to"),
            cursor: value("cursor"),
        }
    }

    fn request(&self) -> ListActivityRequest {
        let given = |text: &String| (!text.is_empty()).then(|| text.clone());
        ListActivityRequest {
            event_id: self.event_id.clone(),
            q: given(&self.q),
            from: given(&self.from),
            to: given(&self.to),
            limit: Some(PAGE_SIZE),
            cursor: given(&self.cursor),
        }
    }

    /// The address of the page that begins at a cursor.
    fn at(&self, cursor: &str) -> String {
        self.url(&self.path, ("cursor", cursor))
    }

    /// The address of the file with all that is found.
    fn csv_url(&self) -> String {
        let event_id = self.event_id.as_deref().unwrap_or_default();
        self.url(CSV, ("event_id", event_id))
    }

    fn url(&self, path: &str, more: (&str, &str)) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let fields = [
            ("q", &*self.q),
            ("from", &self.from),
            ("to", &self.to),
            more,
        ];
        query.extend_pairs(fields.into_iter().filter(|(_, value)| !value.is_empty()));
        match &*query.finish() {
            "" => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }

    fn is_set(&self) -> bool {
        [&self.q, &self.from, &self.to]
            .iter()
            .any(|text| !text.is_empty())
    }
}

impl ActivityPage {
    fn of(desk: &Desk, filter: Filter, head: Option<EventHead>, list: ActivityList) -> Self {
        let tab = if head.is_some() {
            Tab::Events
        } else {
            Tab::Activity
        };
        let (page, frame) = desk.frame("Activity", tab);
        let zone = head.as_ref().map(|head| &*head.timezone);
        Self {
            page,
            frame,
            next_url: list.next_cursor.map(|cursor| filter.at(&cursor)),
            csv_url: filter.csv_url(),
            first_url: (!filter.cursor.is_empty()).then(|| filter.at("")),
            lines: list
                .items
                .into_iter()
                .map(|item| Line::of(item, zone))
                .collect(),
            filter,
            head,
            problem: None,
        }
    }
}

impl Line {
    /// A line on the page of an event in this time zone, or on that of the whole account, from which it leads to its event.
    fn of(item: ActivityItem, zone: Option<&str>) -> Self {
        let event_id = item.event_id.filter(|_| zone.is_none());
        Self {
            when: match zone {
                Some(zone) => Moment::at_event(&item.at, zone),
                None => Moment::new(&item.at),
            },
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
            field: sentence(&change.field.replace('_', " ")),
            before: shown(change.before),
            after: shown(change.after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_what_was_looked_for() {
        let query = Form::parse(b"q=Ada+L&from=2030-01-01&cursor=x");
        let filter = Filter::of(&query, PATH.to_owned(), None);
        let next = "/dashboard/activity?q=Ada+L&from=2030-01-01&cursor=y";
        assert_eq!(filter.at("y"), next);
        assert_eq!(filter.request().cursor.as_deref(), Some("x"));
        assert!(filter.is_set() && !Filter::default().is_set());
        let all = Filter::of(&Form::default(), PATH.to_owned(), None);
        assert_eq!((&*all.at(""), &*all.csv_url()), (PATH, CSV));
        let of_event = Filter::of(&query, String::new(), Some("e".to_owned()));
        let file = "/dashboard/activity.csv?q=Ada+L&from=2030-01-01&event_id=e";
        assert_eq!(of_event.csv_url(), file);
    }

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
