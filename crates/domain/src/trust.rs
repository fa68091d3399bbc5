//! How an account that signed itself up earns trust (rule 41 of docs/rules.md): by people who registered themselves and pressed a button on
//! their page. Opening it is no proof, since scanners of mails do that.

use sha2::{Digest as _, Sha256};

use super::email;

/// How many different mailboxes are enough.
pub const PROOFS_NEEDED: i64 = 20;

/// What a proof is stored as: SHA-256 of the mailbox behind an address.
pub fn proof(address: &str) -> [u8; 32] {
    Sha256::digest(email::mailbox(address)).into()
}
