//! What people see who are in no account: their invitations.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};

use crate::{
    desk::{Desk, Frame, START, Tab},
    flash,
    layout::Page,
    next::DASHBOARD,
    pages::dashboard::invitations::{Invited, invited},
    visit::Site,
};

#[derive(Template)]
#[template(path = "dashboard/start.html")]
struct StartPage {
    page: Page,
    frame: Frame,
    invitations: Vec<Invited>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.own(START, show)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    if desk.viewer.account.is_some() {
        return Ok(flash::see(DASHBOARD, None));
    }
    let (page, frame) = desk.frame("Welcome", Tab::None);
    desk.answer(&StartPage {
        page,
        frame,
        invitations: invited(&desk.viewer),
    })
}
