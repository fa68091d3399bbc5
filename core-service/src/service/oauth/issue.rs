//! New tokens.

use domain::{
    oauth::{
        AccessToken, Audience, Grant, Hash, Kind, RefreshToken, Secret,
        grant::{ACCESS_SECONDS, MAX_TOKENS},
    },
    person::Rights,
    scope::Scopes,
};

use super::exchange::Issued;
use crate::service::{Context, Error};

/// What new tokens are for.
pub(super) struct Wanted {
    /// The scopes of the access token.
    pub(super) scopes: Scopes,
    /// For which surfaces.
    pub(super) audience: Audience,
    /// The refresh token that they are exchanged for.
    pub(super) parent: Option<Hash>,
}

/// Makes an access token and a refresh token of a grant, which lasts longer with each refresh.
pub(super) async fn issue(
    context: &mut Context,
    grant: &Grant,
    rights: Rights,
    wanted: Wanted,
) -> Result<Issued, Error> {
    let now = context.now;
    let access = Secret::generate(Kind::AccessToken, context.entropy());
    let refresh = Secret::generate(Kind::RefreshToken, context.entropy());
    let ends_at = Grant::refresh_ends_at(grant.created_at, now);
    let token = AccessToken {
        hash: access.hash(),
        grant_id: grant.id,
        scopes: wanted.scopes,
        audience: wanted.audience,
        created_at: now,
        expires_at: now.plus_seconds(ACCESS_SECONDS),
    };
    context.tx.insert_access_token(&token).await?;
    let token = RefreshToken {
        hash: refresh.hash(),
        grant_id: grant.id,
        parent: wanted.parent,
        created_at: now,
        expires_at: ends_at,
        consumed_at: None,
    };
    context.tx.insert_refresh_token(&token).await?;
    // Getting the first tokens is no use yet: whoever looks at what is connected sees whether it ever was one.
    if wanted.parent.is_some() {
        context.tx.prolong_grant(grant.id, ends_at, now).await?;
    }
    context
        .tx
        .delete_tokens_beyond(grant.id, MAX_TOKENS)
        .await?;
    context.note_write();
    Ok(Issued {
        access,
        refresh,
        expires_in_seconds: ACCESS_SECONDS,
        scopes: wanted.scopes.within(rights.scopes()),
    })
}
