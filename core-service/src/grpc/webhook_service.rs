//! Webhooks of accounts.

use std::time::Duration;

use domain::{ids::WebhookId, violation::Checked, webhook::DeliveryState};
use muster_api::v1::{
    CreateWebhookRequest, DeleteWebhookRequest, DeleteWebhookResponse, GetWebhookDeliveryRequest,
    GetWebhookRequest, ListWebhookDeliveriesRequest, ListWebhookMessagesRequest,
    ListWebhooksRequest, PingWebhookRequest, ReplayWebhookRequest, RotateWebhookSecretRequest,
    UpdateWebhookRequest, Webhook, WebhookAttempt, WebhookDeliveryDetail, WebhookDeliveryList,
    WebhookList, WebhookMessageList, WebhookReplay, WebhookReplayPreview,
    services::WebhookHandlers,
};

use super::{
    Api, convert,
    frame::{Authenticated, Command, CoreFrame},
};
use crate::service::{Error, Wait};

fn webhook_id(text: &str) -> Result<WebhookId, Error> {
    text.parse()
        .map_err(|_| Error::NotFound { what: "webhook" })
}

impl WebhookHandlers<CoreFrame> for Api {
    async fn create_webhook(
        &self,
        caller: Command<Webhook>,
        request: Checked<CreateWebhookRequest>,
    ) -> Result<Webhook, Error> {
        let new = convert::new_webhook(request)?;
        let by = caller.showing(&convert::made_webhook);
        let create = self.webhooks.create(by, new);
        create.await.map(convert::made_webhook)
    }

    async fn list_webhooks(
        &self,
        caller: Authenticated,
        _: ListWebhooksRequest,
    ) -> Result<WebhookList, Error> {
        let list = self.webhooks.list(&caller.principal);
        list.await.map(convert::webhook_list)
    }

    async fn get_webhook(
        &self,
        caller: Authenticated,
        request: GetWebhookRequest,
    ) -> Result<Webhook, Error> {
        let id = webhook_id(&request.webhook_id)?;
        let get = self.webhooks.get(&caller.principal, id);
        get.await.map(convert::webhook)
    }

    async fn update_webhook(
        &self,
        caller: Command<Webhook>,
        request: Checked<UpdateWebhookRequest>,
    ) -> Result<Webhook, Error> {
        let id = webhook_id(&request.message.webhook_id)?;
        let patch = convert::webhook_patch(request);
        let by = caller.showing(&convert::webhook);
        let update = self.webhooks.update(by, id, patch);
        update.await.map(convert::webhook)
    }

    async fn delete_webhook(
        &self,
        caller: Command<DeleteWebhookResponse>,
        request: DeleteWebhookRequest,
    ) -> Result<DeleteWebhookResponse, Error> {
        let show = |id: WebhookId| DeleteWebhookResponse { id: id.to_string() };
        let id = webhook_id(&request.webhook_id)?;
        let delete = self.webhooks.delete(caller.showing(&show), id);
        delete.await.map(show)
    }

    async fn rotate_webhook_secret(
        &self,
        caller: Command<Webhook>,
        request: RotateWebhookSecretRequest,
    ) -> Result<Webhook, Error> {
        let id = webhook_id(&request.webhook_id)?;
        let by = caller.showing(&convert::made_webhook);
        let rotate = self.webhooks.rotate(by, id);
        rotate.await.map(convert::made_webhook)
    }

    async fn ping_webhook(
        &self,
        caller: Authenticated,
        request: PingWebhookRequest,
    ) -> Result<WebhookAttempt, Error> {
        let id = webhook_id(&request.webhook_id)?;
        let ping = self.webhooks.ping(&caller.principal, id).await?;
        let (outbound, _waiting) = ping;
        caller.waits.release();
        let attempted = self.webhook_post.attempt(&outbound).await;
        let attempted = attempted.map_err(|error| Error::Conflict(error.to_string()))?;
        Ok(convert::webhook_attempt(attempted.attempt))
    }

    async fn list_webhook_deliveries(
        &self,
        caller: Authenticated,
        request: ListWebhookDeliveriesRequest,
    ) -> Result<WebhookDeliveryList, Error> {
        let id = webhook_id(&request.webhook_id)?;
        let before = convert::delivery_cursor(request.cursor.as_deref())?;
        let state = request.state.as_deref();
        let state = state.and_then(|name| name.parse::<DeliveryState>().ok());
        let limit = request.limit();
        let page = self
            .webhooks
            .deliveries(&caller.principal, id, state, before, limit);
        page.await.map(|page| convert::delivery_page(&page))
    }

    async fn get_webhook_delivery(
        &self,
        caller: Authenticated,
        request: GetWebhookDeliveryRequest,
    ) -> Result<WebhookDeliveryDetail, Error> {
        let id = webhook_id(&request.webhook_id)?;
        let message = request.message_id.parse();
        let message = message.map_err(|_| Error::NotFound { what: "delivery" })?;
        let found = self.webhooks.delivery(&caller.principal, id, message);
        let (links, now) = (self.webhook_post.links(), self.webhooks.now());
        Ok(convert::delivery_detail(found.await?, links, now))
    }

    async fn replay_webhook(
        &self,
        caller: Command<WebhookReplay>,
        request: ReplayWebhookRequest,
    ) -> Result<WebhookReplay, Error> {
        let id = webhook_id(&request.webhook_id)?;
        let which = convert::which_messages(&request)?;
        let by = caller.showing(&convert::replay);
        let replay = self.webhooks.replay(by, id, which);
        replay.await.map(convert::replay)
    }

    async fn preview_webhook_replay(
        &self,
        caller: Authenticated,
        request: ReplayWebhookRequest,
    ) -> Result<WebhookReplayPreview, Error> {
        let id = webhook_id(&request.webhook_id)?;
        let which = convert::which_messages(&request)?;
        let planned = self.webhooks.planned_replay(&caller.principal, id, &which);
        planned.await.map(convert::replay_preview)
    }

    async fn list_webhook_messages(
        &self,
        caller: Authenticated,
        request: ListWebhookMessagesRequest,
    ) -> Result<WebhookMessageList, Error> {
        let from = convert::pull_cursor(request.cursor.as_deref())?;
        let wanted = Duration::from_secs(request.wait_seconds().try_into().unwrap_or(0));
        let wait = Wait {
            limit: caller.waits.limit(wanted),
            release: &|| caller.waits.release(),
        };
        let (types, limit) = (&request.types, request.limit());
        let pull = self
            .webhooks
            .pull(&caller.principal, from, types, wait, limit);
        Ok(convert::pulled(&pull.await?))
    }
}
