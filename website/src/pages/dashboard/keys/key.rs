//! One key: replaced by a new one with an overlap, or revoked.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Reason,
    internal::v1::{
        Key, RevokeKeyRequest, RotateKeyRequest,
        bindings::{RevokeKey, RotateKey},
    },
};

use super::{PATH, read, show_created};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
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
    page: Frame,
    key: Key,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let id = caller.context.segment(2)?;
    let key = find(&caller, &id).await?;
    let overlap = Field::new(FieldKind::Select, "overlap_hours", "The old key works for")
        .options(OVERLAPS, &["24"])
        .required();
    caller.answer(&KeyPage {
        page: caller.page(&key.name, Tab::Keys),
        key,
        model: caller.model(vec![overlap]),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let id = caller.context.segment(2)?;
    if form.value("action") == Some("revoke") {
        let request = RevokeKeyRequest {
            id: Some(id),
            keeps_webhooks: form.is_ticked("keeps_webhooks"),
        };
        caller.ask::<RevokeKey>(request).await?;
        return Ok(flash::see(PATH, Some(Flash::KEY_REVOKED)));
    }
    let hours = form.value("overlap_hours");
    let request = RotateKeyRequest {
        id: Some(id.clone()),
        overlap_hours: hours.and_then(|text| text.parse().ok()),
    };
    let created = caller.ask::<RotateKey>(request).await?;
    // The new key is shown whatever became of the old one.
    let old = find(&caller, &id).await.ok();
    show_created(&caller, created, old.and_then(|old| old.expires_at))
}

async fn find(caller: &Caller, id: &str) -> Result<Key, Problem> {
    let found = read(caller).await?.into_iter().find(|key| key.id == id);
    found.ok_or_else(|| Problem::new(Reason::NotFound, "there is no such key"))
}
