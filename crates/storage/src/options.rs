//! Options of a database.

use secrecy::SecretString;

use super::servers::Servers;

/// How a [`super::Store`] is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// `sqlite://path`, or `postgres://user:password@host/database`, where several hosts have commas between them.
    pub url: SecretString,
    /// Maximum number of connections to PostgreSQL, at least 2. Half of them are for reads only. SQLite always has one writer and
    /// four readers.
    pub pool_size: u32,
    /// Whether the URL leads to a pooler that gives each transaction another session of PostgreSQL.
    pub is_pooled: bool,
    /// Whether a core or an admin command opens it.
    pub purpose: Purpose,
    /// The command that runs the migrations, as the reader of a message can type it.
    pub migrate_command: String,
}

/// What a database is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A core. A SQLite file has exactly one, by a lock on a file beside it.
    Serve,
    /// An admin command, which may run beside a core.
    Administer,
}

impl Options {
    /// Checks whether a URL names a database of an engine.
    ///
    /// # Errors
    /// What is valid. No part of the URL, which may have a password.
    pub fn check(url: &str) -> Result<(), String> {
        if url.starts_with("sqlite:") {
            return Ok(());
        }
        Servers::parse(url).map(drop)
    }

    /// The place that a URL names, without login and parameters.
    pub fn place(url: &str) -> String {
        if url.starts_with("sqlite:") {
            return url.to_owned();
        }
        Servers::parse(url).map_or_else(|why| why, |servers| servers.shown())
    }

    /// The default number of connections to PostgreSQL: more than two processors can use, far below the server's default limit
    /// of 100.
    pub const DEFAULT_POOL_SIZE: u32 = 16;

    /// Options for a database with the default pool.
    pub fn new(url: impl Into<String>, purpose: Purpose) -> Self {
        Self {
            url: SecretString::from(url.into()),
            pool_size: Self::DEFAULT_POOL_SIZE,
            is_pooled: false,
            purpose,
            migrate_command: "migrate".to_owned(),
        }
    }
}
