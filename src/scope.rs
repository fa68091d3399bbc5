//! Scopes of credentials. The proto has the list; this module parses and writes their names.

use std::{fmt, str::FromStr};

include!(concat!(env!("OUT_DIR"), "/muster.v1/scopes.rs"));

/// The text is no scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownScope(String);

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.iter().find(|scope| scope.name() == name);
        found.copied().ok_or_else(|| UnknownScope(name.to_owned()))
    }
}

impl fmt::Display for UnknownScope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
        let names = names.join(", ");
        write!(out, "must be one of {names}, is {:?}", self.0)
    }
}

impl std::error::Error for UnknownScope {}
