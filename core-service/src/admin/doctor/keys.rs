//! The check of the keys that seal secrets.

use std::path::Path;

use domain::instant::Instant;
use seal::{SecretKey, SecretKeys};
use storage::Store;

use super::finding::Finding;
use crate::{service::SealedSecrets, settings::KEY_FILE};

const NAME: &str = "secret key";

/// Compares the keys of this configuration with those that sealed what is in the database. A replica with another key has sealed what these
/// do not open, or will not open what they sealed: its own `doctor` shows another fingerprint.
pub(super) async fn open_secrets(
    store: &Store,
    set: Option<&SecretKeys>,
    data_dir: &Path,
    now: Instant,
) -> Finding {
    let keys = match set {
        Some(keys) => Ok(Some(keys.clone())),
        None => SecretKey::read(&data_dir.join(KEY_FILE)).map(|key| key.map(SecretKeys::from)),
    };
    let keys = match keys {
        Ok(Some(keys)) => keys,
        Ok(None) => {
            let text = format!(
                "there is none yet: without --secret-key (MUSTER_SECRET_KEY), the first start creates {}; replicas need the same one",
                data_dir.join(KEY_FILE).display()
            );
            return Finding::note(NAME, text);
        }
        Err(error) => return Finding::new(NAME, Err(error.to_string())),
    };
    match SealedSecrets::count(store, &keys, now).await {
        Ok(counted) => judged(&keys, &counted),
        Err(error) => Finding::new(NAME, Err(error.to_string())),
    }
}

fn judged(keys: &SecretKeys, counted: &SealedSecrets) -> Finding {
    let own = keys.current().fingerprint();
    if !counted.unknown.is_empty() {
        let others = counted.unknown.iter();
        let others = others.map(|(key, number)| format!("{number} under {key}"));
        let others: Vec<_> = others.collect();
        return Finding::new(
            NAME,
            Err(format!(
                "this is {own}, but secrets of webhooks are sealed under others: {}; set the same MUSTER_SECRET_KEY on every core, with the \
                 others behind it, separated by commas; if a key is lost, rotate the secrets of these webhooks",
                others.join(", ")
            )),
        );
    }
    let sealed = format!("{own} opens every secret; its replicas must show the same");
    match (counted.former, keys.former()) {
        (0, []) => Finding::new(NAME, Ok(sealed)),
        (0, _) => Finding::note(
            NAME,
            format!("{own} has sealed every secret: the keys behind it are not needed any more"),
        ),
        (former, _) => Finding::note(
            NAME,
            format!(
                "{own} seals; {former} secrets are sealed under the keys behind it, and maintenance seals them again"
            ),
        ),
    }
}
