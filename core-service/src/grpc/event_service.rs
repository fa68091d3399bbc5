//! The caller's own events.

use muster_api::v1::{
    CancelRequest, CancelResult, CreateEventRequest, CreatedEvent, GetMyEventRequest,
    ListMyEventsRequest, MyEventDetail, MyEventList, PublishEventRequest, UnpublishEventRequest,
    UpdateEventRequest, event_service_server::EventService,
};
use tonic::{Request, Response, Status};

use super::{
    convert,
    request::{caller, id},
    status::{refuse, refuse_fields},
};
use crate::service::{Events, Links};

/// The rpcs about the caller's own events.
pub(super) struct EventApi {
    pub(super) events: Events,
    pub(super) links: Links,
}

#[tonic::async_trait]
impl EventService for EventApi {
    async fn create_event(
        &self,
        request: Request<CreateEventRequest>,
    ) -> Result<Response<CreatedEvent>, Status> {
        let caller = caller(&request)?;
        let new = convert::new_event(request.into_inner()).map_err(refuse_fields)?;
        let event = self.events.create(&caller, new).await.map_err(refuse)?;
        Ok(Response::new(convert::created_event(event, &self.links)))
    }

    async fn list_my_events(
        &self,
        request: Request<ListMyEventsRequest>,
    ) -> Result<Response<MyEventList>, Status> {
        let caller = caller(&request)?;
        let request = request.into_inner();
        let filter = convert::event_filter(request.status()).map_err(refuse_fields)?;
        let found = self
            .events
            .list(&caller, filter, request.limit())
            .await
            .map_err(refuse)?;
        let items = found
            .events
            .into_iter()
            .map(|event| convert::my_event(event, &self.links))
            .collect();
        Ok(Response::new(MyEventList {
            items,
            count: found.count,
        }))
    }

    async fn get_my_event(
        &self,
        request: Request<GetMyEventRequest>,
    ) -> Result<Response<MyEventDetail>, Status> {
        let caller = caller(&request)?;
        let id = id(&request.get_ref().id)?;
        let found = self.events.get(&caller, id).await.map_err(refuse)?;
        Ok(Response::new(convert::my_event_detail(found, &self.links)))
    }

    async fn update_event(
        &self,
        request: Request<UpdateEventRequest>,
    ) -> Result<Response<MyEventDetail>, Status> {
        let caller = caller(&request)?;
        let id = id(&request.get_ref().id)?;
        let patch = convert::event_patch(request.into_inner()).map_err(refuse_fields)?;
        let changed = self
            .events
            .update(&caller, id, patch)
            .await
            .map_err(refuse)?;
        Ok(Response::new(convert::my_event_detail(
            changed,
            &self.links,
        )))
    }

    async fn publish_event(
        &self,
        request: Request<PublishEventRequest>,
    ) -> Result<Response<MyEventDetail>, Status> {
        let caller = caller(&request)?;
        let id = id(&request.get_ref().id)?;
        let published = self.events.publish(&caller, id).await.map_err(refuse)?;
        Ok(Response::new(convert::my_event_detail(
            published,
            &self.links,
        )))
    }

    async fn unpublish_event(
        &self,
        request: Request<UnpublishEventRequest>,
    ) -> Result<Response<MyEventDetail>, Status> {
        let caller = caller(&request)?;
        let id = id(&request.get_ref().id)?;
        let draft = self.events.unpublish(&caller, id).await.map_err(refuse)?;
        Ok(Response::new(convert::my_event_detail(draft, &self.links)))
    }

    async fn cancel_event(
        &self,
        request: Request<CancelRequest>,
    ) -> Result<Response<CancelResult>, Status> {
        let caller = caller(&request)?;
        let id = id(&request.get_ref().id)?;
        let reason = request
            .into_inner()
            .reason
            .filter(|reason| !reason.is_empty());
        let cancelled = self
            .events
            .cancel(&caller, id, reason)
            .await
            .map_err(refuse)?;
        Ok(Response::new(CancelResult {
            id: cancelled.id.to_string(),
            cancelled: true,
            reason: cancelled.reason,
            registrants_notified: cancelled.registrants_notified,
        }))
    }
}
