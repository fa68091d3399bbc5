//! OAuth, for the pages and endpoints of edges.

use muster_api::internal::v1::{
    AuthorizationProblem, AuthorizationRequest, BeginAuthorizationRequest, BegunAuthorization,
    CheckedAuthorization, ConnectedAppList, DecideAuthorizationRequest, DecidedAuthorization,
    DisconnectAppRequest, DisconnectAppResponse, ExchangeTokenRequest, ExchangedToken,
    GetAuthorizationRequest, GetOAuthServerRequest, ListConnectedAppsRequest, OAuthServer,
    PendingAuthorization, RegisterClientRequest, RegisteredClient, RevokeTokenRequest,
    RevokedToken, o_auth_service_server::OAuthService,
};
use tonic::{Request, Response, Status};

use super::{
    convert::oauth::{connected, error, parameters, pending, shown_client, token_request, tokens},
    request::{client_address, id_of, person},
    status::refuse,
};
use crate::service::{Asked, Choice, OAuth, Problem};

/// The rpcs of OAuth.
pub(super) struct OAuthApi {
    pub(super) oauth: OAuth,
}

#[tonic::async_trait]
impl OAuthService for OAuthApi {
    async fn get_o_auth_server(
        &self,
        request: Request<GetOAuthServerRequest>,
    ) -> Result<Response<OAuthServer>, Status> {
        let server = self.oauth.server(request.into_inner().origin.as_deref());
        let scopes = server.scopes.iter().map(ToString::to_string);
        Ok(Response::new(OAuthServer {
            issuer: server.issuer,
            scopes: scopes.collect(),
            takes_client_documents: server.takes_client_documents,
        }))
    }

    async fn check_authorization(
        &self,
        request: Request<AuthorizationRequest>,
    ) -> Result<Response<CheckedAuthorization>, Status> {
        let address = client_address(&request);
        let parameters = parameters(request.into_inner());
        let checked = self.oauth.check(&parameters, address).await;
        let mut answer = CheckedAuthorization::default();
        match checked.map_err(refuse)? {
            Asked::Problem(one) => answer.problem = Some(problem(one)),
            Asked::Redirect(uri) => answer.redirect_uri = Some(uri),
            Asked::Fine((client, redirect)) => {
                answer.client = Some(shown_client(&client, Some(&redirect)));
            }
        }
        Ok(Response::new(answer))
    }

    async fn begin_authorization(
        &self,
        request: Request<BeginAuthorizationRequest>,
    ) -> Result<Response<BegunAuthorization>, Status> {
        let caller = person(&request)?;
        let BeginAuthorizationRequest { request, browser } = request.into_inner();
        let parameters = parameters(request.unwrap_or_default());
        let browser = browser.unwrap_or_default();
        let begun = self.oauth.start(&caller, &browser, parameters).await;
        let mut answer = BegunAuthorization::default();
        match begun.map_err(refuse)? {
            Asked::Problem(one) => answer.problem = Some(problem(one)),
            Asked::Redirect(uri) => answer.redirect_uri = Some(uri),
            Asked::Fine(one) => answer.pending = Some(pending(one)),
        }
        Ok(Response::new(answer))
    }

    async fn get_authorization(
        &self,
        request: Request<GetAuthorizationRequest>,
    ) -> Result<Response<PendingAuthorization>, Status> {
        let caller = person(&request)?;
        let GetAuthorizationRequest { id, browser } = request.into_inner();
        let id = id_of("authorization", id)?;
        let browser = browser.unwrap_or_default();
        let found = self.oauth.get(&caller, &browser, id).await;
        Ok(Response::new(pending(found.map_err(refuse)?)))
    }

    async fn decide_authorization(
        &self,
        request: Request<DecideAuthorizationRequest>,
    ) -> Result<Response<DecidedAuthorization>, Status> {
        let caller = person(&request)?;
        let request = request.into_inner();
        let id = id_of("authorization", request.id)?;
        let browser = request.browser.unwrap_or_default();
        let account = request.account_id.and_then(|id| id.parse().ok());
        let choice = request.agrees.then_some(Choice {
            account,
            scopes: request.scopes,
        });
        let decided = self.oauth.decide(&caller, &browser, id, choice).await;
        Ok(Response::new(DecidedAuthorization {
            redirect_uri: decided.map_err(refuse)?,
        }))
    }

    async fn exchange_token(
        &self,
        request: Request<ExchangeTokenRequest>,
    ) -> Result<Response<ExchangedToken>, Status> {
        let address = client_address(&request);
        let request = token_request(request.into_inner());
        let exchanged = self.oauth.exchange(&request, address).await;
        Ok(Response::new(match exchanged.map_err(refuse)? {
            Ok(issued) => ExchangedToken {
                tokens: Some(tokens(&issued)),
                error: None,
            },
            Err(refusal) => ExchangedToken {
                tokens: None,
                error: Some(error(refusal)),
            },
        }))
    }

    async fn register_client(
        &self,
        request: Request<RegisterClientRequest>,
    ) -> Result<Response<RegisteredClient>, Status> {
        let address = client_address(&request);
        let metadata = request.into_inner().metadata.unwrap_or_default();
        let registered = self.oauth.register(&metadata, address).await;
        Ok(Response::new(match registered.map_err(refuse)? {
            Ok(registration) => RegisteredClient {
                registration: Some(registration),
                error: None,
            },
            Err(refusal) => RegisteredClient {
                registration: None,
                error: Some(error(refusal)),
            },
        }))
    }

    async fn revoke_token(
        &self,
        request: Request<RevokeTokenRequest>,
    ) -> Result<Response<RevokedToken>, Status> {
        let address = client_address(&request);
        let RevokeTokenRequest {
            token,
            client_id,
            bad_parameters,
        } = request.into_inner();
        let (token, client_id) = (token.as_deref(), client_id.as_deref());
        let revoked = self
            .oauth
            .revoke_token(token, client_id, &bad_parameters, address);
        let revoked = revoked.await.map_err(refuse)?;
        Ok(Response::new(RevokedToken {
            error: revoked.err().map(error),
        }))
    }

    async fn list_connected_apps(
        &self,
        request: Request<ListConnectedAppsRequest>,
    ) -> Result<Response<ConnectedAppList>, Status> {
        let all = self.oauth.connections(&person(&request)?).await;
        let all = all.map_err(refuse)?;
        let items = all.iter().map(|one| {
            let redirect = self.oauth.redirect(one);
            connected(one, redirect.as_ref())
        });
        Ok(Response::new(ConnectedAppList {
            items: items.collect(),
        }))
    }

    async fn disconnect_app(
        &self,
        request: Request<DisconnectAppRequest>,
    ) -> Result<Response<DisconnectAppResponse>, Status> {
        let caller = person(&request)?;
        let id = id_of("connected app", request.into_inner().id)?;
        let ended = self.oauth.disconnect(&caller, id).await;
        ended.map_err(refuse)?;
        Ok(Response::new(DisconnectAppResponse {}))
    }
}

fn problem(problem: Problem) -> AuthorizationProblem {
    AuthorizationProblem {
        message: problem.message,
        cure: problem.cure,
    }
}
