//! Every answer against the OpenAPI document, so that neither can drift from the other.
//!
//! The document is read more strictly here than by clients, who must expect answers to grow: a success has exactly the
//! properties that its schema names, those without a value as null.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use http::{Method, StatusCode};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::Reply;

/// What any route answers whatever it does, which the document does not repeat for each.
const OF_EVERY_ROUTE: [StatusCode; 4] = [
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::URI_TOO_LONG,
    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
];

const ERROR: &str = "/components/schemas/Error";

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::read);

struct Contract {
    /// As published.
    document: Value,
    /// With closed answers.
    closed: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// Checks an answer, and the request's body when it was accepted: what is accepted is what the document says.
///
/// # Panics
/// When they are not what the document says.
#[track_caller]
pub(crate) fn check(method: &Method, path: &str, sent: &[u8], answer: &Reply) {
    let Some(path) = path.strip_prefix("/api/v1") else {
        return;
    };
    let path = path.split('?').next().unwrap_or_default();
    match CONTRACT.operation(method, path) {
        Some(operation) => CONTRACT.check_operation(&operation, sent, answer),
        None if answer.status.is_client_error() => CONTRACT.check_json(ERROR, &answer.body, answer),
        None => {}
    }
}

impl Contract {
    fn read() -> Self {
        let document: Value = serde_json::from_str(muster_api::OPENAPI).unwrap();
        let mut closed = document.clone();
        let schemas = closed["components"]["schemas"].as_object_mut().unwrap();
        for (name, schema) in schemas {
            if !name.starts_with("Error")
                && !name.ends_with("Request")
                && !matches!(&**name, "Answer" | "Audience" | "CustomField")
            {
                close(schema);
            }
        }
        Self {
            document,
            closed,
            validators: Mutex::default(),
        }
    }

    /// A pointer to the operation, if the document has it.
    fn operation(&self, method: &Method, path: &str) -> Option<String> {
        let matches = |template: &str| {
            let (template, path): (Vec<_>, Vec<_>) =
                (template.split('/').collect(), path.split('/').collect());
            let same = |(one, other): (&&str, &&str)| one.starts_with('{') || one == other;
            template.len() == path.len() && template.iter().zip(&path).all(same)
        };
        let paths = self.document["paths"].as_object().unwrap();
        let template = paths.keys().find(|template| matches(template))?;
        let method = method.as_str().to_lowercase();
        let pointer = format!("/paths/{}/{method}", template.replace('/', "~1"));
        self.document.pointer(&pointer).map(|_| pointer)
    }

    #[track_caller]
    fn check_operation(&self, operation: &str, sent: &[u8], answer: &Reply) {
        let responses = &self.document.pointer(operation).unwrap()["responses"];
        let status = answer.status.as_str();
        let Some(response) = responses.get(status) else {
            assert!(
                OF_EVERY_ROUTE.contains(&answer.status),
                "{operation} does not say that it answers {status}: {answer:?}"
            );
            return self.check_json(ERROR, &answer.body, answer);
        };
        let pointer = match response["$ref"].as_str() {
            Some(shared) => shared.trim_start_matches('#').to_owned(),
            None => format!("{operation}/responses/{status}"),
        };
        let response = self.document.pointer(&pointer).unwrap();
        if let Some(content) = response.get("content") {
            let media_type = answer.header("content-type").unwrap_or_default();
            let media_type = media_type.split(';').next().unwrap_or_default();
            let range = media_type.split('/').next().unwrap_or_default();
            let range = format!("{range}/*");
            assert!(
                content.get(media_type).is_some() || content.get(&range).is_some(),
                "not a media type of {pointer}: {answer:?}"
            );
            if media_type == "application/json" {
                let schema = format!("{pointer}/content/application~1json/schema");
                self.check_json(&schema, &answer.body, answer);
                check_code(&pointer, &content[media_type]["examples"], answer);
            }
        }
        let request = format!("{operation}/requestBody/content/application~1json/schema");
        if answer.status == StatusCode::OK
            && !sent.is_empty()
            && self.document.pointer(&request).is_some()
        {
            self.check_json(&request, sent, answer);
        }
    }

    #[track_caller]
    fn check_json(&self, schema: &str, json: &[u8], answer: &Reply) {
        let value: Value = serde_json::from_slice(json)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {answer:?}"));
        let validator = self.validator(schema);
        let problems: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{error} at \"{}\"", error.instance_path()))
            .collect();
        assert!(
            problems.is_empty(),
            "{value} is not what {schema} says: {}\n{answer:?}",
            problems.join("; ")
        );
    }

    fn validator(&self, schema: &str) -> Arc<Validator> {
        let mut validators = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let mut root = self.closed.pointer(schema).unwrap().clone();
            // References lead there.
            root["components"] = self.closed["components"].clone();
            let options = jsonschema::options().should_validate_formats(true);
            Arc::new(options.build(&root).unwrap())
        };
        Arc::clone(validators.entry(schema.to_owned()).or_insert_with(make))
    }
}

/// The codes of an error are open in the schema, and its examples have all that there are today.
#[track_caller]
fn check_code(response: &str, examples: &Value, answer: &Reply) {
    let Some(examples) = examples.as_object().filter(|_| !answer.status.is_success()) else {
        return;
    };
    let error: Value = serde_json::from_slice(&answer.body).unwrap();
    let code = &error["error"]["code"];
    assert!(
        examples
            .values()
            .any(|example| example["value"]["error"]["code"] == *code),
        "{code} is not one of the codes of {response}: {answer:?}"
    );
}

/// Has a schema of an object take exactly its properties.
fn close(schema: &mut Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
    schema["required"] = json!(names);
    schema["additionalProperties"] = json!(false);
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue, header::CONTENT_TYPE};

    use super::*;

    /// Checks this answer to `GET /events`.
    fn check_list(status: u16, body: &Value) {
        let headers = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let answer = Reply {
            asked: "GET /api/v1/events".into(),
            may_repeat: false,
            status: StatusCode::from_u16(status).unwrap(),
            headers: HeaderMap::from_iter(headers),
            body: Bytes::from(body.to_string()),
        };
        check(&Method::GET, "/api/v1/events?limit=5", b"", &answer);
    }

    fn empty_list() -> Value {
        json!({"items": [], "count": 0, "limit": 5, "offset": 0, "next_offset": null, "count_is_exact": true})
    }

    #[test]
    fn an_answer_as_described_passes() {
        check_list(200, &empty_list());
        check_list(
            400,
            &json!({"error": {"code": "INVALID_REQUEST", "message": "limit", "request_id": "x"}}),
        );
    }

    #[test]
    #[should_panic(expected = "Additional properties")]
    fn one_more_property_is_seen() {
        let mut list = empty_list();
        list["total"] = json!(0);
        check_list(200, &list);
    }

    #[test]
    #[should_panic(expected = "\"next_offset\" is a required property")]
    fn a_property_that_is_left_out_is_seen() {
        let mut list = empty_list();
        list.as_object_mut().unwrap().remove("next_offset");
        check_list(200, &list);
    }

    #[test]
    #[should_panic(expected = "\"0\" is not of type \"integer\"")]
    fn another_type_is_seen() {
        let mut list = empty_list();
        list["count"] = json!("0");
        check_list(200, &list);
    }

    #[test]
    #[should_panic(expected = "is not one of")]
    fn another_code_than_the_statuss_is_seen() {
        check_list(
            400,
            &json!({"error": {"code": "NOT_FOUND", "message": "x", "request_id": "x"}}),
        );
    }

    #[test]
    #[should_panic(expected = "does not say that it answers 409")]
    fn a_status_that_is_not_described_is_seen() {
        check_list(
            409,
            &json!({"error": {"code": "CONFLICT", "message": "x", "request_id": "x"}}),
        );
    }
}
