//! A gateway on a port, and requests to it byte by byte.

use std::{fmt::Write, net::SocketAddr, time::Duration};

use http_gateway::{OpenApi, Options, Table};
use http_kit::CallOptions;
use rpc_client::Core;
use serde_json::Value;
use server::{
    CancellationToken,
    serve::{Limits, bind, serve},
};
use test_toy::Toy;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Far more than anything here takes.
const TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) const OPENAPI: OpenApi = OpenApi {
    json: r#"{"servers":[{"url":"https://muster.example/api/v1"}]}"#,
    yaml: "servers:\n  - url: \"https://muster.example/api/v1\"\n",
    older: r#"{"openapi":"3.0.3"}"#,
};

/// Its public URL.
pub(crate) const PUBLIC_URL: &str = "https://events.example.org/muster";

/// A running gateway; it stops when dropped.
pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    pub(crate) toy: Toy,
    shutdown: CancellationToken,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

impl Gateway {
    /// In front of a toy core in this process.
    pub(crate) async fn start() -> Self {
        Self::start_with(Limits::http(), Duration::from_secs(10)).await
    }

    pub(crate) async fn start_with(limits: Limits, request_time: Duration) -> Self {
        let toy = Toy::default();
        let core = Core::in_process(toy.routes());
        let mut gateway = Self::start_for(core, limits, request_time).await;
        gateway.toy = toy;
        gateway
    }

    /// In front of any core.
    pub(crate) async fn start_for(core: Core, limits: Limits, request_time: Duration) -> Self {
        let mut table = Table::default();
        test_toy::visit_bindings(&mut table);
        let router = table.into_router(
            core,
            Options {
                calls: CallOptions {
                    request_time,
                    ..CallOptions::default()
                },
                openapi: OPENAPI,
                public_url: PUBLIC_URL.to_owned(),
                ..Options::default()
            },
        );
        let listener = bind("--http-addr", "127.0.0.1:0".parse().unwrap())
            .await
            .unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = CancellationToken::new();
        tokio::spawn(serve(listener, router, limits, shutdown.clone()));
        Self {
            address,
            toy: Toy::default(),
            shutdown,
        }
    }

    /// Sends the text as it is and reads until the gateway closes.
    pub(crate) async fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // The gateway may answer, and close, before it has all.
        let _closed = stream.write_all(request).await;
        Reply::read(stream).await
    }

    /// `headers` are lines without their ends; `Host` and `Connection: close` are added, and `Content-Length` with a body.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &[u8],
    ) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        if !body.is_empty() {
            write!(head, "Content-Length: {}\r\n", body.len()).unwrap();
        }
        head.push_str("\r\n");
        self.raw(&[head.as_bytes(), body].concat()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"").await
    }

    /// A JSON body with a good credential.
    pub(crate) async fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Reply {
        self.send("POST", path, &[GOOD, JSON], body.as_ref()).await
    }
}

pub(crate) const GOOD: &str = "Authorization: Bearer good";
/// A thing that can be made.
pub(crate) const LAMP: &[u8] = br#"{"title":"Lamp"}"#;

pub(crate) const JSON: &str = "Content-Type: application/json";

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
    /// Whether all of the body came.
    pub(crate) complete: bool,
}

impl Reply {
    pub(crate) async fn read(mut stream: impl AsyncRead + Unpin) -> Self {
        let mut bytes = Vec::new();
        // A connection that is reset has said what it had to say.
        let _reset = timeout(TIMEOUT, stream.read_to_end(&mut bytes))
            .await
            .expect("the gateway closes");
        let end = bytes
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .map_or(bytes.len(), |end| end + 4);
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head
            .split(' ')
            .nth(1)
            .map_or(0, |status| status.parse().unwrap());
        let mut reply = Self {
            status,
            head,
            body: bytes[end..].to_vec(),
            complete: true,
        };
        if reply.header("transfer-encoding") == Some("chunked") {
            (reply.body, reply.complete) = unchunked(&reply.body);
        }
        reply
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks that this is an error as every error is, and answers its message.
    #[track_caller]
    pub(crate) fn error(&self, status: u16, code: &str) -> String {
        let json = self.json();
        let error = &json["error"];
        assert_eq!(
            (self.status, error["code"].as_str()),
            (status, Some(code)),
            "{json}"
        );
        assert_eq!(
            error["request_id"].as_str(),
            self.header("x-request-id"),
            "{json}"
        );
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        error["message"].as_str().unwrap().to_owned()
    }

    /// The error's details, each as `field: message`.
    pub(crate) fn details(&self) -> Vec<String> {
        let json = self.json();
        let details = json["error"]["details"].as_array().unwrap();
        let text = |detail: &Value, key: &str| detail[key].as_str().unwrap().to_owned();
        details
            .iter()
            .map(|detail| format!("{}: {}", text(detail, "field"), text(detail, "message")))
            .collect()
    }
}

fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|window| window == b"\r\n") else {
            return (body, false);
        };
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
}
