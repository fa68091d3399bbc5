//! The keys of a member who is removed: whoever keeps one gets a new secret, since the removed member has the old one.

use domain::{
    account::ApiKey,
    api_key::PlainKey,
    fact::{Fact, KeyOrigin},
    ids::{AccountId, PersonId},
    person::{MemberKey, Rights},
};

use crate::service::{
    Context, Error, NewKey,
    own_keys::{MAX_KEYS, successor},
};

/// Who keeps the keys of a removed member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heir {
    /// For whom the new keys act.
    pub(super) person: PersonId,
    /// For how long the old ones go on working.
    pub(super) overlap_seconds: i64,
}

/// What became of the keys of a removed member.
#[derive(Debug, Clone, Default)]
pub struct RemovedMember {
    /// How many were revoked and not kept.
    pub revoked: u64,
    /// The new keys in place of those that were kept.
    pub kept: Vec<(NewKey, MemberKey)>,
    /// The hashes of the old keys, which are to be looked up again.
    pub(super) replaced: Vec<[u8; 32]>,
}

/// Makes a new key in place of each valid one that acts for a member with these rights, and revokes the others. The old ones act for the heir
/// until their overlap ends, with no more than they were worth before.
pub(super) async fn hand_over(
    context: &mut Context,
    account: AccountId,
    (from, rights): (PersonId, Rights),
    heir: Heir,
) -> Result<RemovedMember, Error> {
    let all = context.tx.list_member_keys(account, MAX_KEYS).await?;
    let is_valid = |key: &ApiKey| key.expires_at.is_none_or(|end| context.now < end);
    let theirs = all.iter().map(|one| &one.key);
    let theirs = theirs.filter(|key| key.person_id == Some(from) && is_valid(key));
    let theirs: Vec<ApiKey> = theirs.cloned().collect();
    // An old secret that acts for the heir sees what they see, which must not be more than before.
    let sees_all = rights.role.sees_addresses() && !rights.only_some_events;
    let heir = Heir {
        overlap_seconds: if sees_all { heir.overlap_seconds } else { 0 },
        ..heir
    };
    refuse_too_many(all.len() + theirs.len(), heir)?;

    let mut plain_keys = Vec::with_capacity(theirs.len());
    for old in &theirs {
        let plain = PlainKey::generate(context.entropy());
        let key = successor(context, old, heir.person, &plain);
        if heir.overlap_seconds > 0 {
            let overlap = context.now.plus_seconds(heir.overlap_seconds);
            let until = old.expires_at.map_or(overlap, |end| end.min(overlap));
            let scopes = old.scopes.within(rights.scopes());
            context
                .tx
                .pass_on_key(old.id, heir.person, scopes, until)
                .await?;
        }
        context.tx.insert_key(&key).await?;
        let (from, to) = (old.id.uuid(), Some(key.id.uuid()));
        context.tx.pass_on_webhooks(account, from, to).await?;
        let origin = KeyOrigin::TakesOver(old.id);
        context
            .record(Fact::KeyCreated { key: &key, origin })
            .await?;
        plain_keys.push(NewKey { key, plain });
    }
    // Those whose overlap runs act for the heir by now.
    let revoked = context
        .tx
        .revoke_keys_by(account, from, context.now)
        .await?;
    let shown = context.tx.list_member_keys(account, MAX_KEYS).await?;
    let replaced_at_once = if heir.overlap_seconds > 0 {
        0
    } else {
        theirs.len()
    };
    let kept = plain_keys.into_iter().filter_map(|new| {
        let listed = shown.iter().find(|one| one.key.id == new.key.id)?.clone();
        Some((new, listed))
    });
    Ok(RemovedMember {
        revoked: revoked.saturating_sub(replaced_at_once as u64),
        kept: kept.collect(),
        replaced: theirs.iter().map(|old| old.hash).collect(),
    })
}

/// With an overlap there are two of each for a while.
fn refuse_too_many(keys: usize, heir: Heir) -> Result<(), Error> {
    if heir.overlap_seconds > 0 && keys > usize::try_from(MAX_KEYS).unwrap_or(usize::MAX) {
        return Err(Error::Conflict(format!(
            "an account may have {MAX_KEYS} keys: revoke some first, or let the old ones stop at once"
        )));
    }
    Ok(())
}
