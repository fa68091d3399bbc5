//! The memberships of an erased person. An account is never left without an owner.

use domain::{
    account::Account,
    audit::Actor,
    email::mailbox_hash,
    fact::{AccountChange, Fact, MemberChange},
    ids::{AccountId, PersonId},
    person::{Membership, Person, Role},
};

use super::{Erasure, LastOwner, People};
use crate::service::{Context, Error, members, removal};

/// Memberships of one person, as many as pages show.
const MAX_MEMBERSHIPS: i64 = 200;

impl People {
    /// Whether someone signs in with this address, and the accounts that nobody else owns.
    ///
    /// # Errors
    /// When they may neither be passed on nor removed.
    pub(super) async fn look(
        &self,
        email_norm: &str,
        last_owner: &LastOwner,
    ) -> Result<(bool, Vec<Membership>), Error> {
        let decide = async |context: &mut Context| {
            let Some(person) = context.tx.lock_person_by_email(email_norm).await? else {
                return Ok((false, Vec::new()));
            };
            let owned = solely_owned(context, person.id).await?;
            match last_owner {
                LastOwner::Refuse => refuse(&owned)?,
                LastOwner::Named(_) => {}
                LastOwner::Remove => {
                    for one in &owned {
                        let contents = context
                            .tx
                            .account_contents(one.account_id, context.now)
                            .await?;
                        removal::check(contents, one.is_suspended)?;
                    }
                }
            }
            Ok((true, owned))
        };
        self.commands.run(Actor::Admin, decide).await
    }

    /// Removes the person with their mails, after what is theirs alone has another owner or is removed.
    pub(super) async fn erase_person(
        &self,
        email_norm: &str,
        heir_address: Option<&str>,
        removes: bool,
        done: &mut Erasure,
    ) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let heir = match heir_address {
                Some(address) => LastOwner::Named(address.to_owned()),
                None if removes => LastOwner::Remove,
                None => LastOwner::Refuse,
            };
            erase_person(context, email_norm, &heir).await
        };
        // Only committed changes are counted.
        let erased = self.commands.run(Actor::Admin, decide).await?;
        done.mails += erased.mails;
        done.person = erased.person;
        done.keys = erased.keys;
        done.passed_on = erased.passed_on;
        done.removed_accounts = erased.removed_accounts;
        Ok(())
    }
}

/// Removes the person who signs in with an address, and what is about the address outside of events. What is theirs alone gets another owner
/// or is removed first.
pub(in crate::service) async fn erase_person(
    context: &mut Context,
    email_norm: &str,
    last_owner: &LastOwner,
) -> Result<Erasure, Error> {
    let mut erased = Erasure::default();
    let person = context.tx.lock_person_by_email(email_norm).await?;
    let id = person.as_ref().map(|person| person.id);
    erased.mails = context.tx.delete_mails_to(email_norm, id).await?;
    let codes = context.tx.delete_codes_to(email_norm).await?;
    context.tx.delete_email_changes_from(email_norm).await?;
    let invitations = context.tx.delete_invitations_to(email_norm).await?;
    let mailbox = mailbox_hash(email_norm);
    let proofs = context.tx.delete_trust_proofs_of(&mailbox).await?;
    let contacts = context.tx.delete_proven_contacts_of(email_norm).await?;
    // Those to an address that a registration has no longer.
    let sent = context.tx.delete_sent_mails_to(&mailbox).await?;
    let stops = context.tx.delete_bounced_stop(&mailbox).await?;
    let refusals = context.tx.delete_refusal_links_of(&mailbox).await?;
    let others = codes + invitations + proofs + contacts + sent + stops + refusals;
    if person.is_some() || erased.mails + others > 0 {
        context.note_write();
    }
    let Some(person) = person else {
        return Ok(erased);
    };
    let heir = match last_owner {
        LastOwner::Named(address) => Some(heir(context, address).await?),
        _ => None,
    };
    let owned = solely_owned(context, person.id).await?;
    for one in &owned {
        let account = one.account_id;
        match &heir {
            Some(heir) => {
                pass_on(context, account, heir.id).await?;
                erased.passed_on += 1;
            }
            None if *last_owner == LastOwner::Remove => {
                erased.keys += number(removal::begin(context, account).await?.keys);
                erased.removed_accounts += 1;
            }
            None => refuse(&owned)?,
        }
    }
    leave_all(context, &person, heir.as_ref()).await?;
    erased.keys += context
        .tx
        .erase_keys_of_person(person.id, context.now)
        .await?;
    context.tx.delete_person(person.id).await?;
    erased.person = true;
    Ok(erased)
}

/// The memberships of a person, who is locked, in accounts that nobody else owns; these are locked, too.
pub(in crate::service) async fn solely_owned(
    context: &mut Context,
    person: PersonId,
) -> Result<Vec<Membership>, Error> {
    let all = context
        .tx
        .list_memberships_of(person, MAX_MEMBERSHIPS)
        .await?;
    let mut owned: Vec<_> = all
        .into_iter()
        .filter(|one| one.rights.role == Role::Owner)
        .collect();
    owned.sort_unstable_by_key(|one| one.account_id);
    let mut alone = Vec::new();
    for one in owned {
        context.tx.lock_account(one.account_id).await?;
        if context.tx.count_owners(one.account_id).await? <= 1 {
            alone.push(one);
        }
    }
    context.renew_time();
    Ok(alone)
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

fn refuse(owned: &[Membership]) -> Result<(), Error> {
    if owned.is_empty() {
        return Ok(());
    }
    let names = owned
        .iter()
        .map(|one| format!("\"{}\" ({})", one.account_name, one.account_id));
    let names: Vec<_> = names.collect();
    Err(Error::Conflict(format!(
        "nobody else owns the account {}: name another owner with --new-owner EMAIL, or remove it with --remove-accounts",
        names.join(" and the account ")
    )))
}

/// The person who becomes the owner; a new one if nobody knows them.
async fn heir(context: &mut Context, address: &str) -> Result<Person, Error> {
    let new = Person::new(PersonId::new(context.new_id()), address, context.now);
    context.tx.insert_person(&new).await?;
    let heir = context.tx.lock_person_by_email(address).await?;
    heir.ok_or(Error::NotFound { what: "person" })
}

async fn pass_on(context: &mut Context, account: AccountId, heir: PersonId) -> Result<(), Error> {
    context
        .tx
        .put_membership(account, heir, Role::Owner, context.now)
        .await?;
    context
        .record(Fact::MemberChanged {
            account,
            person: heir,
            change: MemberChange::Joined(Role::Owner.into()),
        })
        .await?;
    Ok(())
}

/// Ends the person's memberships. An account that is named after them gets the heir's name, and has no public page any more.
async fn leave_all(
    context: &mut Context,
    person: &Person,
    heir: Option<&Person>,
) -> Result<(), Error> {
    let memberships = context.tx.list_memberships_of(person.id, MAX_MEMBERSHIPS);
    for Membership { account_id, .. } in memberships.await? {
        let Some(account) = context.tx.lock_account(account_id).await? else {
            continue;
        };
        let is_theirs =
            account.name == person.name || account.name == Person::first_name(&person.email);
        if is_theirs {
            let name = heir
                .map_or(Account::ERASED_NAME, |heir| &heir.name)
                .to_owned();
            let named = Account {
                name,
                about: None,
                website: None,
                ..account
            };
            context.tx.update_account(&named).await?;
            context.tx.release_handle(account_id, context.now).await?;
            context
                .record(Fact::AccountChanged {
                    account: account_id,
                    change: AccountChange::Erased,
                })
                .await?;
        }
        context.tx.delete_answers_of(account_id).await?;
        members::end_invitations_by(context, account_id, person.id).await?;
        context.tx.delete_membership(account_id, person.id).await?;
        context
            .record(Fact::MemberChanged {
                account: account_id,
                person: person.id,
                change: MemberChange::Removed,
            })
            .await?;
    }
    Ok(())
}
