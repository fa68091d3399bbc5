//! The settings of one surface.

use muster_api::metadata;
use rpc_client::Core;

/// For answers that are data: a browser must not run or embed anything in them.
pub const DATA_ONLY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Prefixes of the media types that are compressed. Not all of `text/`: an event stream must be sent event by event.
pub const TEXT: &[&str] = &[
    "application/json",
    "application/linkset+json",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
    "text/plain",
];

/// One HTTP surface.
#[derive(Debug, Clone, Copy)]
pub struct Surface {
    /// Its name for core.
    pub name: metadata::Surface,
    /// The default `Content-Security-Policy` of answers.
    pub content_security_policy: &'static str,
    /// Prefixes of the media types that are compressed.
    pub compressed: &'static [&'static str],
    /// The default `Cache-Control` of answers.
    pub caching: &'static str,
    /// The message for unknown paths.
    pub unknown_path: &'static str,
}

impl Surface {
    /// A surface whose answers are data for one client.
    pub const fn of_data(name: metadata::Surface, unknown_path: &'static str) -> Self {
        Self {
            name,
            content_security_policy: DATA_ONLY,
            compressed: TEXT,
            caching: "no-store",
            unknown_path,
        }
    }

    /// A client of core that names this surface.
    pub fn core(&self, core: Core) -> Core {
        core.on_surface(self.name)
    }
}
