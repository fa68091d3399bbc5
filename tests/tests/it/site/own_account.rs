//! The dashboard's pages of the person and the account.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{CancelEvent, GetAccount, ListMyEvents, RegisterAttendee};
use serde_json::json;
use tests::{Browser, Surface, TestApp};

use super::{
    members::{account, member},
    typed::{fields, with},
};
use crate::exporting::unpacked;

const MAILS: &str = "/dashboard/account/mails";

/// The choice that the page shows.
async fn chosen(browser: &Browser) -> String {
    let page = browser.page(MAILS).await;
    let fields = fields(page.html(200));
    let mut chosen = fields.into_iter().filter(|(name, _)| name == "mails");
    chosen.next().unwrap().1
}

async fn each_member_chooses_about_which_registrations_they_are_mailed(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let organizer = member(&app, &owner, "olga@example.org", "organizer").await;
    let door = member(&app, &owner, "dora@example.org", "door").await;
    assert_eq!(chosen(&owner).await, "approvals");
    let page = owner.page(MAILS).await;
    let opened = fields(page.html(200));
    let saved = owner.send(MAILS, &with(&opened, &[("mails", "all")])).await;
    let account_page = owner.follow(&saved).await;
    let html = account_page.html(200);
    assert!(html.contains("Your choice is saved."), "{html}");
    assert!(html.contains("Every registration"), "{html}");
    assert_eq!(chosen(&owner).await, "all");
    assert_eq!(chosen(&organizer).await, "approvals", "it is the owner's");

    let wrong = owner
        .send(MAILS, &with(&opened, &[("mails", "some")]))
        .await;
    assert!(wrong.html(400).contains("id=\"mails-wrong\""));
    door.page(MAILS).await.html(403);
    door.send(MAILS, &with(&opened, &[])).await.html(403);
    let door_page = door.page("/dashboard/account").await;
    assert!(!door_page.html(200).contains(MAILS));

    // A form that was opened for one account says nothing about another one.
    let other = app.account(Plan::Pro).await;
    let other = Browser::signed_in(&app, &other.email).await;
    let refused = other
        .send(MAILS, &with(&opened, &[("mails", "none")]))
        .await;
    refused.html(409);
    assert_eq!(chosen(&other).await, "approvals");

    let event = app.over(Surface::Http).as_owner(&account);
    let event = event.publish_new(json!({})).await;
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    app.drain_jobs().await;
    app.advance(std::time::Duration::from_mins(2));
    app.drain_jobs().await;
    let mails = app.mails();
    let told: Vec<_> = mails
        .iter()
        .filter(|mail| mail.text.contains("because you organize events"))
        .collect();
    let to: Vec<_> = told.iter().map(|mail| &*mail.to).collect();
    assert_eq!(to, [&*account.email]);
    let link = format!("https://muster.example{MAILS}");
    assert!(told[0].text.contains(&link), "{}", told[0].text);
}

async fn the_account_has_a_name_and_a_time_zone(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let id = account.id.to_string();
    let typed = [
        ("account_id", &*id),
        ("action", "account"),
        ("account_name", "Rust <Berlin>"),
        ("timezone", "Mars/Phobos"),
    ];
    let refused = owner.send("/dashboard/account", &typed).await;
    let html = refused.html(400);
    assert!(html.contains("id=\"timezone-wrong\""), "{html}");
    assert!(html.contains("value=\"Rust &#60;Berlin&#62;\""), "{html}");
    let mut good = typed;
    good[3] = ("timezone", "Europe/Berlin");
    let saved = owner.send("/dashboard/account", &good).await;
    let page = owner.follow(&saved).await;
    assert!(page.html(200).contains("Your changes are saved."));
    let form = owner.page("/dashboard/events/new").await;
    assert!(form.html(200).contains("value=\"Europe/Berlin\""));
    let client = app.over(Surface::Http).as_owner(&account);
    let read = client.ok::<GetAccount>(json!({})).await;
    assert_eq!(read["name"], "Rust <Berlin>");
    let mut other = good;
    other[0] = ("account_id", "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d");
    owner.send("/dashboard/account", &other).await.html(409);
    let blank = [("action", "person"), ("person_name", " ")];
    let refused = owner.send("/dashboard/account", &blank).await;
    assert!(refused.html(400).contains("id=\"person_name-wrong\""));
}

async fn what_is_new_goes_to_no_other_account_than_its_form_was_opened_for(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let other = app.account(Plan::Pro).await;
    let theirs = Browser::signed_in(&app, &other.email).await;
    let invited = [("email", &*account.email), ("role", "organizer")];
    theirs.send("/dashboard/members", &invited).await;
    app.drain_jobs().await;
    let mut opened = Vec::new();
    for path in [
        "/dashboard/events/new",
        "/dashboard/members",
        "/dashboard/keys/new",
        "/dashboard/webhooks/new",
    ] {
        let page = owner.page(path).await;
        opened.push((path, fields(page.html(200))));
    }

    // In another window they join the other account, and look at that one from then on.
    let home = owner.page("/dashboard").await;
    let mut links = home.html(200).split('"');
    let invitation = links.find(|link| link.starts_with("/invitations/"));
    let accepted = [("action", "accept")];
    owner.send(invitation.unwrap(), &accepted).await;
    let home = owner.page("/dashboard").await;
    assert!(home.html(200).contains("Your other accounts"));
    let typed = [
        ("title", "Go Night"),
        ("description", "We read Go."),
        ("location", "Here"),
        ("start_date", "2040-05-14T19:00"),
        ("name", "laptop"),
        ("email", "new@example.org"),
    ];
    for (path, form) in opened {
        let refused = owner.send(path, &with(&form, &typed)).await;
        let html = refused.html(409);
        assert!(html.contains("You are in another account now"), "{html}");
        let is_asked = |name: &str| form.iter().any(|(field, _)| field == name);
        for (name, value) in typed.iter().filter(|(name, _)| is_asked(name)) {
            assert!(html.contains(value), "{path} lost {name}");
        }
    }
    let client = app.over(Surface::Http);
    for account in [&account, &other] {
        let events = client.as_owner(account).ok::<ListMyEvents>(json!({})).await;
        assert_eq!(events["count"], 0, "{events}");
    }
}

async fn everything_that_the_account_holds_is_downloaded_as_an_archive(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let door = member(&app, &owner, "dora@example.org", "door").await;
    let client = app.over(Surface::Http).as_owner(&account);
    client.publish_new(json!({"title": "Go Night"})).await;
    let path = "/dashboard/account/export.zip";
    let page = owner.page("/dashboard/account").await;
    assert!(page.html(200).contains(path));
    let archive = owner.page(path).await;
    assert_eq!(archive.header("content-type"), Some("application/zip"));
    assert_eq!(archive.header("cache-control"), Some("no-store"));
    let name = archive.header("content-disposition").unwrap();
    assert!(name.starts_with("attachment; filename=\"muster-"), "{name}");
    let files = unpacked(&archive.body);
    assert!(files["events.json"].contains("Go Night"));
    assert!(files["person.json"].contains(&account.email));

    door.page(path).await.html(403);
    let page = door.page("/dashboard/account").await;
    assert!(!page.html(200).contains(path));
}

async fn removing_shows_what_goes_and_what_stands_in_the_way(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let event = client.publish_new(json!({})).await;
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    let remove = "/dashboard/account/remove";
    let page = owner.page(remove).await;
    let html = page.html(200);
    for told in ["1 event<", "1 registration<", "1 API key<", "Not yet"] {
        assert!(html.contains(told), "{told}: {html}");
    }
    assert!(!html.contains("Remove everything"), "{html}");
    let id = account.id.to_string();
    let typed = [("account_id", &*id), ("name", "Olga Owner")];
    let refused = owner.send(remove, &typed).await;
    assert!(refused.html(409).contains("id=\"trouble\""));
    client.ok::<CancelEvent>(json!({"id": event.id})).await;
    app.drain_jobs().await;
    let page = owner.page(remove).await;
    assert!(page.html(200).contains("Remove everything"));
    let removed = owner.send(remove, &typed).await;
    assert_eq!(removed.header("location"), Some("/dashboard"));

    // The person remains, and may begin again.
    let start = owner.page("/dashboard").await;
    assert_eq!(start.header("location"), Some("/dashboard/start"));
    let page = owner.page("/dashboard/start").await;
    assert!(page.html(200).contains("Create your account"));
    let blank = owner.send("/dashboard/start", &[("name", " ")]).await;
    assert!(blank.html(400).contains("id=\"name-wrong\""));
    let made = owner.send("/dashboard/start", &[("name", "Anew")]).await;
    let home = owner.follow(&made).await;
    assert!(home.html(200).contains("Your account is ready."));
}

async fn people_remove_themselves_once_nothing_is_theirs_alone(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let door = member(&app, &owner, "dora@example.org", "door").await;
    let remove = "/dashboard/account/remove-me";
    let page = door.page("/dashboard/account").await;
    assert!(page.html(200).contains(remove));
    // The link of an owner leads to what has to be done before.
    let alone = owner.send(remove, &[("email", &*account.email)]).await;
    let html = alone.html(409);
    assert!(html.contains("Nobody else owns the account"), "{html}");
    let other = door.send(remove, &[("email", "olga@example.org")]).await;
    assert!(other.html(400).contains("id=\"email-wrong\""));

    let removed = door.send(remove, &[("email", "Dora@example.org")]).await;
    assert_eq!(removed.header("location"), Some("/sign-in"));
    let after = door.page("/dashboard").await;
    assert_eq!(after.status, 303, "the session is over");
    let members = owner.page("/dashboard/members").await;
    assert!(!members.html(200).contains("dora@example.org"));
}

tests::on_both_engines!(
    people_remove_themselves_once_nothing_is_theirs_alone,
    each_member_chooses_about_which_registrations_they_are_mailed,
    the_account_has_a_name_and_a_time_zone,
    what_is_new_goes_to_no_other_account_than_its_form_was_opened_for,
    everything_that_the_account_holds_is_downloaded_as_an_archive,
    removing_shows_what_goes_and_what_stands_in_the_way,
);
