//! Sealing secrets at rest. A secret that is compared only is stored as a hash; one that must be read again, such as the secret that signs
//! webhooks, is sealed under a key that is not in the database. Someone with a copy of the database alone cannot read it.
//!
//! A sealed value opens for the same context alone, for example the id of its row, so that it is worth nothing in another row. Whoever can
//! write to the database can put an older value of the same row back: that is not noticed.

mod key;
mod key_file;
mod keys;
mod sealed;

pub use self::{
    key::{InvalidKey, SecretKey},
    key_file::KeyFileError,
    keys::SecretKeys,
    sealed::{OpenError, PREFIX_BYTES, fingerprint_of_prefix},
};
