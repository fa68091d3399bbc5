//! The API keys of an account: which there are, and when each was last used.

pub(in crate::pages) mod key;
pub(in crate::pages) mod new;

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{Key, ListKeysRequest, bindings::ListKeys};

use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    layout::Page,
    timestamp::Timestamp,
};

pub(in crate::pages) const PATH: &str = "/dashboard/keys";

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
    created: Timestamp,
    last_used: Option<Timestamp>,
    expires: Option<Timestamp>,
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
    old_until: Option<Timestamp>,
    curl: String,
    claude: String,
    vs_code: String,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let keys = read(&caller).await?;
    let (page, frame) = caller.frame("API keys", Tab::Keys);
    caller.answer(&KeysPage { page, frame, keys })
}

async fn read(caller: &Caller) -> Result<Vec<ShownKey>, Problem> {
    let list = caller.ask::<ListKeys>(ListKeysRequest {}).await?;
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
            created: Timestamp::day(&key.created_at),
            last_used: key.last_used_at.as_deref().map(Timestamp::new),
            expires: key.expires_at.as_deref().map(Timestamp::new),
            is_expired: key.is_expired,
        }
    }
}

impl CreatedPage {
    fn of(caller: &Caller, key: Key, secret: String, old_until: Option<Timestamp>) -> Self {
        let (page, frame) = caller.frame("Your new key", Tab::Keys);
        let site = &caller.context.site;
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
