//! The metadata of the authorization server (RFC 8414).

use axum::extract::Request;
use http::Method;
use http_kit::{
    Operation, Resource,
    oauth::{OAuth, local_origin, metadata_document, unknown},
};
use muster_api::internal::v1::OAuthServer;
use serde_json::{Value, json};

use super::AUTHORIZE;
use crate::request_context::Site;

const PATH: &str = "/.well-known/oauth-authorization-server";

pub(in crate::pages) fn resource(site: &Site) -> Resource {
    let oauth = OAuth::new(site.core());
    let operation = Operation::new(Method::GET, move |request: Request| {
        let (oauth, origin) = (oauth.clone(), local_origin(request.headers()));
        async move {
            let server = oauth.server(origin.as_deref()).await;
            let server = server.ok_or_else(unknown)?;
            Ok(metadata_document(&metadata(&server)))
        }
    });
    Resource::new(PATH).with(operation.shared())
}

fn metadata(server: &OAuthServer) -> Value {
    let at = |path: &str| format!("{}{path}", server.issuer);
    // Clients that ask for it get a refresh token as all others do.
    let scopes = server.scopes.iter().map(String::as_str);
    let scopes: Vec<&str> = scopes.chain(["offline_access"]).collect();
    json!({
        "issuer": server.issuer,
        "authorization_endpoint": at(AUTHORIZE),
        "token_endpoint": at("/oauth/token"),
        "registration_endpoint": at("/oauth/register"),
        "revocation_endpoint": at("/oauth/revoke"),
        "scopes_supported": scopes,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": server.takes_client_documents,
        "service_documentation": at("/guides/connect-an-mcp-client"),
    })
}
