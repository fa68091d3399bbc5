//! The OpenAPI 3.1.0 document, and the same as OpenAPI 3.0.3.

mod failures;
mod links;
mod older;
mod operation;
mod schemas;
mod webhooks;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

pub(crate) use self::{failures::RESERVED, older::emit as older};
use crate::{
    model::{Api, Service},
    options::{ApiRules, ScopeRule},
    schema::{Object, present},
};

/// The specification's version.
const OPENAPI: &str = "3.1.0";
/// Name of the security scheme of any credential.
const BEARER: &str = "bearer";
/// Name of that of access tokens, for programs that can get one.
const OAUTH2: &str = "oauth2";
/// The mark of additions to the contract.
const ADDITION: &str = "x-muster-addition";

/// The document.
pub(crate) fn emit(api: &Api) -> Result<Value> {
    let rules = &api.rules;
    let tags = api.services.iter().filter_map(tag);
    let mut parameters = operation::shared_parameters();
    parameters.extend(webhooks::parameters(api));
    let mut document = json!({
        "openapi": OPENAPI,
        "info": {
            "title": rules.title,
            "version": rules.version,
            "description": rules.description,
            "contact": { "name": "The people who run this instance", "url": rules.public_url },
            "license": { "name": rules.license, "identifier": rules.license },
        },
        "servers": [{
            "url": format!("{}{}", rules.public_url, rules.base_path),
            "description": "The instance that serves this document.",
        }],
        "tags": tags.chain(webhooks::tag(api)).collect::<Vec<_>>(),
        "paths": paths(api)?,
        "components": {
            "schemas": schemas::emit(api)?,
            "responses": failures::responses(api),
            "parameters": parameters,
            "headers": operation::headers(rules),
            "securitySchemes": security_schemes(api),
        },
    });
    if let Some(webhooks) = webhooks::emit(api)? {
        document["webhooks"] = webhooks.into();
    }
    Ok(document)
}

/// How programs authenticate, and how Muster does in its messages.
fn security_schemes(api: &Api) -> Object {
    let rules = &api.rules;
    let bearer = json!({
        "type": "http",
        "scheme": "bearer",
        "description": credential(rules),
    });
    present(json!({
        BEARER: bearer,
        OAUTH2: oauth2(rules),
        webhooks::SIGNATURE: webhooks::security_scheme(api),
    }))
}

/// Access tokens by the consent of a person.
fn oauth2(rules: &ApiRules) -> Value {
    let scopes: Object = grantable(rules)
        .map(|scope| (scope.name.clone(), scope.description.as_str().into()))
        .collect();
    let endpoint = |name: &str| format!("{}/oauth/{name}", rules.public_url);
    let flow = json!({
        "authorizationUrl": endpoint("authorize"),
        "tokenUrl": endpoint("token"),
        "refreshUrl": endpoint("token"),
        "scopes": scopes,
    });
    json!({
        "type": "oauth2",
        "description": "An access token, which a program gets by the consent of a person: authorization code with PKCE (S256), \
            for public clients.",
        "flows": { "authorizationCode": flow },
    })
}

/// The scopes that a credential can be granted.
fn grantable(rules: &ApiRules) -> impl Iterator<Item = &ScopeRule> {
    rules.scopes.iter().filter(|scope| !scope.session_only)
}

/// The description of the credential, and a table of scopes.
fn credential(rules: &ApiRules) -> String {
    let heading =
        "Its scopes limit what it can be used for:\n\n| Scope | What it allows |\n|---|---|";
    let row = |scope: &ScopeRule| format!("| `{}` | {} |", scope.name, scope.description);
    let rows: Vec<_> = grantable(rules).map(row).collect();
    if rows.is_empty() {
        return rules.credential.clone();
    }
    format!("{}\n\n{heading}\n{}", rules.credential, rows.join("\n"))
}

/// A service with routes.
fn tag(service: &Service) -> Option<Value> {
    let has_routes = service
        .methods
        .iter()
        .any(|method| !method.routes.is_empty());
    has_routes.then(|| json!({ "name": tag_name(service), "description": service.comment }))
}

/// `CatalogueService` as `Catalogue`.
fn tag_name(service: &Service) -> &str {
    service
        .name
        .strip_suffix("Service")
        .unwrap_or(&service.name)
}

/// Every route, by its path.
fn paths(api: &Api) -> Result<Object> {
    let mut paths = Object::new();
    for service in &api.services {
        for method in &service.methods {
            for (index, route) in method.routes.iter().enumerate() {
                let operation = operation::emit(api, service, method, index)
                    .with_context(|| format!("rpc {}", method.name))?;
                let path = route.below(&api.rules.base_path).unwrap_or(&route.path);
                let verbs = paths.entry(path).or_insert_with(|| json!({}));
                verbs[route.verb.constant().to_ascii_lowercase()] = operation;
            }
        }
    }
    Ok(paths)
}
