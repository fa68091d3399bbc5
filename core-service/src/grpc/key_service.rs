//! The API keys of an account, for its members.

use domain::{
    instant::Instant,
    person::{MemberKey, Rights},
    scope::{Scope, Scopes},
};
use muster_api::internal::v1::{
    CreateKeyRequest, CreatedKey, Key, KeyList, ListKeysRequest, RevokeKeyRequest,
    RevokeKeyResponse, RotateKeyRequest, services::KeyHandlers,
};

use super::{
    Api,
    convert::dependent_webhooks,
    frame::{CoreFrame, Member},
    request::id_of,
};
use crate::service::{Error, KeyRequest, NewKey, SignedIn};

pub(super) const HOUR_SECONDS: i64 = 3_600;

impl KeyHandlers<CoreFrame> for Api {
    async fn list_keys(&self, caller: Member, _: ListKeysRequest) -> Result<KeyList, Error> {
        let listed = self.own_keys.list(&caller.principal).await?;
        let webhooks = self.own_keys.dependent_webhooks(&caller.principal).await?;
        let now = self.own_keys.now();
        let items = listed.into_iter().map(|one| Key {
            webhooks: dependent_webhooks(&webhooks, one.key.id.uuid()),
            ..key(one, &caller.person, now)
        });
        Ok(KeyList {
            items: items.collect(),
        })
    }

    async fn create_key(
        &self,
        Member { principal, person }: Member,
        request: CreateKeyRequest,
    ) -> Result<CreatedKey, Error> {
        let new = KeyRequest {
            name: request.name.unwrap_or_default(),
            scopes: request.scopes,
            expires: request.expires.unwrap_or_default(),
        };
        let made = self.own_keys.create(&principal, &person, new).await?;
        Ok(created(made, &person, self.own_keys.now()))
    }

    async fn revoke_key(
        &self,
        caller: Member,
        request: RevokeKeyRequest,
    ) -> Result<RevokeKeyResponse, Error> {
        let id = id_of("key", request.id)?;
        let keeps_webhooks = request.keeps_webhooks;
        let revoke = self.own_keys.revoke(&caller.principal, id, keeps_webhooks);
        revoke.await?;
        Ok(RevokeKeyResponse {})
    }

    async fn rotate_key(
        &self,
        Member { principal, person }: Member,
        request: RotateKeyRequest,
    ) -> Result<CreatedKey, Error> {
        let id = id_of("key", request.id)?;
        let overlap = i64::from(request.overlap_hours.unwrap_or_default()) * HOUR_SECONDS;
        let made = self
            .own_keys
            .rotate(&principal, &person, id, overlap)
            .await?;
        Ok(created(made, &person, self.own_keys.now()))
    }
}

/// A new key, with its secret.
pub(super) fn created(
    (new, shown): (NewKey, MemberKey),
    by: &SignedIn,
    now: Instant,
) -> CreatedKey {
    CreatedKey {
        key: Some(key(shown, by, now)),
        secret: new.plain.expose().to_owned(),
    }
}

fn key(one: MemberKey, by: &SignedIn, now: Instant) -> Key {
    let limit = one.rights.map_or(Scopes::named([]), Rights::scopes);
    let scopes = one.key.scopes.within(limit);
    Key {
        id: one.key.id.to_string(),
        scopes: scopes.iter().map(Scope::name).map(str::to_owned).collect(),
        person_name: one.person_name,
        is_callers: one.key.person_id == Some(by.person),
        created_at: one.key.created_at.to_string(),
        last_used_at: one.key.last_used_at.map(|at| at.to_string()),
        is_expired: one.key.expires_at.is_some_and(|end| end <= now),
        expires_at: one.key.expires_at.map(|at| at.to_string()),
        name: one.key.label,
        webhooks: Vec::new(),
    }
}
