//! Errors: their body, and one response for each set of reasons with the same status.

use serde_json::{Value, json};

use super::schemas::reference;
use crate::{
    errors,
    model::{Api, Method},
    options::Reason,
    route::Route,
    rust::pascal,
    schema::{Object, present},
};

const ERROR: &str = "Error";
const DETAIL: &str = "ErrorDetail";
/// Reserved names of schemas.
pub(crate) const RESERVED: [&str; 2] = [ERROR, DETAIL];

/// The request id in examples.
pub(super) const REQUEST_ID: &str = "0197a3c5-7e44-7b1c-8a53-2f0f3f6f9c11";

/// The schemas of an error's body.
pub(super) fn schemas(api: &Api) -> Object {
    let codes: Vec<_> = api
        .reasons
        .iter()
        .map(|reason| format!("`{}`", reason.code))
        .collect();
    let codes = format!(
        "The error code, for programs: {}. There may be more; then the status says what to do.",
        codes.join(", ")
    );
    present(json!({
        ERROR: {
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": { "type": "string", "description": codes },
                        "message": {
                            "type": "string",
                            "description": "The error message, for people. Its wording may change.",
                        },
                        "details": {
                            "type": "array",
                            "items": reference(DETAIL),
                            "description": "The invalid fields of the request, or the quota that is used up.",
                        },
                        "request_id": {
                            "type": "string",
                            "description": "Finds the request in the server's logs.",
                        },
                    },
                    "required": ["code", "message"],
                },
            },
            "required": ["error"],
            "description": "The body of every answer with a status of 400 or more. Where its name is in the way of a language's own type, generators can \
                change it (openapi-generator: `--model-name-mappings Error=MusterError`).",
            "examples": api.reasons.iter().take(1).map(example).collect::<Vec<_>>(),
        },
        DETAIL: {
            "type": "object",
            "properties": {
                "field": {
                    "type": "string",
                    "description": "Path of the field, for example `custom_fields[2].label`, or the name of the quota.",
                },
                "message": {
                    "type": "string",
                    "description": "What is valid, or what the quota allows and when it resets.",
                },
            },
            "required": ["field", "message"],
            "description": "An invalid field of the request, or a quota that is used up.",
            "examples": api.reasons.iter().filter_map(detail).collect::<Vec<_>>(),
        },
    }))
}

fn example(reason: &Reason) -> Value {
    let error = present(json!({
        "code": reason.code,
        "message": reason.example,
        "details": detail(reason).map(|detail| json!([detail])),
        "request_id": REQUEST_ID,
    }));
    json!({ "error": error })
}

/// The field and its rule, with which the message of an invalid request starts.
fn detail(reason: &Reason) -> Option<Value> {
    let (field, message) = reason.example.split_once(' ')?;
    (reason.code == errors::INVALID_REQUEST).then(|| json!({ "field": field, "message": message }))
}

/// The error reasons of a route, grouped by HTTP status.
fn of_route<'a>(api: &'a Api, method: &Method, route: &Route) -> Vec<(u16, Vec<&'a Reason>)> {
    let mut groups: Vec<(u16, Vec<&Reason>)> = Vec::new();
    for reason in errors::of_route(api, method, route) {
        match groups
            .iter_mut()
            .find(|(status, _)| *status == reason.http_status)
        {
            Some((_, reasons)) => reasons.push(reason),
            None => groups.push((reason.http_status, vec![reason])),
        }
    }
    groups.sort_by_key(|(status, _)| *status);
    groups
}

/// Adds a route's errors to its responses.
pub(super) fn refer(api: &Api, method: &Method, route: &Route, responses: &mut Object) {
    for (status, reasons) in of_route(api, method, route) {
        let reference = format!("#/components/responses/{}", name(&reasons));
        responses.insert(status.to_string(), json!({ "$ref": reference }));
    }
}

/// The responses that `refer` refers to.
pub(super) fn responses(api: &Api) -> Object {
    let mut responses = Object::new();
    for method in api.methods() {
        for route in &method.routes {
            for (status, reasons) in of_route(api, method, route) {
                let name = name(&reasons);
                if !responses.contains_key(&name) {
                    responses.insert(name, response(status, &reasons));
                }
            }
        }
    }
    responses
}

/// For example `NotFound`, or `EventCancelledOrEventEnded`.
fn name(reasons: &[&Reason]) -> String {
    let names: Vec<_> = reasons.iter().map(|reason| pascal(&reason.code)).collect();
    names.join("Or")
}

fn response(status: u16, reasons: &[&Reason]) -> Value {
    let description = match reasons {
        [reason] => format!("`{}`: {}", reason.code, reason.description),
        reasons => {
            let each = reasons
                .iter()
                .map(|reason| format!("- `{}`: {}", reason.code, reason.description));
            each.collect::<Vec<_>>().join("\n")
        }
    };
    let examples: Object = reasons
        .iter()
        .map(|reason| (reason.code.clone(), json!({ "value": example(reason) })))
        .collect();
    let mut headers = Object::new();
    let lacks_scope = reasons
        .iter()
        .any(|reason| reason.code == errors::INSUFFICIENT_SCOPE);
    for (header, statuses) in [
        ("X-Request-Id", &[status][..]),
        (
            "WWW-Authenticate",
            if lacks_scope { &[403] } else { &[401] },
        ),
        ("Retry-After", &[429, 503]),
        ("RateLimit", &[429]),
        ("RateLimit-Policy", &[429]),
    ] {
        if statuses.contains(&status) {
            let reference = format!("#/components/headers/{header}");
            headers.insert(header.to_owned(), json!({ "$ref": reference }));
        }
    }
    json!({
        "description": description,
        "headers": headers,
        "content": {
            "application/json": {
                "schema": reference(ERROR),
                "examples": examples,
            },
        },
    })
}
