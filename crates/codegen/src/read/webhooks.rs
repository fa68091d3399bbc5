//! Webhook messages.

use anyhow::{Context as _, Result, ensure};
use prost_reflect::{DescriptorPool, EnumValueDescriptor};
use serde_json::{Value, json};

use super::comment;
use crate::{
    model::{WebhookType, Webhooks},
    options::{self, WebhookRules, WebhooksRules},
};

/// The enum whose values are the types of webhook messages.
const TYPES: &str = "WebhookType";

/// Reads the enum; `None` if the package has none.
pub(super) fn read(pool: &DescriptorPool, package: &str) -> Result<Option<Webhooks>> {
    let Some(descriptor) = pool.get_enum_by_name(&format!("{package}.{TYPES}")) else {
        return Ok(None);
    };
    let rules: WebhooksRules = options::read(&descriptor.options(), "muster.options.v1.webhooks")?;
    ensure!(
        !rules.body.is_empty(),
        "the enum {TYPES} does not name the message that is their body (webhooks.body)"
    );
    let values = descriptor.values().filter(|value| value.number() != 0);
    let types = values.map(|value| {
        one(&value).with_context(|| format!("the type {} of webhook messages", value.name()))
    });
    Ok(Some(Webhooks {
        comment: comment(&descriptor.parent_file(), descriptor.path()),
        body: rules.body,
        full: rules.full,
        types: types.collect::<Result<_>>()?,
    }))
}

fn one(value: &EnumValueDescriptor) -> Result<WebhookType> {
    let rules: WebhookRules = options::read(&value.options(), "muster.options.v1.webhook")?;
    ensure!(
        rules.name.contains('.'),
        "it needs a webhook.name such as event.created"
    );
    let example: Value = match rules.example.as_str() {
        "" => json!({}),
        text => serde_json::from_str(text).context("its example is no JSON")?,
    };
    ensure!(example.is_object(), "its example is no object");
    Ok(WebhookType {
        name: rules.name,
        comment: comment(&value.parent_enum().parent_file(), value.path()),
        example,
    })
}
