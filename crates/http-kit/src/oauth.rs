//! Where programs get access tokens: the metadata of protected resources (RFC 9728), and challenges that name it.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, header::HOST};
use muster_api::{
    Reason, Scope,
    internal::v1::{GetOAuthServerRequest, OAuthServer, bindings::GetOAuthServer},
};
use rpc_client::Core;
use serde_json::json;
use server::networks::{is_on_this_machine, is_this_machine};

use crate::{CachedAnswer, Operation, Problem, answer::document, challenge::TokenSource};

/// Where the metadata of a resource is, before the resource's own path.
pub const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// The media type and the caching of metadata: it changes only when core is started again with other settings.
const MEDIA_TYPE: &str = "application/json";
const CACHING: &str = "no-cache";

/// What is known of the authorization server. Clones share it.
#[derive(Clone)]
pub struct OAuth(CachedAnswer<GetOAuthServer>);

/// Stands for the public URL among the origins.
const USUAL: &str = "";

impl OAuth {
    /// Asks this core.
    pub fn new(core: Core) -> Self {
        Self(CachedAnswer::new(core))
    }

    /// The authorization server for requests that name this machine so; `None` if core does not answer.
    pub async fn server(&self, origin: Option<&str>) -> Option<Arc<OAuthServer>> {
        let usual = self.server_at(USUAL).await?;
        match origin {
            // Elsewhere a name of this machine is one between a proxy and Muster.
            Some(origin) if is_on_this_machine(&usual.issuer) && origin != usual.issuer => {
                self.server_at(origin).await
            }
            _ => Some(usual),
        }
    }

    /// The metadata of the resource at a path below the public URL.
    pub fn resource(&self, path: &'static str) -> Operation {
        let oauth = self.clone();
        let operation = Operation::new(Method::GET, move |request| {
            let (oauth, origin) = (oauth.clone(), local_origin(request.headers()));
            async move {
                let server = oauth.server(origin.as_deref()).await;
                let server = server.ok_or_else(unknown)?;
                let metadata = json!({
                    "resource": format!("{}{path}", server.issuer),
                    "authorization_servers": [server.issuer],
                    "scopes_supported": server.scopes,
                    "bearer_methods_supported": ["header"],
                    "resource_name": server.site_name,
                    "resource_documentation": format!("{}/docs", server.issuer),
                });
                Ok(metadata_document(&metadata))
            }
        });
        operation.shared()
    }

    /// The same problem; if another credential would help, it says where to get a token for the resource at this path, and with which
    /// scope: that of the call, or those that only read if the call needs none or is unknown.
    pub async fn guided(
        &self,
        mut problem: Problem,
        path: &'static str,
        needed: Option<Scope>,
        origin: Option<&str>,
    ) -> Problem {
        if problem.challenge.is_none() {
            return problem;
        }
        let Some(server) = self.server(origin).await else {
            return problem;
        };
        problem.extra.get_or_insert_default().token_source = Some(TokenSource {
            metadata_url: format!("{}{PROTECTED_RESOURCE}{path}", server.issuer),
            scopes: needed.map_or_else(|| Scope::READING.to_vec(), |scope| vec![scope]),
        });
        problem
    }

    async fn server_at(&self, origin: &str) -> Option<Arc<OAuthServer>> {
        let request = || GetOAuthServerRequest {
            origin: (origin != USUAL).then(|| origin.to_owned()),
        };
        self.0.get(origin, request).await
    }
}

/// A document with metadata of OAuth.
pub fn metadata_document(metadata: &serde_json::Value) -> axum::response::Response {
    document(format!("{metadata}\n"), MEDIA_TYPE, CACHING)
}

/// Core does not say where tokens are to be had.
pub fn unknown() -> Problem {
    Problem::new(Reason::Unavailable, "Muster is temporarily unavailable")
}

/// The origin by which a request calls this machine, for example `http://localhost:8080`; `None` if it calls it by another name.
pub fn local_origin(headers: &HeaderMap) -> Option<String> {
    origin_on_this_machine(host(headers)?)
}

/// The host that a request names; `None` if it names none or several.
pub fn host(headers: &HeaderMap) -> Option<&HeaderValue> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next()?;
    hosts.next().is_none().then_some(host)
}

/// The origin by which a request to this host calls this machine, if it does.
pub fn origin_on_this_machine(host: &HeaderValue) -> Option<String> {
    let host = host.to_str().ok()?.to_ascii_lowercase();
    is_this_machine(&host).then(|| format!("http://{host}"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_a_name_of_this_machine_is_a_local_origin() {
        for (host, origin) in [
            ("localhost:8080", Some("http://localhost:8080")),
            ("LOCALHOST:8080", Some("http://localhost:8080")),
            ("127.0.0.1", Some("http://127.0.0.1")),
            ("[::1]:80", Some("http://[::1]:80")),
            ("localhost.evil.example:8080", None),
            ("evil@localhost", None),
            ("localhost@evil.example", None),
            ("localhost:80/x", None),
            ("127.0.0.2", None),
            ("muster.example", None),
            ("", None),
        ] {
            let headers = [(HOST, HeaderValue::from_static(host))];
            let found = local_origin(&HeaderMap::from_iter(headers));
            assert_eq!(found.as_deref(), origin, "{host}");
        }
        let mut twice = HeaderMap::new();
        twice.append(HOST, HeaderValue::from_static("localhost"));
        twice.append(HOST, HeaderValue::from_static("localhost"));
        assert_eq!(local_origin(&twice), None);
    }
}
