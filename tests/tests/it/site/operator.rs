//! What the operator of a site decides: the foot of pages, plans, who may sign up. And links with which they let people in.

use std::sync::Arc;

use core_service::service::{InstanceInfo, Policy, SignUp};
use domain::plan::Plan;
use http::Method;
use serde_json::json;
use tests::{Browser, Reply, Surface, TestApp};

use super::attributes;

const LEGAL: &str = "https://operator.example/legal";
const PRIVACY: &str = "https://operator.example/privacy";
const PLANS: &str = "https://operator.example/plans";
const ABUSE: &str = "mailto:abuse@operator.example";

fn with_links() -> Policy {
    Policy {
        info: InstanceInfo {
            mail_folder: None,
            upgrade_url: Some(PLANS.to_owned()),
            legal_url: Some(LEGAL.to_owned()),
            privacy_url: Some(PRIVACY.to_owned()),
            abuse_email: Some("abuse@operator.example".to_owned()),
            security_contact: Some("mailto:security@operator.example".to_owned()),
        },
        ..Policy::default()
    }
}

async fn every_page_has_the_links_that_the_operator_set(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let plain = Browser::signed_in(&app, &account.email).await;
    let site = app.serve_another_core(with_links()).await;
    let linked = plain.at(&site);
    let path = |page: &str| format!("/events/{}{page}", event.slug);
    for page in [
        "/".to_owned(),
        "/events".to_owned(),
        path(""),
        path("/register"),
        "/events/nothing".to_owned(),
        "/use-cases".to_owned(),
        "/sign-in/link/x".to_owned(),
        "/registrations/nothing".to_owned(),
        "/dashboard".to_owned(),
        "/dashboard/account".to_owned(),
        format!("/dashboard/events/{}", event.id),
    ] {
        let (with, without) = (linked.page(&page).await, plain.page(&page).await);
        let links = |reply: &Reply| -> Vec<String> {
            let html = std::str::from_utf8(&reply.body).unwrap();
            let links = attributes(html, "href").into_iter();
            let operators = links.filter(|link| link.contains("operator.example"));
            operators.map(str::to_owned).collect()
        };
        let with = links(&with);
        for link in [LEGAL, PRIVACY, ABUSE] {
            assert!(
                with.iter().any(|one| one == link),
                "{link} on {page}: {with:?}"
            );
        }
        assert_eq!(links(&without), [""; 0], "{page}");
        if page == "/dashboard" || page == "/dashboard/account" {
            assert!(with.iter().any(|one| one == PLANS), "{page}: {with:?}");
        }
    }
}

async fn security_txt_names_the_contact_that_the_operator_set(app: Arc<TestApp>) {
    const PATH: &str = "/.well-known/security.txt";
    let site = app.serve_another_core(with_links()).await;
    let reply = site.page(PATH).send().await;
    let text = std::str::from_utf8(&reply.body).unwrap();
    assert_eq!(reply.status, 200, "{text}");
    let media_type = reply.header("content-type");
    assert_eq!(media_type, Some("text/plain; charset=utf-8"));
    let field = |name: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    assert_eq!(field("Contact"), Some("mailto:security@operator.example"));
    assert_eq!(
        field("Canonical"),
        Some(&*format!("{}{PATH}", TestApp::PUBLIC_URL))
    );
    // RFC 9116 wants it, within a year.
    let expires = field("Expires").unwrap();
    assert!(expires.ends_with("T00:00:00Z"), "{expires}");
    assert_eq!(app.site.page(PATH).send().await.status, 404);
}

async fn where_sign_up_is_closed_the_page_says_so(app: Arc<TestApp>) {
    let closed = Policy {
        sign_up: SignUp {
            is_open: false,
            plan: Plan::Free,
        },
        ..Policy::default()
    };
    let site = app.serve_another_core(closed).await;
    let page = site.page("/sign-in").send().await;
    let html = page.html(200);
    assert!(
        html.contains("New accounts are made by the operator"),
        "{html}"
    );
    assert!(!html.contains("sign up"), "{html}");
    let open = app.site.page("/sign-in").send().await;
    assert!(open.html(200).contains("Sign in or sign up"));
}

/// A page as it is for everyone: without what each request and each address have of their own.
fn same(reply: &Reply, address: &str) -> String {
    let text = String::from_utf8_lossy(&reply.body).replace(address, "ADDRESS");
    let mut headers: Vec<_> = reply
        .headers
        .iter()
        .filter(|(name, _)| !["date", "x-request-id", "set-cookie"].contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {value:?}"))
        .collect();
    headers.sort();
    // Which cookies are set is told to anyone, their values to nobody.
    let cookies = reply.headers.get_all("set-cookie").iter();
    let cookies: Vec<_> = cookies
        .map(|cookie| {
            cookie
                .to_str()
                .unwrap()
                .split('=')
                .next()
                .unwrap()
                .to_owned()
        })
        .collect();
    format!("{} {headers:?} {cookies:?} {text}", reply.status)
}

async fn signing_in_does_not_tell_whose_address_is_known(app: Arc<TestApp>) {
    let known = app.account(Plan::Pro).await.email;
    let unknown = "owner-nobody00@example.org".to_owned();
    assert_eq!(known.len(), unknown.len());
    let mut told = Vec::new();
    for address in [known, unknown] {
        let browser = Browser::new(&app);
        let mut said = Vec::new();
        let sent = browser.send("/sign-in", &[("email", &address)]).await;
        said.push(same(&sent, &address));
        said.push(same(&browser.follow(&sent).await, &address));
        for code in ["00000000", "1", ""] {
            let wrong = browser.send("/sign-in/code", &[("code", code)]).await;
            said.push(same(&wrong, &address));
        }
        told.push(said);
    }
    assert_eq!(told[0], told[1]);
}

async fn a_link_of_an_operator_signs_in_by_its_button_alone_and_once(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let sign_in = &app.core.use_cases().sign_in;
    let link = sign_in.new_link(&account.email).await.unwrap();
    let path = format!("/sign-in/link/{}", link.expose());
    // Scanners of mails open links, and other sites send forms.
    for _ in 0..3 {
        let page = app.site.page(&path).send().await;
        assert_eq!(attributes(page.html(200), "action"), [&*path]);
        assert_eq!(page.header("set-cookie"), None);
        app.site.request(Method::HEAD, &path).send().await;
    }
    let form = app.site.form(&path, &[]).without("sec-fetch-site");
    let foreign = form.header("sec-fetch-site", "cross-site").send().await;
    assert_eq!(foreign.status, 403);
    let browser = Browser::new(&app);
    assert_eq!(browser.send(&path, &[]).await.status, 303);
    browser.page("/dashboard").await.html(200);
    for browser in [browser, Browser::new(&app)] {
        let used = browser.send(&path, &[]).await;
        assert!(used.html(404).contains("This link is used up"));
        assert_eq!(used.header("set-cookie"), None);
    }
}

tests::on_both_engines!(
    every_page_has_the_links_that_the_operator_set,
    security_txt_names_the_contact_that_the_operator_set,
    where_sign_up_is_closed_the_page_says_so,
    signing_in_does_not_tell_whose_address_is_known,
    a_link_of_an_operator_signs_in_by_its_button_alone_and_once,
);
