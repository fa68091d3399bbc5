//! What people have connected, and how it ends.

use std::net::IpAddr;

use domain::{
    audit::Actor,
    fact::{Disconnection, Fact},
    ids::{AccountId, GrantId, PersonId},
    oauth::{
        Client, Code, Connection, Hash, Kind, RedirectUri, Refusal, Secret, request::unless_bad,
    },
    webhook::Webhook,
};

use super::OAuth;
use crate::service::{Context, Error, SignedIn, webhooks};

/// How many grants of one person are shown.
const MAX_SHOWN: i64 = 500;

/// How many grants of one person for one account end with their membership. There are few: each client has 20 at most.
const MAX_ENDED: i64 = 10_000;

/// How many webhooks of a person's apps are shown.
const MAX_WEBHOOKS_SHOWN: i64 = 500;

const NO_CONNECTION: Error = Error::NotFound {
    what: "connected app",
};

impl OAuth {
    /// The apps that act for a person, the last used first.
    pub async fn connections(&self, by: &SignedIn) -> Result<Vec<Connection>, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let found = store.list_connections(by.person, now, MAX_SHOWN).await?;
        let connection = |stored: storage::StoredConnection| {
            Ok(Connection {
                client: self.clients.client(stored.client)?,
                grant: stored.grant,
                account_name: stored.account_name,
                rights: stored.rights,
            })
        };
        found.into_iter().map(connection).collect()
    }

    /// Where the answers of a connected app went.
    pub fn redirect(&self, connection: &Connection) -> Option<RedirectUri> {
        RedirectUri::parse(&connection.grant.redirect_uri, self.clients.schemes()).ok()
    }

    /// The webhooks of the apps that act for a person: disconnecting disables them, or passes them on.
    pub async fn dependent_webhooks(&self, by: &SignedIn) -> Result<Vec<Webhook>, Error> {
        let store = self.commands.store();
        let found = store.list_webhooks_of_apps(by.person, MAX_WEBHOOKS_SHOWN);
        Ok(webhooks::not_disabled(found.await?))
    }

    /// Ends a grant of the person: at once here, within [`crate::service::credentials::TRUST_SECONDS`] on other cores. The webhooks that
    /// the app made or redirected become the person's, if they are kept, and are disabled otherwise.
    pub async fn disconnect(
        &self,
        by: &SignedIn,
        id: GrantId,
        keeps_webhooks: bool,
    ) -> Result<(), Error> {
        let actor = Actor::Person(by.person);
        let decide = async |context: &mut Context| {
            let grant = context.tx.lock_grant(id).await?;
            let grant = grant.filter(|grant| grant.person_id == by.person);
            let grant = grant.ok_or(NO_CONNECTION)?;
            if keeps_webhooks && grant.revoked_at.is_none() {
                let (from, to) = (id.uuid(), Some(by.person.uuid()));
                let account = grant.account_id;
                context.tx.pass_on_webhooks(account, from, to).await?;
            }
            revoke(context, id, Disconnection::ByPerson, actor).await
        };
        let ended = self.commands.run(actor, decide).await?;
        self.evict(&ended);
        Ok(())
    }

    /// Revokes a token of a client: a refresh token with its grant, an access token alone. What is no token of the client changes nothing.
    pub async fn revoke_token(
        &self,
        token: Option<&str>,
        client_id: Option<&str>,
        bad_parameters: &[String],
        address: Option<IpAddr>,
    ) -> Result<Result<(), Refusal>, Error> {
        self.limiters.count_address(address)?;
        if let Err(refusal) = unless_bad(bad_parameters) {
            return Ok(Err(refusal));
        }
        let client = match self.known_client(client_id).await? {
            Ok(client) => client,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let Some(token) = token else {
            let refusal = Refusal::new(Code::InvalidRequest, "token is missing");
            return Ok(Err(refusal));
        };
        let refresh = Secret::parse(Kind::RefreshToken, token);
        let access = Secret::parse(Kind::AccessToken, token);
        let decide = async |context: &mut Context| match (refresh, access) {
            (Some(token), _) => end_by_refresh_token(context, &client, &token.hash()).await,
            (_, Some(token)) => end_access_token(context, &client, token.hash()).await,
            (None, None) => Ok(Vec::new()),
        };
        let ended = self.commands.run(Actor::System, decide).await?;
        self.evict(&ended);
        Ok(Ok(()))
    }
}

async fn end_by_refresh_token(
    context: &mut Context,
    client: &Client,
    hash: &Hash,
) -> Result<Vec<Hash>, Error> {
    let Some(token) = context.tx.find_refresh_token(hash).await? else {
        return Ok(Vec::new());
    };
    let grant = context.tx.lock_grant(token.grant_id).await?;
    let Some(grant) = grant.filter(|grant| grant.client_id == client.id) else {
        return Ok(Vec::new());
    };
    let app = Actor::App(grant.id, grant.person_id);
    revoke(context, grant.id, Disconnection::ByApp, app).await
}

async fn end_access_token(
    context: &mut Context,
    client: &Client,
    hash: Hash,
) -> Result<Vec<Hash>, Error> {
    let found = context.tx.find_access_token(&hash).await?;
    if found.is_none_or(|(_, grant, _)| grant.client_id != client.id) {
        return Ok(Vec::new());
    }
    context.tx.delete_access_token(&hash).await?;
    context.note_write();
    Ok(vec![hash])
}

/// Ends a grant, with its tokens; returns the access tokens. One that has ended stays as it is.
pub(in crate::service) async fn revoke(
    context: &mut Context,
    id: GrantId,
    why: Disconnection,
    actor: Actor,
) -> Result<Vec<Hash>, Error> {
    let Some(grant) = context.tx.lock_grant(id).await? else {
        return Ok(Vec::new());
    };
    if !context.tx.mark_grant_revoked(id, context.now).await? {
        return Ok(Vec::new());
    }
    let ended = context.tx.delete_tokens_of(id).await?;
    let fact = Fact::AppDisconnected { grant: &grant, why };
    context.record_by(actor, fact).await?;
    webhooks::end_webhooks_of(context, grant.account_id, id.uuid()).await?;
    Ok(ended)
}

/// Ends all grants of a person for an account, of which they are no member any more.
pub(in crate::service) async fn revoke_all_of(
    context: &mut Context,
    account: AccountId,
    person: PersonId,
) -> Result<(), Error> {
    for id in context
        .tx
        .list_grants_by(account, person, MAX_ENDED)
        .await?
    {
        revoke(context, id, Disconnection::NoMember, Actor::System).await?;
    }
    Ok(())
}
