//! Changing and deleting a webhook.

use askama::Template;
use muster_api::{
    Scope,
    binding::PublicRpc as _,
    v1::{
        DeleteWebhookRequest, UpdateWebhookRequest,
        bindings::{DeleteWebhook, UpdateWebhook},
    },
};

use super::{
    PATH, Row,
    fields::{beside_content, chosen_types, model},
    path_of, read,
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

#[derive(Template)]
#[template(path = "dashboard/webhook_edit.html")]
struct EditPage {
    page: Frame,
    row: Row,
    model: FormModel,
}

#[derive(Template)]
#[template(path = "dashboard/webhook_delete.html")]
struct DeletePage {
    page: Frame,
    row: Row,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::WebhooksWrite)?;
    let webhook = read(&caller).await?;
    caller.answer(&EditPage {
        page: caller.page("Edit the webhook", Tab::Webhooks),
        model: caller.again(model(&webhook)),
        row: Row::of(webhook),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::WebhooksWrite)?;
    let webhook = read(&caller).await?;
    let mut mask = vec!["url", "description", "types"];
    // Who leaves the content as it is needs no right to it.
    if form
        .value("content")
        .is_some_and(|content| content != webhook.content)
    {
        mask.push("content");
    }
    let mut request = UpdateWebhookRequest {
        webhook_id: webhook.id.clone(),
        update_mask: None,
        url: form.text("url"),
        description: form.text("description"),
        types: chosen_types(&form),
        content: form.text("content"),
        is_paused: None,
    };
    let mask = mask.into_iter().map(str::to_owned).collect();
    UpdateWebhook::set_update_mask(&mut request, mask);
    let update = caller.ask::<UpdateWebhook>(request);
    update.await.map_err(beside_content)?;
    Ok(flash::see(
        &path_of(&webhook.id),
        Some(Flash::WEBHOOK_SAVED),
    ))
}

pub(in crate::pages) async fn ask_to_delete(caller: Caller) -> PageResult {
    caller.require(Scope::WebhooksWrite)?;
    let webhook = read(&caller).await?;
    caller.answer(&DeletePage {
        page: caller.page("Delete this webhook?", Tab::Webhooks),
        row: Row::of(webhook),
    })
}

pub(in crate::pages) async fn delete(caller: Caller, _form: Form) -> PageResult {
    let webhook_id = caller.context.segment(2)?;
    let request = DeleteWebhookRequest { webhook_id };
    caller.ask::<DeleteWebhook>(request).await?;
    Ok(flash::see(PATH, Some(Flash::WEBHOOK_DELETED)))
}
