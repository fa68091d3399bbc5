//! One key: replaced by a new one with an overlap, or revoked.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Reason,
    internal::v1::{
        CreatedKey, RevokeKeyRequest, RotateKeyRequest,
        bindings::{RevokeKey, RotateKey},
    },
};

use super::{CreatedPage, PATH, ShownKey, read};
use crate::{
    desk::{Desk, Frame, Tab, sentence},
    field::{Field, FieldKind, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    visit::Site,
};

/// How long the old key goes on working, in hours; the second one is suggested.
const OVERLAPS: [(&str, &str); 4] = [
    ("0", "Stops at once"),
    ("24", "One day"),
    ("168", "One week"),
    ("720", "30 days"),
];

#[derive(Template)]
#[template(path = "dashboard/key.html")]
struct KeyPage {
    page: Page,
    frame: Frame,
    key: ShownKey,
    sheet: Sheet,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form("/dashboard/keys/{id}", show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let page = KeyPage::of(&desk).await?;
    desk.answer(&page)
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let id = Some(desk.visit.segment(2)?);
    if form.value("action") == Some("revoke") {
        desk.ask::<RevokeKey>(RevokeKeyRequest { id }).await?;
        return Ok(flash::see(PATH, Some(Flash::KEY_REVOKED)));
    }
    let hours = form
        .value("overlap_hours")
        .and_then(|text| text.parse().ok());
    let request = RotateKeyRequest {
        id: id.clone(),
        overlap_hours: hours,
    };
    match desk.ask::<RotateKey>(request).await {
        Ok(CreatedKey { key, secret }) => {
            let old = read(&desk).await?;
            let old = old.into_iter().find(|one| Some(&one.id) == id.as_ref());
            let until = old.and_then(|old| old.expires);
            let key = key.unwrap_or_default();
            desk.answer(&CreatedPage::of(&desk, key, secret, until))
        }
        Err(problem) if matches!(problem.http_status, 400 | 409) => {
            let mut page = KeyPage::of(&desk).await?;
            page.trouble = Some(format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

impl KeyPage {
    async fn of(desk: &Desk) -> Result<Self, Problem> {
        let id = desk.visit.segment(2)?;
        let found = read(desk).await?.into_iter().find(|key| key.id == id);
        let unknown = || Problem::new(Reason::NotFound, "there is no such key");
        let key = found.ok_or_else(unknown)?;
        let (page, frame) = desk.frame(&key.name, Tab::Keys);
        let overlap = Field::new(FieldKind::Select, "overlap_hours", "The old key works for")
            .options(OVERLAPS, &["24"])
            .required();
        Ok(Self {
            page,
            frame,
            key,
            sheet: Sheet::of(vec![overlap]),
            trouble: None,
        })
    }
}
