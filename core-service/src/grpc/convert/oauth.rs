//! Messages of OAuth.

use domain::{
    oauth::{Audience, Client, Connection, RedirectUri, Refusal, request::Parameters},
    scope::Scopes,
    webhook::Webhook,
};
use muster_api::internal::v1::{
    AuthorizationAccount, AuthorizationClient, AuthorizationRequest, ConnectedApp,
    ExchangeTokenRequest, OAuthError, OAuthTokens, PendingAuthorization, RequestedScope,
};

use super::dependent_webhooks;
use crate::service::{ConsentAccount, Issued, Pending, TokenRequest};

/// The parameters of an authorization request. What is empty counts as absent (RFC 6749, section 3.1).
pub(in crate::grpc) fn parameters(request: AuthorizationRequest) -> Parameters {
    Parameters {
        client_id: given(request.client_id),
        redirect_uri: given(request.redirect_uri),
        response_type: given(request.response_type),
        state: given(request.state),
        code_challenge: given(request.code_challenge),
        code_challenge_method: given(request.code_challenge_method),
        scope: given(request.scope),
        resources: request.resources,
        bad_parameters: request.bad_parameters,
        origin: request.origin,
    }
}

/// The parameters of a call of the token endpoint.
pub(in crate::grpc) fn token_request(request: ExchangeTokenRequest) -> TokenRequest {
    TokenRequest {
        grant_type: given(request.grant_type),
        client_id: given(request.client_id),
        code: given(request.code),
        redirect_uri: given(request.redirect_uri),
        code_verifier: given(request.code_verifier),
        refresh_token: given(request.refresh_token),
        scope: given(request.scope),
        resources: request.resources,
        bad_parameters: request.bad_parameters,
        origin: request.origin,
    }
}

/// New tokens.
pub(in crate::grpc) fn tokens(issued: &Issued) -> OAuthTokens {
    OAuthTokens {
        access_token: issued.access.expose().to_owned(),
        expires_in: i32::try_from(issued.expires_in_seconds).unwrap_or(i32::MAX),
        refresh_token: issued.refresh.expose().to_owned(),
        scope: issued.scopes.joined(" "),
    }
}

/// An error as OAuth says it.
pub(in crate::grpc) fn error(refusal: Refusal) -> OAuthError {
    OAuthError {
        error: refusal.code.name().to_owned(),
        status: refusal.code.status(),
        error_description: refusal.description.into_owned(),
    }
}

/// A client as people see it.
pub(in crate::grpc) fn shown_client(
    client: &Client,
    redirect: Option<&RedirectUri>,
) -> AuthorizationClient {
    AuthorizationClient {
        client_id: client.client_id.clone(),
        name: client.name(),
        verified_host: client.verified_host(),
        redirect_host: redirect.map(RedirectUri::shown_host).unwrap_or_default(),
        is_redirect_local: redirect.is_some_and(RedirectUri::is_local),
    }
}

/// An authorization that waits.
pub(in crate::grpc) fn pending(pending: Pending) -> PendingAuthorization {
    let one = &pending.authorization;
    PendingAuthorization {
        id: one.id.to_string(),
        client: Some(shown_client(&pending.client, Some(&pending.redirect))),
        scopes: described(one.scopes),
        surfaces: surfaces(one.audience),
        expires_at: one.expires_at().to_string(),
        accounts: pending.accounts.into_iter().map(account).collect(),
    }
}

/// A connected app.
pub(in crate::grpc) fn connected(
    one: &Connection,
    redirect: Option<&RedirectUri>,
    webhooks: &[Webhook],
) -> ConnectedApp {
    let grant = &one.grant;
    ConnectedApp {
        id: grant.id.to_string(),
        client: Some(shown_client(&one.client, redirect)),
        account_id: grant.account_id.to_string(),
        account_name: one.account_name.clone(),
        scopes: described(grant.scopes.within(one.rights.scopes())),
        surfaces: surfaces(grant.audience),
        created_at: grant.created_at.to_string(),
        last_used_at: grant.last_used_at.map(|at| at.to_string()),
        webhooks: dependent_webhooks(webhooks, grant.id.uuid()),
    }
}

fn account(one: ConsentAccount) -> AuthorizationAccount {
    AuthorizationAccount {
        account_id: one.membership.account_id.to_string(),
        account_name: one.membership.account_name,
        role: one.membership.rights.role.name().to_owned(),
        scopes: names(one.scopes),
        granted_scopes: names(one.granted),
        is_suspended: one.membership.is_suspended,
    }
}

fn described(scopes: Scopes) -> Vec<RequestedScope> {
    let one = |scope: domain::scope::Scope| RequestedScope {
        name: scope.to_string(),
        description: scope.description().to_owned(),
        only_reads: Scopes::named([scope]).only_read(),
    };
    scopes.iter().map(one).collect()
}

fn names(scopes: Scopes) -> Vec<String> {
    scopes.iter().map(|scope| scope.to_string()).collect()
}

fn surfaces(audience: Audience) -> Vec<String> {
    let all = audience.surfaces().iter();
    all.map(|surface| (*surface).to_owned()).collect()
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
