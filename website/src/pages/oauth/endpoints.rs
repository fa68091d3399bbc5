//! The endpoints for apps: tokens (RFC 6749), registration (RFC 7591), revocation (RFC 7009). Their errors are as these say, the one
//! exception to the form of errors elsewhere.

use axum::response::Response;
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, PRAGMA, RETRY_AFTER, WWW_AUTHENTICATE},
};
use http_kit::{Problem, Resource, json, oauth::local_origin};
use muster_api::internal::v1::{
    ExchangeTokenRequest, OAuthError, OAuthTokens, RegisterClientRequest, RevokeTokenRequest,
    bindings::{ExchangeToken, RegisterClient, RevokeToken},
};
use serde_json::json;
use server::observe::Cause;

use super::parameters::Parameters;
use crate::{
    form::{Form, is_form},
    request_context::{RequestContext, Site},
};

const INVALID_REQUEST: &str = "invalid_request";
const INVALID_METADATA: &str = "invalid_client_metadata";

/// Why an endpoint refuses.
enum Refused {
    /// In OAuth's own words.
    OAuth(OAuthError),
    /// In Muster's, with OAuth's word for what a client sent wrongly.
    Muster(Box<Problem>, &'static str),
}

pub(in crate::pages) fn resources(site: &Site) -> [Resource; 3] {
    [
        endpoint(site, "/oauth/token", token),
        endpoint(site, "/oauth/register", register),
        endpoint(site, "/oauth/revoke", revoke),
    ]
}

/// A path that takes a body from anywhere.
fn endpoint<F>(site: &Site, path: &'static str, take: fn(RequestContext, Bytes) -> F) -> Resource
where
    F: Future<Output = Result<Response, Refused>> + Send + 'static,
{
    let operation = site.operation(Method::POST, move |context, body| async move {
        let answered = match context.body(body).await {
            Ok(bytes) => take(context, bytes).await,
            Err(problem) => Err(Refused::Muster(Box::new(problem), INVALID_REQUEST)),
        };
        Ok(uncached(answered.unwrap_or_else(Refused::response)))
    });
    Resource::new(path).with(operation.shared())
}

/// Exchanges a code or a refresh token.
async fn token(context: RequestContext, body: Bytes) -> Result<Response, Refused> {
    const KNOWN: [&str; 7] = [
        "grant_type",
        "client_id",
        "code",
        "redirect_uri",
        "code_verifier",
        "refresh_token",
        "scope",
    ];
    let form = form(&context.parts.headers, &body)?;
    let parameters = Parameters(&form);
    if let Some(refused) = authenticated(&context.parts.headers, &parameters) {
        return Ok(refused);
    }
    let request = ExchangeTokenRequest {
        grant_type: parameters.one("grant_type"),
        client_id: parameters.one("client_id"),
        code: parameters.one("code"),
        redirect_uri: parameters.one("redirect_uri"),
        code_verifier: parameters.one("code_verifier"),
        refresh_token: parameters.one("refresh_token"),
        scope: parameters.one("scope"),
        resources: parameters.resources(),
        bad_parameters: parameters.doubled(&KNOWN),
        origin: local_origin(&context.parts.headers),
    };
    let exchanged = context.ask::<ExchangeToken>(request).await?;
    match exchanged.tokens {
        Some(tokens) => Ok(json(StatusCode::OK, written(&tokens))),
        None => Err(Refused::OAuth(exchanged.error.unwrap_or_default())),
    }
}

fn written(tokens: &OAuthTokens) -> String {
    json!({
        "access_token": tokens.access_token,
        "token_type": "Bearer",
        "expires_in": tokens.expires_in,
        "refresh_token": tokens.refresh_token,
        "scope": tokens.scope,
    })
    .to_string()
}

/// Registers a client. Core reads the metadata.
async fn register(context: RequestContext, body: Bytes) -> Result<Response, Refused> {
    let metadata = String::from_utf8(body.into()).map_err(|_| {
        let problem = http_kit::body::invalid("is not UTF-8");
        Refused::Muster(Box::new(problem), INVALID_METADATA)
    })?;
    let request = RegisterClientRequest {
        metadata: Some(metadata),
    };
    let registered = context.ask::<RegisterClient>(request).await;
    let registered =
        registered.map_err(|problem| Refused::Muster(Box::new(problem), INVALID_METADATA))?;
    match registered.registration {
        Some(registration) => Ok(json(StatusCode::CREATED, registration)),
        None => Err(Refused::OAuth(registered.error.unwrap_or_default())),
    }
}

/// Revokes a token. What there is not is answered as what was revoked.
async fn revoke(context: RequestContext, body: Bytes) -> Result<Response, Refused> {
    let form = form(&context.parts.headers, &body)?;
    let parameters = Parameters(&form);
    if let Some(refused) = authenticated(&context.parts.headers, &parameters) {
        return Ok(refused);
    }
    let request = RevokeTokenRequest {
        token: parameters.one("token"),
        client_id: parameters.one("client_id"),
        bad_parameters: parameters.doubled(&["token", "client_id"]),
    };
    match context.ask::<RevokeToken>(request).await?.error {
        Some(error) => Err(Refused::OAuth(error)),
        None => Ok(Response::default()),
    }
}

fn form(headers: &HeaderMap, body: &Bytes) -> Result<Form, Refused> {
    let media_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    if media_type.is_some_and(is_form) {
        return Ok(Form::parse(body));
    }
    Err(Refused::OAuth(OAuthError {
        error: INVALID_REQUEST.to_owned(),
        error_description: "the Content-Type must be application/x-www-form-urlencoded".to_owned(),
        status: 400,
    }))
}

/// The refusal of a client that authenticates: all clients here are public, and none has a secret.
fn authenticated(headers: &HeaderMap, parameters: &Parameters<'_>) -> Option<Response> {
    let by_header = headers.get_all(AUTHORIZATION).iter().any(|value| {
        let scheme = value.as_bytes().split(|byte| *byte == b' ').next();
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic"))
    });
    let by_parameter = ["client_secret", "client_assertion"]
        .iter()
        .any(|name| parameters.one(name).is_some());
    if !by_header && !by_parameter {
        return None;
    }
    let mut response = Refused::OAuth(OAuthError {
        error: "invalid_client".to_owned(),
        error_description:
            "clients are public here: send client_id in the body, and no secret (token_endpoint_auth_method none)"
                .to_owned(),
        status: 401,
    })
    .response();
    if by_header {
        let challenge = HeaderValue::from_static("Basic realm=\"muster\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    Some(response)
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Muster(Box::new(problem), INVALID_REQUEST)
    }
}

impl Refused {
    fn response(self) -> Response {
        let (problem, word) = match self {
            Self::OAuth(error) => {
                let status = u16::try_from(error.status).ok();
                let status = status.and_then(|status| StatusCode::from_u16(status).ok());
                let status = status.unwrap_or(StatusCode::BAD_REQUEST);
                return error_response(status, &error.error, &error.error_description);
            }
            Self::Muster(problem, word) => (problem, word),
        };
        let word = match problem.http_status {
            429 | 503 => "temporarily_unavailable",
            500.. => "server_error",
            _ => word,
        };
        let status = StatusCode::from_u16(problem.http_status).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = error_response(status, word, &described(&problem));
        if let Some(seconds) = problem.retry_after_seconds {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        if let Some(cause) = problem.cause {
            response.extensions_mut().insert(Cause(cause.into()));
        }
        response
    }
}

fn error_response(status: StatusCode, error: &str, description: &str) -> Response {
    let body = json!({"error": error, "error_description": description});
    json(status, body.to_string())
}

/// What is wrong: the first field that is, or the whole.
fn described(problem: &Problem) -> String {
    match problem.details.first() {
        Some(one) => format!("{} {}", one.field, one.message),
        None => problem.message.clone(),
    }
}

/// Tokens are in nobody's cache (RFC 6749, section 5.1).
fn uncached(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        http::header::CACHE_CONTROL,
        HeaderValue::from_static("no-store"),
    );
    headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
    response
}
