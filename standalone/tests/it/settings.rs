//! Settings that `muster` shares with the surfaces that run by themselves.

use clap::Parser;
use standalone::Config;
use tokio::time::Instant;

use crate::core::{error, get, mcp, send, stuck};

#[tokio::test(start_paused = true)]
async fn a_request_may_take_as_long_as_the_settings_say() {
    let config = Config::parse_from(["muster", "--request-seconds", "7"]);
    let muster = standalone::router(&stuck(), &config, website::Views::default()).unwrap();
    for request in [get("/api/v1/events"), mcp("tools/list")] {
        let (started, path) = (Instant::now(), request.uri().clone());
        let (status, code, message) = error(send(&muster, request).await).await;
        assert_eq!((status, code.as_str()), (503, "UNAVAILABLE"), "{path}");
        assert!(message.contains("too long"), "{message}");
        assert_eq!(started.elapsed().as_secs(), 7, "{path}");
    }
}
