//! Looking up names.

use std::{future::Future, io, net::IpAddr, pin::Pin};

/// The addresses of a name, once they are known.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Looks up names.
pub trait Resolve: Send + Sync {
    /// All addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// The resolver of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            // The port is not used; the function wants one.
            let found = tokio::net::lookup_host((name, 443)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
