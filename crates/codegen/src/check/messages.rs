//! Checks of messages: none contains itself, and none has the name of an error schema.

use std::collections::HashSet;

use anyhow::{Result, ensure};

use super::find;
use crate::{
    model::{Api, Kind, Message},
    openapi,
};

/// Ensures that no message has the name of an error schema.
pub(super) fn are_shown_apart_from_errors(api: &Api) -> Result<()> {
    for message in &api.messages {
        ensure!(
            !openapi::RESERVED.contains(&message.name.as_str()),
            "message {}: the name is reserved for a schema of errors",
            message.name
        );
    }
    Ok(())
}

/// Ensures that no message contains itself.
pub(super) fn are_outermost(api: &Api) -> Result<()> {
    for message in &api.messages {
        ensure!(
            !holds(api, message, &message.name, &mut HashSet::new()),
            "message {}: a message that contains itself is not supported",
            message.name
        );
    }
    Ok(())
}

/// Whether a message contains the named message, at any depth.
fn holds<'a>(api: &'a Api, message: &'a Message, name: &str, seen: &mut HashSet<&'a str>) -> bool {
    message.fields.iter().any(|field| match &field.kind {
        Kind::Message(held) if held == name => true,
        Kind::Message(held) if seen.insert(held) => {
            find(api, held).is_some_and(|held| holds(api, held, name, seen))
        }
        _ => false,
    })
}
