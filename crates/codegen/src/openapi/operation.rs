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
    schema::{self, Object, set},
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
    let mut operation = Object::new();
    set(&mut operation, "tags", json!([tag_name(service)]));
    set(&mut operation, "operationId", id(method, index));
    set(&mut operation, "summary", method.summary.as_str());
    set(&mut operation, "description", description(method));
    set(&mut operation, SCOPE, method.rules.scope.as_deref());
    set(
        &mut operation,
        ADDITION,
        method.rules.addition.then_some(true),
    );
    set(
        &mut operation,
        "parameters",
        parameters(api, method, route)?,
    );
    set(&mut operation, "requestBody", body(api, method, route)?);
    set(&mut operation, "responses", responses(api, method, route)?);
    set(&mut operation, "security", security(method));
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

fn parameter(api: &Api, field: &Field, place: &str) -> Result<Value> {
    let mut value = schemas::value(field);
    set(&mut value, "default", schema::default(field));
    let required = place == "path" || field.rules.required;
    let mut parameter = Object::new();
    set(&mut parameter, "name", field.name.as_str());
    set(&mut parameter, "in", place);
    set(&mut parameter, "required", required.then_some(true));
    let description = schemas::with_refused_characters(field, &field.comment);
    set(&mut parameter, "description", description);
    set(&mut parameter, "schema", value);
    set(&mut parameter, "example", example::value(api, field)?);
    set(
        &mut parameter,
        ADDITION,
        field.meaning.addition.then_some(true),
    );
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
    let mut answer = Object::new();
    set(&mut answer, "description", method.rules.answers.as_str());
    set(&mut answer, "headers", headers.clone());
    set(&mut answer, "content", content(api, method, route)?);
    set(&mut answer, "links", links::emit(api, method));
    let mut responses = Object::new();
    set(&mut responses, "200", answer);
    if has_tag(method, route) {
        set(
            &mut responses,
            "304",
            json!({
                "description": "The copy in `If-None-Match` is still current.",
                "headers": headers,
            }),
        );
    }
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
            let mut schema = Object::new();
            set(&mut schema, "type", "string");
            // As `binary`, generators hand out a table as bytes, or fail.
            let is_text = media_type.starts_with("text/");
            set(&mut schema, "format", (!is_text).then_some("binary"));
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
            set(
                &mut schema,
                "examples",
                json!([example::value(api, field)?]),
            );
            schema
        }
    };
    Ok(json!({ JSON: { "schema": schema } }))
}

/// The parameters that operations refer to.
pub(super) fn shared_parameters() -> Object {
    let if_none_match = json!({
        "name": "If-None-Match",
        "in": "header",
        "description": "The ETag of a copy that the client has.",
        "schema": { "type": "string" },
        "example": "\"9f86d081884c7d65\"",
    });
    let mut shared = Object::new();
    set(&mut shared, "If-None-Match", if_none_match);
    shared
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
