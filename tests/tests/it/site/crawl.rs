//! Every page of a signed-in person and every form on them, found as a person finds them: by following links. A new page that something
//! leads to is covered by all tests that use this.

use std::collections::{BTreeMap, BTreeSet};

use tests::{Browser, Reply};

use super::{attributes, typed::fields_of, unescaped};

/// More pages than any account of a test has.
const MAX_PAGES: usize = 400;

/// Pages that lead on to the others, and those to which nothing links at the moment.
const SEEDS: [&str; 4] = [
    "/dashboard",
    "/dashboard/welcome",
    "/dashboard/account/email/code",
    "/sign-in/again",
];

/// A form of a page by one of its buttons, with the fields as a browser sends them unchanged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form {
    /// Where it is sent.
    pub(super) action: String,
    pub(super) fields: Vec<(String, String)>,
}

impl Form {
    /// Its fields, as [`Browser::send`] takes them.
    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        let pairs = self.fields.iter();
        pairs.map(|(name, value)| (&**name, &**value)).collect()
    }

    /// The value of a field.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| &**value)
    }
}

/// What a person finds.
pub(super) struct Found {
    /// The pages and files, by path and query.
    pub(super) pages: BTreeMap<String, Reply>,
    /// The forms that post, each once.
    pub(super) forms: BTreeSet<Form>,
}

/// Follows all links of the dashboard.
pub(super) async fn crawl(browser: &Browser) -> Found {
    let mut waiting: Vec<String> = SEEDS.map(str::to_owned).to_vec();
    let mut found = Found {
        pages: BTreeMap::new(),
        forms: BTreeSet::new(),
    };
    while let Some(path) = waiting.pop() {
        if found.pages.contains_key(&path) {
            continue;
        }
        assert!(found.pages.len() < MAX_PAGES, "too many pages");
        let reply = browser.page(&path).await;
        if let Some(location) = reply.header("location") {
            waiting.push(location.to_owned());
        }
        let is_page = reply.header("content-type") == Some("text/html; charset=utf-8");
        if is_page {
            let html = std::str::from_utf8(&reply.body).unwrap();
            waiting.extend(links(html));
            found.forms.extend(forms(html));
        }
        found.pages.insert(path, reply);
    }
    found
}

/// The pages of signed-in people to which a page links.
fn links(html: &str) -> Vec<String> {
    let links = attributes(html, "href").into_iter().map(unescaped);
    let links = links.map(|link| link.split('#').next().unwrap().to_owned());
    let own = ["/dashboard", "/invitations/", "/sign-in/again"];
    links
        .filter(|link| own.iter().any(|one| link.starts_with(one)))
        .collect()
}

/// The forms of a page that post.
pub(super) fn forms(html: &str) -> Vec<Form> {
    let mut found = Vec::new();
    for part in html.split("<form ").skip(1) {
        let form = part.split("</form>").next().unwrap();
        let (head, _) = form.split_once('>').unwrap();
        if !head.contains("method=\"post\"") {
            continue;
        }
        let (_, action) = head.split_once("action=\"").unwrap();
        let action = unescaped(action.split('"').next().unwrap());
        // With every box ticked, so that it does all that it can.
        let fields = fields_of(&form.replace("type=\"checkbox\"", "type=\"hidden\""));
        for button in buttons(form) {
            let pressed = button.into_iter();
            found.push(Form {
                action: action.clone(),
                fields: fields.iter().cloned().chain(pressed).collect(),
            });
        }
    }
    found
}

/// What each button adds to a form that it posts.
fn buttons(form: &str) -> BTreeSet<Option<(String, String)>> {
    let tags = form.split("<button ").skip(1);
    let tags = tags.map(|rest| rest.split('>').next().unwrap());
    let posting = tags.filter(|tag| !tag.contains("formmethod=\"get\""));
    let value = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!("{name}=\""))?;
        Some(unescaped(rest.split('"').next().unwrap()))
    };
    posting
        .map(|tag| Some((value(tag, " name")?, value(tag, " value")?)))
        .collect()
}
