//! One call, made through HTTP, gRPC or MCP as its binding says, so that a scenario is written once for all.

use std::{fmt::Write as _, ops::Deref, sync::Arc};

use domain::plan::Plan;
use http::uri::PathAndQuery;
use muster_api::{
    binding::{Binding, Body},
    http_body::HttpBody,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use tonic::service::interceptor::InterceptedService;
use tonic_prost::ProstCodec;

use crate::{Account, Bearer, Mcp, Refusal, TestApp};

/// How clients reach Muster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// JSON through the gateway.
    Http,
    /// Core's own port.
    Grpc,
    /// Tools of the MCP bridge. What is no tool, and what is called without a key, goes through HTTP.
    Mcp,
}

/// A system, as clients of one surface see it.
#[derive(Clone)]
pub struct Api {
    app: Arc<TestApp>,
    surface: Surface,
}

impl Deref for Api {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.app
    }
}

impl Api {
    pub(crate) const fn new(app: Arc<TestApp>, surface: Surface) -> Self {
        Self { app, surface }
    }

    /// The system.
    pub const fn app(&self) -> &Arc<TestApp> {
        &self.app
    }

    /// Which surface it is.
    pub const fn surface(&self) -> Surface {
        self.surface
    }

    /// Someone without a key.
    pub fn anyone(&self) -> Client {
        Client {
            api: self.clone(),
            key: None,
            idempotency_key: None,
        }
    }

    /// The owner of an account.
    pub fn as_owner(&self, account: &Account) -> Client {
        self.with_key(&account.key)
    }

    /// Whoever holds this key, good or bad.
    pub fn with_key(&self, key: &str) -> Client {
        Client {
            api: self.clone(),
            key: Some(key.to_owned()),
            idempotency_key: None,
        }
    }

    /// The owner of a new account.
    pub async fn owner(&self, plan: Plan) -> Client {
        self.as_owner(&self.account(plan).await)
    }
}

/// Someone who calls.
#[derive(Clone)]
pub struct Client {
    api: Api,
    key: Option<String>,
    idempotency_key: Option<String>,
}

impl Client {
    /// The same, whose calls come under an idempotency key.
    #[must_use]
    pub fn under(&self, idempotency_key: &str) -> Self {
        Self {
            idempotency_key: Some(idempotency_key.to_owned()),
            ..self.clone()
        }
    }

    /// Calls a binding with the fields of its request, those of path and query among them; answers the JSON that REST shows.
    ///
    /// Through gRPC a null field of an update is one that the mask names without a value.
    pub async fn call<B: Binding>(&self, request: Value) -> Result<Value, Refusal> {
        let Value::Object(fields) = request else {
            panic!("a request is an object of fields, not {request}")
        };
        match self.api.surface {
            Surface::Http => self.call_http::<B>(fields).await,
            Surface::Grpc => self.call_grpc::<B>(fields).await,
            Surface::Mcp => match (Mcp::tool(B::GRPC_PATH), &self.key) {
                (Some(tool), Some(key)) => {
                    let key = (key.as_str(), self.idempotency_key.as_deref());
                    let answer = self.api.mcp.call_as(key, tool, fields).await;
                    answer.map(|whole| shown_by_rest::<B>(whole))
                }
                _ => self.call_http::<B>(fields).await,
            },
        }
    }

    /// Calls a binding, which must answer.
    pub async fn ok<B: Binding>(&self, request: Value) -> Value {
        let answer = self.call::<B>(request.clone()).await;
        answer.unwrap_or_else(|refusal| panic!("{}({request}) was refused: {refusal:?}", B::NAME))
    }

    /// Calls a binding, which must refuse.
    pub async fn refused<B: Binding>(&self, request: Value) -> Refusal {
        let answer = self.call::<B>(request.clone()).await;
        let answer = answer.map_err(Box::new);
        *answer.expect_err(&format!("{}({request}) must be refused", B::NAME))
    }

    async fn call_http<B: Binding>(
        &self,
        mut fields: Map<String, Value>,
    ) -> Result<Value, Refusal> {
        let mut path = B::PATH.to_owned();
        for field in B::PATH_FIELDS {
            let value = fields.remove(*field).expect("path fields are given");
            path = path.replace(&format!("{{{field}}}"), &encoded(&value));
        }
        let mut separator = '?';
        for field in B::QUERY_FIELDS {
            // A list is a parameter that is repeated.
            let values = match fields.remove(*field) {
                Some(Value::Array(values)) => values,
                value => value.into_iter().collect(),
            };
            for value in values {
                let _ = write!(path, "{separator}{field}={}", encoded(&value));
                separator = '&';
            }
        }
        let mut request = self.api.http.request(B::METHOD, &path);
        if let Some(key) = &self.key {
            request = request.bearer(key);
        }
        if let Some(key) = &self.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(file) = a_file::<B>() {
            request = request
                .header("content-type", &file.content_type)
                .body(file.data);
        } else if B::BODY == Body::Required || !fields.is_empty() {
            request = request.json(&Value::Object(fields));
        }
        let answer = request.send().await;
        if answer.status.is_success() {
            Ok(answer.ok())
        } else {
            Err(answer.refusal())
        }
    }

    async fn call_grpc<B: Binding>(
        &self,
        mut fields: Map<String, Value>,
    ) -> Result<Value, Refusal> {
        let named = fields
            .keys()
            .filter(|name| !B::PATH_FIELDS.contains(&name.as_str()));
        let mask: Vec<String> = named.cloned().collect();
        let mut message = B::Request::default();
        // A mask says which fields are cleared; elsewhere a field without a value is one that is left out.
        fields.retain(|_, value| !value.is_null());
        let parsed = serde_json::from_value(Value::Object(fields));
        message.clone_from(&parsed.expect("gRPC has no such message; try HTTP alone"));
        B::set_update_mask(&mut message, mask);
        if let Some(file) = a_file::<B>() {
            B::set_file(&mut message, file);
        }

        let channel =
            InterceptedService::new(self.api.grpc.channel(), Bearer::new(self.key.as_deref()));
        let mut client = tonic::client::Grpc::new(channel);
        client.ready().await.unwrap();
        let codec = ProstCodec::<B::Request, B::Response>::default();
        let path = PathAndQuery::from_static(B::GRPC_PATH);
        let mut request = tonic::Request::new(message);
        if let Some(key) = &self.idempotency_key {
            let metadata = request.metadata_mut();
            metadata.insert("idempotency-key", key.parse().unwrap());
        }
        let answer = client.unary(request, path, codec).await;
        let message = answer
            .map_err(|status| Refusal::from_grpc(&status))?
            .into_inner();
        let json = B::to_json(&message).unwrap();
        Ok(serde_json::from_slice(&json).unwrap())
    }
}

/// A file with the media type that a call takes, if it takes one.
fn a_file<B: Binding>() -> Option<HttpBody> {
    let Body::File { media_types, .. } = B::BODY else {
        return None;
    };
    Some(HttpBody {
        content_type: (*media_types.first()?).to_owned(),
        data: "a file".into(),
    })
}

/// What REST shows of a message: perhaps only its one list.
fn shown_by_rest<B: Binding>(mut whole: Value) -> Value {
    let empty = B::to_json(&B::Response::default()).unwrap();
    if empty.starts_with(b"[") {
        whole["items"].take()
    } else {
        whole
    }
}

/// A path or query parameter.
fn encoded(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string()
}
