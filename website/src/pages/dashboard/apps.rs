//! The apps that a person has connected, in all of their accounts, and how to end that.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{
    AuthorizationClient, ConnectedApp, DisconnectAppRequest, ListConnectedAppsRequest,
    RequestedScope,
    bindings::{DisconnectApp, ListConnectedApps},
};

use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    pages::oauth::surfaces,
    timestamp::Timestamp,
};

pub(in crate::pages) const PATH: &str = "/dashboard/apps";

#[derive(Template)]
#[template(path = "dashboard/apps.html")]
struct AppsPage {
    page: Page,
    frame: Frame,
    apps: Vec<ShownApp>,
    mcp_url: String,
}

struct ShownApp {
    id: String,
    client: AuthorizationClient,
    account: String,
    scopes: Vec<RequestedScope>,
    surfaces: &'static str,
    since: Timestamp,
    last_used: Option<Timestamp>,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let request = ListConnectedAppsRequest {};
    let list = caller.ask::<ListConnectedApps>(request).await?;
    let (page, frame) = caller.frame("Connected apps", Tab::None);
    caller.answer(&AppsPage {
        page,
        frame,
        apps: list.items.into_iter().map(ShownApp::of).collect(),
        mcp_url: caller.context.site.url("/mcp"),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let id = form.value("id").map(str::to_owned);
    let ended = caller
        .ask::<DisconnectApp>(DisconnectAppRequest { id })
        .await;
    match ended {
        // It may have ended by itself.
        Err(problem) if problem.http_status != 404 => Err(problem),
        _ => Ok(flash::see(PATH, Some(Flash::APP_DISCONNECTED))),
    }
}

impl ShownApp {
    fn of(app: ConnectedApp) -> Self {
        Self {
            id: app.id,
            client: app.client.unwrap_or_default(),
            account: app.account_name,
            scopes: app.scopes,
            surfaces: surfaces(&app.surfaces),
            since: Timestamp::day(&app.created_at),
            last_used: app.last_used_at.as_deref().map(Timestamp::new),
        }
    }
}
