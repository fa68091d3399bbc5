//! `/healthz`: this process runs. `/readyz`: it reaches core.

use http::{Method, StatusCode};
use process::observe::RequestId;

use super::{Operation, Resource, json};
use crate::{Core, Problem};

pub(super) fn resources(core: Core) -> [Resource; 2] {
    let live = Operation::new(Method::GET, async |_request| {
        Ok(json(StatusCode::OK, r#"{"status":"ok"}"#))
    });
    let ready = Operation::new(Method::GET, move |request| {
        let core = core.clone();
        async move {
            let id = RequestId::in_extensions(request.extensions());
            let serving = core.is_serving(&id).await;
            serving.map_err(|status| Problem::from(&status))?;
            Ok(json(StatusCode::OK, r#"{"status":"ready"}"#))
        }
    });
    [
        Resource::new("/healthz").with(live),
        Resource::new("/readyz").with(ready),
    ]
}
