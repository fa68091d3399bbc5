//! Types of webhook messages. The proto has the list; this module parses and writes their names.

use std::{fmt, str::FromStr};

include!(concat!(env!("OUT_DIR"), "/muster.v1/webhook_types.rs"));

/// The text is no type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWebhookType(String);

impl fmt::Display for WebhookType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl FromStr for WebhookType {
    type Err = UnknownWebhookType;

    fn from_str(name: &str) -> Result<Self, UnknownWebhookType> {
        let found = Self::ALL.iter().find(|one| one.name() == name);
        found
            .copied()
            .ok_or_else(|| UnknownWebhookType(name.to_owned()))
    }
}

impl fmt::Display for UnknownWebhookType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = WebhookType::ALL.iter().map(|one| one.name()).collect();
        let names = names.join(", ");
        write!(out, "must be one of {names}, is {:?}", self.0)
    }
}

impl std::error::Error for UnknownWebhookType {}
