//! `/healthz`: this process runs. `/readyz`: it reaches core. `/version`: what runs.

use axum::response::Response;
use http::{Method, StatusCode};
use rpc_client::Core;
use server::observe::{Quiet, RequestId};

use super::{Operation, Resource, document, json};
use crate::Problem;

const LIVE: &str = "/healthz";
const READY: &str = "/readyz";
const VERSION_PATH: &str = "/version";

/// All parts of a release have the same version.
const VERSION: &str = concat!(
    r#"{"name":"muster","version":""#,
    env!("CARGO_PKG_VERSION"),
    "\"}\n"
);

/// Whether a path belongs to health. Such answers are about this process now.
pub(super) fn is_health(path: &str) -> bool {
    matches!(path, LIVE | READY | VERSION_PATH)
}

pub(super) fn resources(core: Core) -> [Resource; 3] {
    let live = Operation::new(Method::GET, async |_request| Ok(well(r#"{"status":"ok"}"#)));
    let ready = Operation::new(Method::GET, move |request| {
        let core = core.clone();
        async move {
            let id = RequestId::in_extensions(request.extensions());
            let serving = core.is_serving(&id).await;
            serving.map_err(|status| Problem::from(&status))?;
            Ok(well(r#"{"status":"ready"}"#))
        }
    });
    let version = Operation::new(Method::GET, async |_request| {
        Ok(document(VERSION, "application/json", "no-cache"))
    });
    [
        Resource::new(LIVE).with(live),
        Resource::new(READY).with(ready),
        Resource::new(VERSION_PATH).with(version.shared()),
    ]
}

/// Probes ask every few seconds: only what is not well is worth a line of the log.
fn well(body: &'static str) -> Response {
    let mut response = json(StatusCode::OK, body);
    response.extensions_mut().insert(Quiet);
    response
}
