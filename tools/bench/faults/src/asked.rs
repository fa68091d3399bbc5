//! What clients ask of the surfaces, and how each surface says that it was done.

use http::{
    HeaderName, HeaderValue, Method, Request, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST},
};
use serde_json::{Value, json};

use crate::client::Answer;

/// The revision of MCP that the clients speak: each request says all there is.
const MCP: &str = "2026-07-28";

/// How a surface answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// JSON, with a status that says how it went.
    Api,
    /// The result of a tool, which says itself whether it is an error.
    Tool,
    /// A page.
    Page,
    /// A form, which leads to another page once it is taken.
    Sent,
}

/// A request, to be sent any number of times.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    method: Method,
    path: String,
    headers: Vec<(HeaderName, String)>,
    body: String,
    form: Form,
    /// Whether it may be sent to another replica when no answer came: it changes nothing, or has a key by which it is done once.
    pub(crate) may_be_repeated: bool,
}

impl Asked {
    fn new(method: Method, path: String, form: Form) -> Self {
        Self {
            may_be_repeated: method == Method::GET,
            method,
            path,
            headers: Vec::new(),
            body: String::new(),
            form,
        }
    }

    /// Reads from the API.
    pub(crate) fn get(path: String, key: Option<&str>) -> Self {
        Self::new(Method::GET, path, Form::Api).with_key(key)
    }

    /// Writes to the API.
    pub(crate) fn post(path: String, key: Option<&str>, body: &Value) -> Self {
        let asked = Self::new(Method::POST, path, Form::Api).with_key(key);
        asked.with_body("application/json", body.to_string())
    }

    /// Reads a page of the site.
    pub(crate) fn page(path: String) -> Self {
        Self::new(Method::GET, path, Form::Page)
    }

    /// Sends a form of the site, as a browser does.
    pub(crate) fn form(path: String, fields: String) -> Self {
        let name = HeaderName::from_static("sec-fetch-site");
        Self::new(Method::POST, path, Form::Sent)
            .with_header(name, "same-origin")
            .with_body("application/x-www-form-urlencoded", fields)
    }

    /// Calls a tool.
    pub(crate) fn tool(name: &str, key: &str, arguments: &Value) -> Self {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": arguments, "_meta": {
                "io.modelcontextprotocol/protocolVersion": MCP,
                "io.modelcontextprotocol/clientInfo": {"name": "faults", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }},
        });
        let header = HeaderName::from_static;
        Self::new(Method::POST, "/mcp".to_owned(), Form::Tool)
            .with_key(Some(key))
            .with_header(ACCEPT, "application/json, text/event-stream")
            .with_header(header("mcp-protocol-version"), MCP)
            .with_header(header("mcp-method"), "tools/call")
            .with_header(header("mcp-name"), name)
            .with_body("application/json", call.to_string())
    }

    /// The same call of a tool that changes nothing.
    pub(crate) fn that_reads(self) -> Self {
        Self {
            may_be_repeated: true,
            ..self
        }
    }

    /// The same write with a key, by which it is done once, however often it comes.
    pub(crate) fn once(mut self, key: &str) -> Self {
        self.may_be_repeated = true;
        if self.form == Form::Tool {
            let mark = "\"_meta\":{";
            let with_key = format!("{mark}\"muster/idempotency-key\":\"{key}\",");
            self.body = self.body.replacen(mark, &with_key, 1);
            return self;
        }
        self.with_header(HeaderName::from_static("idempotency-key"), key)
    }

    fn with_key(self, key: Option<&str>) -> Self {
        match key {
            Some(key) => self.with_header(AUTHORIZATION, &format!("Bearer {key}")),
            None => self,
        }
    }

    fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn with_body(self, media_type: &str, body: String) -> Self {
        let asked = self.with_header(CONTENT_TYPE, media_type);
        Self { body, ..asked }
    }

    /// The request as it goes to this host.
    pub(crate) fn request<B: From<String>>(&self, host: &str) -> http::Result<Request<B>> {
        let mut request = Request::builder()
            .method(&self.method)
            .uri(&self.path)
            .header(HOST, host);
        for (name, value) in &self.headers {
            request = request.header(name, HeaderValue::from_str(value)?);
        }
        request.body(self.body.clone().into())
    }

    /// Whether it was done, by this answer.
    pub(crate) fn is_done(&self, answer: &Answer) -> bool {
        let Some(status) = answer.status else {
            return false;
        };
        match self.form {
            Form::Api => status.is_success(),
            Form::Page => status == StatusCode::OK,
            Form::Tool => status.is_success() && self.content(answer).is_some(),
            Form::Sent => {
                let next = answer.location.as_deref();
                status.is_redirection() && next.is_some_and(|next| next.ends_with("/registered"))
            }
        }
    }

    /// The status of an answer; that of a tool's error is in its text.
    pub(crate) fn status(&self, answer: &Answer) -> Option<StatusCode> {
        let status = answer.status?;
        if self.form != Form::Tool || !status.is_success() || self.is_done(answer) {
            return Some(status);
        }
        let whole: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let text = whole
            .pointer("/result/content/0/text")
            .and_then(Value::as_str);
        let is_away = text.is_some_and(|text| text.starts_with("UNAVAILABLE:"));
        Some(if is_away {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::INTERNAL_SERVER_ERROR
        })
    }

    /// What was answered, as JSON, if there is any.
    pub(crate) fn content(&self, answer: &Answer) -> Option<Value> {
        let whole: Value = serde_json::from_slice(&answer.body).ok()?;
        match self.form {
            Form::Api => Some(whole),
            // An error has a text only.
            Form::Tool => whole.pointer("/result/structuredContent").cloned(),
            Form::Page | Form::Sent => None,
        }
    }
}
