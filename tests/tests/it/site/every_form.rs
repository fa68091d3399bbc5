//! What holds for every page and every form of signed-in people, those of later versions included: whoever may not, whatever they send,
//! and from wherever they send it, changes nothing.

use std::sync::Arc;

use tests::{Browser, Reply, TestApp, core_at};

use super::{
    crawl::{Form, Found, crawl, forms},
    world::World,
};

const SESSION: &str = "__Host-muster";

/// Fewer forms mean that the search for them is broken.
const MIN_FORMS: usize = 40;

async fn found(world: &World) -> Found {
    let found = crawl(&world.owner).await;
    let actions: Vec<_> = found.forms.iter().map(|form| &*form.action).collect();
    assert!(actions.len() >= MIN_FORMS, "{actions:#?}");
    found
}

/// Whether a text has an identifier.
fn has_id(text: &str) -> bool {
    let parts = text.split(['/', '?', '=', '&', '.']);
    parts
        .into_iter()
        .any(|part| part.parse::<uuid::Uuid>().is_ok())
}

/// Whether an answer only leads back to the page of the form, since there was nothing to do: nobody was chosen, or looked for.
fn leads_back(reply: &Reply, form: &Form) -> bool {
    let location = reply.header("location").unwrap_or_default();
    reply.status == 303 && location.split('?').next() == Some(&*form.action)
}

/// Whether it ends the session of whoever sends it.
fn signs_out(form: &Form) -> bool {
    let ends = ["is_current", "action"]
        .iter()
        .any(|name| form.value(name).is_some());
    form.action == "/sign-out" || form.action == "/dashboard/sessions" && ends
}

async fn no_form_is_taken_from_another_place(app: Arc<TestApp>) {
    let world = World::new(&app, "ada", "Ada").await;
    let found = found(&world).await;
    let before = world.state().await;
    let cookie = format!("{SESSION}={}", world.owner.cookie(SESSION).unwrap());
    let places = [
        Some(("sec-fetch-site", "cross-site")),
        Some(("sec-fetch-site", "same-site")),
        Some(("origin", "https://muster.example:8443")),
        Some(("origin", "http://muster.example")),
        Some(("origin", "https://evil.example")),
        Some(("origin", "null")),
        None,
    ];
    for form in &found.forms {
        for place in places {
            let request = app.site.form(&form.action, &form.pairs());
            let mut request = request.without("sec-fetch-site").header("cookie", &cookie);
            if let Some((name, value)) = place {
                request = request.header(name, value);
            }
            let reply = request.send().await;
            assert_eq!(reply.status, 403, "{place:?} {form:?}: {reply:?}");
            assert!(!reply.headers.contains_key("set-cookie"), "{reply:?}");
        }
    }
    assert_eq!(world.state().await, before);
    world.owner.page("/dashboard").await.html(200);
}

async fn no_page_is_shown_in_a_frame_or_kept_and_opening_it_changes_nothing(app: Arc<TestApp>) {
    let world = World::new(&app, "ada", "Ada").await;
    let stranger = World::new(&app, "eve", "Eve").await;
    let before = world.state().await;
    let found = found(&world).await;
    assert!(found.pages.len() >= 30, "{}", found.pages.len());
    for (path, page) in &found.pages {
        let refused = stranger.owner.page(path).await;
        let signed_out = Browser::new(&app).page(path).await;
        for reply in [page, &refused, &signed_out] {
            let policy = reply.header("content-security-policy").unwrap();
            assert!(
                policy.contains("frame-ancestors 'none'"),
                "{path}: {reply:?}"
            );
            // Where a mail is shown, its looks are in attributes.
            let looks = "style-src-attr 'unsafe-inline'; ";
            let shows_mail = String::from_utf8_lossy(&reply.body).contains(" srcdoc=");
            let policy = policy.replace(if shows_mail { looks } else { "" }, "");
            assert!(!policy.contains("unsafe"), "{path}: {reply:?}");
            assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}");
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        }
        if page.status.is_success() {
            assert_eq!(signed_out.status, 303, "{path}: {signed_out:?}");
        }
    }
    assert_eq!(world.state().await, before);
}

/// What door staff may send: what is about themselves, and what happens at the door.
fn is_for_door(form: &Form) -> bool {
    let about_themselves = [
        "/sign-out",
        "/sign-in/again",
        "/dashboard/switch",
        "/dashboard/apps",
        "/dashboard/sessions",
        "/dashboard/welcome",
        "/dashboard/account/leave",
        "/dashboard/account/remove-me",
        "/dashboard/account/email",
        "/dashboard/account/email/code",
    ];
    let at_the_door = ["check_in", "undo"];
    let is_own_name = form.action == "/dashboard/account" && form.value("person_name").is_some();
    is_own_name
        || about_themselves.contains(&&*form.action)
        || form.action.ends_with("/check-in")
        || form
            .value("action")
            .is_some_and(|one| at_the_door.contains(&one))
}

async fn door_staff_send_no_form_of_an_owner(app: Arc<TestApp>) {
    let world = World::new(&app, "ada", "Ada").await;
    let found = found(&world).await;
    let before = world.state().await;
    let mut refused = 0;
    for form in found.forms.iter().filter(|form| !is_for_door(form)) {
        let reply = world.door.send(&form.action, &form.pairs()).await;
        if leads_back(&reply, form) {
            continue;
        }
        let html = reply.html(403);
        assert!(
            html.contains("Your role does not include this"),
            "{form:?}: {html}"
        );
        refused += 1;
    }
    assert!(refused >= 25, "{refused}");
    assert_eq!(world.state().await, before);
    world.door.page("/dashboard").await.html(200);
}

async fn nobody_reaches_what_belongs_to_another_account(app: Arc<TestApp>) {
    let ada = World::new(&app, "ada", "Ada Lovelace").await;
    let mallory = World::new(&app, "mallory", "Mallory").await;
    let found = found(&ada).await;
    let before = ada.state().await;
    let pages = found.pages.iter().filter(|(path, _)| has_id(path));
    let mut foreign = 0;
    for (path, page) in pages.filter(|(_, page)| page.status.is_success()) {
        assert!(page.body.len() > 100, "{path}");
        let reply = mallory.owner.page(path).await;
        assert_eq!(reply.status, 404, "{path}: {reply:?}");
        let text = String::from_utf8_lossy(&reply.body);
        assert!(!text.contains("Lovelace"), "{path}: {text}");
        foreign += 1;
    }
    // Whatever the form says about a person is then said of Mallory.
    let is_about_them = |form: &&Form| form.value("person_name").is_some();
    let sent = found.forms.iter().filter(|form| !signs_out(form));
    for form in sent.filter(|form| !is_about_them(form)) {
        let reply = mallory.owner.send(&form.action, &form.pairs()).await;
        assert!(!reply.status.is_server_error(), "{form:?}: {reply:?}");
        let text = String::from_utf8_lossy(&reply.body);
        if has_id(&form.action) && !leads_back(&reply, form) {
            assert_eq!(reply.status, 404, "{form:?}: {reply:?}");
            assert!(!text.contains("Lovelace"), "{form:?}: {text}");
            foreign += 1;
        }
    }
    assert!(foreign >= 40, "{foreign}");
    assert_eq!(ada.state().await, before);
    mallory.owner.page("/dashboard").await.html(200);
}

/// What a browser would never send of a form, by its fields.
fn odd(form: &Form, how: usize) -> Vec<(String, String)> {
    let mut fields = form.fields.clone();
    match how {
        0 => fields.clear(),
        1 => fields.extend(
            form.fields
                .iter()
                .map(|(name, _)| (name.clone(), "2".to_owned())),
        ),
        2 => {
            for name in [
                "",
                "id",
                "account_id",
                "[0]",
                "custom_fields[4294967296].label",
                "__proto__",
            ] {
                fields.push((name.to_owned(), "\u{0}'\"<x>".to_owned()));
            }
        }
        _ => {
            for (_, value) in &mut fields {
                *value = "\u{202e}\r\n\u{0}🎉 -1 2027-03-28T02:30".repeat(300);
            }
        }
    }
    fields
}

async fn no_form_fails_whatever_is_in_it(app: Arc<TestApp>) {
    let world = World::new(&app, "ada", "Ada").await;
    let found = found(&world).await;
    // What ends something comes last, since less can be tried afterwards.
    let ends = |form: &&Form| {
        let ends = [
            "/cancel",
            "/delete",
            "/remove",
            "/leave",
            "/switch",
            "/unpublish",
            "/decline",
        ];
        ends.iter().any(|end| form.action.ends_with(end))
    };
    let sent = found.forms.iter().filter(|form| !signs_out(form));
    let (last, first): (Vec<_>, Vec<_>) = sent.partition(ends);
    for form in first.into_iter().chain(last) {
        for how in 0..4 {
            let fields = odd(form, how);
            let pairs: Vec<_> = fields
                .iter()
                .map(|(name, value)| (&**name, &**value))
                .collect();
            let reply = world.owner.send(&form.action, &pairs).await;
            assert!(
                !reply.status.is_server_error() && reply.status != 401,
                "{how} {form:?}: {reply:?}"
            );
        }
    }
    world.owner.page("/dashboard").await.html(200);
}

async fn while_core_is_away_every_form_comes_back_as_it_was_filled(app: Arc<TestApp>) {
    let world = World::new(&app, "ada", "Ada").await;
    let found = found(&world).await;
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nowhere.local_addr().unwrap();
    drop(nowhere);
    let away = app.serve_site(&core_at(&format!("http://{address}"))).await;
    let away = world.owner.at(&away);
    let typed = (
        "description",
        "\nTwo talks. </textarea><b>\n\"Ünï\" &amp; \u{1f389}\n",
    );
    for form in found.forms.iter().filter(|form| form.action != "/sign-out") {
        let mut sent = form.clone();
        sent.fields.push((typed.0.to_owned(), typed.1.to_owned()));
        let reply = away.send(&sent.action, &sent.pairs()).await;
        let kept = forms(reply.html(503));
        sent.action = sent.action.split('?').next().unwrap().to_owned();
        assert_eq!(kept, [sent]);
    }
    // It is sent again from there, and taken.
    world.owner.page("/dashboard").await.html(200);
}

tests::on_both_engines!(
    no_form_is_taken_from_another_place,
    no_page_is_shown_in_a_frame_or_kept_and_opening_it_changes_nothing,
    door_staff_send_no_form_of_an_owner,
    nobody_reaches_what_belongs_to_another_account,
    no_form_fails_whatever_is_in_it,
    while_core_is_away_every_form_comes_back_as_it_was_filled,
);
