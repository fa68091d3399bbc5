//! One key: replaced by a new one with an overlap, or revoked.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Reason,
    internal::v1::{
        CreatedKey, RevokeKeyRequest, RotateKeyRequest,
        bindings::{RevokeKey, RotateKey},
    },
};

use super::{CreatedPage, PATH, ShownKey, read};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
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
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let page = KeyPage::of(&caller).await?;
    caller.answer(&page)
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let id = Some(caller.context.segment(2)?);
    if form.value("action") == Some("revoke") {
        caller.ask::<RevokeKey>(RevokeKeyRequest { id }).await?;
        return Ok(flash::see(PATH, Some(Flash::KEY_REVOKED)));
    }
    let hours = form
        .value("overlap_hours")
        .and_then(|text| text.parse().ok());
    let request = RotateKeyRequest {
        id: id.clone(),
        overlap_hours: hours,
    };
    match caller.ask::<RotateKey>(request).await {
        Ok(CreatedKey { key, secret }) => {
            let old = read(&caller).await?;
            let old = old.into_iter().find(|one| Some(&one.id) == id.as_ref());
            let until = old.and_then(|old| old.expires);
            let key = key.unwrap_or_default();
            caller.answer(&CreatedPage::of(&caller, key, secret, until))
        }
        Err(problem) => {
            let mut page = KeyPage::of(&caller).await?;
            page.model = page.model.again(&form, &problem)?;
            caller.answer_refused(&page, &problem)
        }
    }
}

impl KeyPage {
    async fn of(caller: &Caller) -> Result<Self, Problem> {
        let id = caller.context.segment(2)?;
        let found = read(caller).await?.into_iter().find(|key| key.id == id);
        let unknown = || Problem::new(Reason::NotFound, "there is no such key");
        let key = found.ok_or_else(unknown)?;
        let (page, frame) = caller.frame(&key.name, Tab::Keys);
        let overlap = Field::new(FieldKind::Select, "overlap_hours", "The old key works for")
            .options(OVERLAPS, &["24"])
            .required();
        Ok(Self {
            page,
            frame,
            key,
            model: FormModel::of(vec![overlap]),
        })
    }
}
