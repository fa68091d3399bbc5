//! Which database, and how it is used.

use secrecy::SecretString;

/// How a [`super::Store`] is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// `sqlite://path`, or `postgres://user:password@host/database`.
    pub url: SecretString,
    /// Connections to PostgreSQL at most; SQLite has one writer and four readers whatever this says.
    pub pool_size: u32,
    /// Whether this is the core that serves, or an admin command beside it.
    pub access: Access,
}

/// What a database is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A core: of a SQLite file there is exactly one, by a lock on a file beside it.
    Serve,
    /// An admin command, which may run beside a core.
    Administer,
}

impl Options {
    /// Whether a URL is one of a database that there is an engine for.
    pub fn accepts(url: &str) -> bool {
        ["sqlite:", "postgres://", "postgresql://"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
    }

    /// Connections to PostgreSQL unless said otherwise: more than two cores keep busy, far below its default of 100.
    pub const DEFAULT_POOL_SIZE: u32 = 16;

    /// Options for a database with the default pool.
    pub fn new(url: impl Into<String>, access: Access) -> Self {
        Self {
            url: SecretString::from(url.into()),
            pool_size: Self::DEFAULT_POOL_SIZE,
            access,
        }
    }
}
