//! The API keys of an account, for its members.

use muster_api::internal::v1::{
    CreateKeyRequest, CreatedKey, Key, KeyList, ListKeysRequest, RevokeKeyRequest,
    RevokeKeyResponse, RotateKeyRequest, key_service_server::KeyService,
};
use tonic::{Request, Response, Status};

use super::{
    request::{caller, id_of, person},
    status::refuse,
};
use crate::{
    domain::{
        instant::Instant,
        person::{MemberKey, Role},
        scope::{Scope, Scopes},
    },
    service::{KeyRequest, NewKey, OwnKeys, SignedIn},
};

const HOUR_SECONDS: i64 = 3_600;

/// The rpcs about keys.
pub(super) struct KeyApi {
    pub(super) keys: OwnKeys,
}

#[tonic::async_trait]
impl KeyService for KeyApi {
    async fn list_keys(
        &self,
        request: Request<ListKeysRequest>,
    ) -> Result<Response<KeyList>, Status> {
        let (principal, by) = (caller(&request)?, person(&request)?);
        let listed = self.keys.list(&principal).await.map_err(refuse)?;
        let now = self.keys.now();
        let items = listed.into_iter().map(|one| key(one, &by, now));
        Ok(Response::new(KeyList {
            items: items.collect(),
        }))
    }

    async fn create_key(
        &self,
        request: Request<CreateKeyRequest>,
    ) -> Result<Response<CreatedKey>, Status> {
        let (principal, by) = (caller(&request)?, person(&request)?);
        let CreateKeyRequest {
            name,
            scopes,
            expires,
        } = request.into_inner();
        let new = KeyRequest {
            name: name.unwrap_or_default(),
            scopes,
            expires: expires.unwrap_or_default(),
        };
        let made = self.keys.create(&principal, &by, new).await;
        Ok(Response::new(self.created(made.map_err(refuse)?, &by)))
    }

    async fn revoke_key(
        &self,
        request: Request<RevokeKeyRequest>,
    ) -> Result<Response<RevokeKeyResponse>, Status> {
        let principal = caller(&request)?;
        let id = id_of("key", request.into_inner().id)?;
        let revoked = self.keys.revoke(&principal, id).await;
        revoked.map_err(refuse)?;
        Ok(Response::new(RevokeKeyResponse {}))
    }

    async fn rotate_key(
        &self,
        request: Request<RotateKeyRequest>,
    ) -> Result<Response<CreatedKey>, Status> {
        let (principal, by) = (caller(&request)?, person(&request)?);
        let RotateKeyRequest { id, overlap_hours } = request.into_inner();
        let id = id_of("key", id)?;
        let overlap = i64::from(overlap_hours.unwrap_or_default()) * HOUR_SECONDS;
        let made = self.keys.rotate(&principal, &by, id, overlap).await;
        Ok(Response::new(self.created(made.map_err(refuse)?, &by)))
    }
}

impl KeyApi {
    fn created(&self, (new, shown): (NewKey, MemberKey), by: &SignedIn) -> CreatedKey {
        CreatedKey {
            key: Some(key(shown, by, self.keys.now())),
            secret: new.plain.expose().to_owned(),
        }
    }
}

fn key(one: MemberKey, by: &SignedIn, now: Instant) -> Key {
    let role = one.role.map_or(Scopes::named([]), Role::scopes);
    let scopes = one.key.scopes.within(role);
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
    }
}
