//! Exchanging a refresh token for new tokens.

use domain::{
    audit::Actor,
    fact::Disconnection,
    ids::GrantId,
    oauth::{
        Audience, Client, Code, Grant, Kind, RefreshToken, Refusal, Secret,
        request::{foreign_resource, names},
        rotation::{self, Decision},
    },
    scope::Scopes,
};

use super::{
    OAuth,
    connections::revoke,
    exchange::{Outcome, TokenRequest, invalid_grant, refused},
    issue::{Wanted, issue},
};
use crate::service::{Context, Error};

/// How many successors of one token are looked at.
const MAX_SUCCESSORS: i64 = 100;

const UNKNOWN: Refusal =
    invalid_grant("the refresh token is unknown, expired, revoked, or of another client");

impl OAuth {
    pub(super) async fn refresh(
        &self,
        client: &Client,
        request: &TokenRequest,
        audience: Option<Audience>,
    ) -> Result<Outcome, Error> {
        let token = request.refresh_token.as_deref();
        let Some(token) = token.and_then(|token| Secret::parse(Kind::RefreshToken, token)) else {
            return Ok(refused(UNKNOWN));
        };
        let (hash, grace) = (token.hash(), self.grace_seconds);
        let decide = async |context: &mut Context| {
            let Some(token) = context.tx.find_refresh_token(&hash).await? else {
                return Ok(refused(UNKNOWN));
            };
            let grant = context.tx.lock_grant(token.grant_id).await?;
            let is_theirs =
                |grant: &Grant| grant.client_id == client.id && grant.revoked_at.is_none();
            // Whoever had the lock before may have exchanged or ended it.
            let token = context.tx.find_refresh_token(&hash).await?;
            let (Some(grant), Some(token)) = (grant.filter(is_theirs), token) else {
                return Ok(refused(UNKNOWN));
            };
            context.renew_time();
            let rights = context
                .tx
                .find_rights(grant.account_id, grant.person_id)
                .await?;
            let Some(rights) = rights else {
                return Ok(refused(UNKNOWN));
            };
            // What is asked for in a wrong way uses nothing up.
            let wanted = match wanted(&grant, request.scope.as_deref(), audience) {
                Ok((scopes, audience)) => Wanted {
                    scopes,
                    audience,
                    parent: Some(hash),
                },
                Err(refusal) => return Ok(refused(refusal)),
            };
            if has_two_holders(context, &token, grace).await? {
                return end_stolen(context, grant.id).await;
            }
            let successors = context.tx.list_successors(&hash, MAX_SUCCESSORS).await?;
            match rotation::decide(&token, &successors, context.now, grace) {
                Decision::Expired => Ok(refused(UNKNOWN)),
                Decision::Reused => end_stolen(context, grant.id).await,
                Decision::Exchange { ends, begins_grace } => {
                    for successor in &ends {
                        context.tx.delete_refresh_token(successor).await?;
                    }
                    if begins_grace {
                        context.tx.consume_refresh_token(&hash, context.now).await?;
                    }
                    let issued = issue(context, &grant, rights, wanted).await?;
                    Ok((Ok(issued), Vec::new()))
                }
            }
        };
        self.commands.run(Actor::System, decide).await
    }
}

/// Whether a token that was not exchanged yet and another one with the same parent have two holders.
async fn has_two_holders(
    context: &mut Context,
    token: &RefreshToken,
    grace: i64,
) -> Result<bool, Error> {
    let (Some(parent), None) = (token.parent, token.consumed_at) else {
        return Ok(false);
    };
    let Some(parent) = context.tx.find_refresh_token(&parent).await? else {
        return Ok(false);
    };
    let siblings = context
        .tx
        .list_successors(&parent.hash, MAX_SUCCESSORS)
        .await?;
    let now = context.now;
    Ok(rotation::has_two_holders(&parent, &siblings, now, grace))
}

/// Ends the grant of a token that someone else has.
async fn end_stolen(context: &mut Context, grant: GrantId) -> Result<Outcome, Error> {
    let why = Disconnection::RefreshTokenReused;
    let ended = revoke(context, grant, why, Actor::System).await?;
    Ok((Err(UNKNOWN), ended))
}

/// The scopes and the surfaces of the new access token: what was granted, or less.
fn wanted(
    grant: &Grant,
    scope: Option<&str>,
    audience: Option<Audience>,
) -> Result<(Scopes, Audience), Refusal> {
    let asked = names(scope.unwrap_or_default());
    if !asked.iter().all(|scope| grant.scopes.contain(*scope)) {
        let text = "scope has more than was granted: authorize again to ask for more";
        return Err(Refusal::new(Code::InvalidScope, text));
    }
    let scopes = match &asked[..] {
        [] => grant.scopes,
        _ => Scopes::named(asked),
    };
    let audience = audience.unwrap_or(grant.audience);
    if !grant.audience.includes(audience) {
        return Err(foreign_resource());
    }
    Ok((scopes, audience))
}
