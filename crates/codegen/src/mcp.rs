//! The MCP document besides the tools: server information, resources and prompts.

use serde_json::{Value, json};

use crate::{
    model::{Api, Method},
    options::{Prompt, Resource},
    schema::{Object, present},
};

/// The document.
pub(crate) fn emit(api: &Api) -> Value {
    let resources = api
        .methods()
        .filter_map(|method| Some(resource(api, method, method.rules.resource.as_ref()?)));
    let prompts: Vec<_> = api.rules.prompts.iter().map(prompt).collect();
    json!({
        "name": api.rules.title.to_lowercase(),
        "title": api.rules.title,
        "instructions": api.rules.instructions,
        "resources": resources.collect::<Vec<_>>(),
        "prompts": prompts,
    })
}

fn resource(api: &Api, method: &Method, resource: &Resource) -> Object {
    let list = api.methods().find(|other| other.name == resource.list_rpc);
    let text = Some(resource.text.as_str()).filter(|field| !field.is_empty());
    present(json!({
        "grpc_path": method.grpc_path,
        "text": text,
        "list": list.map(|list| &list.grpc_path),
        "template": {
            "uriTemplate": resource.uri_template,
            "name": resource.name,
            "title": resource.title,
            "description": resource.description,
            "mimeType": resource.media_type,
        },
    }))
}

fn prompt(prompt: &Prompt) -> Value {
    let arguments = prompt.arguments.iter().map(|argument| {
        json!({
            "name": argument.name,
            "description": argument.description,
            "required": argument.required,
        })
    });
    json!({
        "prompt": {
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": arguments.collect::<Vec<_>>(),
        },
        "text": prompt.text,
    })
}
