//! Scopes: what a credential may be used for.

use std::{fmt, str::FromStr};

/// One kind of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// See the account's own events.
    EventsRead,
    /// Create, change and publish them.
    EventsWrite,
    /// Cancel them.
    EventsCancel,
    /// See who is registered.
    RegistrationsRead,
    /// Add, approve and cancel registrations.
    RegistrationsWrite,
    /// Check attendees in.
    RegistrationsCheckIn,
    /// See the account.
    AccountRead,
    /// Change the account.
    AccountWrite,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::EventsRead,
        Self::EventsWrite,
        Self::EventsCancel,
        Self::RegistrationsRead,
        Self::RegistrationsWrite,
        Self::RegistrationsCheckIn,
        Self::AccountRead,
        Self::AccountWrite,
    ];

    /// Its name, as the API says it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EventsRead => "events:read",
            Self::EventsWrite => "events:write",
            Self::EventsCancel => "events:cancel",
            Self::RegistrationsRead => "registrations:read",
            Self::RegistrationsWrite => "registrations:write",
            Self::RegistrationsCheckIn => "registrations:check_in",
            Self::AccountRead => "account:read",
            Self::AccountWrite => "account:write",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|scope| scope.name() == name);
        found.ok_or_else(|| format!("must be one of {}", Scopes::named(Self::ALL).joined(", ")))
    }
}

/// What one credential may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scopes {
    /// Everything, with what later versions add: what a key may do unless it was told otherwise.
    All,
    /// These alone.
    Only(ScopeSet),
}

/// Any number of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopeSet(u16);

impl Scopes {
    /// These alone.
    pub fn named(scopes: impl IntoIterator<Item = Scope>) -> Self {
        let bits = scopes.into_iter().fold(0, |bits, scope| bits | scope.bit());
        Self::Only(ScopeSet(bits))
    }

    /// Whether a use is among them.
    pub const fn contain(self, scope: Scope) -> bool {
        match self {
            Self::All => true,
            Self::Only(ScopeSet(bits)) => bits & scope.bit() != 0,
        }
    }

    /// Those that there are now, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .into_iter()
            .filter(move |scope| self.contain(*scope))
    }

    /// Their names.
    pub fn joined(self, separator: &str) -> String {
        self.iter()
            .map(Scope::name)
            .collect::<Vec<_>>()
            .join(separator)
    }

    /// As stored: names between spaces, as OAuth writes them, and nothing for all.
    pub fn stored(self) -> Option<String> {
        match self {
            Self::All => None,
            Self::Only(_) => Some(self.joined(" ")),
        }
    }

    /// What was stored. A name that this version does not know grants nothing: a newer one has written it.
    pub fn from_stored(stored: Option<&str>) -> Self {
        stored.map_or(Self::All, |names| {
            Self::named(names.split(' ').filter_map(|name| name.parse().ok()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_what_is_read() {
        let some = Scopes::named([Scope::AccountRead, Scope::EventsRead]);
        assert_eq!(some.stored().as_deref(), Some("events:read account:read"));
        for scopes in [
            Scopes::All,
            some,
            Scopes::named([]),
            Scopes::named(Scope::ALL),
        ] {
            assert_eq!(Scopes::from_stored(scopes.stored().as_deref()), scopes);
        }
        // A key for a newer version's scope is no key for everything.
        let newer = Scopes::from_stored(Some("events:read webhooks:write"));
        assert_eq!(newer, Scopes::named([Scope::EventsRead]));
    }

    #[test]
    fn only_what_was_named_is_allowed() {
        for one in Scope::ALL {
            let scopes = Scopes::named([one]);
            let allowed: Vec<_> = scopes.iter().collect();
            assert_eq!(allowed, [one]);
            assert!(Scopes::All.contain(one));
            assert_eq!(one.name().parse(), Ok(one));
        }
        let unknown = "events".parse::<Scope>().unwrap_err();
        assert!(
            unknown.contains("events:read, events:write, events:cancel"),
            "{unknown}"
        );
    }
}
