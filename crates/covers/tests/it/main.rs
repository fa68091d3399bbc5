//! Stock photographs, from servers that answer as the providers do, and as they should not.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bounds;
mod providers;

use covers::stock::{Credit, Provider, Stock, StockSettings};
use test_photos::Server;

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

/// A credit's parts as one text: title, author, source and licence, each with its address.
fn parts(credit: &Credit) -> String {
    let parts = [
        (credit.title.as_deref(), None),
        (credit.author.as_deref(), credit.author_url.as_deref()),
        (Some(credit.source.as_str()), credit.source_url.as_deref()),
        (Some(credit.license.as_str()), credit.license_url.as_deref()),
    ];
    let parts = parts.map(|(text, url)| format!("{} <{}>", text.unwrap_or(""), url.unwrap_or("")));
    parts.join(" | ")
}
