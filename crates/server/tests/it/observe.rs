//! The log line of a request, as programs read it.

use std::{cell::RefCell, convert::Infallible, io, sync::Once};

use http::{Request, Response};
use http_body_util::Full;
use serde_json::{Value, json};
use server::{
    CancellationToken,
    observe::{Cause, Quiet, Route},
    serve::{Limits, RequestBody, bind, serve},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tower::service_fn;

thread_local! {
    /// What this thread has logged since it was last looked at. A test's runtime has one thread, so its server logs here, too.
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct Log;

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Logs for the whole process: a subscriber of one thread alone loses lines when another thread, which has none, is the
    /// first to reach the place that logs, since tracing then remembers that nobody listens.
    fn start() {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            let subscriber = tracing_subscriber::fmt()
                .json()
                .flatten_event(true)
                .without_time()
                .with_writer(|| Self)
                .finish();
            tracing::subscriber::set_global_default(subscriber).unwrap();
            tracing::callsite::rebuild_interest_cache();
        });
        LOGGED.take();
    }

    fn lines() -> Vec<Value> {
        let text = String::from_utf8(LOGGED.take()).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// Serves one request that is answered with this status and cause, and answers what was logged.
async fn logged(status: u16, cause: Option<&str>, request: &str) -> Vec<Value> {
    Log::start();
    let cause = cause.map(|cause| Cause(cause.to_owned()));
    let service = service_fn(move |request: Request<RequestBody>| {
        let mut response = Response::new(Full::from("answer"));
        *response.status_mut() = status.try_into().unwrap();
        response.extensions_mut().insert(Route("/links/{token}"));
        if request.uri().path() == "/healthz" {
            response.extensions_mut().insert(Quiet);
        }
        if let Some(cause) = cause.clone() {
            response.extensions_mut().insert(cause);
        }
        async { Ok::<_, Infallible>(response) }
    });
    let listener = bind("--http-addr", "127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(serve(listener, service, Limits::http(), shutdown.clone()));
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.read_to_end(&mut Vec::new()).await.unwrap();
    shutdown.cancel();
    running.await.unwrap();
    Log::lines()
}

const REQUEST: &str = "GET /links/private?also=private HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
    Authorization: Bearer private\r\nCookie: private\r\nX-Request-Id: id-1\r\n\r\n";

#[tokio::test]
async fn a_request_is_one_line_without_anything_private() {
    let mut lines = logged(200, None, REQUEST).await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0]["duration_ms"].take().as_f64().is_some());
    assert_eq!(
        lines[0],
        json!({
            "level": "INFO", "target": "http", "message": "request", "method": "GET", "route": "/links/{token}",
            "status": 200, "duration_ms": null, "bytes": 6, "request_id": "id-1",
        })
    );
}

#[tokio::test]
async fn what_is_not_worth_a_line_is_not_logged() {
    let probe = REQUEST.replace("/links/private?also=private", "/healthz");
    let lines = logged(200, None, &probe).await;
    assert_eq!(lines, [Value::Null; 0]);
}

#[tokio::test]
async fn a_failure_is_an_error_line_with_its_cause() {
    let lines = logged(503, Some("connection refused"), REQUEST).await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["level"], "ERROR");
    assert_eq!(lines[0]["cause"], "connection refused");
}
