//! The cost of an agent's tool call beside the same call through the gateway.

use std::{net::SocketAddr, sync::Arc, time::Instant};

use anyhow::ensure;
use bytes::Bytes;
use http::{
    Method, Request,
    header::{ACCEPT, CONTENT_TYPE},
};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use server::{CancellationToken, serve};
use tokio::net::TcpListener;

use crate::{
    processor,
    report::{Figure, Row},
    run::{Run, Size},
    system::{System, in_crowd_of},
};

/// Calls of each measurement: a few seconds' worth.
const CALLS: Size<u32> = Size {
    full: 10_000,
    quick: 50,
};

/// How much more of the processor a tool call may take.
const AIM: f64 = 1.9;

/// Concurrent clients.
const CLIENTS: usize = 16;

/// The revision without sessions, in which a request says all there is.
const REVISION: &str = "2026-07-28";

/// The path of MCP.
pub(crate) const MCP: &str = "/mcp";

/// Measures `get_my_event` over MCP beside `GET /me/events/{id}`, both over HTTP on this machine, in turns and the first turn left
/// out. The client's work and core's are the same in both and count in both.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let calls = run.of(CALLS);
    for (engine, server) in run.engines() {
        let system = System::start(server).await?;
        let id = system.publish(100).await?.id;
        let stop = CancellationToken::new();
        let port = Arc::new(Port::serve(&system, &stop).await?);
        let answer = port.answer(port.tool(system.credential(), &id)).await?;
        ensure_result(&answer)?;
        let (mut gateway, mut bridge) = (Cost::default(), Cost::default());
        for turn in 0..4 {
            let rest = port
                .repeat(calls, system.credential(), &id, Port::rest)
                .await?;
            let tool = port
                .repeat(calls, system.credential(), &id, Port::tool)
                .await?;
            if turn > 0 {
                gateway.add(&rest);
                bridge.add(&tool);
            }
        }
        stop.cancel();
        let row = Row::new("tool call over MCP, processor", engine, bridge.each());
        let row = row.beside("by the gateway", gateway.each());
        run.add(row.at_most_times(AIM));
        let row = Row::new("tool calls over MCP, 16 clients", engine, bridge.rate());
        run.add(row.beside("by the gateway", gateway.rate()));
    }
    Ok(())
}

/// What calls cost.
#[derive(Debug, Default)]
struct Cost {
    calls: u32,
    seconds: f64,
    processor_seconds: f64,
}

impl Cost {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.seconds += other.seconds;
        self.processor_seconds += other.processor_seconds;
    }

    fn rate(&self) -> Figure {
        Figure::per_second(f64::from(self.calls) / self.seconds)
    }

    fn each(&self) -> Figure {
        Figure::seconds(self.processor_seconds / f64::from(self.calls))
    }
}

/// A request for the event of that id, with that credential.
type MakeRequest = fn(&Port, &str, &str) -> http::Result<Request<Full<Bytes>>>;

/// Gateway and bridge on one port, as `muster` serves them, and a client of it.
struct Port {
    address: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Port {
    async fn serve(system: &System, stop: &CancellationToken) -> anyhow::Result<Self> {
        let core = rpc_client::Core::in_process(system.core.in_process());
        let gateway = http_gateway::router(core.clone(), http_gateway::Options::default());
        let bridge = mcp_bridge::router(core, &mcp_bridge::Options::default())?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = http_kit::Router::mount(&[(mcp_bridge::PATHS, &bridge)], &gateway);
        tokio::spawn(serve::serve(
            listener,
            router,
            serve::Limits::http(),
            stop.clone(),
        ));
        let client = Client::builder(TokioExecutor::new()).build_http();
        Ok(Self { address, client })
    }

    /// Has one request made over and over.
    async fn repeat(
        self: &Arc<Self>,
        calls: u32,
        credential: &str,
        id: &str,
        request: MakeRequest,
    ) -> anyhow::Result<Cost> {
        let (started, worked) = (Instant::now(), processor::seconds()?);
        let (port, credential, id) = (Arc::clone(self), credential.to_owned(), id.to_owned());
        in_crowd_of(CLIENTS, usize::try_from(calls)?, move |_| {
            let port = Arc::clone(&port);
            let request = request(&port, &credential, &id);
            async move { port.answer(request).await.map(drop) }
        })
        .await?;
        Ok(Cost {
            calls,
            seconds: started.elapsed().as_secs_f64(),
            processor_seconds: processor::seconds()? - worked,
        })
    }

    async fn answer(&self, request: http::Result<Request<Full<Bytes>>>) -> anyhow::Result<Bytes> {
        let answer = self.client.request(request?).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        let text = String::from_utf8_lossy(&body);
        ensure!(status.is_success(), "{status}: {text}");
        Ok(body)
    }

    fn rest(&self, credential: &str, id: &str) -> http::Result<Request<Full<Bytes>>> {
        let uri = format!("http://{}/api/v1/me/events/{id}", self.address);
        Request::get(uri)
            .header("authorization", credential)
            .body(Full::default())
    }

    fn tool(&self, credential: &str, id: &str) -> http::Result<Request<Full<Bytes>>> {
        let uri = format!("http://{}{MCP}", self.address);
        let arguments = format!(r#"{{"id":"{id}"}}"#);
        tool_call(&uri, credential, "get_my_event", &arguments)
    }
}

/// A call of a tool with these arguments, in JSON.
pub(crate) fn tool_call(
    uri: &str,
    credential: &str,
    name: &str,
    arguments: &str,
) -> http::Result<Request<Full<Bytes>>> {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments},
        "_meta":{{"io.modelcontextprotocol/protocolVersion":"{REVISION}",
        "io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1"}},
        "io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    Request::builder()
        .method(Method::POST)
        .uri(uri)
        .header("authorization", credential)
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json, text/event-stream")
        .header("mcp-protocol-version", REVISION)
        .header("mcp-method", "tools/call")
        .header("mcp-name", name)
        .body(body.into())
}

/// That a tool did what it was called for: the status is success otherwise, too.
pub(crate) fn ensure_result(answer: &[u8]) -> anyhow::Result<()> {
    let value: serde_json::Value = serde_json::from_slice(answer)?;
    let is_error = value.pointer("/result/isError");
    ensure!(is_error == Some(&serde_json::Value::Bool(false)), "{value}");
    Ok(())
}
