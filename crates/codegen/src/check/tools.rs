//! Checks of MCP tools: each has a description, a unique name, and an existing preview if it needs confirmation.

use anyhow::{Context as _, Result, ensure};

use super::{answered, braced};
use crate::{
    model::{Api, Field, Kind, Method, Response},
    options::{Confirmation, Tool},
    tools,
};

/// Checks the tool of an rpc.
pub(super) fn one(api: &Api, method: &Method, tool: &Tool) -> Result<()> {
    ensure!(
        !(tool.name.is_empty() || tool.title.is_empty() || tool.description.is_empty()),
        "it needs a name, a title and a description"
    );
    ensure!(
        !method.routes.is_empty(),
        "only an rpc with a route can be a tool"
    );
    ensure!(
        matches!(method.response, Response::Message(_)),
        "a tool cannot answer with a file"
    );
    let fields = &api.message(&method.request).fields;
    let added = [
        (tools::CONFIRM, tool.confirmation.is_some()),
        (tools::CLEAR, fields.iter().any(Field::is_update_mask)),
    ];
    for (name, is_added) in added {
        ensure!(
            !(is_added && fields.iter().any(|field| field.name == name)),
            "its argument {name} is added by the generator; call the field otherwise"
        );
    }
    match &tool.confirmation {
        None => Ok(()),
        Some(one) => confirmation(api, fields, one),
    }
}

/// Checks the confirmation and its preview.
fn confirmation(api: &Api, fields: &[Field], confirmation: &Confirmation) -> Result<()> {
    let preview = &confirmation.preview_rpc;
    let preview = api
        .methods()
        .find(|other| other.name == *preview)
        .with_context(|| format!("there is no rpc {preview} to preview it"))?;
    for field in &api.message(&preview.request).fields {
        ensure!(
            fields
                .iter()
                .any(|own| own.name == field.name && own.kind == field.kind),
            "its preview {} takes {}, which it does not have",
            preview.name,
            field.name
        );
    }
    for name in braced(&confirmation.question) {
        ensure!(
            answered(api, preview, name).is_some(),
            "its question shows {{{name}}}, which its preview {} does not answer",
            preview.name
        );
    }
    let unless = &confirmation.unless;
    ensure!(
        unless.is_empty()
            || answered(api, preview, unless).is_some_and(|field| field.kind == Kind::Bool),
        "it goes unconfirmed when {unless}, which is no truth value that its preview {} answers",
        preview.name
    );
    Ok(())
}
