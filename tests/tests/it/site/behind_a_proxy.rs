//! The site behind a proxy, as in `docker-compose.yml`: limits count each visitor, and nobody chooses whose limit it is.

use std::sync::Arc;

use domain::plan::Plan;
use http::StatusCode;
use serde_json::json;
use tests::{Http, Surface, TestApp};

/// How often one address may register people, or ask for codes to sign in, at once.
const ALLOWED: usize = 60;

/// How proxies forward a visitor at an address, who has sent a header of their own.
#[derive(Debug, Clone, Copy)]
enum Proxy {
    /// As Caddy does: what the visitor sent is thrown away.
    Replaces,
    /// As nginx does with `$proxy_add_x_forwarded_for`: the address is put behind what the visitor sent.
    Appends,
    /// As others do: the address is in a line of its own.
    AddsLine,
}

impl Proxy {
    fn lines(self, made_up: &str, visitor: &str) -> Vec<String> {
        match self {
            Self::Replaces => vec![visitor.to_owned()],
            Self::Appends => vec![format!("{made_up}, {visitor}")],
            Self::AddsLine => vec![made_up.to_owned(), visitor.to_owned()],
        }
    }
}

/// What strangers may send.
#[derive(Debug, Clone)]
enum Sent {
    Registration { slug: String },
    SignIn,
}

impl Sent {
    /// Sends it, with these lines of `X-Forwarded-For`, about someone new.
    async fn by(&self, site: &Http, forwarded: Vec<String>, number: usize) -> StatusCode {
        let email = format!("grace-{number}@example.org");
        let mut request = match self {
            Self::Registration { slug } => {
                let path = format!("/events/{slug}/register");
                site.form(&path, &[("name", "Grace"), ("email", &email)])
            }
            Self::SignIn => site.form("/sign-in", &[("email", &email)]),
        };
        for line in forwarded {
            request = request.header("x-forwarded-for", line);
        }
        request.send().await.status
    }
}

async fn forms(app: &Arc<TestApp>) -> [Sent; 2] {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let slug = owner.publish_new(json!({"max_capacity": 1_000})).await.slug;
    [Sent::Registration { slug }, Sent::SignIn]
}

async fn each_visitor_behind_a_proxy_has_a_limit_of_their_own(app: Arc<TestApp>) {
    let site = app.serve_site_behind("127.0.0.1").await;
    let (mut people, mut visitors) = (0, 0);
    let every = [Proxy::Replaces, Proxy::Appends, Proxy::AddsLine];
    for (form, proxies) in forms(&app).await.into_iter().zip([&every[..], &every[..1]]) {
        for proxy in proxies {
            visitors += 2;
            let (one, another) = (
                format!("192.0.2.{visitors}"),
                format!("2001:db8:{visitors}::1"),
            );
            let mut send = async |visitor: &str| {
                people += 1;
                // Each time they say that they are someone else.
                let made_up = format!("198.51.100.{}", people % 250);
                form.by(&site, proxy.lines(&made_up, visitor), people).await
            };
            for _ in 0..ALLOWED {
                assert_eq!(send(&one).await, 303, "{form:?} {proxy:?}");
            }
            assert_eq!(send(&one).await, 429, "{form:?} {proxy:?}");
            assert_eq!(send(&another).await, 303, "{form:?} {proxy:?}");
        }
    }
}

async fn who_comes_past_the_proxy_cannot_say_who_they_are(app: Arc<TestApp>) {
    for form in forms(&app).await {
        // The proxy is elsewhere.
        let site = app.serve_site_behind("10.0.0.0/8").await;
        app.clock.advance_seconds(60);
        for number in 0..ALLOWED {
            let made_up = vec![format!("192.0.2.{number}")];
            let status = form.by(&site, made_up, number).await;
            assert_eq!(status, 303, "{form:?} {number}");
        }
        let refused = form.by(&site, vec!["192.0.2.100".to_owned()], 100).await;
        assert_eq!(refused, 429, "{form:?}");
    }
}

tests::on_both_engines!(
    each_visitor_behind_a_proxy_has_a_limit_of_their_own,
    who_comes_past_the_proxy_cannot_say_who_they_are,
);
