//! Checks of MCP resources and prompts: every field in them exists.

use anyhow::{Context as _, Result, ensure};

use super::{answered, braced};
use crate::{
    model::{Api, Kind, Method},
    options::{Prompt, Resource},
};

/// The field of a list's answer with the items.
const ITEMS: &str = "items";

/// Checks the resource of an rpc.
pub(super) fn resource(api: &Api, method: &Method, resource: &Resource) -> Result<()> {
    ensure!(
        ![
            &resource.uri_template,
            &resource.name,
            &resource.title,
            &resource.description,
            &resource.media_type,
        ]
        .into_iter()
        .any(String::is_empty),
        "it needs a uri_template, a name, a title, a description and a media_type"
    );
    for name in braced(&resource.uri_template) {
        let mut fields = api.message(&method.request).fields.iter();
        ensure!(
            fields.any(|field| field.name == name && field.kind == Kind::String),
            "its variable {name} is no string of {}",
            method.request
        );
    }
    let text = &resource.text;
    ensure!(
        text.is_empty()
            || answered(api, method, text).is_some_and(|field| field.kind == Kind::String),
        "its text {text} is no string of the answer"
    );
    if resource.list_rpc.is_empty() {
        return Ok(());
    }
    let list = api
        .methods()
        .find(|other| other.name == resource.list_rpc)
        .with_context(|| format!("there is no rpc {} to list it", resource.list_rpc))?;
    let Some(Kind::Message(item)) = answered(api, list, ITEMS).map(|field| &field.kind) else {
        anyhow::bail!("{} answers no {ITEMS}", list.name);
    };
    let shown = [
        &resource.uri_template,
        &resource.name,
        &resource.title,
        &resource.description,
    ];
    for name in shown.into_iter().flat_map(|text| braced(text)) {
        ensure!(
            api.message(item)
                .fields
                .iter()
                .any(|field| field.name == name),
            "it shows {{{name}}}, which no {item} has"
        );
    }
    Ok(())
}

/// Checks a prompt.
pub(super) fn prompt(api: &Api, prompt: &Prompt) -> Result<()> {
    ensure!(
        ![
            &prompt.name,
            &prompt.title,
            &prompt.description,
            &prompt.text
        ]
        .into_iter()
        .any(String::is_empty),
        "it needs a name, a title, a description and a text"
    );
    let same = api.rules.prompts.iter();
    ensure!(
        same.filter(|other| other.name == prompt.name).count() == 1,
        "there are two of that name"
    );
    for name in braced(&prompt.text) {
        ensure!(
            prompt
                .arguments
                .iter()
                .any(|argument| argument.name == name),
            "its text shows {{{name}}}, which is no argument of it"
        );
    }
    Ok(())
}
