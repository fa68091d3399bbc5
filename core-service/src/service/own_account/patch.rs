//! What a member changes about an account.

use domain::{
    account::{Account, website},
    change::Change,
    fact::{AccountChange, Fact},
    handle::{Handle, InvalidHandle, MAX_FORMER},
    violation::{Checked, FieldViolation, Violations},
    zone::Zone,
};

use super::check_name;
use crate::service::{Context, Error};

/// A change of an account by a member.
#[derive(Debug, Clone, Default)]
pub struct AccountPatch {
    /// Its new name, if it changes.
    pub name: Option<String>,
    /// The time zone of new events that name none, or the instance's default.
    pub timezone: Change<String>,
    /// The name in the address of its public page.
    pub handle: Change<String>,
    /// What that page says of it.
    pub about: Change<String>,
    /// Its website.
    pub website: Change<String>,
}

impl AccountPatch {
    /// Returns the account with everything changed but its handle.
    pub(super) fn applied(self, before: &Account) -> Account {
        let mut after = before.clone();
        if let Some(name) = self.name {
            after.name = name;
        }
        self.timezone.write_optional(&mut after.timezone);
        self.about.write_optional(&mut after.about);
        self.website.write_optional(&mut after.website);
        after
    }
}

/// Checks a change, of which validation found these mistakes; returns it as it is to be stored, and the handle apart.
pub(super) fn checked(
    patch: Checked<AccountPatch>,
) -> Result<(AccountPatch, Change<Handle>), Error> {
    let Checked {
        message: patch,
        mistakes,
    } = patch;
    let mut found = Violations::default();
    if let Some(Err(Error::Invalid(wrong))) = patch.name.as_deref().map(check_name) {
        found.add_others(wrong);
    }
    let zone = |name: String| Zone::find(&name).map(|zone| zone.name().to_owned());
    let timezone = read(patch.timezone, "timezone", zone, &mut found);
    let handle = |text: String| Handle::parse(&text);
    let handle = read(patch.handle, "handle", handle, &mut found);
    let url = |text: String| website(&text);
    let website = read(patch.website, "website", url, &mut found);
    let mut violations = Violations::from(mistakes);
    violations.add_others(found.unless_any(Some(())).err().unwrap_or_default());
    let patch = AccountPatch {
        name: patch.name,
        timezone,
        handle: Change::Keep,
        about: patch.about,
        website,
    };
    violations
        .unless_any(Some((patch, handle)))
        .map_err(Error::Invalid)
}

/// Reads the text of a field that changes.
fn read<T, E: ToString>(
    change: Change<String>,
    field: &str,
    read: impl FnOnce(String) -> Result<T, E>,
    violations: &mut Violations,
) -> Change<T> {
    match change {
        Change::Keep => Change::Keep,
        Change::Clear => Change::Clear,
        Change::Set(text) => violations
            .check(field, read(text))
            .map_or(Change::Keep, Change::Set),
    }
}

/// Changes the handle of an account, which is locked.
pub(super) async fn change_handle(
    context: &mut Context,
    before: &Account,
    change: Change<Handle>,
) -> Result<(), Error> {
    let now = context.now;
    match &change {
        Change::Keep => return Ok(()),
        Change::Clear if before.handle.is_none() => return Ok(()),
        Change::Clear => context.tx.release_handle(before.id, now).await?,
        Change::Set(handle) if before.handle.as_deref() == Some(handle.as_str()) => return Ok(()),
        Change::Set(handle) => {
            if !context.tx.take_handle(before.id, handle, now).await? {
                return Err(refused(InvalidHandle::Taken));
            }
            if context.tx.count_former_handles(before.id, now).await? > MAX_FORMER {
                return Err(refused(InvalidHandle::TooOften));
            }
        }
    }
    let fact = Fact::AccountChanged {
        account: before.id,
        change: AccountChange::HandleChanged,
    };
    context.record(fact).await?;
    Ok(())
}

fn refused(why: InvalidHandle) -> Error {
    Error::Invalid(vec![FieldViolation {
        field: "handle".to_owned(),
        message: why.to_string(),
    }])
}
