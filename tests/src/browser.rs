//! A browser: it keeps cookies as their paths say, follows redirects, and sends forms from pages of the site.

use std::sync::{Arc, Mutex};

use domain::plan::Plan;

use crate::{Account, Http, Reply, TestApp};

/// A browser at the site of a system.
#[derive(Clone)]
pub struct Browser {
    app: Arc<TestApp>,
    site: Http,
    cookies: Arc<Mutex<Vec<Cookie>>>,
}

#[derive(Debug, Clone)]
struct Cookie {
    name: String,
    value: String,
    path: String,
}

impl Browser {
    /// A new browser, in which nobody is signed in.
    pub fn new(app: &Arc<TestApp>) -> Self {
        Self {
            app: Arc::clone(app),
            site: app.site.clone(),
            cookies: Arc::default(),
        }
    }

    /// A new browser in which this person is signed in.
    pub async fn signed_in(app: &Arc<TestApp>, email: &str) -> Self {
        let browser = Self::new(app);
        browser.sign_in(email).await;
        browser
    }

    /// The same browser at another address of the site.
    #[must_use]
    pub fn at(&self, site: &Http) -> Self {
        let site = site.clone();
        Self {
            site,
            ..self.clone()
        }
    }

    /// Signs a person in, with the code from the mail.
    pub async fn sign_in(&self, email: &str) {
        let reply = self.send("/sign-in", &[("email", email)]).await;
        assert_eq!(reply.header("location"), Some("/sign-in/code"), "{reply:?}");
        let code = self.app.newest_code(email).await;
        let reply = self.send("/sign-in/code", &[("code", &code)]).await;
        assert_eq!(reply.status, 303, "{reply:?}");
    }

    /// Proves again that the address is the person's own, for what needs that.
    pub async fn prove(&self, email: &str) {
        self.send("/sign-in/again", &[("action", "send")]).await;
        let code = self.app.newest_code(email).await;
        let reply = self.send("/sign-in/again", &[("code", &code)]).await;
        assert_eq!(reply.status, 303, "{reply:?}");
    }

    /// `GET` of a page.
    pub async fn page(&self, path: &str) -> Reply {
        let request = self
            .site
            .page(path)
            .header("cookie", self.cookies_for(path));
        let reply = request.send().await;
        self.keep(&reply);
        reply
    }

    /// `POST` of a form.
    pub async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let request = self.site.form(path, fields);
        let reply = request
            .header("cookie", self.cookies_for(path))
            .send()
            .await;
        self.keep(&reply);
        reply
    }

    /// Sends a form with a file from a page of this site.
    pub async fn upload(&self, path: &str, content_type: &str, body: Vec<u8>) -> Reply {
        let request = self.site.form(path, &[]).without("content-type");
        let reply = request
            .header("content-type", content_type)
            .body(body)
            .header("cookie", self.cookies_for(path))
            .send()
            .await;
        self.keep(&reply);
        reply
    }

    /// The page to which an answer leads.
    pub async fn follow(&self, reply: &Reply) -> Reply {
        assert_eq!(reply.status, 303, "{reply:?}");
        let path = reply.header("location").unwrap();
        self.page(path).await
    }

    /// The value of a cookie, if the browser has it.
    pub fn cookie(&self, name: &str) -> Option<String> {
        let cookies = self.cookies.lock().unwrap();
        let found = cookies.iter().find(|cookie| cookie.name == name);
        found.map(|cookie| cookie.value.clone())
    }

    /// Sets a cookie, as someone at the browser can.
    pub fn set_cookie(&self, name: &str, value: &str) {
        let cookie = Cookie {
            name: name.to_owned(),
            value: value.to_owned(),
            path: "/".to_owned(),
        };
        self.put(cookie);
    }

    fn cookies_for(&self, path: &str) -> String {
        let path = path.split('?').next().unwrap();
        let cookies = self.cookies.lock().unwrap();
        let sent = cookies.iter().filter(|cookie| {
            let rest = path.strip_prefix(cookie.path.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let sent = sent.map(|cookie| format!("{}={}", cookie.name, cookie.value));
        sent.collect::<Vec<_>>().join("; ")
    }

    fn keep(&self, reply: &Reply) {
        for line in reply.headers.get_all("set-cookie") {
            let mut parts = line.to_str().unwrap().split("; ");
            let (name, value) = parts.next().unwrap().split_once('=').unwrap();
            let attributes: Vec<&str> = parts.collect();
            let attribute = |name: &str| {
                let found = attributes.iter().find_map(|one| one.strip_prefix(name));
                found.map(str::to_owned)
            };
            assert!(attributes.contains(&"HttpOnly"), "{line:?}");
            assert!(attributes.contains(&"SameSite=Lax"), "{line:?}");
            let cookie = Cookie {
                name: name.to_owned(),
                value: value.to_owned(),
                path: attribute("Path=").unwrap(),
            };
            if attribute("Max-Age=").as_deref() == Some("0") {
                let mut cookies = self.cookies.lock().unwrap();
                cookies.retain(|one| one.name != cookie.name || one.path != cookie.path);
            } else {
                self.put(cookie);
            }
        }
    }

    fn put(&self, cookie: Cookie) {
        let mut cookies = self.cookies.lock().unwrap();
        cookies.retain(|one| one.name != cookie.name || one.path != cookie.path);
        cookies.push(cookie);
    }
}

impl TestApp {
    /// Someone signs up and makes a key. Unlike [`TestApp::account`], the account is not trusted yet.
    pub async fn signed_up(self: &Arc<Self>, plan: Plan) -> Account {
        let email = format!("signed_up-{}@example.org", self.entropy.base62(8));
        Browser::signed_in(self, &email).await;
        let use_cases = self.core.use_cases();
        let id = use_cases.accounts.owned_by(&email).await.unwrap();
        use_cases.accounts.set_plan(id, plan).await.unwrap();
        let made = use_cases.keys.create(&email, "laptop").await.unwrap();
        Account {
            id,
            email,
            key: made.plain.expose().to_owned(),
            key_id: made.key.id,
        }
    }

    /// The code in the newest mail with one to this address, once all mails are sent.
    pub async fn newest_code(&self, email: &str) -> String {
        self.drain_jobs().await;
        let mut mails = self.mails_by_time();
        mails.retain(|mail| mail.to == email);
        let code = mails.iter().rev().find_map(|mail| code_in(&mail.text));
        code.unwrap_or_else(|| panic!("no code was mailed to {email}: {mails:?}"))
    }
}

/// The 8 digits of a code, which may be in groups.
fn code_in(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let digits: String = line.chars().filter(char::is_ascii_digit).collect();
        let is_code = line
            .chars()
            .all(|sign| sign.is_ascii_digit() || matches!(sign, ' ' | '-'));
        (is_code && digits.len() == 8).then_some(digits)
    })
}
