//! Ending what acts for a person: their sessions, their apps, their keys.

use domain::{
    account::ApiKey,
    audit::Actor,
    fact::{Disconnection, Fact, PersonChange},
    ids::{PersonId, SessionId},
    instant::Instant,
    session::MAX_SESSIONS,
};

use super::{Context, Error, oauth, webhooks};

/// Apps of one person, and keys that they made since.
const MAX_ENDED: i64 = 10_000;

/// The hashes of credentials that have ended, which this core must look up again.
pub(super) type Ended = Vec<[u8; 32]>;

/// Ends the sessions of a person but this one.
pub(super) async fn end_sessions(
    context: &mut Context,
    person: PersonId,
    but: Option<SessionId>,
) -> Result<Ended, Error> {
    let all = context
        .tx
        .list_sessions(person, context.now, MAX_SESSIONS)
        .await?;
    let mut ended = Ended::new();
    for session in all {
        if Some(session.id) != but {
            context.tx.delete_session(person, session.id).await?;
            ended.push(session.hash);
        }
    }
    if let Some(count) = i64::try_from(ended.len()).ok().filter(|count| *count > 0) {
        note_ended(context, person, count, None).await?;
    }
    Ok(ended)
}

/// Records that sessions of a person ended; `device` is that of a single one.
pub(super) async fn note_ended(
    context: &mut Context,
    person: PersonId,
    count: i64,
    device: Option<&str>,
) -> Result<(), Error> {
    let change = PersonChange::EndedSessions { count, device };
    context
        .record(Fact::PersonChanged { person, change })
        .await?;
    Ok(())
}

/// Disconnects the apps that act for a person, or those that were connected since then.
pub(super) async fn disconnect_apps(
    context: &mut Context,
    person: PersonId,
    since: Option<Instant>,
) -> Result<Ended, Error> {
    let all = context
        .tx
        .list_connections(person, context.now, MAX_ENDED)
        .await?;
    let mut ended = Ended::new();
    let is_meant = |at: Instant| since.is_none_or(|since| since <= at);
    for grant in all.into_iter().map(|one| one.grant) {
        if is_meant(grant.created_at) {
            let actor = Actor::Person(person);
            let tokens = oauth::revoke(context, grant.id, Disconnection::ByPerson, actor);
            ended.extend(tokens.await?);
        }
    }
    // Codes that no app has exchanged yet.
    context.tx.delete_unused_codes_of(person).await?;
    Ok(ended)
}

/// Revokes the keys of a person, in all accounts, that were made since then, and disables the webhooks that were made or redirected since.
pub(super) async fn revoke_keys_since(
    context: &mut Context,
    person: PersonId,
    since: Instant,
) -> Result<Ended, Error> {
    webhooks::end_webhooks_since(context, person, since).await?;
    let keys = context.tx.list_keys_since(person, since, MAX_ENDED).await?;
    let mut ended = Ended::new();
    for ApiKey {
        id,
        account_id: account,
        hash,
        ..
    } in keys
    {
        if context.tx.revoke_key(id, context.now).await? {
            let fact = Fact::KeyRevoked { account, key: id };
            context.record(fact).await?;
            webhooks::end_webhooks_of(context, account, id.uuid()).await?;
            ended.push(hash);
        }
    }
    Ok(ended)
}
