//! The API keys of an account: which there are, and when each was last used.

mod key;
mod new;

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{Key, ListKeysRequest, bindings::ListKeys};

use crate::{
    cover::encoded,
    desk::{Desk, Frame, Tab},
    layout::Page,
    moment::Moment,
    visit::Site,
};

const PATH: &str = "/dashboard/keys";

#[derive(Template)]
#[template(path = "dashboard/keys.html")]
struct KeysPage {
    page: Page,
    frame: Frame,
    keys: Vec<ShownKey>,
}

/// A key, as pages show it.
struct ShownKey {
    id: String,
    url: String,
    name: String,
    scopes: Vec<String>,
    person: String,
    is_mine: bool,
    created: Moment,
    last_used: Option<Moment>,
    expires: Option<Moment>,
    is_expired: bool,
}

/// A new key, shown once, with lines to paste.
#[derive(Template)]
#[template(path = "dashboard/key_created.html")]
struct CreatedPage {
    page: Page,
    frame: Frame,
    secret: String,
    key: ShownKey,
    /// Until when the key that it replaces works.
    old_until: Option<Moment>,
    curl: String,
    claude: String,
    vs_code: String,
}

pub(super) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = vec![site.desk(PATH, show)];
    resources.extend(new::resources(site));
    resources.extend(key::resources(site));
    resources
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let keys = read(&desk).await?;
    let (page, frame) = desk.frame("API keys", Tab::Keys);
    desk.answer(&KeysPage { page, frame, keys })
}

async fn read(desk: &Desk) -> Result<Vec<ShownKey>, Problem> {
    let list = desk.ask::<ListKeys>(ListKeysRequest {}).await?;
    Ok(list.items.into_iter().map(ShownKey::of).collect())
}

impl ShownKey {
    fn of(key: Key) -> Self {
        Self {
            url: format!("{PATH}/{}", encoded(&key.id)),
            id: key.id,
            name: key.name,
            scopes: key.scopes,
            person: key.person_name,
            is_mine: key.is_callers,
            created: Moment::day(&key.created_at),
            last_used: key.last_used_at.as_deref().map(Moment::new),
            expires: key.expires_at.as_deref().map(Moment::new),
            is_expired: key.is_expired,
        }
    }
}

impl CreatedPage {
    fn of(desk: &Desk, key: Key, secret: String, old_until: Option<Moment>) -> Self {
        let (page, frame) = desk.frame("Your new key", Tab::Keys);
        let site = &desk.visit.site;
        let (api, mcp) = (site.url("/api/v1/me"), site.url("/mcp"));
        Self {
            page,
            frame,
            key: ShownKey::of(key),
            old_until,
            curl: format!("curl -H 'Authorization: Bearer {secret}' {api}"),
            claude: format!(
                "claude mcp add --transport http muster {mcp} --header 'Authorization: Bearer {secret}'"
            ),
            vs_code: format!(
                "{{\"servers\": {{\"muster\": {{\"type\": \"http\", \"url\": \"{mcp}\", \
                 \"headers\": {{\"Authorization\": \"Bearer {secret}\"}}}}}}}}"
            ),
            secret,
        }
    }
}
