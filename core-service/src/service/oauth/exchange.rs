//! The token endpoint, and exchanging a code.

use std::net::IpAddr;

use domain::{
    audit::Actor,
    fact::{Disconnection, Fact},
    ids::GrantId,
    oauth::{
        Audience, AuthorizationCode, Client, Code, Grant, Hash, Kind, Refusal, Secret,
        grant::MAX_GRANTS,
        pkce,
        request::{foreign_resource, unless_bad},
    },
    person::Rights,
    scope::Scopes,
};

use super::{
    OAuth,
    connections::revoke,
    issue::{Wanted, issue},
};
use crate::service::{Context, Error};

/// How many grants beyond those that are kept end at once.
const MAX_DISPLACED: i64 = 20;

/// The parameters of a call of the token endpoint; absent ones are absent.
#[derive(Clone, Default)]
pub struct TokenRequest {
    /// `authorization_code` or `refresh_token`.
    pub grant_type: Option<String>,
    /// The client.
    pub client_id: Option<String>,
    /// The code.
    pub code: Option<String>,
    /// Where the code went.
    pub redirect_uri: Option<String>,
    /// The PKCE verifier.
    pub code_verifier: Option<String>,
    /// The refresh token.
    pub refresh_token: Option<String>,
    /// Names of scopes.
    pub scope: Option<String>,
    /// The resources.
    pub resources: Vec<String>,
    /// Parameters that came more than once.
    pub bad_parameters: Vec<String>,
    /// The origin under which the installation was called.
    pub origin: Option<String>,
}

/// Without the secrets in it.
impl std::fmt::Debug for TokenRequest {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("TokenRequest")
            .field("grant_type", &self.grant_type)
            .field("client_id", &self.client_id)
            .field("redirect_uri", &self.redirect_uri)
            .field("scope", &self.scope)
            .field("resources", &self.resources)
            .finish_non_exhaustive()
    }
}

/// New tokens.
#[derive(Debug, Clone)]
pub struct Issued {
    /// The access token.
    pub access: Secret,
    /// The refresh token.
    pub refresh: Secret,
    /// For how long the access token is valid.
    pub expires_in_seconds: i64,
    /// The scopes that it has now.
    pub scopes: Scopes,
}

/// What became of a call, with the access tokens that ended by it. Refusals are committed, too: what is used twice ends a grant.
pub(super) type Outcome = (Result<Issued, Refusal>, Vec<Hash>);

/// Nothing changes, and the client is told why.
pub(super) fn refused(refusal: Refusal) -> Outcome {
    (Err(refusal), Vec::new())
}

pub(super) const fn invalid_grant(description: &'static str) -> Refusal {
    Refusal::new(Code::InvalidGrant, description)
}

impl OAuth {
    /// Exchanges a code or a refresh token. Refused calls count for their client's address.
    pub async fn exchange(
        &self,
        request: &TokenRequest,
        address: Option<IpAddr>,
    ) -> Result<Result<Issued, Refusal>, Error> {
        self.limiters.check_refused_tokens(address)?;
        let answer = self.exchanged(request).await?;
        if answer.is_err() {
            self.limiters.count_refused_token(address);
        }
        Ok(answer)
    }

    async fn exchanged(&self, request: &TokenRequest) -> Result<Result<Issued, Refusal>, Error> {
        if let Err(refusal) = unless_bad(&request.bad_parameters) {
            return Ok(Err(refusal));
        }
        let grant_type = request.grant_type.as_deref();
        let client = match self.known_client(request.client_id.as_deref()).await? {
            Ok(client) => client,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let place = self.place(request.origin.as_deref());
        let Some(audience) = place.audience(&request.resources) else {
            return Ok(Err(foreign_resource()));
        };
        // None named: as authorized.
        let audience = (!request.resources.is_empty()).then_some(audience);
        let (answer, ended) = match grant_type {
            Some("authorization_code") => self.exchange_code(&client, request, audience).await?,
            Some("refresh_token") => self.refresh(&client, request, audience).await?,
            Some(_) => refused(Refusal::new(
                Code::UnsupportedGrantType,
                "grant_type must be authorization_code or refresh_token",
            )),
            None => refused(Refusal::new(Code::InvalidRequest, "grant_type is missing")),
        };
        self.evict(&ended);
        Ok(answer)
    }

    /// The client that calls an endpoint.
    pub(super) async fn known_client(
        &self,
        client_id: Option<&str>,
    ) -> Result<Result<Client, Refusal>, Error> {
        let known = match client_id {
            Some(client_id) => self.clients.known(client_id).await?,
            None => None,
        };
        Ok(known.ok_or(Refusal::new(
            Code::InvalidClient,
            "client_id must be that of a client that is registered here or has been authorized",
        )))
    }

    async fn exchange_code(
        &self,
        client: &Client,
        request: &TokenRequest,
        audience: Option<Audience>,
    ) -> Result<Outcome, Error> {
        const UNKNOWN: Refusal =
            invalid_grant("the code is unknown, expired, used, or of another client");
        let code = request.code.as_deref();
        let Some(code) = code.and_then(|code| Secret::parse(Kind::Code, code)) else {
            return Ok(refused(UNKNOWN));
        };
        let hash = code.hash();
        let decide = async |context: &mut Context| {
            let found = context.tx.lock_authorization_code(&hash).await?;
            context.renew_time();
            let Some(code) = found.filter(|code| code.client_id == client.id) else {
                return Ok(refused(UNKNOWN));
            };
            if let Some(grant) = code.grant_id {
                // Codes get into histories and logs. Without its verifier, nobody could have exchanged it.
                if is_verified(&code, request) {
                    return reuse(context, grant, UNKNOWN).await;
                }
                return Ok(refused(UNKNOWN));
            }
            if code.expires_at() <= context.now {
                return Ok(refused(UNKNOWN));
            }
            if let Err(refusal) = proves(&code, request) {
                return Ok(refused(refusal));
            }
            let wanted = audience.unwrap_or(code.audience);
            if !code.audience.includes(wanted) {
                return Ok(refused(foreign_resource()));
            }
            // Under its lock, so that nobody is removed from the account meanwhile.
            context.tx.lock_account(code.account_id).await?;
            let rights = context
                .tx
                .find_rights(code.account_id, code.person_id)
                .await?;
            let Some(rights) = rights else {
                return Ok(refused(UNKNOWN));
            };
            connect(context, &code, rights, wanted).await
        };
        self.commands.run(Actor::System, decide).await
    }
}

/// Whether the request is of whoever began the authorization.
fn proves(code: &AuthorizationCode, request: &TokenRequest) -> Result<(), Refusal> {
    let redirect = request.redirect_uri.as_deref();
    // OAuth 2.1 leaves it out, since the verifier proves more.
    if redirect
        .is_some_and(|uri| uri != code.redirect_uri && format!("{uri}/") != code.redirect_uri)
    {
        return Err(invalid_grant(
            "redirect_uri is not the one of the authorization",
        ));
    }
    match request.code_verifier.as_deref() {
        Some(_) if is_verified(code, request) => Ok(()),
        Some(_) => Err(invalid_grant(
            "code_verifier is not the one of code_challenge",
        )),
        None => Err(Refusal::new(
            Code::InvalidRequest,
            "code_verifier is missing",
        )),
    }
}

fn is_verified(code: &AuthorizationCode, request: &TokenRequest) -> bool {
    let verifier = request.code_verifier.as_deref();
    verifier.is_some_and(|verifier| pkce::verifies(verifier, &code.challenge))
}

/// A code that was used before: one of the two who have it has stolen it.
async fn reuse(context: &mut Context, grant: GrantId, refusal: Refusal) -> Result<Outcome, Error> {
    let ended = revoke(context, grant, Disconnection::CodeReused, Actor::System).await?;
    Ok((Err(refusal), ended))
}

/// Makes the grant for a code, and its first tokens. The person's least recently used grants for the client end if there are too many.
async fn connect(
    context: &mut Context,
    code: &AuthorizationCode,
    rights: Rights,
    audience: Audience,
) -> Result<Outcome, Error> {
    let grant = Grant {
        id: GrantId::new(context.new_id()),
        person_id: code.person_id,
        account_id: code.account_id,
        client_id: code.client_id,
        redirect_uri: code.redirect_uri.clone(),
        scopes: code.scopes,
        audience: code.audience,
        created_at: context.now,
        last_used_at: None,
        ends_at: Grant::refresh_ends_at(context.now, context.now),
        revoked_at: None,
    };
    context.tx.insert_grant(&grant).await?;
    context
        .tx
        .use_authorization_code(&code.hash, grant.id)
        .await?;
    let connected = Fact::AppConnected { grant: &grant };
    context
        .record_by(Actor::Person(code.person_id), connected)
        .await?;
    let displaced = context
        .tx
        .list_grants_beyond(code.person_id, code.client_id, MAX_GRANTS, MAX_DISPLACED)
        .await?;
    let mut ended = Vec::new();
    for id in displaced {
        ended.extend(revoke(context, id, Disconnection::Displaced, Actor::System).await?);
    }
    let wanted = Wanted {
        scopes: grant.scopes,
        audience,
        parent: None,
    };
    let issued = issue(context, &grant, rights, wanted).await?;
    Ok((Ok(issued), ended))
}
