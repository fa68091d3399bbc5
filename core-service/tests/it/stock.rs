//! Covers from stock photographs, against servers that answer as the providers do, and as they should not.

mod answers;
mod bounds;
mod jobs;
mod pictures;
mod providers;
mod server;

use core_service::covers::stock::{Provider, Stock, StockSettings};

use self::server::Server;

/// The key that tests give to providers.
const KEY: &str = "k3y-of-the-operator";

/// Covers of a provider that a server plays.
fn stock(provider: Provider, server: &Server) -> Stock {
    Stock::new(StockSettings {
        provider,
        key: Some(KEY.into()),
        url: Some(server.url()),
    })
    .unwrap()
}
