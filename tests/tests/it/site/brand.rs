//! A site with a name, a logo and a colour of its operator's.

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::{Value, json};
use server::brand::Brand;
use tests::{Browser, Http, Reply, Surface, TestApp};
use website::{Logo, Look};

use super::attributes;

const NAME: &str = "Ruhr Events";

/// Whoever opens the file alone would run it.
const LOGO: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\" onload=\"alert(1)\"><script>alert(1)</script></svg>";

fn look() -> Look {
    Look {
        brand: Brand {
            name: NAME.parse().unwrap(),
            accent: "#0b6e4f".parse().unwrap(),
        },
        logo: Some(Logo::read(LOGO.as_bytes().to_vec()).unwrap()),
        hides_software: false,
    }
}

async fn text(site: &Http, path: &str) -> String {
    let reply = site.page(path).send().await;
    assert_eq!(reply.status, 200, "{path}");
    String::from_utf8(reply.body.to_vec()).unwrap()
}

async fn every_page_has_the_name_that_the_operator_chose(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let usual = Browser::signed_in(&app, &account.email).await;
    let site = app.serve_another_site(look()).await;
    let branded = usual.at(&site);
    let path = |page: &str| format!("/events/{}{page}", event.slug);
    let pages = [
        "/".to_owned(),
        "/events".to_owned(),
        path(""),
        path("/register"),
        "/events/nothing".to_owned(),
        "/use-cases".to_owned(),
        "/use-cases/community-meetups".to_owned(),
        "/guides".to_owned(),
        "/guides/approve-registrations".to_owned(),
        "/sign-in/link/x".to_owned(),
        "/registrations/nothing".to_owned(),
        "/dashboard".to_owned(),
        "/dashboard/account".to_owned(),
        "/dashboard/welcome".to_owned(),
        format!("/dashboard/events/{}", event.id),
    ];
    for page in pages {
        let html = |reply: Reply| String::from_utf8(reply.body.to_vec()).unwrap();
        let (own, usual) = (
            html(branded.page(&page).await),
            html(usual.page(&page).await),
        );
        assert!(own.contains(&format!("· {NAME}</title>")), "{page}: {own}");
        assert!(usual.contains("· Muster</title>"), "{page}: {usual}");
        assert!(!usual.contains("runs on Muster"), "{page}: {usual}");
        assert_eq!(
            own.matches("This site runs on Muster.").count(),
            1,
            "{page}"
        );
        let own = own.replace("This site runs on Muster.", "");
        assert!(!own.contains("Muster"), "{page}: {own}");
    }
}

async fn what_programs_read_has_the_name(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let site = app.serve_another_site(look()).await;
    assert!(
        text(&site, "/events.atom")
            .await
            .contains("<title>Events · Ruhr Events</title>")
    );
    let calendar = text(&site, "/events.ics").await;
    assert!(
        calendar.contains("NAME:Events · Ruhr Events\r\n"),
        "{calendar}"
    );
    // The program that wrote the file is no matter of the operator.
    assert!(calendar.contains("PRODID:-//Muster//"), "{calendar}");
    assert!(
        text(&site, "/llms.txt")
            .await
            .starts_with("# Ruhr Events\n\n> Ruhr Events holds")
    );
    let url = format!("https%3A%2F%2Fmuster.example%2Fevents%2F{}", event.slug);
    let oembed = text(&site, &format!("/oembed?url={url}")).await;
    let oembed: Value = serde_json::from_str(&oembed).unwrap();
    assert_eq!(oembed["provider_name"], NAME);
    let embed = text(&site, &format!("/events/{}/embed", event.slug)).await;
    assert!(
        embed.contains("<p class=\"from\">Ruhr Events</p>"),
        "{embed}"
    );
    let home = text(&site, "/").await;
    let manifest = attributes(&home, "href")
        .into_iter()
        .find(|path| path.contains("manifest"));
    let manifest: Value = serde_json::from_str(&text(&site, manifest.unwrap()).await).unwrap();
    assert_eq!(
        (&manifest["name"], &manifest["short_name"]),
        (&json!(NAME), &json!(NAME))
    );
    assert_eq!(manifest["theme_color"], "#0b6e4f");
    assert!(home.contains("property=\"og:site_name\" content=\"Ruhr Events\""));
    let picture = "content=\"https://muster.example/preview.png\"";
    assert!(home.contains(picture), "{home}");
    let usual = app.site.page("/preview.png").send().await;
    let own = site.page("/preview.png").send().await;
    assert_eq!(own.header("content-type"), Some("image/png"));
    assert!(own.body.starts_with(b"\x89PNG") && own.body != usual.body);
}

async fn the_logo_is_in_the_head_and_runs_no_script(app: Arc<TestApp>) {
    let site = app.serve_another_site(look()).await;
    let home = text(&site, "/").await;
    let logo = attributes(&home, "src")
        .into_iter()
        .find(|path| path.contains("logo"));
    let logo = logo.unwrap();
    assert!(
        logo.starts_with("/assets/logo.") && logo.split('.').next_back() == Some("svg"),
        "{logo}"
    );
    assert_eq!(
        attributes(&home, "href")
            .iter()
            .filter(|path| **path == logo)
            .count(),
        1
    );
    for path in [logo, "/favicon.ico", "/apple-touch-icon.png"] {
        let file = site.page(path).send().await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("content-type"), Some("image/svg+xml"));
        assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
        let policy = file.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'") && policy.ends_with("sandbox"),
            "{policy}"
        );
        assert!(!policy.contains("script-src"), "{policy}");
    }
    let caching = site.page(logo).send().await;
    assert!(
        caching
            .header("cache-control")
            .unwrap()
            .contains("immutable")
    );
}

async fn without_a_logo_a_letter_stands_for_the_site(app: Arc<TestApp>) {
    let look = Look {
        logo: None,
        hides_software: true,
        ..look()
    };
    let site = app.serve_another_site(look).await;
    let home = text(&site, "/").await;
    assert!(!home.contains("Muster"), "{home}");
    let icon = attributes(&home, "href")
        .into_iter()
        .find(|path| path.contains("favicon"));
    let icon = text(&site, icon.unwrap()).await;
    assert!(
        icon.contains(">R</text>") && icon.contains("#0b6e4f"),
        "{icon}"
    );
}

async fn links_and_buttons_have_the_colour_in_light_and_in_dark(app: Arc<TestApp>) {
    let look = look();
    let accent = look.brand.accent.clone();
    let site = app.serve_another_site(look).await;
    for (site, light, dark) in [
        (&site, &*accent.light, &*accent.dark),
        (&app.site, "#2447b5", "#9db8ff"),
    ] {
        let home = text(site, "/").await;
        let sheet = attributes(&home, "href")
            .into_iter()
            .find(|path| path.contains("/style."));
        let sheet = text(site, sheet.unwrap()).await;
        let rule = format!("--accent: light-dark({light}, {dark});");
        assert!(sheet.contains(&rule), "{rule}");
    }
}

tests::on_both_engines!(
    every_page_has_the_name_that_the_operator_chose,
    what_programs_read_has_the_name,
    the_logo_is_in_the_head_and_runs_no_script,
    without_a_logo_a_letter_stands_for_the_site,
    links_and_buttons_have_the_colour_in_light_and_in_dark,
);
