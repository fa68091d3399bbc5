//! Views of the pages of events, which websites count.

use muster_api::internal::v1::{
    PageViews, RecordViewsRequest, RecordViewsResponse, services::ViewHandlers,
};

use super::{
    Api,
    frame::{CoreFrame, PublicCaller},
};
use crate::service::{self, Error};

impl ViewHandlers<CoreFrame> for Api {
    async fn record_views(
        &self,
        _: PublicCaller,
        request: RecordViewsRequest,
    ) -> Result<RecordViewsResponse, Error> {
        let page = |one: PageViews| service::PageViews {
            views: i64::from(one.views()),
            slug: one.slug,
            host: one.host,
        };
        let pages = request.pages.into_iter().map(page).collect();
        self.statistics.record_views(pages).await?;
        Ok(RecordViewsResponse {})
    }
}
