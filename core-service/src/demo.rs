//! Demo data for a new database on a loopback address: so that `cargo run` shows something at once.
//!
//! What there is to see stands in `demo/events.json` and `demo/guests.json`. It is written in one transaction (`fill`); the
//! key comes after it, since any later start can make another one.

mod events;
mod fill;
mod guests;
mod key_file;

use std::path::{Path, PathBuf};

use process::Failure;

use crate::{
    domain::{api_key::PlainKey, ids::AccountId},
    service::{Error, UseCases},
};

/// The demo account's address, by which a later start knows its own database.
pub const EMAIL: &str = "demo@muster.example";

/// What the key is called in lists.
const KEY_LABEL: &str = "demo";

/// A key of the demo account, to be shown to the person who started Muster.
#[derive(Debug, Clone)]
pub struct DemoKey {
    /// The key.
    pub key: PlainKey,
    /// Where it is kept.
    pub file: PathBuf,
    /// Where it comes from.
    pub origin: KeyOrigin,
}

/// Where a demo key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrigin {
    /// It was made with the demo data.
    New,
    /// An earlier start kept it.
    Kept,
    /// It was made since the file was lost, or held no key that this database accepts.
    Replaced,
}

/// Fills a database that has no account with demo data, and finds or makes the demo's key, which is kept in
/// `<data_dir>/demo.key`. A database that has the demo keeps it as it is; one with accounts of its own is left alone, and then
/// there is no key.
///
/// # Errors
/// When the database fails, or the key's file can be neither read nor written.
pub async fn prepare(use_cases: &UseCases, data_dir: &Path) -> Result<Option<DemoKey>, Failure> {
    let is_new = fill::fill_if_empty(use_cases).await.map_err(failure)?;
    let store = use_cases.commands.store();
    let account = store.find_account_by_email(EMAIL).await;
    let Some(account) = account.map_err(|error| failure(error.into()))? else {
        return Ok(None);
    };

    let file = data_dir.join("demo.key");
    if let Some(key) = key_file::read(&file)?
        && is_key_of(use_cases, account.id, &key)
            .await
            .map_err(failure)?
    {
        let origin = KeyOrigin::Kept;
        return Ok(Some(DemoKey { key, file, origin }));
    }
    let made = use_cases.keys.create(EMAIL, KEY_LABEL).await;
    let made = made.map_err(failure)?;
    key_file::write(&file, &made.plain)?;
    Ok(Some(DemoKey {
        key: made.plain,
        file,
        origin: if is_new {
            KeyOrigin::New
        } else {
            KeyOrigin::Replaced
        },
    }))
}

async fn is_key_of(
    use_cases: &UseCases,
    account: AccountId,
    key: &PlainKey,
) -> Result<bool, Error> {
    let authorization = format!("Bearer {}", key.expose());
    match use_cases
        .authenticator
        .authenticate(Some(&authorization))
        .await
    {
        Ok(caller) => Ok(caller.account == account),
        Err(Error::Unauthorized) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Only the database can be in the way: a refusal means that the demo's data break Muster's own rules.
fn failure(error: Error) -> Failure {
    match error {
        Error::Unavailable(source) => Failure::Environment(source.to_string()),
        Error::Internal(source) => Failure::Internal(source.to_string()),
        refusal => Failure::Internal(format!("the demo data are refused: {refusal:?}")),
    }
}
