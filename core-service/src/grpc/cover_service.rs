//! The organizer's own pictures as covers of events.

use muster_api::{
    frame::Messages,
    http_body::HttpBody,
    v1::{
        DeleteCoverRequest, GetOwnCoverRequest, MyEventDetail, PutCoverRequest,
        services::CoverHandlers,
    },
};
use tonic::Response;

use super::{
    Api, convert,
    frame::{Authenticated, CoreFrame},
    request::event_id,
};
use crate::service::Error;

impl CoverHandlers<CoreFrame> for Api {
    async fn put_cover(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: PutCoverRequest,
    ) -> Result<MyEventDetail, Error> {
        let id = event_id(&request.id)?;
        // The validation requires it.
        let file = request.file.unwrap_or_default();
        let changed = self.own_covers.put(&principal, id, file.data).await?;
        let now = self.now();
        Ok(convert::my_event_detail(changed, &self.links, now))
    }

    async fn delete_cover(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: DeleteCoverRequest,
    ) -> Result<MyEventDetail, Error> {
        let id = event_id(&request.id)?;
        let changed = self.own_covers.delete(&principal, id).await?;
        let now = self.now();
        Ok(convert::my_event_detail(changed, &self.links, now))
    }

    async fn get_own_cover(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: GetOwnCoverRequest,
    ) -> Result<Response<Messages<HttpBody>>, Error> {
        let id = event_id(&request.id)?;
        let cover = self.own_covers.get(&principal, id).await?;
        let body = HttpBody {
            content_type: "image/jpeg".into(),
            data: cover.jpeg.into(),
        };
        Ok(Response::new(Box::pin(tokio_stream::once(Ok(body)))))
    }
}
