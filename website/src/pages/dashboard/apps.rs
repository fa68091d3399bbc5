//! The apps that a person has connected, in all of their accounts, and how to end that.

use askama::Template;
use muster_api::internal::v1::{
    ConnectedApp, DisconnectAppRequest, ListConnectedAppsRequest,
    bindings::{DisconnectApp, ListConnectedApps},
};

use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

pub(in crate::pages) const PATH: &str = "/dashboard/apps";

#[derive(Template)]
#[template(path = "dashboard/apps.html")]
struct AppsPage {
    page: Frame,
    apps: Vec<ConnectedApp>,
    mcp_url: String,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let request = ListConnectedAppsRequest {};
    let list = caller.ask::<ListConnectedApps>(request).await?;
    caller.answer(&AppsPage {
        page: caller.page("Connected apps", Tab::None),
        apps: list.items,
        mcp_url: caller.context.site.url("/mcp"),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let id = form.text("id");
    let request = DisconnectAppRequest {
        id,
        keeps_webhooks: form.is_ticked("keeps_webhooks"),
    };
    let ended = caller.ask::<DisconnectApp>(request).await;
    match ended {
        // It may have ended by itself.
        Err(problem) if problem.http_status != 404 => Err(problem),
        _ => Ok(flash::see(PATH, Some(Flash::APP_DISCONNECTED))),
    }
}
