//! One route as an operation.

use anyhow::Result;
use serde_json::{Value, json};

use super::{ADDITION, BEARER, OAUTH2, failures, links, schemas, tag_name};
use crate::{
    errors::{self, RATE_LIMITED},
    example,
    model::{Api, Field, Method, Response, Service},
    options::{Access, ApiRules},
    parts::{Parts, next_page},
    route::{Route, Verb},
    schema::{self, Object, present},
};

/// The scope that any credential needs. Beside `bearer`, linters and OpenAPI 3.0 know no scopes.
const SCOPE: &str = "x-muster-scope";

/// The media type of all answers that are not files.
pub(super) const JSON: &str = "application/json";

/// Said of operations that can be repeated with a key. As a parameter, programs that import the document would send its example with
/// every change, and each but the first would be refused.
const IDEMPOTENCY_KEY: &str = "The header `Idempotency-Key` makes it safe to repeat.";

/// Route `index` of the rpc.
pub(super) fn emit(api: &Api, service: &Service, method: &Method, index: usize) -> Result<Value> {
    let route = &method.routes[index];
    let operation = present(json!({
        "tags": [tag_name(service)],
        "operationId": id(method, index),
        "summary": method.summary,
        "description": description(method),
        SCOPE: method.rules.scope,
        ADDITION: method.rules.addition.then_some(true),
        "parameters": parameters(api, method, route)?,
        "requestBody": body(api, method, route)?,
        "responses": responses(api, method, route)?,
        "security": security(method),
    }));
    Ok(operation.into())
}

/// The credentials that it takes; one of them is enough.
fn security(method: &Method) -> Value {
    match method.rules.access {
        Access::Public | Access::Unspecified => json!([]),
        Access::Bearer | Access::Paid | Access::Session => {
            let scopes: Vec<_> = method.rules.scope.iter().collect();
            json!([{ BEARER: [] }, { OAUTH2: scopes }])
        }
    }
}

/// The rpc's name as `createEvent`; additional routes are numbered from 2, as bindings are.
pub(super) fn id(method: &Method, index: usize) -> String {
    let (first, rest) = method.name.split_at(1);
    let number = if index == 0 {
        String::new()
    } else {
        (index + 1).to_string()
    };
    format!("{}{rest}{number}", first.to_ascii_lowercase())
}

/// The rpc's comment, its scope, and whether it takes a key.
fn description(method: &Method) -> String {
    let scope = method.rules.scope.as_ref();
    let scope = scope.map(|scope| format!("Needs the scope `{scope}`."));
    let key = method
        .rules
        .idempotency_key
        .then(|| IDEMPOTENCY_KEY.to_owned());
    let notes: Vec<_> = scope.into_iter().chain(key).collect();
    if notes.is_empty() {
        return method.comment.clone();
    }
    format!("{}\n\n{}", method.comment, notes.join(" "))
}

/// `None` if there are none.
fn parameters(api: &Api, method: &Method, route: &Route) -> Result<Option<Value>> {
    let parts = Parts::new(api, method, route);
    let mut parameters = Vec::new();
    for field in parts.path {
        parameters.push(parameter(api, field, "path")?);
    }
    for field in parts.query {
        parameters.push(parameter(api, field, "query")?);
    }
    if has_tag(method, route) {
        parameters.push(json!({ "$ref": "#/components/parameters/If-None-Match" }));
    }
    Ok((!parameters.is_empty()).then_some(parameters.into()))
}

fn parameter(api: &Api, field: &Field, location: &str) -> Result<Value> {
    let mut value = schemas::value(field);
    value.extend(present(json!({ "default": schema::default(field) })));
    let is_required = location == "path" || field.rules.required;
    let parameter = present(json!({
        "name": field.name,
        "in": location,
        "required": is_required.then_some(true),
        "description": schemas::with_refused_characters(field, &field.comment),
        "schema": value,
        "example": example::value(api, field)?,
        ADDITION: field.meaning.addition.then_some(true),
    }));
    Ok(parameter.into())
}

/// `None` if there is none.
fn body(api: &Api, method: &Method, route: &Route) -> Result<Option<Value>> {
    let parts = Parts::new(api, method, route);
    if let Some(upload) = parts.file.and_then(|file| file.meaning.upload.as_ref()) {
        let schema = json!({ "schema": { "type": "string", "format": "binary" } });
        let types = upload.media_types.iter();
        let content: Object = types.map(|name| (name.clone(), schema.clone())).collect();
        return Ok(Some(json!({ "required": true, "content": content })));
    }
    let Some(body) = parts.body else {
        return Ok(None);
    };
    let content = json!({
        "schema": schemas::reference(&method.request),
        "example": example::least(api, &body.fields)?,
    });
    Ok(Some(json!({
        "required": body.required,
        "content": { JSON: content },
    })))
}

fn responses(api: &Api, method: &Method, route: &Route) -> Result<Object> {
    let mut headers = json!({ "X-Request-Id": { "$ref": "#/components/headers/X-Request-Id" } });
    if has_tag(method, route) {
        headers["ETag"] = json!({ "$ref": "#/components/headers/ETag" });
    }
    if next_page(api, method, &Parts::new(api, method, route).query).is_some() {
        headers["Link"] = json!({ "$ref": "#/components/headers/Link" });
    }
    if errors::of_route(api, method, route)
        .iter()
        .any(|reason| reason.code == RATE_LIMITED)
    {
        for name in ["RateLimit", "RateLimit-Policy"] {
            headers[name] = json!({ "$ref": format!("#/components/headers/{name}") });
        }
    }
    let answer = present(json!({
        "description": method.rules.answers,
        "headers": headers,
        "content": content(api, method, route)?,
        "links": links::emit(api, method),
    }));
    let current = json!({
        "description": "The copy in `If-None-Match` is still current.",
        "headers": headers,
    });
    let mut responses = present(json!({
        "200": answer,
        "304": has_tag(method, route).then_some(current),
    }));
    failures::refer(api, method, route, &mut responses);
    Ok(responses)
}

/// Whether its answers have a tag: all that are read but files that are made while they are sent.
fn has_tag(method: &Method, route: &Route) -> bool {
    let is_message = matches!(method.response, Response::Message(_));
    (is_message && route.verb == Verb::Get) || method.rules.caching.is_some()
}

fn content(api: &Api, method: &Method, route: &Route) -> Result<Value> {
    let name = match &method.response {
        Response::File { media_type } => {
            // As `binary`, generators hand out a table as bytes, or fail.
            let format = (!media_type.starts_with("text/")).then_some("binary");
            let schema = present(json!({ "type": "string", "format": format }));
            return Ok(json!({ media_type: { "schema": schema } }));
        }
        Response::Message(name) => name,
    };
    let shown = route.response_body.as_ref().and_then(|shown| {
        let mut fields = api.message(name).fields.iter();
        fields.find(|field| field.name == *shown)
    });
    let schema = match shown {
        None => schemas::reference(name),
        Some(field) => {
            let mut schema = schemas::value(field);
            let examples = json!([example::value(api, field)?]);
            schema.insert("examples".to_owned(), examples);
            schema
        }
    };
    Ok(json!({ JSON: { "schema": schema } }))
}

/// The parameters that operations refer to.
pub(super) fn shared_parameters() -> Object {
    present(json!({
        "If-None-Match": {
            "name": "If-None-Match",
            "in": "header",
            "description": "The ETag of a copy that the client has.",
            "schema": { "type": "string" },
            "example": "\"9f86d081884c7d65\"",
        },
    }))
}

/// The headers that responses refer to.
pub(super) fn headers(rules: &ApiRules) -> Value {
    let list = format!("{}{}/events", rules.public_url, rules.base_path);
    json!({
        "X-Request-Id": {
            "description": "Finds the request in the server's logs. A request may bring its own.",
            "schema": { "type": "string" },
            "example": failures::REQUEST_ID,
        },
        "WWW-Authenticate": {
            "description": "How to authenticate, or which scope is missing.",
            "schema": { "type": "string" },
            "example": "Bearer realm=\"muster\"",
        },
        "Retry-After": {
            "description": "The number of seconds to wait before trying again.",
            "schema": { "type": "integer", "minimum": 1 },
            "example": 5,
        },
        "RateLimit": {
            "description": "How many requests are left of the limit with this name, and in how many seconds there is one more. Absent if another limit was exceeded.",
            "schema": { "type": "string" },
            "example": "\"address\";r=59;t=1",
        },
        "RateLimit-Policy": {
            "description": "The name of the limit, how many requests it allows, and in how many seconds: `address` for registrations from a client's address, `account-reads` and `account-writes` for the calls of an account. Absent if another limit was exceeded.",
            "schema": { "type": "string" },
            "example": "\"address\";q=60;w=60",
        },
        "Link": {
            "description": "The address of the next page, with `rel=\"next\"`; absent on the last one.",
            "schema": { "type": "string" },
            "example": format!("<{list}?limit=50&offset=50>; rel=\"next\""),
        },
        "ETag": {
            "description": "Names this version of the answer.",
            "schema": { "type": "string" },
            "example": "\"9f86d081884c7d65\"",
        },
    })
}
