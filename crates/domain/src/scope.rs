//! The scopes of a credential. The scopes themselves are the proto's.

pub use muster_api::Scope;

const fn bit(scope: Scope) -> u16 {
    1 << scope as u16
}

/// The scopes of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scopes {
    /// All scopes that a credential can be granted, including those of later versions. The default for keys.
    All,
    /// Only these scopes.
    Only(ScopeSet),
}

/// A set of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScopeSet(u16);

impl Scopes {
    /// Only these scopes.
    pub fn named(scopes: impl IntoIterator<Item = Scope>) -> Self {
        let bits = scopes.into_iter().fold(0, |bits, scope| bits | bit(scope));
        Self::Only(ScopeSet(bits))
    }

    /// Those that only read. A person grants them without a step-up, and a client that names no scope asks for them.
    pub fn reading() -> Self {
        Self::named(Scope::READING.iter().copied())
    }

    /// Whether none of them does more than read.
    pub fn only_read(self) -> bool {
        self.iter().all(|scope| Scope::READING.contains(&scope))
    }

    /// Whether a scope is among them.
    pub fn contain(self, scope: Scope) -> bool {
        match self {
            Self::All => Scope::ALL.contains(&scope),
            Self::Only(ScopeSet(bits)) => bits & bit(scope) != 0,
        }
    }

    /// Those of them that are also among `limit`.
    #[must_use]
    pub fn within(self, limit: Self) -> Self {
        Self::named(self.iter().filter(|scope| limit.contain(*scope)))
    }

    /// The scopes of this version, in the order of [`Scope::ALL_OF_SESSIONS`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        let all = Scope::ALL_OF_SESSIONS.iter().copied();
        all.filter(move |scope| self.contain(*scope))
    }

    /// Their names.
    pub fn joined(self, separator: &str) -> String {
        self.iter()
            .map(Scope::name)
            .collect::<Vec<_>>()
            .join(separator)
    }

    /// The stored form: names separated by spaces, as in OAuth; `None` for all.
    pub fn stored(self) -> Option<String> {
        match self {
            Self::All => None,
            Self::Only(_) => Some(self.joined(" ")),
        }
    }

    /// Parses the stored form. A name that a newer version has written grants nothing.
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
            Scopes::named(Scope::ALL.iter().copied()),
        ] {
            assert_eq!(Scopes::from_stored(scopes.stored().as_deref()), scopes);
        }
        // A scope of a newer version must not become all scopes.
        let newer = Scopes::from_stored(Some("events:read payments:write"));
        assert_eq!(newer, Scopes::named([Scope::EventsRead]));
    }

    #[test]
    fn only_what_was_named_is_allowed() {
        for one in Scope::ALL.iter().copied() {
            let scopes = Scopes::named([one]);
            let allowed: Vec<_> = scopes.iter().collect();
            assert_eq!(allowed, [one]);
            assert!(Scopes::All.contain(one));
            assert_eq!(one.name().parse(), Ok(one));
        }
    }
}
