//! The caller's own events.

use domain::{ids::EventId, violation::Checked};
use muster_api::{
    frame::Messages,
    http_body::HttpBody,
    v1::{
        CancelRequest, CancelResult, CancellationPreview, CloneEventRequest, CreateEventRequest,
        CreatedEvent, DeleteEventRequest, DeletedEvent, EventDeletionPreview, EventMailPreview,
        EventUpdatePreview, GetMyEventRequest, ListMyEventsRequest, MyEventDetail, MyEventList,
        PreviewCoverRequest, PreviewEventMailRequest, PublishEventRequest, RepeatEventRequest,
        RepeatedEvents, RepetitionPreview, UnpublishEventRequest, UnpublishingPreview,
        UpdateEventRequest, services::EventHandlers,
    },
};
use tonic::Response;

use super::{
    Api,
    catalogue_service::drawn,
    convert,
    frame::{Authenticated, Command, CoreFrame},
    preview,
    request::event_id,
};
use crate::service::{Cancellation, Error, Target};

impl EventHandlers<CoreFrame> for Api {
    async fn create_event(
        &self,
        caller: Command<CreatedEvent>,
        request: Checked<CreateEventRequest>,
    ) -> Result<CreatedEvent, Error> {
        let show = |event| convert::created_event(event, &self.links);
        let new = convert::new_event(request);
        self.events
            .create(caller.showing(&show), new)
            .await
            .map(show)
    }

    async fn list_my_events(
        &self,
        Authenticated { principal, .. }: Authenticated,
        request: ListMyEventsRequest,
    ) -> Result<MyEventList, Error> {
        let asked = convert::my_events(principal.account, &request)?;
        let found = self
            .events
            .list(&principal, &asked.filter, asked.after, request.limit())
            .await?;
        let (events, now) = (found.events.into_iter(), self.now());
        let items = events.map(|event| convert::my_event(event, &self.links, now));
        Ok(MyEventList {
            items: items.collect(),
            count: found.count,
            next_cursor: found.next.map(|place| place.cursor(asked.list)),
            count_is_exact: found.count_is_exact,
        })
    }

    async fn get_my_event(
        &self,
        caller: Authenticated,
        request: GetMyEventRequest,
    ) -> Result<MyEventDetail, Error> {
        let id = event_id(&request.id)?;
        let found = self.events.get(&caller.principal, id).await?;
        Ok(convert::my_event_detail(found, &self.links, self.now()))
    }

    async fn update_event(
        &self,
        caller: Command<MyEventDetail>,
        request: Checked<UpdateEventRequest>,
    ) -> Result<MyEventDetail, Error> {
        let show = |changed| convert::updated_event(changed, &self.links, self.now());
        let target = target(&request.message.id, request.message.scope())?;
        let patch = convert::event_patch(request);
        let update = self.events.update(caller.showing(&show), target, patch);
        update.await.map(show)
    }

    async fn clone_event(
        &self,
        caller: Command<CreatedEvent>,
        request: Checked<CloneEventRequest>,
    ) -> Result<CreatedEvent, Error> {
        let show = |event| convert::created_event(event, &self.links);
        let id = event_id(&request.message.id)?;
        let start = request.map(|request| request.start_date);
        let copy = self.events.copy(caller.showing(&show), id, start);
        copy.await.map(show)
    }

    async fn repeat_event(
        &self,
        caller: Command<RepeatedEvents>,
        request: Checked<RepeatEventRequest>,
    ) -> Result<RepeatedEvents, Error> {
        let id = event_id(&request.message.id)?;
        let repeat = self.events.repeat(
            caller.showing(&convert::repeated),
            id,
            request.map(convert::repeat),
        );
        repeat.await.map(convert::repeated)
    }

    async fn preview_repetition(
        &self,
        caller: Authenticated,
        request: Checked<RepeatEventRequest>,
    ) -> Result<RepetitionPreview, Error> {
        let id = event_id(&request.message.id)?;
        let repeat = request.map(convert::repeat);
        let dates = self.events.planned_repeat(&caller.principal, id, repeat);
        dates.await.map(convert::planned_dates)
    }

    async fn delete_event(
        &self,
        caller: Command<DeletedEvent>,
        request: DeleteEventRequest,
    ) -> Result<DeletedEvent, Error> {
        let show = |id: EventId| DeletedEvent {
            id: id.to_string(),
            deleted: true,
        };
        let id = event_id(&request.id)?;
        self.events
            .delete(caller.showing(&show), id)
            .await
            .map(show)
    }

    async fn preview_cover(
        &self,
        caller: Authenticated,
        request: PreviewCoverRequest,
    ) -> Result<Response<Messages<HttpBody>>, Error> {
        let drawing = convert::cover_request(convert::cover_words(request), true);
        let covers = (&self.studio, &self.cover_limit);
        let body = HttpBody {
            content_type: "image/png".into(),
            data: drawn(covers, drawing, caller.client).await?,
        };
        Ok(Response::new(Box::pin(tokio_stream::once(Ok(body)))))
    }

    async fn preview_event_mail(
        &self,
        caller: Authenticated,
        request: PreviewEventMailRequest,
    ) -> Result<EventMailPreview, Error> {
        let target = target(&request.id, request.scope())?;
        let change = preview::planned_change(request)?;
        let planned = self.events.planned_mail(&caller.principal, target, change);
        preview::shown(planned.await?, &self.links, &self.brand, self.now())
    }

    async fn preview_event_update(
        &self,
        caller: Authenticated,
        request: Checked<UpdateEventRequest>,
    ) -> Result<EventUpdatePreview, Error> {
        let target = target(&request.message.id, request.message.scope())?;
        let patch = convert::event_patch(request);
        let planned = self.events.planned_update(&caller.principal, target, patch);
        let planned = planned.await?;
        Ok(preview::update(planned))
    }

    async fn preview_event_deletion(
        &self,
        caller: Authenticated,
        request: DeleteEventRequest,
    ) -> Result<EventDeletionPreview, Error> {
        let id = event_id(&request.id)?;
        let title = self.events.planned_deletion(&caller.principal, id).await?;
        Ok(EventDeletionPreview { title })
    }

    async fn preview_unpublishing(
        &self,
        caller: Authenticated,
        request: UnpublishEventRequest,
    ) -> Result<UnpublishingPreview, Error> {
        let id = event_id(&request.id)?;
        let planned = self.events.planned_unpublishing(&caller.principal, id);
        let (title, messages) = planned.await?;
        Ok(UnpublishingPreview {
            title,
            messages,
            stops_nothing: messages == 0,
        })
    }

    async fn preview_cancellation(
        &self,
        caller: Authenticated,
        request: CancelRequest,
    ) -> Result<CancellationPreview, Error> {
        let target = target(&request.id, request.scope())?;
        let dates = self.events.dates_of(&caller.principal, target).await?;
        let mails = self.events.cancellation_mails(&caller.principal, &dates);
        let mails = mails.await?;
        preview::cancellation(&dates, mails).ok_or(Error::NO_EVENT)
    }

    async fn publish_event(
        &self,
        caller: Command<MyEventDetail>,
        request: PublishEventRequest,
    ) -> Result<MyEventDetail, Error> {
        let show = |published| convert::my_event_detail(published, &self.links, self.now());
        let id = event_id(&request.id)?;
        let publish = self.events.publish(caller.showing(&show), id);
        publish.await.map(show)
    }

    async fn unpublish_event(
        &self,
        caller: Command<MyEventDetail>,
        request: UnpublishEventRequest,
    ) -> Result<MyEventDetail, Error> {
        let show = |draft| convert::my_event_detail(draft, &self.links, self.now());
        let id = event_id(&request.id)?;
        let unpublish = self.events.unpublish(caller.showing(&show), id);
        unpublish.await.map(show)
    }

    async fn cancel_event(
        &self,
        caller: Command<CancelResult>,
        request: CancelRequest,
    ) -> Result<CancelResult, Error> {
        let show = |cancelled: Cancellation| CancelResult {
            id: cancelled.id.to_string(),
            cancelled: true,
            reason: cancelled.reason,
            registrants_notified: cancelled.registrants_notified,
            added_not_notified: cancelled.added_not_notified,
            events_cancelled: cancelled.events,
        };
        let target = target(&request.id, request.scope())?;
        let reason = request.reason.filter(|reason| !reason.is_empty());
        let cancel = self.events.cancel(caller.showing(&show), target, reason);
        cancel.await.map(show)
    }
}

/// The event of this id, or with the later dates of its series.
fn target(id: &str, scope: &str) -> Result<Target, Error> {
    Ok(Target {
        event: event_id(id)?,
        is_for_following: scope == "following",
    })
}
