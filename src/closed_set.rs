//! Closed sets of names, which the proto lists: scopes of credentials, and types of webhook messages.

use std::fmt;

include!(concat!(env!("OUT_DIR"), "/muster.v1/scopes.rs"));
include!(concat!(env!("OUT_DIR"), "/muster.v1/webhook_types.rs"));

/// The text is none of the names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    name: String,
    known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.join(", ");
        write!(out, "must be one of {known}, is {:?}", self.name)
    }
}

impl std::error::Error for UnknownName {}

/// The one of this name.
fn find<T: Copy>(all: &[T], name_of: fn(T) -> &'static str, name: &str) -> Result<T, UnknownName> {
    let found = all.iter().find(|one| name_of(**one) == name);
    found.copied().ok_or_else(|| UnknownName {
        name: name.to_owned(),
        known: all.iter().map(|one| name_of(*one)).collect(),
    })
}
