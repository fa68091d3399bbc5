//! A picture of the organizer's own as the cover of an event.

use askama::Template;
use muster_api::{
    Scope,
    http_body::HttpBody,
    v1::{
        DeleteCoverRequest, GetOwnCoverRequest, MyEventDetail, PutCoverRequest,
        bindings::{DeleteCover, GetOwnCover, PutCover},
    },
};

use super::{
    download,
    event_head::{EventHead, Part, path_of, read},
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

/// The field of the file, and its largest size: that of the API.
pub(in crate::pages) const FILE: (&str, usize) = ("file", 10 << 20);

#[derive(Template)]
#[template(path = "dashboard/own_cover.html")]
struct CoverPage {
    page: Frame,
    head: EventHead,
    model: FormModel,
    event: MyEventDetail,
    cover_url: String,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    if event.is_cancelled {
        return Ok(flash::see(&path_of(&event.id), None));
    }
    let file = Field::new(FieldKind::File, FILE.0, "Picture").required();
    let file = file.accept("image/jpeg,image/png,image/webp");
    let file = file.hint("JPEG, PNG or WebP, up to 10 MB and at least 600 by 315 pixels.");
    caller.answer(&CoverPage {
        page: caller.page("Cover", Tab::Events),
        head: EventHead::of(&event, Part::Edit),
        model: caller.model(vec![file]),
        cover_url: crate::cover::of_owner(&event),
        event,
    })
}

pub(in crate::pages) async fn take(
    caller: Caller,
    form: Form,
    file: Option<HttpBody>,
) -> PageResult {
    let MyEventDetail { id, .. } = read(&caller).await?;
    let path = path_of(&id);
    if form.value("action") == Some("remove") {
        let request = DeleteCoverRequest { id };
        caller.ask::<DeleteCover>(request).await?;
        return Ok(flash::see(&path, Some(Flash::COVER_REMOVED)));
    }
    // Core says what a file is by its bytes, whatever the browser takes it for.
    let file = file.map(|file| HttpBody {
        content_type: "image/jpeg".to_owned(),
        ..file
    });
    caller.ask::<PutCover>(PutCoverRequest { id, file }).await?;
    Ok(flash::see(&path, Some(Flash::COVER_SENT)))
}

/// The picture itself, also of a draft.
pub(in crate::pages) async fn picture(caller: Caller) -> PageResult {
    let id = caller.context.segment(2)?;
    let request = GetOwnCoverRequest { id };
    download::answer::<GetOwnCover>(&caller, request).await
}
