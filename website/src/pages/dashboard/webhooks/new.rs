//! A new webhook: where to, for which changes, and how it is signed.

use askama::Template;
use muster_api::{
    Scope,
    v1::{CreateWebhookRequest, bindings::CreateWebhook},
};

use super::{
    super::upcoming::upcoming,
    fields::{beside_content, chosen_types, new_model, sample},
    show_made,
};
use crate::{
    caller::{Caller, Frame, Tab},
    field::FormModel,
    form::Form,
    layout::PageResult,
};

pub(in crate::pages) const PATH: &str = "/dashboard/webhooks/new";

#[derive(Template)]
#[template(path = "dashboard/webhook_new.html")]
struct NewWebhookPage {
    page: Frame,
    model: FormModel,
    sample: String,
    /// Creates one, however often the form is sent.
    key: String,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::WebhooksWrite)?;
    caller.answer(&NewWebhookPage {
        page: caller.page("New webhook", Tab::Webhooks),
        model: caller.again(new_model(upcoming(&caller).await?.events)),
        sample: sample(),
        key: caller.key(),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::WebhooksWrite)?;
    caller.require_no_other_account(&form)?;
    let request = CreateWebhookRequest {
        url: form.text("url"),
        description: form.text("description"),
        types: chosen_types(&form),
        event_id: form.text("event_id"),
        content: form.text("content"),
        signature: form.text("signature"),
    };
    let create = caller
        .context
        .ask_once::<CreateWebhook>(request, form.key());
    let made = create.await.map_err(beside_content)?;
    show_made(&caller, made, true)
}
