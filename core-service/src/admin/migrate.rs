//! `migrate`.

use serde_json::json;
use server::Failure;
use storage::Store;

use super::{Output, storage_failure};

pub(super) async fn run(store: &Store) -> Result<Output, Failure> {
    let pending = store.pending_migrations().await.map_err(storage_failure)?;
    store.migrate().await.map_err(storage_failure)?;
    let text = if pending.is_empty() {
        "the database is up to date".to_owned()
    } else {
        format!("migrated the database: {}", pending.join(", "))
    };
    Ok(Output::new(text, json!({ "applied": pending })))
}
