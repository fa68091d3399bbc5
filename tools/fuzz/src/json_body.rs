//! Bodies of requests. What is refused is refused with the field's name; what is accepted is what the JSON says, however it is
//! written.

use axum::body::Body as HttpBody;
use http::{Method, Request};
use muster_api::binding::{Binding, Body, Visitor};
use serde_json::Value;

use crate::{
    Target, bytes, openapi,
    surface::{Reply, Surface},
};

pub(crate) const TARGET: Target = Target {
    name: "json_body",
    seeds,
    words,
    run,
};

/// Stands for every parameter of a path.
const ID: &str = "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";

struct Operation {
    method: Method,
    template: &'static str,
}

#[derive(Default)]
struct WithBody(Vec<Operation>);

impl Visitor for WithBody {
    fn visit<B: Binding>(&mut self, _binding: B) {
        if matches!(B::BODY, Body::Optional | Body::Required) {
            self.0.push(Operation {
                method: B::METHOD,
                template: B::PATH,
            });
        }
    }
}

impl Operation {
    fn path(&self) -> String {
        let segments = self.template.split('/');
        let segments = segments.map(|name| if name.starts_with('{') { ID } else { name });
        segments.collect::<Vec<_>>().join("/")
    }

    fn send(&self, surface: &Surface, body: &[u8]) -> Reply {
        let request = Request::builder().method(&self.method).uri(self.path());
        let request = request
            .header("host", "localhost")
            .header("authorization", "Bearer good")
            .header("content-type", "application/json")
            .body(HttpBody::from(body.to_vec()));
        surface.send(request.expect("the request is sound"))
    }
}

fn operations() -> Vec<Operation> {
    let mut found = WithBody::default();
    muster_api::visit_bindings(&mut found);
    found.0
}

thread_local! {
    static GATEWAY: (Surface, Vec<Operation>) = (Surface::gateway(), operations());
}

fn run(input: &[u8]) {
    GATEWAY.with(|(surface, operations)| {
        let Some((operation, body)) = bytes::choose(input, operations) else {
            return;
        };
        let reply = operation.send(surface, body);
        if reply.status.is_client_error() {
            assert!(reply.calls.is_empty(), "refused and done: {reply:?}");
            reply.check_problem();
        } else if !body.is_empty() {
            let value: Value = serde_json::from_slice(body).expect("what is accepted is JSON");
            let again = operation.send(surface, spelled_out(&value).as_bytes());
            assert_eq!(again.calls, reply.calls, "the same JSON, written otherwise");
        }
    });
}

/// The same JSON with every character of a text escaped and with other white space.
fn spelled_out(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
            format!("\"{}\"", units.collect::<String>())
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spelled_out).collect();
            format!("[ {}\t]", items.join("\r\n,"))
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                format!(
                    "{} : {}",
                    spelled_out(&name.as_str().into()),
                    spelled_out(value)
                )
            });
            format!("\n{{ {} }} ", fields.collect::<Vec<_>>().join(" ,\n"))
        }
        other => other.to_string(),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (choice, operation) in (0_u8..).zip(operations()) {
        let method = operation.method.as_str().to_ascii_lowercase();
        let examples = openapi::example_body(&method, operation.template);
        for body in examples
            .iter()
            .map(String::as_str)
            .chain(["", "{}", "[1.5e0,null]"])
        {
            seeds.push([&[choice], body.as_bytes()].concat());
        }
    }
    seeds
}

fn words() -> Vec<String> {
    let names = openapi::names();
    let quoted = names.iter().map(|name| format!("\"{name}\":"));
    quoted
        .chain(
            [
                "null",
                "true",
                "\\u0000",
                "\\ud83d\\ude00",
                "1.0",
                "[]",
                "{}",
            ]
            .map(str::to_owned),
        )
        .collect()
}
