//! The MCP port as its clients see it.

use std::{collections::HashMap, sync::LazyLock};

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use crate::{Http, Refusal, Reply, Request};

/// The tools by the gRPC paths of their rpcs.
static TOOLS: LazyLock<HashMap<String, Value>> = LazyLock::new(|| {
    let rows: Vec<Value> = serde_json::from_str(muster_api::TOOLS).unwrap();
    let path = |row: &Value| row["grpc_path"].as_str().unwrap().to_owned();
    rows.into_iter().map(|row| (path(&row), row)).collect()
});

/// A revision of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// With an `initialize` handshake.
    V2025,
    /// Without: each request says all there is.
    V2026,
}

impl Revision {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2025 => "2025-11-25",
            Self::V2026 => "2026-07-28",
        }
    }
}

/// A client of an MCP port. By default it uses the newer revision and shows no forms.
#[derive(Debug, Clone)]
pub struct Mcp {
    /// The port.
    pub http: Http,
    revision: Revision,
    capabilities: Value,
    key: Option<String>,
}

/// The outcome of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// The answer, with what is null.
    Answer(Value),
    /// The text of an answer that is an error.
    Error(String),
    /// A question back: the whole result.
    Question(Value),
}

impl Mcp {
    /// A client of that port.
    pub fn new(http: Http) -> Self {
        Self {
            http,
            revision: Revision::V2026,
            capabilities: json!({}),
            key: None,
        }
    }

    /// The client with a key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self {
            key: Some(key.to_owned()),
            ..self.clone()
        }
    }

    /// The client speaking that revision.
    #[must_use]
    pub fn speaking(&self, revision: Revision) -> Self {
        Self {
            revision,
            ..self.clone()
        }
    }

    /// The client as one that can show forms.
    #[must_use]
    pub fn showing_forms(&self) -> Self {
        self.with_capabilities(json!({"elicitation": {}}))
    }

    /// The client declaring these capabilities.
    #[must_use]
    pub fn with_capabilities(&self, capabilities: Value) -> Self {
        Self {
            capabilities,
            ..self.clone()
        }
    }

    /// The tool of an rpc, if it is one.
    pub fn tool(grpc_path: &str) -> Option<&'static Value> {
        TOOLS.get(grpc_path).map(|row| &row["tool"])
    }

    /// A request as it goes over HTTP, to be changed or sent.
    pub fn request(&self, method: &str, mut params: Value) -> Request {
        let mut request = self
            .http
            .request(Method::POST, "/mcp")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", self.revision.name());
        if let Some(key) = &self.key {
            request = request.bearer(key);
        }
        if self.revision == Revision::V2026 {
            let meta = json!({
                "protocolVersion": self.revision.name(),
                "clientInfo": {"name": "tests", "version": "1"},
                "clientCapabilities": self.capabilities,
            });
            for (name, value) in meta.as_object().unwrap() {
                params["_meta"][format!("io.modelcontextprotocol/{name}")] = value.clone();
            }
            request = request.header("mcp-method", method);
            if let Some(name) = params.get("name").or(params.get("uri")) {
                request = request.header("mcp-name", name.as_str().unwrap());
            }
        }
        request.json(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    }

    /// The result of a method, which must have one.
    pub async fn result(&self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).send().await;
        let mut whole = answer.ok();
        assert!(whole.get("error").is_none(), "{method}: {whole}");
        whole["result"].take()
    }

    /// The error of a method, which must have one.
    pub async fn error(&self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).send().await;
        let mut whole = answer.json();
        assert!(whole.get("error").is_some(), "{method}: {whole}");
        whole["error"].take()
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> CallOutcome {
        self.call_again(tool, json!({ "arguments": arguments }))
            .await
    }

    /// Calls a tool, saying more than its arguments: what came of an earlier call.
    pub async fn call_again(&self, tool: &str, mut params: Value) -> CallOutcome {
        params["name"] = tool.into();
        let result = self.result("tools/call", params).await;
        outcome(&result)
    }

    /// Calls a tool on behalf of a scenario that was written for REST.
    pub(crate) async fn call_as(
        &self,
        (key, idempotency_key): (&str, Option<&str>),
        tool: &Value,
        fields: Map<String, Value>,
    ) -> Result<Value, Refusal> {
        let name = tool["name"].as_str().unwrap();
        let mut params = json!({"name": name, "arguments": arguments(tool, fields)});
        if let Some(key) = idempotency_key {
            params["_meta"]["muster/idempotency-key"] = key.into();
        }
        let answer = self
            .with_key(key)
            .request("tools/call", params)
            .send()
            .await;
        if answer.status == StatusCode::UNAUTHORIZED {
            return Err(answer.refusal());
        }
        match outcome(&result_of(&answer)) {
            CallOutcome::Answer(value) => Ok(value),
            CallOutcome::Error(text) => Err(Refusal::from_mcp(&text)),
            CallOutcome::Question(question) => panic!("{name} asks back: {question}"),
        }
    }
}

fn result_of(answer: &Reply) -> Value {
    let mut whole = answer.ok();
    assert!(whole.get("error").is_none(), "{whole}");
    whole["result"].take()
}

/// A body of REST as arguments: confirmed, and what is null as what is to be cleared.
fn arguments(tool: &Value, mut fields: Map<String, Value>) -> Value {
    let properties = &tool["inputSchema"]["properties"];
    let clearable = properties["clear"]["items"]["enum"].as_array();
    let cleared: Vec<String> = clearable
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|name| fields.get(*name).is_some_and(Value::is_null))
        .map(str::to_owned)
        .collect();
    fields.retain(|name, _| !cleared.contains(name));
    if !cleared.is_empty() {
        fields.insert("clear".to_owned(), cleared.into());
    }
    if properties.get("confirm").is_some() {
        fields.insert("confirm".to_owned(), true.into());
    }
    fields.into()
}

/// Reads a tool's result, which must be as the tool promises.
fn outcome(result: &Value) -> CallOutcome {
    if result["resultType"] == "input_required" {
        return CallOutcome::Question(result.clone());
    }
    let content = result["content"].as_array().unwrap();
    let [block] = content.as_slice() else {
        panic!("not one block: {result}")
    };
    let text = block["text"].as_str().unwrap();
    if result["isError"] == true {
        assert!(result.get("structuredContent").is_none(), "{result}");
        return CallOutcome::Error(text.to_owned());
    }
    let answer: Value = serde_json::from_str(text).unwrap();
    assert_eq!(without_nulls(answer.clone()), result["structuredContent"]);
    CallOutcome::Answer(answer)
}

/// An answer as it is structured: what is null is left out.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            fields
                .map(|(name, value)| (name, without_nulls(value)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

impl CallOutcome {
    /// The answer of a call that worked.
    #[track_caller]
    pub fn answer(self) -> Value {
        match self {
            Self::Answer(value) => value,
            other => panic!("no answer: {other:?}"),
        }
    }

    /// The text of a call that was refused.
    #[track_caller]
    pub fn error(self) -> String {
        match self {
            Self::Error(text) => text,
            other => panic!("no error: {other:?}"),
        }
    }

    /// The question that came back.
    #[track_caller]
    pub fn question(self) -> Value {
        match self {
            Self::Question(question) => question,
            other => panic!("no question: {other:?}"),
        }
    }
}
