//! OAuth, for the pages and endpoints of edges.

use muster_api::internal::v1::{
    AuthorizationProblem, AuthorizationRequest, BeginAuthorizationRequest, BegunAuthorization,
    CheckedAuthorization, ConnectedAppList, DecideAuthorizationRequest, DecidedAuthorization,
    DisconnectAppRequest, DisconnectAppResponse, ExchangeTokenRequest, ExchangedToken,
    GetAuthorizationRequest, GetOAuthServerRequest, ListConnectedAppsRequest, OAuthServer,
    PendingAuthorization, RegisterClientRequest, RegisteredClient, RevokeTokenRequest,
    RevokedToken, services::OAuthHandlers,
};

use super::{
    Api,
    convert::oauth::{connected, error, parameters, pending, shown_client, token_request, tokens},
    frame::{CoreFrame, PublicCaller},
    request::id_of,
};
use crate::service::{Asked, Choice, Error, Problem, SignedIn};

impl OAuthHandlers<CoreFrame> for Api {
    async fn get_o_auth_server(
        &self,
        _: PublicCaller,
        request: GetOAuthServerRequest,
    ) -> Result<OAuthServer, Error> {
        let server = self.oauth.server(request.origin.as_deref());
        let scopes = server.scopes.iter().map(ToString::to_string);
        Ok(OAuthServer {
            issuer: server.issuer,
            scopes: scopes.collect(),
            takes_client_documents: server.takes_client_documents,
            site_name: self.brand.name.to_string(),
        })
    }

    async fn check_authorization(
        &self,
        caller: PublicCaller,
        request: AuthorizationRequest,
    ) -> Result<CheckedAuthorization, Error> {
        let parameters = parameters(request);
        let mut answer = CheckedAuthorization::default();
        match self.oauth.check(&parameters, caller.client).await? {
            Asked::Problem(one) => {
                // Nobody has chosen anything before they have signed in.
                let redirect_uri = None;
                let shown = problem(one);
                answer.problem = Some(AuthorizationProblem {
                    redirect_uri,
                    ..shown
                });
            }
            Asked::Redirect(uri) => answer.redirect_uri = Some(uri),
            Asked::Fine((client, redirect)) => {
                answer.client = Some(shown_client(&client, Some(&redirect)));
            }
        }
        Ok(answer)
    }

    async fn begin_authorization(
        &self,
        caller: SignedIn,
        request: BeginAuthorizationRequest,
    ) -> Result<BegunAuthorization, Error> {
        let parameters = parameters(request.request.unwrap_or_default());
        let browser = request.browser.unwrap_or_default();
        let mut answer = BegunAuthorization::default();
        match self.oauth.start(&caller, &browser, parameters).await? {
            Asked::Problem(one) => answer.problem = Some(problem(one)),
            Asked::Redirect(uri) => answer.redirect_uri = Some(uri),
            Asked::Fine(one) => answer.pending = Some(pending(one)),
        }
        Ok(answer)
    }

    async fn get_authorization(
        &self,
        caller: SignedIn,
        request: GetAuthorizationRequest,
    ) -> Result<PendingAuthorization, Error> {
        let id = id_of("authorization", request.id)?;
        let browser = request.browser.unwrap_or_default();
        let found = self.oauth.get(&caller, &browser, id).await?;
        Ok(pending(found))
    }

    async fn decide_authorization(
        &self,
        caller: SignedIn,
        request: DecideAuthorizationRequest,
    ) -> Result<DecidedAuthorization, Error> {
        let id = id_of("authorization", request.id)?;
        let browser = request.browser.unwrap_or_default();
        let account = request.account_id.and_then(|id| id.parse().ok());
        let choice = request.agrees.then_some(Choice {
            account,
            scopes: request.scopes,
        });
        let redirect_uri = self.oauth.decide(&caller, &browser, id, choice).await?;
        Ok(DecidedAuthorization { redirect_uri })
    }

    async fn exchange_token(
        &self,
        caller: PublicCaller,
        request: ExchangeTokenRequest,
    ) -> Result<ExchangedToken, Error> {
        let request = token_request(request);
        let mut answer = ExchangedToken::default();
        match self.oauth.exchange(&request, caller.client).await? {
            Ok(issued) => answer.tokens = Some(tokens(&issued)),
            Err(refusal) => answer.error = Some(error(refusal)),
        }
        Ok(answer)
    }

    async fn register_client(
        &self,
        caller: PublicCaller,
        request: RegisterClientRequest,
    ) -> Result<RegisteredClient, Error> {
        let metadata = request.metadata.unwrap_or_default();
        let mut answer = RegisteredClient::default();
        match self.oauth.register(&metadata, caller.client).await? {
            Ok(registration) => answer.registration = Some(registration),
            Err(refusal) => answer.error = Some(error(refusal)),
        }
        Ok(answer)
    }

    async fn revoke_token(
        &self,
        caller: PublicCaller,
        request: RevokeTokenRequest,
    ) -> Result<RevokedToken, Error> {
        let (token, client_id) = (request.token.as_deref(), request.client_id.as_deref());
        let revoked = self
            .oauth
            .revoke_token(token, client_id, &request.bad_parameters, caller.client)
            .await?;
        Ok(RevokedToken {
            error: revoked.err().map(error),
        })
    }

    async fn list_connected_apps(
        &self,
        caller: SignedIn,
        _: ListConnectedAppsRequest,
    ) -> Result<ConnectedAppList, Error> {
        let all = self.oauth.connections(&caller).await?;
        let webhooks = self.oauth.dependent_webhooks(&caller).await?;
        let items = all.iter().map(|one| {
            let redirect = self.oauth.redirect(one);
            connected(one, redirect.as_ref(), &webhooks)
        });
        Ok(ConnectedAppList {
            items: items.collect(),
        })
    }

    async fn disconnect_app(
        &self,
        caller: SignedIn,
        request: DisconnectAppRequest,
    ) -> Result<DisconnectAppResponse, Error> {
        let id = id_of("connected app", request.id)?;
        let keeps_webhooks = request.keeps_webhooks;
        self.oauth.disconnect(&caller, id, keeps_webhooks).await?;
        Ok(DisconnectAppResponse {})
    }
}

fn problem(problem: Problem) -> AuthorizationProblem {
    let way_back = problem.way_back.map(|way| (way.uri, way.host));
    let (redirect_uri, redirect_host) = way_back.unzip();
    AuthorizationProblem {
        message: problem.message,
        cure: problem.cure,
        redirect_uri,
        redirect_host,
    }
}
