//! Bringing a list of people in: pasted or as a file, looked at first, then confirmed. The list itself goes along with the forms, so
//! that nothing of it is kept on the way.

use askama::Template;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http_kit::Problem;
use muster_api::{
    Scope,
    http_body::HttpBody,
    v1::{
        ImportRegistrationsRequest, ImportedLine, ImportedRegistrations, MyEventDetail,
        bindings::{ExportRejectedLines, ImportRegistrations},
    },
    violation::Violation,
};

use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::{Form, fresh_key},
    layout::PageResult,
    pages::dashboard::{
        download,
        event_head::{Badge, EventHead, Part, read},
        registrations::path,
    },
};

/// The field of the file, and its largest size: that of the API.
pub(in crate::pages) const FILE: (&str, usize) = ("file", 1 << 20);

/// The field of a list that is pasted.
const PASTED: &str = "list";

/// The field of a list that was looked at: its bytes in Base64.
const CONTENT: &str = "content";

/// The most lines that a page shows; those that are wrong come first.
const SHOWN_LINES: usize = 200;

/// How core's words about the limit of new accounts begin.
const OF_NEW_ACCOUNT: &str = "a new account ";

/// The kinds of files to choose from.
const KINDS: &str = ".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain";

#[derive(Template)]
#[template(path = "dashboard/registration_import.html")]
struct ImportPage {
    page: Frame,
    head: EventHead,
    model: FormModel,
}

#[derive(Template)]
#[template(path = "dashboard/registration_imported.html")]
struct ListPage {
    page: Frame,
    head: EventHead,
    list: ImportedRegistrations,
    /// How many would be added, or were.
    people: i32,
    lines: Vec<Line>,
    /// How many lines there are on the page, and in which order.
    shown: String,
    /// What the columns were taken for.
    columns: Vec<(String, &'static str)>,
    ignored: Vec<String>,
    is_mailed: bool,
    /// Whether a list that is refused could be added without emails: the quota of a plan counts either way.
    may_add_quietly: bool,
    content: String,
    key: String,
}

/// A line on the page.
struct Line {
    one: ImportedLine,
    badge: Badge,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::RegistrationsWrite)?;
    let event = read(&caller).await?;
    if event.is_ended {
        return Ok(flash::see(&path(&event.id), Some(Flash::EVENT_IS_OVER)));
    }
    let is_pasted = caller
        .form()
        .is_some_and(|form| form.value(PASTED).is_some());
    // What core says of the list stands beside where it came from.
    let (of_paste, of_file) = if is_pasted {
        (FILE.0, "")
    } else {
        (PASTED, FILE.0)
    };
    let paste = Field::paragraphs(PASTED, "List").path(of_paste);
    let paste = paste.hint("Copy the lines from a spreadsheet, with the names of the columns.");
    let file = Field::new(FieldKind::File, FILE.0, "Or a file").path(of_file);
    let file = file.accept(KINDS).hint("CSV, up to 1 MB and 10,000 lines.");
    let mails = Field::tick("notify", "Email everyone who is added").checked(true);
    caller.answer(&ImportPage {
        page: caller.page("Import guests", Tab::Events),
        head: EventHead::of(&event, Part::Registrations),
        model: caller.model(vec![paste, file, mails]),
    })
}

pub(in crate::pages) async fn take(
    caller: Caller,
    form: Form,
    file: Option<HttpBody>,
) -> PageResult {
    let event = read(&caller).await?;
    let action = form.value("action").unwrap_or("preview").to_owned();
    let list = content(&form, file)?;
    let request = |is_dry_run, is_mailed| ImportRegistrationsRequest {
        id: event.id.clone(),
        file: Some(HttpBody {
            content_type: "text/csv".to_owned(),
            data: list.clone().into(),
        }),
        dry_run: Some(is_dry_run),
        notify: Some(is_mailed),
    };
    let is_mailed = form.is_ticked("notify") && action != "confirm_quietly";
    match &*action {
        "rejected" => {
            let request = request(true, is_mailed);
            return download::answer::<ExportRejectedLines>(&caller, request).await;
        }
        "confirm" | "confirm_quietly" => {
            let request = request(false, is_mailed);
            let context = &caller.context;
            match context
                .ask_once::<ImportRegistrations>(request, form.key())
                .await
            {
                // Its page says how many may be mailed today.
                Err(problem) if problem.http_status == 429 => {}
                done => return answer(&caller, &event, done?, &list, is_mailed),
            }
        }
        _ => {}
    }
    let looked_at = caller.ask::<ImportRegistrations>(request(true, is_mailed));
    answer(&caller, &event, looked_at.await?, &list, is_mailed)
}

/// The list of a form: the file, what was pasted, or what was looked at before.
fn content(form: &Form, file: Option<HttpBody>) -> Result<Vec<u8>, Problem> {
    if let Some(file) = file {
        return Ok(file.data.into());
    }
    if let Some(content) = form.value(CONTENT) {
        let broken = |_| missing();
        return STANDARD.decode(content).map_err(broken);
    }
    // As it was pasted, so that its lines keep their numbers.
    let pasted = form.values(PASTED).next().unwrap_or_default();
    if pasted.trim().is_empty() {
        return Err(missing());
    }
    Ok(pasted.as_bytes().to_vec())
}

fn missing() -> Problem {
    Problem::invalid(&[Violation {
        field: PASTED.to_owned(),
        message: "is required".to_owned(),
    }])
}

/// Shows what would become of a list, or what became of it.
fn answer(
    caller: &Caller,
    event: &MyEventDetail,
    mut list: ImportedRegistrations,
    content: &[u8],
    is_mailed: bool,
) -> PageResult {
    let mut lines = std::mem::take(&mut list.lines);
    // Stable, so that others stay in their order.
    lines.sort_by_key(|line| line.outcome != "wrong");
    let mut shown = if lines.len() > SHOWN_LINES {
        format!("{SHOWN_LINES} of {} lines", lines.len())
    } else {
        "All lines".to_owned()
    };
    if list.wrong > 0 {
        shown.push_str(", wrong ones first");
    }
    lines.truncate(SHOWN_LINES);
    let (ignored, columns): (Vec<_>, Vec<_>) = std::mem::take(&mut list.columns)
        .into_iter()
        .partition(|column| column.meaning == "ignored");
    let title = if list.is_dry_run {
        "Check the list"
    } else {
        "Guests imported"
    };
    caller.answer(&ListPage {
        page: caller.page(title, Tab::Events),
        head: EventHead::of(event, Part::Registrations),
        people: list.added + list.waitlisted,
        lines: lines.into_iter().map(Line::of).collect(),
        shown,
        columns: columns
            .into_iter()
            .map(|column| (column.header, meaning(&column.meaning)))
            .collect(),
        ignored: ignored.into_iter().map(|column| column.header).collect(),
        is_mailed,
        may_add_quietly: list.refused_because().starts_with(OF_NEW_ACCOUNT),
        content: STANDARD.encode(content),
        key: fresh_key(),
        list,
    })
}

impl Line {
    fn of(one: ImportedLine) -> Self {
        let badge = match &*one.outcome {
            "added" => Badge::new("good", "Gets a spot"),
            "waitlisted" => Badge::new("warn", "Waitlist"),
            "already_there" => Badge::new("", "Already there"),
            _ => Badge::new("bad", "Wrong"),
        };
        Self { one, badge }
    }
}

/// What a column was taken for, in words.
fn meaning(name: &str) -> &'static str {
    match name {
        "name" => "name",
        "first_name" => "first name",
        "last_name" => "last name",
        "email" => "email address",
        "status" => "whether someone comes",
        "party_size" => "number of people",
        "companions" => "names of the others",
        _ => "answer",
    }
}
