//! Signing in and signing up by the pages, and what a session is worth.

use std::sync::Arc;

use domain::plan::Plan;
use tests::{Browser, OAuthApp, TestApp, core_at};

use super::attributes;

const SESSION: &str = "__Host-muster";

async fn a_new_person_publishes_a_first_event_by_forms_alone(app: Arc<TestApp>) {
    let browser = Browser::new(&app);
    let new_event = "/dashboard/events/new";
    let home = browser.page("/").await;
    assert!(attributes(home.html(200), "href").contains(&new_event));
    let page = browser.page(new_event).await;
    let sign_in = "/sign-in?next=%2Fdashboard%2Fevents%2Fnew";
    assert_eq!(page.header("location"), Some(sign_in));
    let form = browser.follow(&page).await;
    assert_eq!(attributes(form.html(200), "action"), ["/sign-in"]);

    let asked = [("email", "ada@example.org"), ("next", new_event)];
    let sent = browser.send("/sign-in", &asked).await;
    let asked = browser.follow(&sent).await;
    assert!(asked.html(200).contains("ada@example.org"));
    let code = app.newest_code("ada@example.org").await;
    let entered = [("code", &*code), ("next", new_event)];
    let entered = browser.send("/sign-in/code", &entered).await;
    assert_eq!(entered.header("location"), Some("/dashboard/welcome"));
    assert!(
        browser
            .follow(&entered)
            .await
            .html(200)
            .contains("value=\"ada\"")
    );
    let named = [("person_name", "Ada"), ("account_name", "Rust Berlin")];
    let named = browser.send("/dashboard/welcome", &named).await;
    assert_eq!(named.header("location"), Some("/dashboard/events/new"));

    browser.follow(&named).await.html(200);
    let event = [
        ("title", "Rust Night"),
        ("description", "Two talks."),
        ("location", "c-base"),
        ("start_date", "2030-05-14T19:00"),
        ("timezone", "Europe/Berlin"),
        ("max_capacity", "80"),
        ("is_listed", "true"),
        ("action", "publish"),
    ];
    let created = browser.send("/dashboard/events/new", &event).await;
    let page = browser.follow(&created).await;
    let html = page.html(200);
    assert!(html.contains("Your event is published."), "{html}");
    let public = attributes(html, "href");
    let public = public
        .iter()
        .find(|path| path.starts_with("/events/rust-night"));
    let public = app.site.page(public.unwrap()).send().await;
    assert!(public.html(200).contains("14 May 2030"));
}

async fn only_own_pages_are_returned_to_after_signing_in(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    for (next, landed) in [
        ("/dashboard/keys", "/dashboard/keys"),
        ("https://evil.example/", "/dashboard"),
        ("//evil.example/dashboard", "/dashboard"),
        ("/\\evil.example", "/dashboard"),
        ("/sign-out", "/dashboard"),
    ] {
        let browser = Browser::new(&app);
        let asked = [("email", &*account.email), ("next", next)];
        browser.send("/sign-in", &asked).await;
        let code = app.newest_code(&account.email).await;
        let entered = [("code", &*code), ("next", next)];
        let entered = browser.send("/sign-in/code", &entered).await;
        assert_eq!(entered.header("location"), Some(landed), "{next}");
        app.advance(std::time::Duration::from_hours(1));
    }
}

async fn a_wrong_code_can_be_typed_again_and_another_browser_cannot_use_it(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let (browser, other) = (Browser::new(&app), Browser::new(&app));
    let mut code = String::new();
    for one in [&other, &browser] {
        one.send("/sign-in", &[("email", &account.email)]).await;
        code = app.newest_code(&account.email).await;
    }
    let wrong = browser.send("/sign-in/code", &[("code", "00000000")]).await;
    let html = wrong.html(400);
    assert!(html.contains("id=\"code-wrong\""), "{html}");
    assert_eq!(
        other.send("/sign-in/code", &[("code", &code)]).await.status,
        400
    );
    let right = browser.send("/sign-in/code", &[("code", &code)]).await;
    assert_eq!(right.status, 303, "{right:?}");
    let without = Browser::new(&app)
        .send("/sign-in/code", &[("code", &code)])
        .await;
    assert_eq!(without.header("location"), Some("/sign-in"));
}

async fn a_session_ends_with_signing_out_and_nobody_chooses_its_token(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let browser = Browser::new(&app);
    let chosen = format!("mus_ses_{}", "a".repeat(36));
    browser.set_cookie(SESSION, &chosen);
    browser.sign_in(&account.email).await;
    let token = browser.cookie(SESSION).unwrap();
    assert_ne!(token, chosen);
    browser.page("/dashboard").await.html(200);

    browser.prove(&account.email).await;
    let stepped_up = browser.cookie(SESSION).unwrap();
    assert_ne!(stepped_up, token);
    let old = Browser::new(&app);
    old.set_cookie(SESSION, &token);
    assert_eq!(old.page("/dashboard").await.status, 303);

    let out = browser.send("/sign-out", &[]).await;
    let page = browser.follow(&out).await;
    assert!(page.html(200).contains("You are signed out."));
    assert_eq!(browser.cookie(SESSION), None);
    old.set_cookie(SESSION, &stepped_up);
    assert_eq!(old.page("/dashboard").await.status, 303);
    assert_eq!(old.cookie(SESSION), None, "a useless session is forgotten");
}

async fn a_session_is_ended_from_another_browser(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let first = Browser::signed_in(&app, &account.email).await;
    let second = Browser::signed_in(&app, &account.email).await;
    let page = second.page("/dashboard/sessions").await;
    let html = page.html(200);
    assert!(html.contains("This browser"), "{html}");
    let rows: Vec<&str> = html.split("<li class=\"row\">").skip(1).collect();
    assert_eq!(rows.len(), 2, "{html}");
    let other = rows.iter().find(|row| !row.contains("This browser"));
    let (_, rest) = other.unwrap().split_once("name=\"id\" value=\"").unwrap();
    let id = rest.split('"').next().unwrap();
    second.send("/dashboard/sessions", &[("id", id)]).await;
    assert_eq!(first.page("/dashboard").await.status, 303);
    second.page("/dashboard").await.html(200);
    let everywhere = [("action", "everywhere")];
    let out = second.send("/dashboard/sessions", &everywhere).await;
    assert_eq!(out.header("location"), Some("/sign-in"));
    assert_eq!(second.page("/dashboard").await.status, 303);
}

async fn forms_of_other_sites_and_of_signed_out_people_change_nothing(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let session = browser.cookie(SESSION).unwrap();
    let cookie = format!("{SESSION}={session}");
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://muster.example:8443"),
        ("origin", "null"),
    ] {
        let form = app.site.form("/sign-out", &[]).without("sec-fetch-site");
        let form = form.header(name, value).header("cookie", &cookie);
        form.send().await.html(403);
    }
    browser.page("/dashboard").await.html(200);

    let stranger = Browser::new(&app);
    let typed = [("title", "Rust <Night>"), ("description", "a\nb")];
    let kept = stranger.send("/dashboard/events/new", &typed).await;
    let html = kept.html(401);
    assert!(html.contains("Nothing that you typed is lost"), "{html}");
    assert!(html.contains("Rust &#60;Night&#62;"), "{html}");
    assert_eq!(attributes(html, "action"), ["/dashboard/events/new"]);
}

async fn pages_of_signed_in_people_are_kept_by_nobody(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    for path in [
        "/dashboard",
        "/dashboard/events/new",
        "/dashboard/members",
        "/dashboard/keys",
        "/dashboard/apps",
        "/dashboard/activity",
        "/dashboard/sessions",
        "/dashboard/account",
        "/sign-in/again",
    ] {
        let page = browser.page(path).await;
        let html = page.html(200);
        for inline in ["<style", " style=", "javascript:", " onclick="] {
            assert!(!html.contains(inline), "{inline} in {path}");
        }
        assert_eq!(page.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(page.header("x-robots-tag"), Some("noindex"), "{path}");
        assert_eq!(
            page.header("referrer-policy"),
            Some("same-origin"),
            "{path}"
        );
        assert_eq!(page.header("etag"), None, "{path}");
        // No other site shows it in a frame, in which clicks could be stolen.
        let policy = page.header("content-security-policy").unwrap();
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
    }
    // A key is no session, wherever it is put.
    browser.set_cookie(SESSION, &account.key);
    assert_eq!(browser.page("/dashboard").await.status, 303);
    let bearer = app
        .site
        .page("/dashboard")
        .bearer(&account.key)
        .send()
        .await;
    assert_eq!(bearer.header("location"), Some("/sign-in"));
}

async fn while_core_is_away_nothing_typed_is_lost(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nowhere.local_addr().unwrap();
    drop(nowhere);
    let away = app.serve_site(&core_at(&format!("http://{address}"))).await;
    let away = browser.at(&away);
    let typed = [("title", "Rust Night"), ("custom_fields[0].label", "Diet?")];
    let kept = away.send("/dashboard/events/new", &typed).await;
    let html = kept.html(503);
    for part in ["This was not saved yet", "Rust Night", "Diet?"] {
        assert!(html.contains(part), "{part}: {html}");
    }
    away.page("/dashboard").await.html(503);
    // The session is not forgotten for it.
    browser.page("/dashboard").await.html(200);
}

/// A page of another site that opened this one sees by its handle whether their windows are apart.
async fn a_foreign_window_does_not_see_who_is_signed_in(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let someone = Browser::signed_in(&app, &account.email).await;
    let nobody = Browser::new(&app);
    let opener = |reply: &tests::Reply| {
        let policy = reply.header("cross-origin-opener-policy");
        policy.unwrap_or_default().to_owned()
    };
    for path in [
        "/sign-in",
        "/sign-in?next=%2Fdashboard%2Fkeys",
        "/dashboard",
        "/dashboard/keys",
    ] {
        for browser in [&someone, &nobody] {
            assert_eq!(opener(&browser.page(path).await), "same-origin", "{path}");
        }
    }
    // An app waits for its window to come back, whoever is signed in.
    let to_app = "next=%2Foauth%2Fauthorize%3Fclient_id%3Dx";
    for path in ["/sign-in", "/sign-in/code"] {
        for browser in [&someone, &nobody] {
            let page = browser.page(&format!("{path}?{to_app}")).await;
            assert_eq!(opener(&page), "unsafe-none", "{path}");
        }
    }
    let page = nobody.page(&format!("/sign-in?{to_app}")).await;
    let action = attributes(page.html(200), "action")[0].to_owned();
    let next = "/oauth/authorize?client_id=x";
    for email in [&*account.email, "nonsense"] {
        let sent = nobody
            .send(&action, &[("email", email), ("next", next)])
            .await;
        assert_eq!(opener(&sent), "unsafe-none", "{sent:?}");
    }
}

async fn the_page_says_what_someone_signs_in_for(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = Browser::signed_in(&app, &account.email).await;
    let invited = [("email", "olga@example.org"), ("role", "organizer")];
    owner.send("/dashboard/members", &invited).await;
    app.drain_jobs().await;
    let mails = app.mails();
    let mut found = mails
        .iter()
        .filter_map(|mail| mail.text.split_once("https://muster.example/invitations/"));
    let invitation = found.next().unwrap().1.split_whitespace().next().unwrap();
    let invitation = format!("/invitations/{invitation}");
    let client = OAuthApp::registered(&app, "Claude <Code>").await;
    let authorize = client.request(&[]);
    for (wanted, said) in [
        (&*invitation, "invites you to join <bdi>"),
        (
            &*authorize,
            "An app that calls itself <bdi>Claude &#60;Code&#62;</bdi> wants to connect",
        ),
        ("/dashboard/events/new", "Sign in to create an event."),
        (
            "/invitations/0190a5b4-0000-7000-8000-000000000000",
            "Sign in to see your invitation.",
        ),
    ] {
        let visitor = Browser::new(&app);
        let page = visitor.page(wanted).await;
        let page = visitor.follow(&page).await;
        assert!(page.html(200).contains(said), "{wanted}: {page:?}");
        assert!(!page.html(200).contains("olga@example.org"), "{wanted}");
        // It is still said after a mistake.
        let mistaken = [("email", "ada@"), ("next", wanted)];
        let mistaken = visitor.send("/sign-in", &mistaken).await;
        assert!(mistaken.html(400).contains(said), "{wanted}: {mistaken:?}");
    }
    let itself = Browser::new(&app).page("/sign-in").await;
    assert!(!itself.html(200).contains("id=\"purpose\""));
}

async fn what_a_page_says_once_is_sent_over_https_alone(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let browser = Browser::new(&app);
    browser.send("/sign-in", &[("email", &account.email)]).await;
    let code = app.newest_code(&account.email).await;
    let entered = browser.send("/sign-in/code", &[("code", &code)]).await;
    let cookies = entered.headers.get_all("set-cookie").iter();
    let mut cookies = cookies.map(|cookie| cookie.to_str().unwrap());
    let done = cookies.find(|cookie| cookie.starts_with("muster-done="));
    assert!(done.unwrap().ends_with("; Secure"), "{done:?}");
}

tests::on_both_engines!(
    a_foreign_window_does_not_see_who_is_signed_in,
    the_page_says_what_someone_signs_in_for,
    what_a_page_says_once_is_sent_over_https_alone,
    a_new_person_publishes_a_first_event_by_forms_alone,
    only_own_pages_are_returned_to_after_signing_in,
    a_wrong_code_can_be_typed_again_and_another_browser_cannot_use_it,
    a_session_ends_with_signing_out_and_nobody_chooses_its_token,
    a_session_is_ended_from_another_browser,
    forms_of_other_sites_and_of_signed_out_people_change_nothing,
    pages_of_signed_in_people_are_kept_by_nobody,
    while_core_is_away_nothing_typed_is_lost,
);
