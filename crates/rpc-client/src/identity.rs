//! The identity of an edge, which it sends with every call.

use http::{HeaderMap, HeaderName, HeaderValue};
use muster_api::metadata::{self, Surface};
use secrecy::{ExposeSecret, SecretString};
use server::Failure;

const EDGE_TOKEN: HeaderName = HeaderName::from_static(metadata::EDGE_TOKEN);
const SURFACE: HeaderName = HeaderName::from_static(metadata::SURFACE);

/// The identity of a client of core. Without a token it is an ordinary client, unless the connection proves an edge.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identity {
    /// Marked sensitive, so that `Debug` hides it.
    token: Option<HeaderValue>,
    surface: Option<Surface>,
}

impl Identity {
    /// The same identity, with the secret of edges.
    pub(crate) fn with_token(self, token: &SecretString) -> Result<Self, Failure> {
        let value = HeaderValue::try_from(token.expose_secret());
        let mut value = value.map_err(|_| {
            Failure::setting(
                "--edge-token (MUSTER_EDGE_TOKEN): must have visible ASCII characters only",
            )
        })?;
        value.set_sensitive(true);
        let token = Some(value);
        Ok(Self { token, ..self })
    }

    /// The same identity, with this surface.
    pub(crate) fn on_surface(self, surface: Surface) -> Self {
        let surface = Some(surface);
        Self { surface, ..self }
    }

    pub(crate) fn add_to(&self, headers: &mut HeaderMap) {
        if let Some(token) = &self.token {
            let mut token = token.clone();
            // HTTP/2 may remember it, since it is the same in all calls. What is marked is written anew with each.
            token.set_sensitive(false);
            headers.insert(EDGE_TOKEN, token);
        }
        if let Some(surface) = self.surface {
            headers.insert(SURFACE, HeaderValue::from_static(surface.name()));
        }
    }
}
