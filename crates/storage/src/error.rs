//! Errors of storage, by what the caller can do about them.

use sqlx::error::ErrorKind;

/// A failure of storage. Messages never contain a password.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database does not answer in time. Nothing was changed, and the same call may succeed later.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The database cannot write, for example because its disk is full. Nothing was changed; the same call succeeds once it can.
    #[error("the database cannot write: {0}")]
    Unwritable(String),
    /// The server is a standby by now: another one takes the writes. Nothing was changed, and the same call may succeed later.
    #[error("the database server takes no writes: {0}")]
    Standby(String),
    /// Other transactions were in the way, and the database chose to end this one. Nothing was changed, and the same transaction, begun
    /// anew, may succeed at once.
    #[error("other transactions were in the way: {0}")]
    Collision(String),
    /// Another transaction held a lock for too long. Nothing was changed, and the same call may succeed later.
    #[error("another transaction holds a lock: {0}")]
    Locked(String),
    /// The connection broke during a commit: it is unknown whether the change was made.
    #[error("the database broke off during a commit, so its outcome is unknown: {0}")]
    UnknownOutcome(String),
    /// A value that must be unique is taken. Names differ between the engines; for logs.
    #[error("{constraint} must be unique")]
    Duplicate {
        /// The constraint, as the engine names it.
        constraint: String,
    },
    /// A write to a row that does not exist: the caller did not read it in this transaction.
    #[error("there is no such {0} to change")]
    Missing(&'static str),
    /// A stored value cannot be read.
    #[error("stored {what} cannot be read: {text}")]
    Corrupt {
        /// The column or the type of the value.
        what: &'static str,
        /// What is wrong with it.
        text: String,
    },
    /// A row cannot be read.
    #[error("row {id} of {table} cannot be read")]
    Row {
        /// The table.
        table: &'static str,
        /// Its id, or a question mark if that cannot be read either.
        id: String,
        /// What of it cannot be read.
        #[source]
        cause: Box<Self>,
    },
    /// The settings name no usable database; the text says what is valid.
    #[error("{0}")]
    Configuration(String),
    /// A statement or a migration failed because of a defect or a problem for the operator.
    #[error("the database refused: {0}")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// SQLSTATEs (or their prefixes) of temporary failures: connection failures, too many connections or no resources, shutdown and
/// start-up, timeouts of statements and idle transactions.
const PASSING_SQLSTATES: [&str; 5] = ["08", "53", "57P", "57014", "25P03"];

/// The SQLSTATE of a wait for a lock that took too long.
const LOCKED_SQLSTATE: &str = "55P03";

/// SQLSTATEs of transactions that the server ended in favour of others: serialization and deadlock.
const COLLISION_SQLSTATES: [&str; 2] = ["40001", "40P01"];

/// The SQLSTATE of a statement of which it is unknown whether it was completed. PostgreSQL has no use for it, but CockroachDB answers so to
/// a commit.
const UNKNOWN_SQLSTATE: &str = "40003";

/// `SQLITE_BUSY` and `SQLITE_LOCKED`, in the low byte of SQLite's extended codes.
const PASSING_SQLITE_CODES: [i32; 2] = [5, 6];

/// SQLSTATEs of a server that cannot write: a full disk, an I/O error. Here `53100` counts, although it is one of the temporary failures.
const UNWRITABLE_SQLSTATES: [&str; 2] = ["53100", "58030"];

/// The SQLSTATE of a write to a server that only reads.
const STANDBY_SQLSTATE: &str = "25006";

/// `SQLITE_READONLY`, `SQLITE_IOERR`, `SQLITE_FULL` and `SQLITE_CANTOPEN` (on a full disk the log's index cannot be created), as
/// above.
const UNWRITABLE_SQLITE_CODES: [i32; 4] = [8, 10, 13, 14];

/// `SQLITE_IOERR_FSYNC`: the data were written, but perhaps not to the disk.
const SQLITE_UNSYNCED: &str = "1034";

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::BeginFailed
            // A server that is stopping, or a pooler without one, may answer anything.
            | sqlx::Error::Protocol(_) => Self::Unavailable(error.to_string()),
            sqlx::Error::ColumnDecode {
                ref index,
                ref source,
            } => Self::Corrupt {
                what: "column",
                text: format!("{index}: {source}"),
            },
            sqlx::Error::Database(ref database)
                if database.kind() == ErrorKind::UniqueViolation =>
            {
                Self::Duplicate {
                    constraint: constraint(database.as_ref()),
                }
            }
            sqlx::Error::Database(ref database)
                if database.code().as_deref() == Some(STANDBY_SQLSTATE) =>
            {
                Self::Standby(database.message().to_owned())
            }
            sqlx::Error::Database(ref database)
                if is_among(database.code().as_deref(), &COLLISION_SQLSTATES, &[]) =>
            {
                Self::Collision(database.message().to_owned())
            }
            sqlx::Error::Database(ref database)
                if database.code().as_deref() == Some(LOCKED_SQLSTATE) =>
            {
                Self::Locked(database.message().to_owned())
            }
            sqlx::Error::Database(ref database) if cannot_write(database.code().as_deref()) => {
                Self::Unwritable(database.message().to_owned())
            }
            sqlx::Error::Database(ref database) if passes(database.code().as_deref()) => {
                Self::Unavailable(database.message().to_owned())
            }
            other => Self::Internal(Box::new(other)),
        }
    }
}

impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(error)
            | sqlx::migrate::MigrateError::ExecuteMigration(error, _) => error.into(),
            other => Self::Internal(Box::new(other)),
        }
    }
}

impl Error {
    /// The same failure of the database, for another command that it concerns.
    #[must_use]
    pub fn for_another(&self) -> Self {
        match self {
            Self::Unavailable(text) => Self::Unavailable(text.clone()),
            Self::Unwritable(text) => Self::Unwritable(text.clone()),
            Self::Standby(text) => Self::Standby(text.clone()),
            Self::Collision(text) => Self::Collision(text.clone()),
            Self::Locked(text) => Self::Locked(text.clone()),
            Self::UnknownOutcome(text) => Self::UnknownOutcome(text.clone()),
            other => Self::Unavailable(other.to_string()),
        }
    }

    /// The meaning of a failed commit: after a lost connection the outcome is unknown, after an answer it is known.
    pub(super) fn of_commit(error: sqlx::Error) -> Self {
        let lost = match &error {
            sqlx::Error::Database(database) => database.code().is_some_and(|code| {
                code.starts_with("08")
                    || code.starts_with("57P")
                    || code == UNKNOWN_SQLSTATE
                    || code == SQLITE_UNSYNCED
            }),
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::WorkerCrashed => true,
            _ => false,
        };
        if lost {
            Self::UnknownOutcome(error.to_string())
        } else {
            error.into()
        }
    }
}

/// PostgreSQL names the constraint; SQLite's text ends in the columns.
fn constraint(error: &dyn sqlx::error::DatabaseError) -> String {
    error.constraint().map_or_else(
        || {
            let message = error.message();
            message
                .rsplit_once(": ")
                .map_or(message, |(_, columns)| columns)
                .to_owned()
        },
        str::to_owned,
    )
}

fn passes(code: Option<&str>) -> bool {
    is_among(code, &PASSING_SQLSTATES, &PASSING_SQLITE_CODES)
}

fn cannot_write(code: Option<&str>) -> bool {
    is_among(code, &UNWRITABLE_SQLSTATES, &UNWRITABLE_SQLITE_CODES)
}

/// Codes of five characters are SQLSTATEs; SQLite's are shorter numbers.
fn is_among(code: Option<&str>, sqlstates: &[&str], sqlite_codes: &[i32]) -> bool {
    let Some(code) = code else { return false };
    if code.len() == 5 {
        sqlstates.iter().any(|state| code.starts_with(state))
    } else {
        code.parse::<i32>()
            .is_ok_and(|code| sqlite_codes.contains(&(code & 0xff)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_by_itself_is_told_by_its_code() {
        for code in [
            "08006", "53300", "57P01", "57P03", "57014", "25P03", "5", "6", "261", "517",
        ] {
            assert!(passes(Some(code)), "{code}");
        }
        for code in [
            "23505", "40001", "40P01", "42P01", "55P03", "57000", "1", "14", "2067",
        ] {
            assert!(!passes(Some(code)), "{code}");
        }
        assert!(!passes(None));
    }

    #[test]
    fn a_full_disk_and_what_is_like_it_are_told_by_their_codes() {
        // Full, read-only, failed writing, syncing and opening.
        for code in ["13", "8", "10", "778", "1034", "14", "53100", "58030"] {
            assert!(cannot_write(Some(code)), "{code}");
        }
        for code in ["5", "11", "19", "26", "2067", "23505", "53300"] {
            assert!(!cannot_write(Some(code)), "{code}");
        }
        assert!(!cannot_write(None));
    }

    #[test]
    fn only_a_lost_connection_leaves_a_commit_open() {
        let lost = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        let lost = Error::of_commit(sqlx::Error::Io(lost));
        assert!(matches!(lost, Error::UnknownOutcome(_)), "{lost:?}");
        let refused = Error::of_commit(sqlx::Error::PoolTimedOut);
        assert!(matches!(refused, Error::Unavailable(_)), "{refused:?}");
    }
}
