//! The caller's own events.

use muster_api::{
    status::invalid,
    v1::{
        CancelRequest, CancelResult, CloneEventRequest, CreateEventRequest, CreatedEvent,
        DeleteEventRequest, DeletedEvent, EventMailPreview, GetMyEventRequest, ListMyEventsRequest,
        MyEventDetail, MyEventList, PreviewEventMailRequest, PublishEventRequest,
        UnpublishEventRequest, UpdateEventRequest,
        bindings::{
            CancelEvent, CloneEvent, CreateEvent, DeleteEvent, PublishEvent, UnpublishEvent,
            UpdateEvent,
        },
        event_service_server::EventService,
    },
};
use tonic::{Request, Response, Status};

use super::{
    convert, once, preview,
    request::{caller, id},
    status::refuse,
};
use crate::{
    domain::ids::EventId,
    service::{Cancellation, Commands, Error, Events, Links},
};

/// The rpcs about the caller's own events.
pub(super) struct EventApi {
    pub(super) commands: Commands,
    pub(super) events: Events,
    pub(super) links: Links,
}

#[tonic::async_trait]
impl EventService for EventApi {
    async fn create_event(
        &self,
        request: Request<CreateEventRequest>,
    ) -> Result<Response<CreatedEvent>, Status> {
        let show = |event| convert::created_event(event, &self.links);
        once::answer::<CreateEvent, _>(&self.commands, request, show, async |by, request| {
            let new = convert::new_event(request).map_err(Error::Invalid)?;
            self.events.create(by, new).await
        })
        .await
    }

    async fn list_my_events(
        &self,
        request: Request<ListMyEventsRequest>,
    ) -> Result<Response<MyEventList>, Status> {
        let caller = caller(&request)?;
        let request = request.into_inner();
        let asked = convert::my_events(caller.account, &request);
        let asked = asked.map_err(|violations| invalid(&violations))?;
        let found = self
            .events
            .list(&caller, &asked.filter, asked.after, request.limit())
            .await
            .map_err(refuse)?;
        let next_cursor = found.next.map(|place| place.cursor(asked.list));
        let items = found
            .events
            .into_iter()
            .map(|event| convert::my_event(event, &self.links))
            .collect();
        Ok(Response::new(MyEventList {
            items,
            count: found.count,
            next_cursor,
            count_is_exact: found.count_is_exact,
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
        let id = id(&request.get_ref().id)?;
        let show = |changed| convert::updated_event(changed, &self.links);
        once::answer::<UpdateEvent, _>(&self.commands, request, show, async |by, request| {
            let patch = convert::event_patch(request).map_err(Error::Invalid)?;
            self.events.update(by, id, patch).await
        })
        .await
    }

    async fn clone_event(
        &self,
        request: Request<CloneEventRequest>,
    ) -> Result<Response<CreatedEvent>, Status> {
        let id = id(&request.get_ref().id)?;
        let show = |event| convert::created_event(event, &self.links);
        once::answer::<CloneEvent, _>(&self.commands, request, show, async |by, _| {
            self.events.copy(by, id).await
        })
        .await
    }

    async fn delete_event(
        &self,
        request: Request<DeleteEventRequest>,
    ) -> Result<Response<DeletedEvent>, Status> {
        let id = id(&request.get_ref().id)?;
        let show = |id: EventId| DeletedEvent {
            id: id.to_string(),
            deleted: true,
        };
        once::answer::<DeleteEvent, _>(&self.commands, request, show, async |by, _| {
            self.events.delete(by, id).await
        })
        .await
    }

    async fn preview_event_mail(
        &self,
        request: Request<PreviewEventMailRequest>,
    ) -> Result<Response<EventMailPreview>, Status> {
        let caller = caller(&request)?;
        let request = request.into_inner();
        let id = id(&request.id)?;
        let change = preview::planned_change(request);
        let change = change.map_err(|violations| invalid(&violations))?;
        let planned = self.events.planned_mail(&caller, id, change).await;
        let now = self.commands.now();
        let shown = preview::shown(planned.map_err(refuse)?, &self.links, now);
        shown.map(Response::new)
    }

    async fn publish_event(
        &self,
        request: Request<PublishEventRequest>,
    ) -> Result<Response<MyEventDetail>, Status> {
        let id = id(&request.get_ref().id)?;
        let show = |published| convert::my_event_detail(published, &self.links);
        once::answer::<PublishEvent, _>(&self.commands, request, show, async |by, _| {
            self.events.publish(by, id).await
        })
        .await
    }

    async fn unpublish_event(
        &self,
        request: Request<UnpublishEventRequest>,
    ) -> Result<Response<MyEventDetail>, Status> {
        let id = id(&request.get_ref().id)?;
        let show = |draft| convert::my_event_detail(draft, &self.links);
        once::answer::<UnpublishEvent, _>(&self.commands, request, show, async |by, _| {
            self.events.unpublish(by, id).await
        })
        .await
    }

    async fn cancel_event(
        &self,
        request: Request<CancelRequest>,
    ) -> Result<Response<CancelResult>, Status> {
        let id = id(&request.get_ref().id)?;
        let show = |cancelled: Cancellation| CancelResult {
            id: cancelled.id.to_string(),
            cancelled: true,
            reason: cancelled.reason,
            registrants_notified: cancelled.registrants_notified,
        };
        once::answer::<CancelEvent, _>(&self.commands, request, show, async |by, request| {
            let reason = request.reason.filter(|reason| !reason.is_empty());
            self.events.cancel(by, id, reason).await
        })
        .await
    }
}
