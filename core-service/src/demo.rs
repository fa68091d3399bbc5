//! Demo data for a new database that nobody uses for real, so that `cargo run` has something to show.
//!
//! The data are in `demo/events.json` and `demo/guests.json`. They are written in one transaction (`fill`). The key is created
//! after that, since a later start can create another one.

mod events;
mod fill;
mod guests;
mod key_file;

use std::{path::PathBuf, time::Duration};

use domain::{account::Account, api_key::PlainKey, ids::AccountId};
use futures_util::future::BoxFuture;
use server::{Failure, command_line};
use tokio::time::{Instant, sleep};

use crate::service::{Error, UseCases};

/// The demo account's address. It marks a database with demo data.
pub const EMAIL: &str = "demo@muster.example";

/// Name of the key in lists.
const KEY_LABEL: &str = "demo";

/// How long another first start may take, and how often it is tried again meanwhile.
const OTHER_START: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// A key of the demo account, to show to the person who started Muster.
#[derive(Debug, Clone)]
pub struct DemoKey {
    /// The key.
    pub key: PlainKey,
    /// The file that stores it.
    pub file: PathBuf,
    /// Its origin.
    pub origin: KeyOrigin,
}

/// The origin of a demo key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrigin {
    /// It was created with the demo data.
    New,
    /// An earlier start created it.
    Existing,
    /// It replaces a key whose file was lost or whose key this database does not accept.
    Replaced,
}

/// Fills a database without accounts with demo data, and finds the demo key in `file` or creates it there. A database that has
/// other accounts is not changed, and there is no key. Existing demo data are not changed either.
///
/// # Errors
/// When the database fails, or the file can be neither read nor written.
pub fn prepare(
    use_cases: &UseCases,
    file: PathBuf,
) -> BoxFuture<'_, Result<Option<DemoKey>, Failure>> {
    Box::pin(async move {
        let is_new = fill_if_empty(use_cases).await.map_err(failure)?;
        let Some(account) = find_account(use_cases).await? else {
            return Ok(None);
        };

        if let Some(key) = key_file::read(&file)?
            && is_key_of(use_cases, account.id, &key)
                .await
                .map_err(failure)?
        {
            let origin = KeyOrigin::Existing;
            return Ok(Some(DemoKey { key, file, origin }));
        }
        let made = use_cases.keys.create_for_demo(EMAIL, KEY_LABEL).await;
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
    })
}

/// A link with which the owner of the demo account signs in, once.
///
/// # Errors
/// When the database fails.
pub fn sign_in_link(use_cases: &UseCases) -> BoxFuture<'_, Result<String, Failure>> {
    Box::pin(async move {
        let link = use_cases.sign_in.new_link(EMAIL).await.map_err(failure)?;
        Ok(use_cases.links.sign_in(&link))
    })
}

/// Warns of demo data in a database that is used for real: its key may be known, and its events are public.
///
/// # Errors
/// When the database fails.
pub fn warn_of_leftovers(use_cases: &UseCases) -> BoxFuture<'_, Result<(), Failure>> {
    Box::pin(async move {
        if find_account(use_cases).await?.is_some() {
            tracing::warn!(
                "the database has the demo account {EMAIL}, whose events are public and whose key works: `{}` and \
             `{}` end the key; a new database is without demo data",
                command_line("key list"),
                command_line("key revoke ID")
            );
        }
        Ok(())
    })
}

async fn find_account(use_cases: &UseCases) -> Result<Option<Account>, Failure> {
    let found = use_cases
        .commands
        .store()
        .find_account_by_email(EMAIL)
        .await;
    found.map_err(|error| failure(error.into()))
}

/// Fills the database, or waits until another first start has done so: it holds its locks for longer than others wait for them.
async fn fill_if_empty(use_cases: &UseCases) -> Result<bool, Error> {
    let until = Instant::now() + OTHER_START;
    loop {
        match fill::fill_if_empty(use_cases).await {
            Err(Error::Unavailable(_)) if Instant::now() < until => sleep(PAUSE).await,
            filled => return filled,
        }
    }
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

/// A refusal means that the demo data break Muster's rules, which is a defect.
fn failure(error: Error) -> Failure {
    match error {
        Error::Unavailable(source) => Failure::Environment(source.to_string()),
        Error::Internal(source) => Failure::Internal(source.to_string()),
        refusal => Failure::Internal(format!("the demo data are invalid: {refusal:?}")),
    }
}
