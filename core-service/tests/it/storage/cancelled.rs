//! Reads whose callers give up.

use std::time::Duration;

use domain::account::Account;
use futures_util::future::join_all;
use storage::{Error, Store};

/// Reads these accounts so often at the same time. Every third read is cancelled at some moment, from before it begins to after it has ended. Each other
/// finds its own account, or fails in a way that is accepted.
pub(super) async fn read_and_cancel(
    store: &Store,
    accounts: &[Account],
    times: usize,
    is_accepted: fn(&Error) -> bool,
) {
    let reads = (0..times).map(|number| async move {
        let account = &accounts[number % accounts.len()];
        let read = store.find_account(account.id);
        if number % 3 == 0 {
            let moment = Duration::from_micros(u64::try_from(number).unwrap() * 5);
            let _cancelled = tokio::time::timeout(moment, read).await;
            return;
        }
        match read.await {
            Ok(found) => assert_eq!(found.as_ref(), Some(account)),
            Err(error) => assert!(is_accepted(&error), "{error:?}"),
        }
    });
    join_all(reads).await;
}
