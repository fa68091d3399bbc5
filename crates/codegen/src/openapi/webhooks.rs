//! Webhook messages: what a receiver is sent, and what its answers mean.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{ADDITION, operation::JSON, schemas};
use crate::{
    example::{self, WEBHOOK_TYPE},
    model::{Api, WebhookType, Webhooks},
    rust::pascal,
    schema::{Object, present},
};

/// Name of the security scheme of messages.
pub(super) const SIGNATURE: &str = "signature";

/// The group of all messages, which are no operations of a service.
const TAG: &str = "Webhook messages";

/// The headers of Standard Webhooks, which is the specification that receivers' libraries are made for: each with a description and an example.
const HEADERS: [(&str, &str, &str); 3] = [
    (
        "webhook-id",
        "Names the message. It is the same each time the message is sent, so drop one whose id was handled before.",
        "0197a3cb-4d5e-7f60-9182-a3b4c5d6e7f8",
    ),
    (
        "webhook-timestamp",
        "When this attempt was made, in seconds since 1970. Refuse one that is more than five minutes away from your clock.",
        "1904630401",
    ),
    (
        SIGNATURE_HEADER,
        "The signatures of `{webhook-id}.{webhook-timestamp}.{body}`, separated by spaces. One of them must be right: after a rotation of the \
         secret there are two.",
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ),
];
const SIGNATURE_HEADER: &str = "webhook-signature";

/// The part of the document; `None` if there are no messages.
pub(super) fn emit(api: &Api) -> Result<Option<Object>> {
    let Some(webhooks) = &api.webhooks else {
        return Ok(None);
    };
    let messages = webhooks.types.iter().map(|one| {
        let message = message(api, webhooks, one);
        let message = message.with_context(|| format!("webhook {}", one.name))?;
        Ok((one.name.clone(), json!({ "post": message })))
    });
    messages.collect::<Result<_>>().map(Some)
}

/// The group of all messages.
pub(super) fn tag(api: &Api) -> Option<Value> {
    let webhooks = api.webhooks.as_ref()?;
    Some(json!({ "name": TAG, "description": webhooks.comment }))
}

/// The headers that messages refer to.
pub(super) fn parameters(api: &Api) -> Object {
    let headers = HEADERS.iter().filter(|_| api.webhooks.is_some());
    let parameter = |&(name, description, example): &(&str, &str, &str)| {
        let parameter = json!({
            "name": name,
            "in": "header",
            "required": true,
            "description": description,
            "schema": { "type": "string" },
            "example": example,
        });
        (name.to_owned(), parameter)
    };
    headers.map(parameter).collect()
}

/// How a receiver knows that a message is Muster's.
pub(super) fn security_scheme(api: &Api) -> Option<Value> {
    api.webhooks.as_ref()?;
    Some(json!({
        "type": "apiKey",
        "in": "header",
        "name": SIGNATURE_HEADER,
        "description": "The signature of a message as Standard Webhooks 1.0.0 has it: `v1` is HMAC-SHA256 with the secret of the webhook, \
            `v1a` is Ed25519. The libraries of <https://www.standardwebhooks.com> verify both or the first.",
    }))
}

/// Removes messages from a document in a form that has no place for them, with all that is there for them alone.
pub(super) fn remove(document: &mut Value) {
    if let Some(members) = document.as_object_mut() {
        members.shift_remove("webhooks");
    }
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.retain(|tag| tag["name"] != TAG);
    }
    let components = &mut document["components"];
    if let Some(parameters) = components["parameters"].as_object_mut() {
        parameters.retain(|name, _| HEADERS.iter().all(|(header, ..)| header != name));
    }
    if let Some(schemes) = components["securitySchemes"].as_object_mut() {
        schemes.shift_remove(SIGNATURE);
    }
}

fn message(api: &Api, webhooks: &Webhooks, one: &WebhookType) -> Result<Value> {
    let [thin, full] = example::webhook(api, webhooks, one)?;
    let is_more = full != thin;
    let examples = present(json!({
        "thin": { "value": thin },
        "full": is_more.then(|| json!({ "value": full })),
    }));
    let headers = HEADERS.iter();
    let headers =
        headers.map(|(name, ..)| json!({ "$ref": format!("#/components/parameters/{name}") }));
    let content = json!({
        "schema": {
            "allOf": [
                schemas::reference(&webhooks.body),
                { "type": "object", "properties": { WEBHOOK_TYPE: { "const": one.name } } },
            ],
        },
        "examples": examples,
    });
    Ok(json!({
        "tags": [TAG],
        "operationId": format!("on{}", pascal(&one.name.replace('.', "_"))),
        "summary": one.name,
        "description": one.comment,
        ADDITION: true,
        "parameters": headers.collect::<Vec<_>>(),
        "requestBody": { "required": true, "content": { JSON: content } },
        "responses": {
            "2XX": { "description": "You have the message. It is not sent again." },
            "410": { "description": "You want no more messages: the webhook is disabled." },
            "default": {
                "description": "Anything else, a redirect as well, or no answer within 15 seconds: the message is sent again later. `429`, `502`, \
                    `503`, `504` and `Retry-After` slow down all messages to the webhook.",
            },
        },
        "security": [{ SIGNATURE: [] }],
    }))
}
