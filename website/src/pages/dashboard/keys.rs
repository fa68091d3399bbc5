//! The API keys of an account: which there are, and when each was last used.

pub(in crate::pages) mod key;
pub(in crate::pages) mod new;

use askama::Template;
use http_kit::Problem;
use muster_api::internal::v1::{CreatedKey, Key, ListKeysRequest, bindings::ListKeys};

use crate::{
    caller::{Caller, Frame, Tab},
    layout::PageResult,
};

pub(in crate::pages) const PATH: &str = "/dashboard/keys";

#[derive(Template)]
#[template(path = "dashboard/keys.html")]
struct KeysPage {
    page: Frame,
    keys: Vec<Key>,
}

/// A new key, shown once, with lines to paste.
#[derive(Template)]
#[template(path = "dashboard/key_created.html")]
struct CreatedPage {
    page: Frame,
    key: Key,
    /// Until when the key that it replaces works.
    old_until: Option<String>,
    curl: String,
    claude: String,
    vs_code: String,
    secret: String,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let keys = read(&caller).await?;
    caller.answer(&KeysPage {
        page: caller.page("API keys", Tab::Keys),
        keys,
    })
}

async fn read(caller: &Caller) -> Result<Vec<Key>, Problem> {
    Ok(caller.ask::<ListKeys>(ListKeysRequest {}).await?.items)
}

/// Answers with a new key, since it can be shown only now.
fn show_created(caller: &Caller, created: CreatedKey, old_until: Option<String>) -> PageResult {
    let (site, secret) = (&caller.context.site, created.secret);
    let (api, mcp) = (site.url("/api/v1/me"), site.url("/mcp"));
    caller.answer(&CreatedPage {
        page: caller.page("Your new key", Tab::Keys),
        key: created.key.unwrap_or_default(),
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
    })
}
