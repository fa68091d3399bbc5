//! A cover before it is published.

use muster_api::v1::{PreviewCoverRequest, bindings::PreviewCover};

use super::download;
use crate::{caller::Caller, layout::PageResult};

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let query = caller.context.query();
    let variant = query.value("image_variant");
    let request = PreviewCoverRequest {
        title: query.text("title"),
        city: query.text("city"),
        start_date: query.text("start_date"),
        image_query: query.text("image_query"),
        image_variant: variant.and_then(|text| text.parse().ok()),
    };
    download::answer::<PreviewCover>(&caller, request).await
}
