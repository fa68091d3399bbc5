//! The dashboard's page for bringing a list in.

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::json;
use tests::{Browser, Reply, TestApp};

use super::own_registrations::{list, organizer, path};

/// Sends the fields of a form as browsers do that may have a file; the file, too.
async fn send(
    browser: &Browser,
    page: &str,
    fields: &[(&str, &str)],
    file: Option<&[u8]>,
) -> Reply {
    let mut body = Vec::new();
    for (name, value) in fields {
        let head = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(value.as_bytes());
        body.extend_from_slice(b"\r\n");
    }
    let head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\n";
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(file.unwrap_or_default());
    body.extend_from_slice(b"\r\n--x--\r\n");
    browser
        .upload(page, "multipart/form-data; boundary=x", body)
        .await
}

/// The value of a hidden field.
fn hidden<'h>(html: &'h str, name: &str) -> &'h str {
    let start = format!("name=\"{name}\" value=\"");
    let rest = html.split_once(&start).unwrap().1;
    rest.split_once('"').unwrap().0
}

async fn the_name_of_a_file_that_is_refused_stays(app: Arc<TestApp>) {
    let (browser, _, event) = organizer(&app, json!({}), &[]).await;
    let page = path(&event, "/registrations/import");
    let list = send(&browser, &page, &[], Some(b"Shoes\n7\n")).await;
    let html = list.html(400);
    assert!(html.contains("No column has email addresses."), "{html}");
    assert!(html.contains("You chose a.csv."), "{html}");
    let picture = send(&browser, &path(&event, "/cover"), &[], Some(b"no picture")).await;
    let html = picture.html(400);
    assert!(
        html.contains("This file isn’t a picture. Use JPEG, PNG or WebP."),
        "{html}"
    );
    assert!(html.contains("You chose a.csv."), "{html}");
}

/// A page to send it again could not have the file, only its name.
async fn a_file_that_cannot_be_taken_now_is_chosen_again(app: Arc<TestApp>) {
    let (browser, _, event) = organizer(&app, json!({}), &[]).await;
    let session = browser.cookie("__Host-muster").unwrap();
    browser.send("/sign-out", &[]).await;
    for page in ["/cover", "/registrations/import"] {
        browser.set_cookie("__Host-muster", &session);
        let page = path(&event, page);
        let ended = send(&browser, &page, &[], Some(b"Shoes\n7\n")).await;
        let encoded = page.replace('/', "%2F");
        let next = format!("/sign-in?next={encoded}");
        assert_eq!(ended.header("location"), Some(&*next), "{ended:?}");
    }
}

async fn a_list_is_pasted_looked_at_and_confirmed(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, json!({"max_capacity": 2}), &["Bea B"]).await;
    let registrations = path(&event, "/registrations");
    let page = path(&event, "/registrations/import");
    let link = format!("href=\"{page}\"");
    assert!(browser.page(&registrations).await.html(200).contains(&link));
    let form = browser.page(&page).await;
    let html = form.html(200);
    for part in [
        "name=\"list\"",
        "type=\"file\"",
        "Email everyone who is added",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }

    let pasted = "Name\tEmail\tShoes\r\nAda <b>\tada@example.org\t1\r\nBea\tbea@example.org\t2\r\n\
        Cy\tcy@example.org\t3\r\nDee\tnowhere\t=1+1\r\n";
    let fields = [("list", pasted), ("notify", "true")];
    let preview = send(&browser, &page, &fields, None).await;
    let html = preview.html(200);
    for part in [
        "Nobody has been added yet",
        "<strong>1</strong> <span>get a spot",
        "<strong>1</strong> <span>on the waitlist",
        "<strong>1</strong> <span>already there",
        "<strong>1</strong> <span>wrong",
        "Add 2 people and email them",
        "Ada &#60;b&#62;",
        "Email: Enter an email address",
        "Ignored: “<bdi>Shoes</bdi>”",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(
        html.find("Dee").unwrap() < html.find("Ada").unwrap(),
        "wrong lines come first"
    );
    assert_eq!(list(&owner, &event).await.len(), 1);

    let content = hidden(html, "content").to_owned();
    let key = hidden(html, "key").to_owned();
    let carried = [("content", &*content), ("notify", "true")];
    let rejected = [&carried[..], &[("action", "rejected")]].concat();
    let file = send(&browser, &page, &rejected, None).await;
    assert!(
        file.header("content-type").unwrap().starts_with("text/csv"),
        "{file:?}"
    );
    let text = String::from_utf8(file.body.to_vec()).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "\u{feff}\"Name\",\"Email\",\"Shoes\",\"why\"");
    assert!(
        lines[1].starts_with("\"Dee\",\"nowhere\",\"'=1+1\",\"the address must"),
        "{text}"
    );
    assert_eq!(lines.len(), 2);

    // Sent twice, everyone is added once.
    for _twice in 0..2 {
        let confirm = [&carried[..], &[("action", "confirm"), ("key", &key)]].concat();
        let done = send(&browser, &page, &confirm, None).await;
        let html = done.html(200);
        assert!(
            html.contains("2 people were added. We’re emailing them now."),
            "{html}"
        );
        assert!(html.contains("Download the wrong lines"), "{html}");
    }
    let people = list(&owner, &event).await;
    let people: Vec<_> = people
        .iter()
        .map(|one| (&one["name"], &one["status"]))
        .collect();
    let expected = [
        ("Bea B", "Confirmed"),
        ("Ada <b>", "Confirmed"),
        ("Cy", "Waitlisted"),
    ];
    let expected = expected.map(|(name, status)| (json!(name), json!(status)));
    assert_eq!(
        people,
        expected.each_ref().map(|(name, status)| (name, status))
    );
}

async fn a_file_of_a_spreadsheet_is_taken_and_what_is_none_is_said_beside_it(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, json!({}), &[]).await;
    let page = path(&event, "/registrations/import");
    let nothing = send(&browser, &page, &[], None).await;
    assert!(nothing.html(400).contains("Enter a list."), "{nothing:?}");
    let picture = send(&browser, &page, &[], Some(b"\x89PNG\r\n\x1a\n\0")).await;
    let html = picture.html(400);
    assert!(
        html.contains("Save the spreadsheet as CSV first") && html.contains("file-wrong"),
        "{html}"
    );
    let pasted = send(&browser, &page, &[("list", "Ada\nBob")], None).await;
    let html = pasted.html(400);
    assert!(
        html.contains("list-wrong") && html.contains(">\nAda\nBob</textarea>"),
        "{html}"
    );
    let large = "x".repeat((1 << 20) + 1);
    let large = send(&browser, &page, &[], Some(large.as_bytes())).await;
    assert!(large.status.is_client_error(), "{large:?}");

    let latin = b"Name;E-Mail\r\nJos\xe9;jose@example.org\r\n";
    let preview = send(&browser, &page, &[], Some(latin)).await;
    let html = preview.html(200);
    assert!(html.contains("Add one person without emails"), "{html}");
    let content = hidden(html, "content").to_owned();
    let confirm = [("content", &*content), ("action", "confirm")];
    let done = send(&browser, &page, &confirm, None).await;
    assert!(done.html(200).contains("One person was added."), "{done:?}");
    assert_eq!(list(&owner, &event).await[0]["name"], "José");
    app.drain_jobs().await;
    assert!(app.mails().iter().all(|mail| mail.to != "jose@example.org"));
}

async fn whoever_may_mail_no_more_can_add_people_without_emails(app: Arc<TestApp>) {
    let account = app.signed_up(Plan::Pro).await;
    let owner = app.over(tests::Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = path(&event, "/registrations/import");
    let people = (0..21).map(|number| format!("Guest {number},guest{number}@example.org\n"));
    let pasted = format!("Name,Email\n{}", people.collect::<String>());
    let preview = send(
        &browser,
        &page,
        &[("list", &pasted), ("notify", "true")],
        None,
    )
    .await;
    let html = preview.html(200);
    assert!(
        html.contains("This list needs more emails than you have left today"),
        "{html}"
    );
    assert!(
        html.contains("this needs 21") && !html.contains("and email them"),
        "{html}"
    );
    let content = hidden(html, "content").to_owned();
    let carried = [("content", &*content), ("notify", "true")];
    let insist = [&carried[..], &[("action", "confirm")]].concat();
    let refused = send(&browser, &page, &insist, None).await;
    assert!(
        refused.html(200).contains("Nobody has been added yet"),
        "{refused:?}"
    );
    assert_eq!(list(&owner, &event).await.len(), 0);
    let quiet = [&carried[..], &[("action", "confirm_quietly")]].concat();
    let done = send(&browser, &page, &quiet, None).await;
    assert!(done.html(200).contains("21 people were added."), "{done:?}");
    assert_eq!(list(&owner, &event).await.len(), 21);
}

/// They count against its quota either way: reminders and changes come.
async fn a_list_beyond_the_emails_of_the_plan_is_not_offered_without_emails(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(tests::Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = path(&event, "/registrations/import");
    let people = (0..501).map(|number| format!("Guest {number},guest{number}@example.org\n"));
    let pasted = format!("Name,Email\n{}", people.collect::<String>());
    let typed = [("list", &*pasted), ("notify", "true")];
    let preview = send(&browser, &page, &typed, None).await;
    let html = preview.html(200);
    assert!(
        html.contains("Your plan doesn’t have enough emails left for today."),
        "{html}"
    );
    assert!(
        !html.contains("value=\"confirm") && !html.contains("without emailing"),
        "{html}"
    );
}

tests::on_both_engines!(
    a_file_that_cannot_be_taken_now_is_chosen_again,
    the_name_of_a_file_that_is_refused_stays,
    a_list_is_pasted_looked_at_and_confirmed,
    a_file_of_a_spreadsheet_is_taken_and_what_is_none_is_said_beside_it,
    whoever_may_mail_no_more_can_add_people_without_emails,
    a_list_beyond_the_emails_of_the_plan_is_not_offered_without_emails,
);
