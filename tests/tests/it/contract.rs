//! The API contract's own tables, held against the OpenAPI document: what it names is there as it says, and what is more is
//! marked as an addition. That answers are what the document says, the HTTP client of all tests checks.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Map, Value, json};

/// The tables of fields. `field` is required, `field?` is not; after the colon JSON type and format, `|null` where the contract
/// says "or null".
const SCHEMAS: [(&str, &str); 13] = [
    (
        "Event",
        "slug:string title:string description:string location:string city?:string|null start_date:string/date-time \
         end_date?:string/date-time|null timezone:string capacity:integer image_url?:string/uri|null url:string/uri \
         registration_url:string/uri",
    ),
    (
        "EventList",
        "items:array<Event> count:integer limit:integer offset:integer next_offset?:integer|null",
    ),
    (
        "CreateEventRequest",
        "title:string description:string location:string start_date:string/date-time \
         end_date?:string/date-time|null max_capacity?:integer|null is_public?:boolean|null city?:string|null \
         image_query?:string custom_fields?:array<CustomField>",
    ),
    (
        "CustomField",
        "label:string field_type:string required?:boolean options?:array",
    ),
    (
        "CreatedEvent",
        "id:string/uuid slug:string event_url:string/uri admin_url:string/uri",
    ),
    (
        "MyEvent",
        "id:string/uuid slug:string title:string start_date:string/date-time registration_count:integer \
         max_capacity:integer is_published:boolean is_cancelled:boolean event_url:string/uri",
    ),
    ("MyEventList", "items:array<MyEvent> count:integer"),
    (
        "MyEventDetail",
        "id:string/uuid slug:string title:string description:string location:string start_date:string/date-time \
         end_date?:string/date-time|null timezone:string max_capacity:integer is_published:boolean is_cancelled:boolean \
         registrations_total:integer registrations_confirmed:integer event_url:string/uri",
    ),
    (
        "Registration",
        "name:string email:string/email registered_at:string/date-time status:string checked_in:boolean",
    ),
    (
        "RegistrationList",
        "items:array<Registration> count:integer",
    ),
    ("CancelRequest", "reason?:string|null"),
    (
        "CancelResult",
        "id:string/uuid cancelled:boolean reason?:string|null registrants_notified:integer",
    ),
    ("StaticItem", "slug:string url:string/uri"),
];

/// The table of endpoints: whether a key is needed, the query, whether a body is required, and what is answered.
const ENDPOINTS: [(&str, bool, &str, Option<bool>, &str); 9] = [
    (
        "get /events",
        false,
        "limit=1..100/50 offset=0../0",
        None,
        "EventList",
    ),
    ("get /events/{slug}", false, "", None, "Event"),
    ("get /use-cases", false, "", None, "array<StaticItem>"),
    ("get /guides", false, "", None, "array<StaticItem>"),
    ("post /events", true, "", Some(true), "CreatedEvent"),
    (
        "get /me/events",
        true,
        "status=active,past,all/active limit=1..100/20",
        None,
        "MyEventList",
    ),
    ("get /me/events/{id}", true, "", None, "MyEventDetail"),
    (
        "get /me/events/{id}/registrations",
        true,
        "limit=1..200/50",
        None,
        "RegistrationList",
    ),
    (
        "post /me/events/{id}/cancel",
        true,
        "",
        Some(false),
        "CancelResult",
    ),
];

/// The table of errors, and the limits of section 3 of the design that it leaves to every route.
const ERRORS: [(&str, &str); 9] = [
    ("get /events", "400"),
    ("get /events/{slug}", "404"),
    ("get /use-cases", ""),
    ("get /guides", ""),
    ("post /events", "400 401 403"),
    ("get /me/events", "400 401"),
    ("get /me/events/{id}", "401 404"),
    ("get /me/events/{id}/registrations", "401 403 404"),
    ("post /me/events/{id}/cancel", "401 404"),
];

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(muster_api::OPENAPI).unwrap());

fn operation(endpoint: &str) -> &'static Value {
    let (method, path) = endpoint.split_once(' ').unwrap();
    &DOCUMENT["paths"][path][method]
}

fn is_addition(schema: &Value) -> bool {
    schema["x-muster-addition"] == true
}

/// A schema as the tables write it.
fn written(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap().to_owned();
    }
    // Requests may have a date-time without an offset, too, which the format does not allow.
    if let Some([exact, lenient, null @ ..]) = schema["anyOf"].as_array().map(Vec::as_slice) {
        assert_eq!((&lenient["type"], null.len() < 2), (&json!("string"), true));
        let null = if null.is_empty() { "" } else { "|null" };
        return format!("{}{null}", written(exact));
    }
    let (kind, null) = match &schema["type"] {
        Value::Array(kinds) => (kinds[0].as_str().unwrap(), "|null"),
        kind => (kind.as_str().unwrap(), ""),
    };
    let format = match schema["format"].as_str() {
        Some(format) if kind == "string" => format!("/{format}"),
        _ => String::new(),
    };
    let items = match schema["items"]["$ref"].as_str() {
        Some(_) => format!("<{}>", written(&schema["items"])),
        None => String::new(),
    };
    format!("{kind}{items}{format}{null}")
}

fn fields(schema: &Value) -> BTreeMap<String, String> {
    let required = schema["required"].as_array();
    let is_required = |name: &String| required.is_some_and(|names| names.contains(&json!(name)));
    let properties: &Map<String, Value> = schema["properties"].as_object().unwrap();
    let own = properties.iter().filter(|(_, schema)| !is_addition(schema));
    own.map(|(name, schema)| {
        let optional = if is_required(name) { "" } else { "?" };
        (format!("{name}{optional}"), written(schema))
    })
    .collect()
}

#[test]
fn every_field_is_as_the_contract_says() {
    for (name, table) in SCHEMAS {
        let table = table.split_whitespace().map(|field| {
            let (name, kind) = field.split_once(':').unwrap();
            (name.to_owned(), kind.to_owned())
        });
        let expected: BTreeMap<String, String> = table.collect();
        assert_eq!(
            fields(&DOCUMENT["components"]["schemas"][name]),
            expected,
            "{name}"
        );
    }
}

#[test]
fn every_endpoint_is_as_the_contract_says() {
    for (endpoint, needs_key, query, body, answer) in ENDPOINTS {
        let operation = operation(endpoint);
        assert!(!is_addition(operation), "{endpoint}");
        assert_eq!(
            !operation["security"].as_array().unwrap().is_empty(),
            needs_key,
            "{endpoint}"
        );
        assert_eq!(
            operation["requestBody"]["required"].as_bool(),
            body,
            "{endpoint}"
        );
        let ok = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(written(ok), answer, "{endpoint}");

        let parameters = operation["parameters"].as_array();
        let parameters = parameters
            .into_iter()
            .flatten()
            .filter(|one| one["in"] == "query" && !is_addition(one));
        let found: Vec<String> = parameters
            .map(|parameter| {
                let schema = &parameter["schema"];
                let range = match schema["enum"].as_array() {
                    Some(values) => values
                        .iter()
                        .map(|value| value.as_str().unwrap())
                        .collect::<Vec<_>>()
                        .join(","),
                    None => format!(
                        "{}..{}",
                        schema["minimum"],
                        schema
                            .get("maximum")
                            .map(Value::to_string)
                            .unwrap_or_default()
                    ),
                };
                let default = schema["default"].to_string();
                let name = parameter["name"].as_str().unwrap();
                format!("{name}={range}/{}", default.trim_matches('"'))
            })
            .collect();
        assert_eq!(found.join(" "), query, "{endpoint}");
    }
    let paths = DOCUMENT["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let of_the_contract = operations.filter(|operation| !is_addition(operation));
    assert_eq!(of_the_contract.count(), ENDPOINTS.len());
}

#[test]
fn every_error_is_as_the_contract_says() {
    for (endpoint, statuses) in ERRORS {
        for status in statuses.split_whitespace() {
            let responses = operation(endpoint)["responses"].as_object().unwrap();
            assert!(responses.contains_key(status), "{endpoint} {status}");
        }
    }
}

#[test]
fn every_limit_is_as_the_contract_says() {
    let fields = &DOCUMENT["components"]["schemas"]["CreateEventRequest"]["properties"];
    for (field, keyword, value) in [
        ("title", "minLength", json!(3)),
        ("title", "maxLength", json!(200)),
        ("city", "maxLength", json!(120)),
        ("max_capacity", "minimum", json!(1)),
        ("max_capacity", "maximum", json!(10_000)),
    ] {
        assert_eq!(fields[field][keyword], value, "{keyword} of {field}");
    }
    // As a keyword, generators of clients take a default for a promise that the field is there.
    for (field, default) in [("max_capacity", "100"), ("is_public", "false")] {
        let description = fields[field]["description"].as_str().unwrap();
        assert!(description.ends_with(&format!(" Default: {default}.")));
        assert!(fields[field].get("default").is_none());
    }
    let kinds =
        &DOCUMENT["components"]["schemas"]["CustomField"]["properties"]["field_type"]["enum"];
    assert_eq!(
        *kinds,
        json!(["text", "integer", "select", "multi_select", "checkbox"])
    );
}

#[test]
fn the_version_is_the_contracts() {
    assert_eq!(DOCUMENT["openapi"], "3.1.0");
    assert_eq!(DOCUMENT["info"]["version"], "1.0.0");
    let server = format!("{}/api/v1", muster_api::EXAMPLE_URL);
    assert_eq!(DOCUMENT["servers"][0]["url"], server);
}
