//! An app that people connect by OAuth, and the way of a person through its pages.

use std::sync::Arc;

use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

use crate::{Browser, Http, Reply, TestApp};

/// The pair of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// All scopes that an app can ask for.
const EVERYTHING: &str = "events:read events:write events:cancel registrations:read registrations:write registrations:check_in messages:write webhooks:read webhooks:write account:read";

/// An app, with what it would keep.
#[derive(Clone)]
pub struct OAuthApp {
    site: Http,
    /// Its identifier.
    pub client_id: String,
    /// Where its answers go.
    pub redirect_uri: String,
}

/// What an app gets for a code or a refresh token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The access token.
    pub access: String,
    /// The refresh token.
    pub refresh: String,
    /// The scopes of the access token.
    pub scope: String,
}

impl OAuthApp {
    /// The verifier of every code.
    pub const VERIFIER: &str = VERIFIER;

    /// A program on a person's computer, registered under this name.
    pub async fn registered(app: &Arc<TestApp>, name: &str) -> Self {
        Self::registered_at(app, name, "http://127.0.0.1:33418/callback").await
    }

    /// An app with another address.
    pub async fn registered_at(app: &Arc<TestApp>, name: &str, redirect_uri: &str) -> Self {
        let metadata = json!({"client_name": name, "redirect_uris": [redirect_uri]});
        let request = app.site.request(Method::POST, "/oauth/register");
        let reply = request.json(&metadata).send().await;
        assert_eq!(reply.status, 201, "{reply:?}");
        Self {
            site: app.site.clone(),
            client_id: reply.json()["client_id"].as_str().unwrap().to_owned(),
            redirect_uri: redirect_uri.to_owned(),
        }
    }

    /// The same app, whose calls arrive at another website.
    #[must_use]
    pub fn at(&self, site: &Http) -> Self {
        Self {
            site: site.clone(),
            ..self.clone()
        }
    }

    /// The parameters of its request, with these in place of the usual ones; an empty one is left out.
    pub fn parameters(&self, changed: &[(&str, &str)]) -> Vec<(String, String)> {
        let usual = [
            ("response_type", "code"),
            ("client_id", &self.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("state", "the state"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("scope", EVERYTHING),
        ];
        merged(&usual, changed)
    }

    /// Where it sends a person.
    pub fn request(&self, changed: &[(&str, &str)]) -> String {
        format!("/oauth/authorize?{}", encoded(&self.parameters(changed)))
    }

    /// The path of the page on which the person of this browser decides.
    pub async fn consent(&self, browser: &Browser, changed: &[(&str, &str)]) -> String {
        let begun = browser.page(&self.request(changed)).await;
        let path = begun.header("location").unwrap_or_default().to_owned();
        assert!(path.starts_with("/oauth/authorize/"), "{begun:?}");
        path
    }

    /// What comes back to it once the person has agreed to all that the page offers.
    pub async fn agreed(&self, browser: &Browser, changed: &[(&str, &str)]) -> Returned {
        let path = self.consent(browser, changed).await;
        let page = browser.page(&path).await;
        let mut fields = consent_fields(page.html(200));
        fields.push(("action".to_owned(), "connect".to_owned()));
        Returned::of(&browser.send(&path, &pairs(&fields)).await)
    }

    /// Tokens that act for the person of this browser.
    pub async fn connected(&self, browser: &Browser, changed: &[(&str, &str)]) -> Tokens {
        let returned = self.agreed(browser, changed).await;
        let code = returned.value("code");
        Tokens::of(&self.exchange(code.as_deref().unwrap(), &[]).await)
    }

    /// Exchanges a code.
    pub async fn exchange(&self, code: &str, changed: &[(&str, &str)]) -> Reply {
        let usual = [
            ("grant_type", "authorization_code"),
            ("client_id", &*self.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("code_verifier", VERIFIER),
            ("code", code),
        ];
        self.post("/oauth/token", &merged(&usual, changed)).await
    }

    /// Exchanges a refresh token.
    pub async fn refresh(&self, tokens: &Tokens, changed: &[(&str, &str)]) -> Reply {
        let usual = [
            ("grant_type", "refresh_token"),
            ("client_id", &*self.client_id),
            ("refresh_token", &tokens.refresh),
        ];
        self.post("/oauth/token", &merged(&usual, changed)).await
    }

    /// Revokes a token.
    pub async fn revoke(&self, token: &str) -> Reply {
        let fields = [("token", token), ("client_id", &*self.client_id)];
        self.post("/oauth/revoke", &merged(&fields, &[])).await
    }

    /// Sends a form to an endpoint, as programs do.
    pub async fn post(&self, path: &str, fields: &[(String, String)]) -> Reply {
        let request = self.site.request(Method::POST, path);
        request
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encoded(fields))
            .send()
            .await
    }
}

impl Tokens {
    /// Those of an answer.
    #[track_caller]
    pub fn of(reply: &Reply) -> Self {
        let answer = reply.ok();
        assert_eq!(answer["token_type"], "Bearer", "{answer}");
        assert_eq!(answer["expires_in"], 3_600, "{answer}");
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        Self {
            access: text("access_token"),
            refresh: text("refresh_token"),
            scope: text("scope"),
        }
    }
}

/// What a browser brings back to an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    /// Where it is sent, without the parameters.
    pub uri: String,
    parameters: Vec<(String, String)>,
}

impl Returned {
    /// What an answer to a browser leads to.
    #[track_caller]
    pub fn of(reply: &Reply) -> Self {
        assert_eq!(reply.status, 303, "{reply:?}");
        let location = reply.header("location").unwrap();
        let (uri, query) = location.split_once('?').unwrap();
        let parameters = query.split('&').map(|pair| {
            let (name, value) = pair.split_once('=').unwrap();
            let value = value.replace('+', " ");
            let value = percent_decode_str(&value).decode_utf8().unwrap();
            (name.to_owned(), value.into_owned())
        });
        Self {
            uri: uri.to_owned(),
            parameters: parameters.collect(),
        }
    }

    /// The value of a parameter that is there once.
    #[track_caller]
    pub fn value(&self, name: &str) -> Option<String> {
        let mut values = self.parameters.iter().filter(|(key, _)| key == name);
        let value = values.next().map(|(_, value)| value.clone());
        assert!(values.next().is_none(), "{name} is there twice: {self:?}");
        value
    }
}

/// The fields of the page on which a person decides, as a browser sends them.
pub fn consent_fields(html: &str) -> Vec<(String, String)> {
    let (_, form) = html.split_once("id=\"form\"").unwrap();
    let form = form.split("</form>").next().unwrap();
    let value = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split('"').next().map(str::to_owned)
    };
    let inputs = form.split("<input").skip(1);
    let inputs = inputs.map(|rest| rest.split('>').next().unwrap());
    inputs
        .filter(|tag| tag.contains("type=\"hidden\"") || tag.contains(" checked"))
        .filter_map(|tag| Some((value(tag, "name")?, value(tag, "value")?)))
        .collect()
}

/// Fields as [`Browser::send`] takes them.
pub fn pairs(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    let pairs = fields.iter();
    pairs.map(|(name, value)| (&**name, &**value)).collect()
}

fn merged(usual: &[(&str, &str)], changed: &[(&str, &str)]) -> Vec<(String, String)> {
    let is_kept = |name: &str| changed.iter().all(|(other, _)| *other != name);
    let kept = usual.iter().filter(|(name, _)| is_kept(name));
    let all = kept.chain(changed).filter(|(_, value)| !value.is_empty());
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn encoded(fields: &[(String, String)]) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The parameters of a challenge, by name.
pub fn challenge(reply: &Reply) -> Value {
    let header = reply.header("www-authenticate").unwrap_or_default();
    let (scheme, parameters) = header.split_once(' ').unwrap_or_default();
    assert_eq!(scheme, "Bearer", "{reply:?}");
    let parameters = parameters.split("\", ").map(|one| {
        let (name, value) = one.split_once("=\"").unwrap();
        (name.to_owned(), Value::from(value.trim_end_matches('"')))
    });
    Value::Object(parameters.collect())
}
