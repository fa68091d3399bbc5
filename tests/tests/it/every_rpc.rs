//! Every public rpc, route and tool, found in what is generated, so that a new one is covered by the tests that use this.

use bytes::{Buf as _, BufMut as _};
use http::{Method, uri::PathAndQuery};
use muster_api::binding::{AccessRule, PublicRpc, RpcVisitor};
use prost::Message as _;
use serde_json::{Map, Value, json};
use tests::{CallOutcome, Mcp, Reply, TestApp};
use tonic::{
    Request, Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// Values for fields, by their names. A call takes those that its request has.
pub(crate) type Fields = Map<String, Value>;

/// A public rpc.
pub(crate) struct RpcCase {
    pub(crate) path: &'static str,
    pub(crate) rule: AccessRule,
    fill: fn(&Fields) -> (Fields, Vec<u8>),
}

#[derive(Default)]
struct Rpcs(Vec<RpcCase>);

impl RpcVisitor for Rpcs {
    fn visit<R: PublicRpc>(&mut self, _rpc: R) {
        self.0.push(RpcCase {
            path: R::GRPC_PATH,
            rule: AccessRule::of::<R>(),
            fill: fill::<R>,
        });
    }
}

/// The request with those fields that it has, and which these are.
fn fill<R: PublicRpc>(fields: &Fields) -> (Fields, Vec<u8>) {
    let read = |fields: &Fields| serde_json::from_value::<R::Request>(json!(fields));
    let mut taken = fields.clone();
    taken.retain(|name, value| {
        let alone = Fields::from_iter([(name.clone(), value.clone())]);
        read(&alone).is_ok()
    });
    let message = read(&taken).unwrap().encode_to_vec();
    (taken, message)
}

pub(crate) fn rpcs() -> Vec<RpcCase> {
    let mut rpcs = Rpcs::default();
    muster_api::visit_rpcs(&mut rpcs);
    rpcs.0
}

impl RpcCase {
    /// Which of these fields its request has.
    pub(crate) fn takes(&self, fields: &Fields) -> Fields {
        (self.fill)(fields).0
    }

    /// Calls it over gRPC; answers the first message.
    pub(crate) async fn call(
        &self,
        app: &TestApp,
        key: Option<&str>,
        fields: &Fields,
    ) -> Result<Vec<u8>, Status> {
        let mut client = tonic::client::Grpc::new(app.grpc.channel());
        client.ready().await.unwrap();
        let mut request = Request::new((self.fill)(fields).1);
        if let Some(key) = key {
            let bearer = format!("Bearer {key}").parse().unwrap();
            request.metadata_mut().insert("authorization", bearer);
        }
        let path = PathAndQuery::from_static(self.path);
        let answer = client.server_streaming(request, path, Raw).await?;
        Ok(answer.into_inner().message().await?.unwrap_or_default())
    }
}

/// Messages as their bytes.
#[derive(Debug, Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let message = buffer.copy_to_bytes(buffer.remaining());
        Ok(Some(message.to_vec()))
    }
}

/// An operation of the OpenAPI document.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) path: String,
    /// The name of its rpc, in any case; a number follows that of a further route.
    pub(crate) id: String,
    /// The scope that it needs; none for public ones.
    pub(crate) scope: Option<String>,
    parameters: Vec<(String, String)>,
    body: Vec<String>,
}

pub(crate) fn operations() -> Vec<Operation> {
    let document: Value = serde_json::from_str(muster_api::OPENAPI).unwrap();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let Ok(method) = method.to_uppercase().parse::<Method>() else {
                continue;
            };
            if operation.get("operationId").is_none() {
                continue;
            }
            let named = |one: &Value| {
                let one = resolved(&document, one);
                let text = |field: &str| one[field].as_str().unwrap().to_owned();
                (text("name"), text("in"))
            };
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let shared = methods["parameters"].as_array().into_iter().flatten();
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            let body = resolved(&document, body)["properties"].as_object();
            found.push(Operation {
                method,
                path: path.clone(),
                id: operation["operationId"].as_str().unwrap().to_owned(),
                scope: operation["x-muster-scope"].as_str().map(str::to_owned),
                parameters: parameters.chain(shared).map(named).collect(),
                body: body
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.clone())
                    .collect(),
            });
        }
    }
    found
}

fn resolved<'d>(document: &'d Value, one: &'d Value) -> &'d Value {
    match one["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => one,
    }
}

impl Operation {
    /// Whether it has a parameter or a field of this name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        let parameters = self.parameters.iter().map(|(known, _)| known);
        parameters.chain(&self.body).any(|known| known == name)
    }

    /// Calls it with those of these fields that it has.
    pub(crate) async fn call(&self, app: &TestApp, key: &str, fields: &Fields) -> Reply {
        let mut path = format!("/api/v1{}", self.path);
        let mut query = Vec::new();
        for (name, place) in &self.parameters {
            let value = fields.get(name).and_then(Value::as_str);
            match (&**place, value) {
                ("path", Some(value)) => path = path.replace(&format!("{{{name}}}"), value),
                ("query", Some(value)) => query.push(format!("{name}={value}")),
                _ => {}
            }
        }
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        let mut body = fields.clone();
        body.retain(|name, _| self.body.contains(name));
        let request = app.http.request(self.method.clone(), &path).bearer(key);
        let request = match (self.body.is_empty(), self.method == Method::GET) {
            (false, false) => request.json(&json!(body)),
            _ => request,
        };
        request.send().await
    }
}

/// A tool of the MCP bridge.
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) grpc_path: String,
    arguments: Vec<String>,
}

pub(crate) fn tools() -> Vec<Tool> {
    let rows: Vec<Value> = serde_json::from_str(muster_api::TOOLS).unwrap();
    let tool = |row: Value| {
        let properties = row["tool"]["inputSchema"]["properties"].as_object();
        Tool {
            name: row["tool"]["name"].as_str().unwrap().to_owned(),
            grpc_path: row["grpc_path"].as_str().unwrap().to_owned(),
            arguments: properties
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect(),
        }
    };
    rows.into_iter().map(tool).collect()
}

impl Tool {
    /// Whether it has an argument of this name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.arguments.iter().any(|known| known == name)
    }

    /// Calls it with those of these fields that it has, confirmed.
    pub(crate) async fn call(&self, mcp: &Mcp, fields: &Fields) -> CallOutcome {
        let mut arguments = fields.clone();
        arguments.insert("confirm".to_owned(), json!(true));
        arguments.retain(|name, _| self.takes(name));
        mcp.call(&self.name, json!(arguments)).await
    }
}
