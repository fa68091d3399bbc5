//! Why a binary stopped, and the exit code that says so.

use std::process::ExitCode;

/// Why a binary could not start or go on. Its text is for the person who started it: no backtrace, one line per problem.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The settings cannot be used; every problem found, one line each. Exit code 64 (`EX_USAGE`).
    #[error("{}", .0.join("\n"))]
    Settings(Vec<String>),
    /// Something outside is in the way: a port in use, an unwritable folder, an unreachable database. Exit code 1.
    #[error("{0}")]
    Environment(String),
    /// Muster itself is at fault. Exit code 70 (`EX_SOFTWARE`).
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// One invalid setting.
    pub fn setting(problem: impl Into<String>) -> Self {
        Self::Settings(vec![problem.into()])
    }

    /// The exit code, as a number.
    pub const fn code(&self) -> u8 {
        match self {
            Self::Environment(_) => 1,
            Self::Settings(_) => 64,
            Self::Internal(_) => 70,
        }
    }

    /// Prints the failure, if any, to standard error and says what `main` should return.
    pub fn report(result: Result<(), Self>) -> ExitCode {
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                for line in failure.to_string().lines() {
                    eprintln!("error: {line}");
                }
                ExitCode::from(failure.code())
            }
        }
    }
}
