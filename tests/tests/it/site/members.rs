//! The dashboard's pages of members, keys and accounts: who may do what, and who sees whose things.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{
    GetAccount, GetMyEvent, ListMyEvents, ListRegistrations, RegisterAttendee,
};
use serde_json::json;
use tests::{Account, Browser, Surface, TestApp};

/// Invites an address into an account with a role, and answers the browser of who took the invitation.
pub(super) async fn member(
    app: &Arc<TestApp>,
    owner: &Browser,
    email: &str,
    role: &str,
) -> Browser {
    joined(app, owner, &[("email", email), ("role", role)]).await
}

/// The same with these fields of the form, of which the first is the address.
pub(super) async fn joined(
    app: &Arc<TestApp>,
    owner: &Browser,
    fields: &[(&str, &str)],
) -> Browser {
    let email = fields[0].1;
    let sent = owner.send("/dashboard/members", fields).await;
    assert_eq!(sent.status, 303, "{sent:?}");
    app.drain_jobs().await;
    let mails = app.mails();
    let link = mails.iter().find_map(|mail| {
        let (_, rest) = mail
            .text
            .split_once("https://muster.example/invitations/")?;
        let id = rest.split_whitespace().next()?;
        (mail.to == email).then(|| format!("/invitations/{id}"))
    });
    let link = link.unwrap();
    let browser = Browser::signed_in(app, email).await;
    browser.page(&link).await.html(200);
    let taken = browser.send(&link, &[("action", "accept")]).await;
    assert!(browser.follow(&taken).await.status.is_success());
    browser
}

pub(super) async fn account(app: &Arc<TestApp>) -> (Account, Browser) {
    let account = app.account(Plan::Pro).await;
    let browser = Browser::signed_in(app, &account.email).await;
    (account, browser)
}

#[expect(
    clippy::too_many_lines,
    reason = "one account, and every page for each of its roles"
)]
async fn three_roles_see_what_they_may_do(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let owner_of_event = app.over(Surface::Http).as_owner(&account);
    let event = owner_of_event
        .publish_new(json!({"requires_approval": true}))
        .await;
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    let list = owner_of_event.ok::<ListRegistrations>(json!({"id": event.id}));
    let guest = list.await["items"][0]["id"].as_str().unwrap().to_owned();
    let organizer = member(&app, &owner, "olga@example.org", "organizer").await;
    let door = member(&app, &owner, "dora@example.org", "door").await;
    let path = |page: &str| format!("/dashboard/events/{}{page}", event.id);
    for (browser, page, status) in [
        (&organizer, path("/edit"), 200),
        (&organizer, path("/registrations"), 200),
        (&organizer, "/dashboard/members".to_owned(), 200),
        (&door, path("/registrations"), 200),
        (&door, path("/check-in"), 200),
    ] {
        let reply = browser.page(&page).await;
        assert_eq!(reply.status, status, "{page}: {reply:?}");
    }
    for (browser, page, form) in [
        (
            &organizer,
            "/dashboard/members".to_owned(),
            ("email", "x@example.org"),
        ),
        (
            &organizer,
            "/dashboard/account/remove".to_owned(),
            ("name", "x"),
        ),
        (&door, path("/edit"), ("title", "Mine now")),
        (&door, path("/cancel"), ("action", "cancel")),
        (&door, path("/publish"), ("action", "publish")),
        (&door, path("/unpublish"), ("action", "unpublish")),
        (&door, path("/clone"), ("key", "x")),
        (&door, path("/delete"), ("action", "delete")),
        (&door, path("/registrations"), ("registration_ids", &guest)),
        (
            &door,
            path("/registrations/decline"),
            ("registration_ids", &guest),
        ),
        (&door, path("/registrations/new"), ("name", "Mine")),
        (
            &door,
            path("/registrations/import"),
            ("list", "Name,Email\nMine,mine@example.org"),
        ),
        (
            &door,
            path(&format!("/registrations/{guest}")),
            ("action", "cancel"),
        ),
        (
            &door,
            path(&format!("/registrations/{guest}")),
            ("name", "Mine"),
        ),
        (
            &door,
            "/dashboard/members".to_owned(),
            ("email", "x@example.org"),
        ),
        (&door, "/dashboard/events/new".to_owned(), ("title", "Mine")),
        (&door, "/dashboard/keys/new".to_owned(), ("name", "mine")),
    ] {
        let reply = browser.send(&page, &[form, ("role", "owner")]).await;
        let html = reply.html(403);
        assert!(
            html.contains("Your role does not include this"),
            "{page}: {html}"
        );
    }
    for page in [
        path("/edit"),
        path("/clone"),
        path("/publish"),
        path("/cancel"),
        path("/delete"),
        path("/registrations/new"),
        path("/registrations/import"),
        path("/activity"),
        "/dashboard/events/new".to_owned(),
        "/dashboard/keys".to_owned(),
        "/dashboard/keys/new".to_owned(),
        "/dashboard/members".to_owned(),
        "/dashboard/activity".to_owned(),
    ] {
        assert_eq!(door.page(&page).await.status, 403, "{page}");
    }
    let read = |id: String| owner_of_event.ok::<GetMyEvent>(json!({"id": id}));
    let event = read(event.id.clone()).await;
    assert_eq!(
        (&event["is_cancelled"], &event["registrations_active"]),
        (&json!(false), &json!(1))
    );
    let html = door.page("/dashboard").await;
    assert!(!html.html(200).contains("/dashboard/keys\""));
}

async fn a_key_is_shown_once_works_and_stops_when_it_is_revoked(app: Arc<TestApp>) {
    let (_account, owner) = account(&app).await;
    let form = [
        ("name", "laptop <1>"),
        ("scopes", "account:read"),
        ("expires", "90d"),
    ];
    let made = owner.send("/dashboard/keys/new", &form).await;
    let html = made.html(200);
    let (_, rest) = html.split_once("id=\"secret\" value=\"").unwrap();
    let key = rest.split('"').next().unwrap().to_owned();
    assert_eq!(key.len(), "mus_live_".len() + 36);
    let program = app.over(Surface::Http).with_key(&key);
    program.ok::<GetAccount>(json!({})).await;
    program.refused::<ListMyEvents>(json!({})).await;

    let list = owner.page("/dashboard/keys").await;
    let html = list.html(200);
    assert!(
        html.contains("laptop &#60;1&#62;") && !html.contains(&key),
        "{html}"
    );
    let shown = html
        .split("href=\"")
        .find(|rest| rest.contains("laptop &#60;"));
    let page = shown.unwrap().split('"').next().unwrap();
    let rotated = owner
        .send(page, &[("action", "rotate"), ("overlap_hours", "24")])
        .await;
    assert!(rotated.html(200).contains("The old key works until"));
    let revoked = owner.send(page, &[("action", "revoke")]).await;
    assert_eq!(
        revoked.header("location"),
        Some("/dashboard/keys"),
        "{revoked:?}"
    );
    app.advance(std::time::Duration::from_secs(6));
    program.refused::<GetAccount>(json!({})).await;

    let wrong = owner
        .send("/dashboard/keys/new", &[("name", "x"), ("expires", "90d")])
        .await;
    assert!(wrong.html(400).contains("id=\"scopes-wrong\""));
}

async fn harmful_acts_need_a_new_code_after_a_while(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    app.advance(std::time::Duration::from_mins(16));
    let page = owner.page("/dashboard/keys/new").await;
    let again = "/sign-in/again?next=%2Fdashboard%2Fkeys%2Fnew";
    assert_eq!(page.header("location"), Some(again));
    let typed = [
        ("name", "laptop"),
        ("scopes", "account:read"),
        ("expires", ""),
    ];
    let kept = owner.send("/dashboard/keys/new", &typed).await;
    let html = kept.html(403);
    assert!(
        html.contains("Please confirm that it is you") && html.contains("laptop"),
        "{html}"
    );
    owner.prove(&account.email).await;
    owner.send("/dashboard/keys/new", &typed).await.html(200);
}

async fn an_invitation_is_for_its_address_only(app: Arc<TestApp>) {
    let (_account, owner) = account(&app).await;
    let sent = [("email", "grace@example.org"), ("role", "owner")];
    owner.send("/dashboard/members", &sent).await;
    app.drain_jobs().await;
    let mails = app.mails();
    let mail = mails
        .iter()
        .find(|mail| mail.to == "grace@example.org")
        .unwrap();
    let (_, rest) = mail
        .text
        .split_once("https://muster.example/invitations/")
        .unwrap();
    let link = format!("/invitations/{}", rest.split_whitespace().next().unwrap());
    let stranger = Browser::signed_in(&app, "eve@example.org").await;
    stranger.page(&link).await.html(404);
    stranger
        .send(&link, &[("action", "accept")])
        .await
        .html(404);
    let anyone = Browser::new(&app).page(&link).await;
    assert!(
        anyone
            .header("location")
            .unwrap()
            .starts_with("/sign-in?next=%2Finvitations")
    );

    let html = owner.page("/dashboard/members").await;
    let (_, rest) = html.html(200).split_once("name=\"id\" value=\"").unwrap();
    let id = rest.split('"').next().unwrap().to_owned();
    owner
        .send("/dashboard/members/withdraw", &[("id", &id)])
        .await;
    let grace = Browser::signed_in(&app, "grace@example.org").await;
    grace.page(&link).await.html(404);
}

async fn a_person_with_two_accounts_switches_between_them(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let event = app
        .over(Surface::Http)
        .as_owner(&account)
        .publish_new(json!({}))
        .await;
    let other = app.account(Plan::Pro).await;
    let person = Browser::signed_in(&app, &other.email).await;
    let sent = [("email", &*other.email), ("role", "organizer")];
    owner.send("/dashboard/members", &sent).await;
    let page = person.page("/dashboard").await;
    let (_, rest) = page.html(200).split_once("href=\"/invitations/").unwrap();
    let link = format!("/invitations/{}", rest.split('"').next().unwrap());
    person.send(&link, &[("action", "accept")]).await;
    let path = format!("/dashboard/events/{}", event.id);
    person.page(&path).await.html(200);
    let own = [("account_id", &*other.id.to_string()), ("next", &*path)];
    let switched = person.send("/dashboard/switch", &own).await;
    let elsewhere = person.follow(&switched).await;
    let html = elsewhere.html(404);
    assert!(
        html.contains("It may be in another of your accounts"),
        "{html}"
    );
    let back = [("account_id", &*account.id.to_string()), ("next", &*path)];
    let switched = person.send("/dashboard/switch", &back).await;
    person.follow(&switched).await.html(200);
    let foreign = app.account(Plan::Pro).await;
    let foreign = [("account_id", &*foreign.id.to_string())];
    person.send("/dashboard/switch", &foreign).await.html(404);
}

async fn the_keys_of_a_removed_member_stop_and_an_owner_may_have_new_ones(app: Arc<TestApp>) {
    let (_account, owner) = account(&app).await;
    for (email, ticked) in [("otto@example.org", false), ("oda@example.org", true)] {
        let member = member(&app, &owner, email, "organizer").await;
        let form = [
            ("name", "laptop"),
            ("scopes", "account:read"),
            ("expires", ""),
        ];
        let made = member.send("/dashboard/keys/new", &form).await;
        let (_, rest) = made.html(200).split_once("id=\"secret\" value=\"").unwrap();
        let key = rest.split('"').next().unwrap().to_owned();
        let program = app.over(Surface::Http).with_key(&key);
        program.ok::<GetAccount>(json!({})).await;
        let members = owner.page("/dashboard/members").await;
        let name = email.split('@').next().unwrap();
        let row = members.html(200).split("href=\"/dashboard/members/");
        let row = row
            .into_iter()
            .find(|rest| rest.contains(&format!(">{name}<")));
        let page = format!(
            "/dashboard/members/{}",
            row.unwrap().split('"').next().unwrap()
        );
        let html = owner.page(&page).await;
        assert!(html.html(200).contains("name=\"keep_keys\""), "{html:?}");
        let mut sent = vec![("action", "remove")];
        sent.extend(ticked.then_some(("keep_keys", "true")));
        let removed = owner.send(&page, &sent).await;
        if ticked {
            let (_, rest) = removed.html(200).split_once("value=\"mus_live_").unwrap();
            let new = format!("mus_live_{}", rest.split('"').next().unwrap());
            let program = app.over(Surface::Http).with_key(&new);
            program.ok::<GetAccount>(json!({})).await;
        } else {
            assert_eq!(removed.status, 303, "{removed:?}");
        }
        app.advance(std::time::Duration::from_secs(6));
        program.refused::<GetAccount>(json!({})).await;
    }
}

async fn the_last_owner_cannot_leave_and_removing_needs_the_name(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let id = account.id.to_string();
    let left = owner
        .send("/dashboard/account/leave", &[("account_id", &id)])
        .await;
    assert!(left.html(409).contains("id=\"trouble\""));
    let wrong = [("account_id", &*id), ("name", "something else")];
    let refused = owner.send("/dashboard/account/remove", &wrong).await;
    assert!(refused.html(400).contains("id=\"name-wrong\""));
    let right = [("account_id", &*id), ("name", "Olga Owner")];
    let removed = owner.send("/dashboard/account/remove", &right).await;
    assert_eq!(
        removed.header("location"),
        Some("/dashboard"),
        "{removed:?}"
    );
    let start = owner.page("/dashboard").await;
    assert_eq!(start.header("location"), Some("/dashboard/start"));
}

/// The names of the ticked boxes and radio buttons with this value are in the page of a form.
fn is_chosen(html: &str, value: &str) -> bool {
    html.contains(&format!("value=\"{value}\" checked"))
}

async fn someone_is_invited_to_one_event_from_its_page_and_moved_to_another(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let organizer = app.over(Surface::Http).as_owner(&account);
    let theirs = organizer.publish_new(json!({"title": "Rust Night"})).await;
    let other = organizer.publish_new(json!({"title": "Picnic"})).await;
    let path = |id: &str| format!("/dashboard/events/{id}");
    let html = owner.page(&path(&theirs.id)).await;
    let link = format!("/dashboard/members?event={}", theirs.id);
    assert!(html.html(200).contains(&link));
    let html = owner.page(&link).await;
    let html = html.html(200);
    assert!(is_chosen(html, "some") && is_chosen(html, "door"));
    assert!(is_chosen(html, &theirs.id) && !is_chosen(html, &other.id));

    // What core refuses is shown again as it was typed.
    let owner_of_some = [
        ("email", "dora@example.org"),
        ("event", &*theirs.id),
        ("role", "owner"),
        ("events", "some"),
        ("events.ids", &theirs.id),
    ];
    let again = owner.send("/dashboard/members", &owner_of_some).await;
    let html = again.html(400);
    assert!(
        html.contains("An owner is always there for all events."),
        "{html}"
    );
    assert!(is_chosen(html, &theirs.id) && is_chosen(html, "owner"));
    let none = [
        ("email", "dora@example.org"),
        ("role", "door"),
        ("events", "some"),
    ];
    let again = owner.send("/dashboard/members", &none).await;
    let html = again.html(400);
    assert!(html.contains("Choose at least one event"), "{html}");

    let mut fields = owner_of_some;
    fields[2].1 = "organizer";
    let dora = joined(&app, &owner, &fields).await;
    let list = owner.page("/dashboard/members").await;
    assert!(list.html(200).contains("only for <bdi>Rust Night</bdi>"));
    let home = dora.page("/dashboard").await;
    let home = home.html(200);
    assert!(home.contains("Rust Night") && !home.contains("Picnic"));
    assert!(!home.contains("/dashboard/events/new") && !home.contains("/dashboard/keys"));
    let own = dora.page(&path(&theirs.id)).await;
    let own = own.html(200);
    assert!(own.contains("/edit\"") && !own.contains("/clone\"") && !own.contains("/repeat\""));
    for (page, status) in [
        (path(&other.id), 404),
        (format!("{}/edit", path(&theirs.id)), 200),
        (format!("{}/registrations", path(&theirs.id)), 200),
        (format!("{}/registrations", path(&other.id)), 404),
        (format!("{}/clone", path(&theirs.id)), 403),
        (format!("{}/repeat", path(&theirs.id)), 403),
        ("/dashboard/events/new".to_owned(), 403),
        ("/dashboard/keys".to_owned(), 403),
        ("/dashboard/members".to_owned(), 403),
        ("/dashboard/activity".to_owned(), 403),
        ("/dashboard/account/mails".to_owned(), 200),
        ("/dashboard/account".to_owned(), 200),
    ] {
        assert_eq!(dora.page(&page).await.status, status, "{page}");
    }

    let html = list.html(200);
    let person = html.split("href=\"/dashboard/members/").find(|rest| {
        let end = rest.find("</a>").unwrap_or_default();
        rest[..end].contains("dora")
    });
    let person = person.unwrap().split('"').next().unwrap().to_owned();
    let member = format!("/dashboard/members/{person}");
    let html = owner.page(&member).await;
    assert!(is_chosen(html.html(200), &theirs.id));
    let moved = [
        ("action", "role"),
        ("role", "door"),
        ("events", "some"),
        ("events.ids", &*other.id),
    ];
    assert_eq!(owner.send(&member, &moved).await.status, 303);
    app.clock.advance_seconds(5);
    assert_eq!(dora.page(&path(&theirs.id)).await.status, 404);
    assert_eq!(dora.page(&path(&other.id)).await.status, 200);
    assert_eq!(
        dora.page(&format!("{}/edit", path(&other.id))).await.status,
        403
    );
}

async fn of_many_events_the_next_ones_are_offered_and_the_others_unfold(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let organizer = app.over(Surface::Http).as_owner(&account);
    let mut ids = Vec::new();
    for day in 1..=12 {
        let start = format!("2027-05-{day:02}T18:00:00Z");
        let event = organizer.publish_new(json!({"start_date": start}));
        ids.push(event.await.id);
    }
    let offers = |html: &str, id: &str| html.contains(&format!("value=\"{id}\""));
    let html = owner.page("/dashboard/members").await;
    let parts = html.html(200).split_once("<summary>Show 2 more</summary>");
    let (shown, folded) = parts.unwrap();
    assert!(ids[..10].iter().all(|id| offers(shown, id)), "{shown}");
    assert!(ids[10..].iter().all(|id| offers(folded, id)), "{folded}");
    assert!(!shown.contains("<details open>"));

    // The event that the form is about is offered first.
    let link = format!("/dashboard/members?event={}", ids[11]);
    let html = owner.page(&link).await;
    let (shown, _) = html.html(200).split_once("Show 2 more").unwrap();
    assert!(is_chosen(shown, &ids[11]));

    // What was ticked stays in sight when the form is refused.
    let mistyped = [
        ("email", "dora@"),
        ("role", "door"),
        ("events", "some"),
        ("events.ids", &*ids[11]),
    ];
    let again = owner.send("/dashboard/members", &mistyped).await;
    let (shown, folded) = again.html(400).split_once("Show 2 more").unwrap();
    assert!(shown.ends_with("<details open>\n<summary>"), "{shown}");
    assert!(is_chosen(folded, &ids[11]));
}

tests::on_both_engines!(
    of_many_events_the_next_ones_are_offered_and_the_others_unfold,
    someone_is_invited_to_one_event_from_its_page_and_moved_to_another,
    three_roles_see_what_they_may_do,
    a_key_is_shown_once_works_and_stops_when_it_is_revoked,
    harmful_acts_need_a_new_code_after_a_while,
    an_invitation_is_for_its_address_only,
    a_person_with_two_accounts_switches_between_them,
    the_keys_of_a_removed_member_stop_and_an_owner_may_have_new_ones,
    the_last_owner_cannot_leave_and_removing_needs_the_name,
);
