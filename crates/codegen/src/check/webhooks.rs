//! Checks of webhook messages: their body is one, and each type and its example are as the documents need them.

use std::collections::HashSet;

use anyhow::{Context as _, Result, bail, ensure};

use super::find;
use crate::{
    example::{self, WEBHOOK_DATA, WEBHOOK_TYPE},
    model::{Api, Kind, Message, Webhooks},
};

/// Ensures that the documents can show every type.
pub(super) fn all(api: &Api, webhooks: &Webhooks) -> Result<()> {
    let body = find(api, &webhooks.body);
    let body = body.with_context(|| format!("their body {} is no message", webhooks.body))?;
    ensure!(
        kind(body, WEBHOOK_TYPE) == Some(&Kind::String),
        "their body {} has no text `{WEBHOOK_TYPE}`",
        body.name
    );
    let Some(Kind::Message(data)) = kind(body, WEBHOOK_DATA) else {
        bail!("their body {} has no message `{WEBHOOK_DATA}`", body.name);
    };
    for name in &webhooks.full {
        ensure!(
            kind(api.message(data), name).is_some(),
            "{data} has no field {name}"
        );
    }
    let mut names = HashSet::new();
    for one in &webhooks.types {
        ensure!(names.insert(&one.name), "there are two types {}", one.name);
        example::webhook(api, webhooks, one)
            .with_context(|| format!("the example of {}", one.name))?;
    }
    Ok(())
}

fn kind<'a>(message: &'a Message, name: &str) -> Option<&'a Kind> {
    let mut fields = message.fields.iter();
    let field = fields.find(|field| field.name == name);
    field.map(|field| &field.kind)
}
