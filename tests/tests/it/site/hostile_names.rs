//! People, accounts, members, keys, events and guests whose names are code, on every page, in every file and in every mail.

use std::sync::Arc;

use tests::{Browser, TestApp};

use super::{crawl::crawl, own_paths, world::World};
use crate::{exporting::unpacked, hostile_text::formulas};

const NAME: &str =
    "=cmd|'/C calc'!A0\"><script>alert(1)</script><img src=x onerror=a>;=1,=2 ${7*7}";

#[track_caller]
fn assert_harmless(place: &str, html: &str) {
    for code in ["<script>", "<img src=x", "\"><img", "\"><script", "=\"<"] {
        assert!(!html.contains(code), "{code} at {place}: {html}");
    }
}

/// 1 if the table has the names; none of its cells may be a formula.
#[track_caller]
fn names_in_table(place: &str, table: &[u8]) -> usize {
    let text = String::from_utf8_lossy(table);
    for separator in [b',', b';', b'\t', b'|'] {
        assert_eq!(formulas(table, separator), [""; 0], "{place}: {text}");
    }
    usize::from(text.contains("script"))
}

async fn names_that_are_code_are_text_everywhere(app: Arc<TestApp>) {
    let world = World::new(&app, "ada", NAME).await;
    let found = crawl(&world.owner).await;
    let (mut shown, mut tables) = (0, 0);
    for (path, page) in &found.pages {
        let media_type = page.header("content-type").unwrap_or_default();
        if media_type == "text/html; charset=utf-8" {
            let text = std::str::from_utf8(&page.body).unwrap();
            assert_harmless(path, text);
            shown += usize::from(text.contains("&#60;script&#62;"));
        } else if media_type == "application/zip" {
            for (name, text) in unpacked(&page.body) {
                if let Some(name) = name.strip_suffix(".csv") {
                    tables += names_in_table(&format!("{path}/{name}"), text.as_bytes());
                }
            }
        } else if page.status.is_success() {
            tables += names_in_table(path, &page.body);
        }
    }
    assert!(shown >= 30, "only {shown} pages show the names");
    assert!(tables >= 4, "only {tables} tables have the names");
    // The others of the account see the same names.
    for page in ["/dashboard", "/dashboard/sessions", "/dashboard/account"] {
        assert_harmless(page, world.door.page(page).await.html(200));
    }

    let event = format!("/events/{}", world.event.slug);
    let page = app.site.page(&event).send().await;
    let mut paths = own_paths(page.html(200));
    paths.retain(|path| path.starts_with("/events") && !path.contains("event.ics"));
    assert!(paths.len() >= 3, "{paths:?}");
    for path in paths.into_iter().chain([&*event]) {
        let page = Browser::new(&app).page(path).await;
        let text = String::from_utf8_lossy(&page.body);
        assert_harmless(path, &text);
    }
}

async fn names_that_are_code_are_text_in_every_mail_and_table(app: Arc<TestApp>) {
    let world = World::new(&app, "ada", NAME).await;
    app.clock.advance_seconds(3_600);
    app.drain_jobs().await;
    let mails = app.mails();
    let kinds = [
        "is your Muster code",
        "Invitation from",
        "await your approval",
        "Your registration is approved",
    ];
    for kind in kinds {
        let some = mails.iter().any(|mail| mail.subject.contains(kind));
        let subjects: Vec<_> = mails.iter().map(|mail| &mail.subject).collect();
        assert!(some, "{kind}: {subjects:?}");
    }
    for mail in &mails {
        assert!(!mail.subject.contains(['\r', '\n']), "{mail:?}");
        assert_harmless(&mail.subject, &mail.html);
    }
    for path in [
        format!("/me/events/{}/registrations.csv", world.event.id),
        "/me/activity.csv".to_owned(),
    ] {
        let table = app.http.get(&path).bearer(&world.account.key).send().await;
        assert_eq!(names_in_table(&path, &table.body), 1, "{path}");
    }
}

tests::on_both_engines!(
    names_that_are_code_are_text_everywhere,
    names_that_are_code_are_text_in_every_mail_and_table,
);
